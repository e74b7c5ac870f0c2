"""Seconds of a step chosen by hand: the step is read, the dialog asks, the history keeps the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.history.store.history import History
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.widgets.layouts import open_disposable_dialog

if TYPE_CHECKING:
    from app.history.recorded.counting import CuttableStep

    from .cut import CutDialog


class CutController(QObject):
    """Choosing seconds on one page; all but the dialog runs off the GUI thread."""

    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._page = context, page
        self.dialog: CutDialog | None = None

    def ask(self, session: str, name: str, step: int) -> None:
        """Ask which seconds of a step, by its position, count."""

        def work(history: History) -> CuttableStep:
            from app.history.recorded.counting import cuttable_step

            return cuttable_step(history, session, step)

        self._context.tasks.read(
            self, work, lambda found: self._open(session, name, step, found), self.failed.emit
        )

    def _open(self, session: str, name: str, step: int, found: CuttableStep) -> None:
        from .cut import CutDialog

        self.dialog = dialog = CutDialog(name, found, self._context.theme, self._page.window())
        dialog.accepted.connect(lambda: self._keep(session, step, dialog))
        open_disposable_dialog(dialog)

    def _keep(self, session: str, step: int, dialog: CutDialog) -> None:
        wanted = None if dialog.is_undone else dialog.cut

        def work(history: History) -> None:
            from app.history.lists import edits

            edits.undo_cut(history, session, step) if wanted is None else edits.count_only_seconds(
                history, session, step, wanted
            )

        self._context.tasks.read(self, work, lambda _: self._tell(), self.failed.emit, stores=True)

    def _tell(self) -> None:
        self._context.bus.changed.emit(PartsToReload(sessions=True))
