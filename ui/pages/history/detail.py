"""The detail below the list: one session, or the number of selected ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget

from ui.core.plain import PlainTextLabel
from ui.core.theme import Theme

if TYPE_CHECKING:
    from .reading import SessionDetailTexts
    from .tabs import DetailTabs


class DetailPane(QStackedWidget):
    """A pane whose tabs are created with the first session."""

    opened = Signal(object)  # DetailTabs, when they are made

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._tabs: DetailTabs | None = None
        self._words = PlainTextLabel(role="muted", wraps=True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.addWidget(self._words)

    def show_words(self, text: str) -> None:
        """Show words instead of a session."""
        self._words.setText(text)
        self.setCurrentWidget(self._words)

    def show_detail(self, detail: SessionDetailTexts) -> None:
        self.tabs.show_detail(detail)
        self.setCurrentWidget(self.tabs)

    def start_note(self) -> None:
        """Focus the line of a new note."""
        self.tabs.start_note()

    @property
    def tabs(self) -> DetailTabs:
        if self._tabs is None:
            from .tabs import DetailTabs

            self._tabs = DetailTabs(self._theme, self)
            self.addWidget(self._tabs)
            self.opened.emit(self._tabs)
        return self._tabs
