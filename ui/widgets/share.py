"""A share from 0 to 1 as a bar behind the text of a cell."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui.core.index import Index
from ui.core.theme import Theme

_ALPHA = 0.35
_GAP = 4  # pixels above and below a bar


class ShareDelegate(QStyledItemDelegate):
    """Draws shares; other cells stay as they are."""

    def __init__(self, theme: Theme, role: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._role = role

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if share := index.data(self._role):
            place = option.rect.adjusted(0, _GAP, 0, -_GAP)
            place.setWidth(max(1, round(place.width() * min(share, 1.0))))
            colour = self._theme.colour("accent")
            colour.setAlphaF(_ALPHA)
            painter.fillRect(place, colour)
