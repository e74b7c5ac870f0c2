"""Boxes in the cells of a table: a click anywhere in one, or Space, ticks it."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from ui.core.index import Index


class TickDelegate(QStyledItemDelegate):
    """A cell that is one box: click or Space ticks it."""

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,  # noqa: ARG002 - as Qt calls it
        index: Index,
    ) -> bool:
        if not _is_tick(event) or not index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            return False
        is_ticked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        wanted = Qt.CheckState.Unchecked if is_ticked else Qt.CheckState.Checked
        return bool(model.setData(index, wanted, Qt.ItemDataRole.CheckStateRole))


def _is_tick(event: QEvent) -> bool:
    if isinstance(event, QMouseEvent):
        is_release = event.type() == QEvent.Type.MouseButtonRelease
        return is_release and event.button() == Qt.MouseButton.LeftButton
    return (
        isinstance(event, QKeyEvent)
        and event.type() == QEvent.Type.KeyPress
        and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Select)
    )
