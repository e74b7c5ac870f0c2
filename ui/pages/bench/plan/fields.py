"""The sizes of a plan: text fields with their defaults, and choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.planner.request.options import PlanRequestOption
from app.planner.request.request import MAX_NAME, OPTIONS
from app.planner.starting.draft import Draft, Problem
from app.protocol.plan import UNTIL_DECIDED
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE
from ui.widgets.elided import ElidedLabel
from ui.widgets.layouts import in_grid

ACROSS = 3
_NAME_TIP = "First part of the session names; empty: the name of the sequence"
_REPEATS = (UNTIL_DECIDED, "1", "3", "5")  # to choose from; any other number is typed
_FIELDS = {name: row for name, row in OPTIONS.items() if row.title}
_ALIGNED = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
_TEXTS = {"loaded": "as loaded", "": "sequence"}


class FieldsForm(QWidget):
    """Fields with their labels above; the reason of a wrong one replaces the labels of its row."""

    typed = Signal(str, str)  # field, text
    chosen = Signal(str, object)  # field, value

    def __init__(self) -> None:
        super().__init__()
        self._labels: dict[QWidget, PlainTextLabel] = {}
        self._layout = in_grid(SPACE, SPACE // 4, margins=(0, 0, 0, 2))  # of the frame of the last field
        self.setLayout(self._layout)
        self.repeats = QComboBox()
        self.edits: dict[str, QLineEdit] = {}
        self.boxes: dict[str, QComboBox] = {}
        *rows, time_limit = sorted(_FIELDS.values(), key=lambda each: each.name == "time_limit")
        for row in rows:
            self._add(row)
        self.name = self._edit("name", "Name", _NAME_TIP)
        self.name.setMaxLength(MAX_NAME)
        self._add(time_limit)  # the last one, as it comes and goes
        self.reason = ElidedLabel(self, "bad")
        self.reason.hide()
        for column in range(ACROSS):
            self._layout.setColumnStretch(column, 1)
        self._layout.setRowStretch(self._layout.rowCount(), 1)

    def show_draft(self, draft: Draft) -> None:
        """Show the draft; a field being typed stays as it is if it means the same."""
        for name, edit in self.edits.items():
            if draft.typed(name, edit.text()).text(name) != draft.text(name) or not edit.hasFocus():
                _set(edit, draft.text(name))
        self._show_time_limit(draft.request.repeats == UNTIL_DECIDED)
        if self.name.text().strip() != draft.request.name:
            _set(self.name, draft.request.name)
        for name, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(getattr(draft.request, name)))

    def show_open(self, values: Mapping[str, str]) -> None:
        """Show the values of empty fields."""
        for name, value in values.items():
            if name in self.edits:
                self.edits[name].setPlaceholderText(value)

    def show_problem(self, problem: Problem | None) -> None:
        """Mark the field of a problem, and show why above it."""
        self._show_reason(None, "")
        for name, widget in (*self.boxes.items(), *self.edits.items(), ("repeats", self.repeats)):
            text = problem.text if problem and problem.field == name else ""
            if text and widget in self._labels:
                self._show_reason(widget, text)
            widget.setToolTip(as_tip(text or _FIELDS[name].tip))
            if widget.property("wrong") != bool(text):
                widget.setProperty("wrong", bool(text))
                widget.style().polish(widget)

    def _add(self, row: PlanRequestOption) -> None:
        if row.is_typed:
            self.edits[row.name] = self._edit(row.name, row.title, row.tip)
        else:
            self.boxes[row.name] = self._box(row)

    def _edit(self, name: str, title: str, tip: str) -> QLineEdit:
        edit = QLineEdit()
        edit.setMinimumWidth(8 * SPACE)
        edit.textEdited.connect(lambda text: self.typed.emit(name, text))
        self._place(title, self._with_choices(edit) if name == "repeats" else edit, tip)
        return edit

    def _with_choices(self, edit: QLineEdit) -> QComboBox:
        """A field to type in, or to choose from a few values."""
        box = self.repeats
        box.setLineEdit(edit)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setCompleter(None)  # type: ignore[arg-type]
        _fit(box)
        box.addItems(_REPEATS)
        box.setCurrentIndex(-1)
        box.activated.connect(lambda _: self.typed.emit("repeats", edit.text()))
        return box

    def _show_reason(self, widget: QWidget | None, text: str) -> None:
        """Show the reason in place of the row's labels, so that nothing moves."""
        self._layout.removeWidget(self.reason)  # hidden, it would take the room between two rows
        self.reason.setVisible(bool(text))
        self.reason.setText(text)
        wrong = self._place_of(widget)[0] if widget else -1
        for each, label in self._labels.items():
            label.setVisible(self._place_of(each)[0] != wrong and each.isVisibleTo(self))
        if widget:
            row, column = self._place_of(widget)
            self._layout.addWidget(self.reason, row - 1, 0, 1, ACROSS)
            self.reason.setAlignment(_ALIGNED[column])

    def _place_of(self, widget: QWidget) -> tuple[int, int]:
        found = self._layout.getItemPosition(self._layout.indexOf(widget))
        row, column, _, _ = cast("tuple[int, int, int, int]", found)  # the stubs do not say
        return row, column

    def _show_time_limit(self, is_shown: bool) -> None:
        edit = self.edits["time_limit"]
        for widget in (edit, self._labels[edit]):
            widget.setVisible(is_shown)

    def _box(self, row: PlanRequestOption) -> QComboBox:
        box = QComboBox()
        _fit(box)
        for value in row.choices:
            box.addItem(_TEXTS.get(value, value), value)
        box.currentIndexChanged.connect(lambda _: self.chosen.emit(row.name, box.currentData()))
        self._place(row.title, box, row.tip)
        return box

    def _place(self, title: str, widget: QWidget, tip: str) -> None:
        """Place three fields in a line."""
        at = self._layout.count() // 2
        label = self._labels[widget] = PlainTextLabel(title, "muted", buddy=widget)
        widget.setAccessibleName(title)
        widget.setToolTip(as_tip(tip))
        row, column = at // ACROSS * 2, at % ACROSS
        self._layout.addWidget(label, row, column)
        self._layout.addWidget(widget, row + 1, column)


def _fit(box: QComboBox) -> None:
    box.setMinimumWidth(12 * SPACE)  # all columns are as wide
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(6)


def _set(edit: QLineEdit, text: str) -> None:
    if edit.text() != text:
        edit.setText(text)
        edit.setCursorPosition(0)  # what does not fit is cut off at its end
