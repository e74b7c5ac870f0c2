"""What a person changes: names, tags, notes; sessions taken away and brought back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from app.history.lists.sessions import state_of
from app.history.store.history import History
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext


class SessionEditController(QObject):
    """Edits off the GUI thread; all pages hear of them."""

    deleted = Signal(int, int)  # how many sessions are away, how many are not
    undone = Signal(object, str)  # ids of the sessions, what came of it
    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._undo: list[tuple[str, ...]] = []  # what each deletion took away

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    def rename(self, session: str, name: str) -> None:
        def change(history: History) -> None:
            from app.history.lists.edits import rename  # by its thread, on first use

            rename(history, session, name)

        self._change(change)

    def note(self, sessions: Sequence[str], text: str) -> None:
        """Add the same note to each of them."""

        def change(history: History) -> None:
            from app.history.lists.edits import note

            for session in sessions:
                note(history, session, text)

        self._change(change, f"Note added to {session_count_text(len(sessions))}")

    def tag(self, sessions: Sequence[str], name: str, is_on: bool) -> None:
        """Add the tag to all, or remove it from those that have it."""

        def change(history: History) -> None:
            from app.history.lists import edits

            for session in sessions:
                if is_on:
                    edits.tag(history, session, name)
                elif name in edits.session_annotations(history, session)["tags"]:
                    edits.untag(history, session, name)

        self._change(change)

    def set_tags(self, session: str, tags: Sequence[str]) -> None:
        """Set exactly these tags."""

        def change(history: History) -> None:
            from app.history.lists import edits

            before = edits.session_annotations(history, session)["tags"]
            for tag in tags:
                edits.tag(history, session, tag)
            for tag in set(before) - set(tags):
                edits.untag(history, session, tag)

        self._change(change)

    def delete(self, sessions: Sequence[str]) -> None:
        """Delete those that can be deleted; running ones stay."""

        def change(history: History) -> tuple[tuple[str, ...], int]:
            from app.history.lists.edits import delete

            over = [each for each in sessions if state_of(history, each) not in ("", "waiting", "active")]
            return tuple(delete(history, each) for each in over), len(sessions) - len(over)

        self._context.tasks.read(self, change, self._on_deleted, self._on_failed, stores=True)

    def undo(self) -> None:
        """Undo the latest deletion."""
        if not self._undo:
            return
        sessions = self._undo.pop()

        def change(history: History) -> str:
            from app.history.lists.edits import undelete

            back = sum(undelete(history, session) for session in sessions)
            lost = len(sessions) - back
            return f"{session_count_text(back)} restored" + (
                f"; the journals of {lost} are lost" if lost else ""
            )

        self._context.tasks.read(
            self, change, lambda text: self._on_undone(sessions, text), self._on_failed, stores=True
        )

    def _change(self, change: Callable[[History], None], said: str = "") -> None:
        """Carry it out, then tell all pages, and the person where nothing else shows it."""

        def done(_: None) -> None:
            self._tell()
            if said:
                self._context.bus.said.emit(said)

        self._context.tasks.read(self, change, done, self._on_failed, stores=True)

    def _on_deleted(self, answer: tuple[tuple[str, ...], int]) -> None:
        gone, left = answer
        if gone:
            self._undo.append(gone)
        self._tell()
        self.deleted.emit(len(gone), left)

    def _on_undone(self, sessions: tuple[str, ...], text: str) -> None:
        self.undone.emit(sessions, text)
        self._tell()

    def _on_failed(self, error: Exception) -> None:
        self._tell()  # some of it may have been done
        self.failed.emit(error)

    def _tell(self) -> None:
        self._context.bus.changed.emit(PartsToReload(sessions=True))


def session_count_text(sessions: int) -> str:
    return f"{sessions:,} session{'' if sessions == 1 else 's'}"
