"""Paints the cells of the list: a key in the filter paints all of them, in half the time of the usual way."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.core.harmless import harmless
from ui.core.index import Index
from ui.core.plain import fitted
from ui.core.theme import Theme
from ui.models.session_columns import CONTENDER, NAME
from ui.models.sessions import SessionModel

_SIDE = 7  # pixels between a text and the edge of its cell
_FOLD = 16  # pixels for the mark in front of a plan; its sessions are indented as far
_SWATCH = 10  # of the colour of a contender
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_MIDDLE = Qt.TextElideMode.ElideMiddle  # names differ at their ends; the numbers of sessions and repeats stay
_SELECTED = QStyle.StateFlag.State_Selected
_FOCUSED = QStyle.StateFlag.State_HasFocus


class SessionDelegate(QStyledItemDelegate):
    """Reads a cell from the model in one call, in place of its roles."""

    def __init__(self, model: SessionModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        cell = self._model.cell(index.row(), index.column())
        rect, state, palette = option.rect, option.state, option.palette
        if state & _SELECTED:
            painter.fillRect(rect, palette.brush(QPalette.ColorRole.Highlight))
        if cell is None:
            return
        text, tone, is_figure, colour = cell
        text = harmless(text)
        room = rect.adjusted(_SIDE, 0, -_SIDE, 0)
        if index.column() == NAME:
            room.setLeft(room.left() + self._paint_fold(painter, room, self._model.rows.ids[index.row()]))
        if colour is not None:
            painter.fillRect(_swatch(room), self._theme.contender(colour))
            room.setLeft(room.left() + _SWATCH + _SIDE)
        metrics = option.fontMetrics
        if metrics.horizontalAdvance(text) > room.width():
            elision = _MIDDLE if index.column() in (NAME, CONTENDER) else Qt.TextElideMode.ElideRight
            text = fitted(metrics, text, elision, room.width())
        painter.setPen(self._theme.colour(tone or "text"))
        painter.drawText(room, _RIGHT if is_figure else _LEFT, text)
        if state & _FOCUSED:
            painter.setPen(self._theme.colour("accent"))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _paint_fold(self, painter: QPainter, room: QRect, id_: str) -> int:
        """Paint the fold mark of a plan; returns the indent of the name."""
        rows = self._model.rows
        if rows.is_plan(id_):
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(room, _LEFT, "▾" if rows.is_unfolded(id_) else "▸")
            return _FOLD
        return _FOLD * (rows.has_plans + bool(rows.plan_of(id_)))


def is_on_fold(cell: QRect, at: QPoint) -> bool:
    """Whether a point of the name's cell is on the fold mark."""
    return cell.left() <= at.x() < cell.left() + _SIDE + _FOLD


def _swatch(room: QRect) -> QRect:
    return QRect(room.left(), room.center().y() - _SWATCH // 2 + 1, _SWATCH, _SWATCH)
