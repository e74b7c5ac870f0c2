"""A table of words and figures that does not scroll sideways: names give way, then the last columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent

from .table import LineSelectTable

LEAST = (170, 84)  # pixels of the first column of names, and of the others, where the room is short


class FittedTable(LineSelectTable):
    """Its columns are as wide as their texts; the menu of the head shows those that were left out."""

    fitted = Signal(int)  # number of columns that were left out

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._widths: list[int] = []  # that show all
        self._texts = 0  # columns of names
        self._is_chosen = False
        self.horizontalHeader().setSectionsMovable(False)
        self.horizontalHeader().setStretchLastSection(False)
        self.let_choose_columns(0)
        self.columns_chosen.connect(self._on_columns_chosen)

    @property
    def content_size(self) -> QSize:
        """The size that shows all of it, with the columns that were left out."""
        size = super().content_size
        return QSize(size.width() - self.horizontalHeader().length() + sum(self._widths), size.height())

    def fit(self, texts: int, share_column: int = -1, share_width: int = 0) -> None:
        """Fit the columns of other contents, of which the first ones are names."""
        self._texts, self._is_chosen = texts, False
        for at in range(self.model().columnCount()):
            self.setColumnHidden(at, False)
        self.resizeColumnsToContents()
        self._widths = [self.columnWidth(at) for at in range(self.model().columnCount())]
        if share_column >= 0:
            self._widths[share_column] = max(self._widths[share_column], share_width)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        if self._is_chosen or len(self._widths) != self.model().columnCount():
            return
        widths = widths_that_fit(self._widths, self._texts, self.viewport().width())
        for at, width in enumerate(widths):
            self.setColumnHidden(at, not width)
            if width:
                self.setColumnWidth(at, width)
        self.fitted.emit(widths.count(0))

    def _on_columns_chosen(self) -> None:
        self._is_chosen = True
        for at, width in enumerate(self._widths):
            self.setColumnWidth(at, width)  # also of those that were hidden
        self.fitted.emit(0)


def widths_that_fit(widths: Sequence[int], texts: int, room: int) -> list[int]:
    """The widths that fit; 0: the column is left out. Names get back what the left out columns free."""
    fitted = [min(width, LEAST[min(at, 1)]) if at < texts else width for at, width in enumerate(widths)]
    for at in range(len(widths) - 1, texts, -1):
        if sum(fitted) > room:
            fitted[at] = 0
    for at in range(texts):
        fitted[at] += min(widths[at] - fitted[at], max(0, room - sum(fitted)))
    return fitted
