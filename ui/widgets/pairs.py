"""Titles and texts side by side."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE

from .layouts import in_column, in_grid
from .table import tabular


class TitleTextGrid(QWidget):
    """Titles on the left, texts to select on the right; labels are reused, their texts change."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = in_grid(2 * SPACE, SPACE // 2)
        self._grid.setColumnStretch(1, 1)
        self.setLayout(in_column(self._grid, 1))  # to align it would cut off lines: Qt asks it for no height
        self._lines: list[tuple[PlainTextLabel, PlainTextLabel]] = []

    def show_pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Show the pairs that have a text."""
        given = [pair for pair in pairs if pair[1]]
        while len(self._lines) < len(given):
            self._add_line()
        for at, (title, text) in enumerate(self._lines):
            texts = given[at] if at < len(given) else ("", "")
            title.setText(texts[0])
            text.setText(texts[1])
            text.setAccessibleName(texts[0])
            for label in (title, text):
                label.setVisible(at < len(given))

    def _add_line(self) -> None:
        title, text = PlainTextLabel(role="muted"), PlainTextLabel(wraps=True, selectable=True)
        text.setFont(tabular(text.font()))
        self._grid.addWidget(title, len(self._lines), 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(text, len(self._lines), 1)
        self._lines.append((title, text))
