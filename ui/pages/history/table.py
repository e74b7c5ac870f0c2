"""The list itself: plans to unfold, the selection kept while lines change."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QItemSelectionRange, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.core.harmless import harmless
from app.history.lists.studies import is_study
from ui.core.index import Index
from ui.core.memory import WindowStateFile
from ui.core.plain import fitted
from ui.core.theme import Theme
from ui.models.session_columns import CONTENDER, NAME
from ui.models.sessions import SessionModel
from ui.widgets.table import LineSelectTable

from .columns import ListColumns

_SELECT = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows


class SessionTable(LineSelectTable):
    chosen = Signal(object)  # ids of the selected sessions, in the order of the list
    opened = Signal(object)  # ids of the sessions, by Enter or a double click; a plan is unfolded by that

    def __init__(self, model: SessionModel, theme: Theme, memory: WindowStateFile) -> None:
        super().__init__("Sessions")
        self._model = model
        self._chosen: tuple[str, ...] = ()
        self._chosen_rows: tuple[str, ...] = ()  # the ids of sessions and plans that are selected
        self._current = ""
        self.setModel(model)
        self.setItemDelegate(SessionDelegate(model, theme, self))
        self.columns = ListColumns(self, model, theme, memory)
        self.activated.connect(self._on_activated)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        model.modelAboutToBeReset.connect(self._on_about_to_reset)
        model.modelReset.connect(self._on_reset)

    @property
    def selected(self) -> tuple[str, ...]:
        return self._chosen

    @property
    def selected_plan(self) -> str:
        """The selected plan, if nothing else is selected."""
        rows = self._chosen_rows
        return rows[0] if len(rows) == 1 and self._model.rows.is_plan(rows[0]) else ""

    def select(self, sessions: Sequence[str]) -> None:
        """Select sessions of the list, or a plan if all of it is meant; scrolls to the first."""
        rows = self._reveal(sessions)
        self._select_rows(rows)
        if rows:
            self.scrollTo(self._model.index(rows[0], NAME))

    def edit_name(self) -> None:
        row = self._model.rows.row(self._chosen[0]) if self._chosen else None
        if row is not None:
            self.edit(self._model.index(row, NAME))

    def focus_list(self) -> None:
        """Focus the list, at the first session if none is selected."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self._chosen and self._model.rowCount():
            self.selectRow(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.columns.fit()

    # plans

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if not (is_plain and self._fold_by_key(event.key())):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index, at = self.indexAt(event.position().toPoint()), event.position().toPoint()
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and index.column() == NAME and is_on_fold(self.visualRect(index), at):
            self._toggle(index.row())

    def _fold_by_key(self, key: int) -> bool:
        """Right unfolds a plan; Left folds it, and leads from a session to its plan."""
        row, rows = self.currentIndex().row(), self._model.rows
        if row < 0:
            return False
        id_ = rows.ids[row]
        if rows.is_plan(id_) and (key == Qt.Key.Key_Right) != rows.is_unfolded(id_):
            return key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self._toggle(row)
        above = rows.row(rows.plan_of(id_))
        if key == Qt.Key.Key_Left and above is not None:
            self.selectRow(above)
            return True
        return False

    def _on_activated(self, index: Index) -> None:
        if not self._toggle(index.row()):
            self.opened.emit(self._chosen)

    def _toggle(self, row: int) -> bool:
        """Fold or unfold a plan; False for a session. A folded plan is selected instead of its sessions."""
        rows = self._model.rows
        plan = rows.ids[row]
        if not rows.is_plan(plan):
            return False
        was_inside = any(rows.plan_of(id_) == plan for id_ in self._chosen_rows)
        self._model.toggle(plan)
        if was_inside and not rows.is_unfolded(plan):
            self.selectRow(row)
        return True

    # what is selected

    def _on_selection_changed(self) -> None:
        # ranges: an index a cell would take seconds where all of 10,000 lines are selected
        rows = sorted({row for each in self.selectionModel().selection().toList() for row in _rows(each)})
        self._chosen_rows = tuple(self._model.rows.ids[row] for row in rows)
        self._choose(tuple(self._model.rows.sessions(rows)))

    def _choose(self, chosen: tuple[str, ...]) -> None:
        if chosen != self._chosen:
            self._chosen = chosen
            self.chosen.emit(chosen)

    def _on_about_to_reset(self) -> None:
        index = self.currentIndex()
        self._current = self._model.rows.ids[index.row()] if index.isValid() else ""

    def _on_reset(self) -> None:
        """Select the same plans and sessions as before, if they exist."""
        self.executeDelayedItemsLayout()  # a painting that finds it to be done is done twice
        self.columns.show_order()
        rows = self._model.rows
        kept = [id_ for id_ in self._chosen_rows if rows.row(id_) is not None]
        covered = {session for id_ in kept for session in rows.sessions_of(id_)}
        found = self._reveal([id_ for id_ in self._chosen if id_ not in covered])
        again = sorted({*found, *(row for row in map(rows.row, kept) if row is not None)})
        if again:
            self._select_rows(again)
        else:
            self._chosen_rows = ()
            self._choose(())

    def _reveal(self, sessions: Sequence[str]) -> list[int]:
        """The rows of these sessions: one for a whole plan; a plan meant in part is unfolded."""
        rows, meant = self._model.rows, set(sessions)
        found = []
        for id_ in sessions:
            plan = rows.plan_of(id_)
            if plan and meant.issuperset(rows.sessions_of(plan)):
                id_ = plan
            elif plan and not rows.is_unfolded(plan):
                self._model.toggle(plan)
            found.append(id_)
        return sorted({row for row in map(rows.row, found) if row is not None})

    def _select_rows(self, rows: Sequence[int]) -> None:
        selection = QItemSelection()
        last = self._model.columnCount() - 1
        for first, end in _ranges(rows):
            selection.select(self._model.index(first, 0), self._model.index(end, last))
        current = self._model.rows.row(self._current)
        at = current if current in rows else next(iter(rows), None)
        if at is not None:
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self._model.index(at, NAME), flag)
        self.selectionModel().select(selection, _SELECT)


def _rows(selected: QItemSelectionRange) -> range:
    return range(selected.top(), selected.bottom() + 1)


def _ranges(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges of consecutive rows."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and row == found[-1][1] + 1:
            found[-1] = (found[-1][0], row)
        else:
            found.append((row, row))
    return found


# paints the cells of the list: a key in the filter paints all of them, in half the time of the usual way


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
            is_name = index.column() in (NAME, CONTENDER) and not is_study(self._model.rows.ids[index.row()])
            elision = _MIDDLE if is_name else Qt.TextElideMode.ElideRight
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
