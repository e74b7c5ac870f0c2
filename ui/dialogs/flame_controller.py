"""The flame graph of a step: stacks are read and laid out off the GUI thread, then a dialog shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.history.store.history import History
from ui.core.context import WindowContext
from ui.widgets.layouts import open_disposable_dialog

if TYPE_CHECKING:
    from app.comparison.texts.flame_views import FlameGraphWithTable

    from .flame import FlameDialog


class FlameGraphOpener(QObject):
    """Opens flame graphs from one page."""

    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._page = context, page
        self.dialog: FlameDialog | None = None

    def ask(self, sides: Sequence[tuple[str, Sequence[str]]], label: str) -> None:
        """Show the stacks of a step; a side is the name of a column and its sessions, the base first."""
        given = [(name, tuple(sessions)) for name, sessions in sides]

        def work(history: History) -> list[FlameGraphWithTable]:
            from app.comparison.texts.flame_views import FlameGraphColumn, flame_views

            return flame_views(history, [FlameGraphColumn(*each) for each in given], label)

        self._context.tasks.read(self, work, lambda views: self._open(label, views), self.failed.emit)

    def _open(self, label: str, views: Sequence[FlameGraphWithTable]) -> None:
        from .flame import FlameDialog

        self.dialog = dialog = FlameDialog(label, views, self._context.theme, self._page.window())
        open_disposable_dialog(dialog)
