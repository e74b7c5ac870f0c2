"""The lines of the list: read a page at a time, when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.history.lists.browsing import SessionLine, read_session_lines
from app.history.lists.plans import PlanEntry, plans
from app.history.store.history import History
from ui.core.tasks import Tasks

from .session_rows import SessionRows

PAGE = 64  # lines that are read together


class SessionListLines(NamedTuple):
    """Lines read for some rows."""

    sessions: list[SessionLine]
    plans: list[PlanEntry]


class SessionLines(QObject):
    """The lines of sessions and plans, by id."""

    came = Signal(object)  # ids
    failed = Signal(object)  # Exception

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self.sessions: dict[str, SessionLine] = {}
        self.plans: dict[str, PlanEntry] = {}
        self._rows: SessionRows | None = None
        self._read: set[str] = set()  # ids that are read, or will be
        self._wanted: set[int] = set()  # pages
        self._answers = 0  # lines of an earlier one are not taken any more

    def begin(self, rows: SessionRows, first: SessionListLines) -> None:
        """Begin with other rows, or read the same again; the first page is already read."""
        self._answers += 1
        self._rows, self._wanted = rows, set()
        self._read = {*(line["id"] for line in first.sessions), *(plan["id"] for plan in first.plans)}
        self._keep(first)

    def want(self, row: int, id_: str) -> None:
        """Request a line that is not read; one question for all pages of a painting."""
        if id_ in self._read:
            return
        if not self._wanted:
            QTimer.singleShot(0, self._read_wanted)
        self._wanted.add(row // PAGE)

    def _keep(self, read: SessionListLines) -> None:
        self.sessions.update((line["id"], line) for line in read.sessions)
        self.plans.update((plan["id"], plan) for plan in read.plans)

    def _read_wanted(self) -> None:
        pages, self._wanted = sorted(self._wanted), set()
        for page in pages:
            self._read_page(page)

    def _read_page(self, page: int) -> None:
        if self._rows is None:
            return
        rows, answers = self._rows, self._answers
        ids = [id_ for id_ in rows.ids[page * PAGE : (page + 1) * PAGE] if id_ not in self._read]
        self._read.update(ids)

        def done(read: SessionListLines) -> None:
            if answers == self._answers:
                self._keep(read)
                self.came.emit(ids)

        self._tasks.read(self, lambda history: read_lines(history, rows, ids), done, self.failed.emit)


def read_lines(history: History, rows: SessionRows, ids: Sequence[str]) -> SessionListLines:
    """Read the lines of these rows; runs on a pool thread."""
    return SessionListLines(
        read_session_lines(history, [id_ for id_ in ids if not rows.is_plan(id_)]),
        plans(history, [id_ for id_ in ids if rows.is_plan(id_)]),
    )
