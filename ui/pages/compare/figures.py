"""How a cell of the comparison is painted: tint, value, sign of the verdict, details next to it and below."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.core.harmless import harmless
from ui.core.index import Index
from ui.core.plain import fitted
from ui.core.theme import SPACE, Theme
from ui.models.comparison import FIXED, ComparisonModel
from ui.models.judged import CellAppearance

SIGN = 16  # pixels on the right of a figure
_SMALL = 0.85
_AROUND = 6 + 2 * SPACE - SPACE // 2 + SIGN  # pixels between a warning and its figure, and beside them
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FigureDelegate(QStyledItemDelegate):
    """Paints a value on the tint of its verdict; the current line gets a frame."""

    def __init__(self, theme: Theme, model: ComparisonModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        column, rect, state = index.column(), option.rect, option.state
        cell = self._model.cell(index.row(), column)
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if is_selected:
            painter.fillRect(rect, self._theme.colour("selected" if column < len(FIXED) else "base"))
        if cell.tint is not None:
            painter.fillRect(rect.adjusted(0, 0, -1, -1), cell.tint)
        place = rect.adjusted(SPACE, 0, -SPACE, 0)
        if column < len(FIXED) or cell.is_heading:
            self._paint_word(painter, option.font, place, cell)
        else:
            self._paint_figure(painter, option.font, place, cell)
        if is_selected:
            self._paint_frame(painter, rect, has_focus=bool(state & QStyle.StateFlag.State_HasFocus))
        painter.restore()

    def _paint_word(self, painter: QPainter, font: QFont, place: QRect, cell: CellAppearance) -> None:
        font.setBold(cell.is_heading)
        painter.setFont(font)
        self._set_pen(painter, "muted" if cell.is_quiet else "text")
        text = harmless(cell.text)
        if not cell.is_heading:
            text = fitted(painter.fontMetrics(), text, Qt.TextElideMode.ElideMiddle, place.width())
        painter.drawText(place, _RIGHT if cell.is_right else _LEFT, text)

    def _paint_figure(self, painter: QPainter, font: QFont, place: QRect, cell: CellAppearance) -> None:
        upper, lower = QRect(place), QRect(place)
        if cell.below:
            upper.setBottom(place.center().y() + 2)
            lower.setTop(place.center().y() - 1)
        painter.setFont(font)
        self._set_pen(painter, "muted" if cell.is_quiet else "text")
        room = upper.adjusted(0, 0, SPACE // 2 - SIGN, 0)
        painter.drawText(room, _RIGHT, cell.text)
        left = room.width() - painter.fontMetrics().horizontalAdvance(cell.text)
        if cell.sign:
            self._set_pen(painter, "text" if cell.tint else "muted")
            painter.drawText(upper.adjusted(0, 0, SPACE // 2, 0), _RIGHT, cell.sign)
        if cell.beside or cell.below:
            font.setPointSizeF(font.pointSizeF() * _SMALL)
            painter.setFont(font)
            self._set_pen(painter, "warn" if cell.is_warning else "muted")
            if cell.is_warning or painter.fontMetrics().horizontalAdvance(cell.beside) < left:
                painter.drawText(room, _LEFT, cell.beside)
            self._set_pen(painter, "text" if cell.tint else "muted")
            painter.drawText(lower.adjusted(0, 0, SPACE // 2, 0), _RIGHT, cell.below)

    def _paint_frame(self, painter: QPainter, rect: QRect, has_focus: bool) -> None:
        painter.setPen(QPen(self._theme.colour("accent"), 1))
        painter.drawLine(rect.topLeft(), rect.topRight())
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if has_focus:
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
            painter.drawRect(rect.adjusted(1, 1, -2, -2))

    def _set_pen(self, painter: QPainter, role: str) -> None:
        painter.setPen(self._theme.colour(role))


def needed_width(font: QFont, cells: Iterable[CellAppearance]) -> int:
    """The width at which no figure touches the warning next to it."""
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _SMALL)
    figures, warnings = QFontMetrics(font), QFontMetrics(small)
    words = (
        figures.horizontalAdvance(cell.text) + warnings.horizontalAdvance(cell.beside)
        for cell in cells
        if cell.is_warning
    )
    return max(words, default=-_AROUND) + _AROUND
