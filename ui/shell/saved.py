"""What was saved, with *Open* and *Show in folder*."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QMainWindow

from ui.core.context import Context
from ui.widgets.message import Message


class SavedNews(QObject):
    """Messages of the whole window: any page saves files."""

    def __init__(self, context: Context, window: QMainWindow, message: Message) -> None:
        super().__init__(window)
        self._context, self._message = context, message
        self._saved = Path()
        self._open, self._show = QAction("Open", self), QAction("Show in folder", self)
        self._open.triggered.connect(lambda: self._go(self._saved))
        self._show.triggered.connect(lambda: self._go(self._saved.parent))
        context.bus.saved.connect(self._on_saved)

    @Slot(object, str)
    def _on_saved(self, saved: Path, text: str) -> None:
        self._saved = saved.absolute()
        self._context.memory.keep_folder(self._saved.parent)
        self._message.show_info(text, self._open, self._show)

    def _go(self, path: Path) -> None:
        """Open it with the desktop's program."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._context.bus.said.emit(f"No program on this computer opens {path}")
