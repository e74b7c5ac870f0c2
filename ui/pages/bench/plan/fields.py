"""The sizes of a plan: text fields with their defaults, and choices."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.planner.request.options import PlanRequestOption
from app.planner.request.request import MAX_NAME, OPTIONS
from app.planner.starting.draft import Draft, text_of
from app.planner.starting.draft_outcome import DraftOutcome
from app.protocol.plan import UNTIL_DECIDED
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE

from .field_rows import FieldRows
from .length_field import LengthField

IN_VIEW = ("rows", "threads", "repeats", "time_limit")  # the others are below More
_COLUMNS, _MORE_COLUMNS = (3, 3, 3, 6), (1, 1, 1)
_NAME_TIP = "First part of the session names; empty: the name of the sequence"
_REPEATS = (UNTIL_DECIDED, "1", "3", "5")  # to choose from; any other number is typed
_FIELDS = {name: row for name, row in OPTIONS.items() if row.title}
_TEXTS = {"loaded": "as loaded", "": "sequence"}


class FieldsForm(FieldRows):
    """The fields in view; `more` has the others, and its place elsewhere."""

    typed = Signal(str, str)  # field, text
    chosen = Signal(str, object)  # field, value

    def __init__(self) -> None:
        super().__init__(_COLUMNS)
        self.more = FieldRows(_MORE_COLUMNS)
        self.repeats = QComboBox()
        self.edits: dict[str, QLineEdit] = {}
        self.boxes: dict[str, QComboBox] = {}
        self.length = LengthField(self._edit("time_limit"))
        self.length.slid.connect(lambda text: self.typed.emit("time_limit", text))
        for name in (*IN_VIEW, *(each for each in _FIELDS if each not in IN_VIEW)):
            self._add(_FIELDS[name], self if name in IN_VIEW else self.more)
        self.name = self._line()
        self.name.textEdited.connect(lambda text: self.typed.emit("name", text))
        self.name.setMaxLength(MAX_NAME)
        self.more.add("Name", self.name, _NAME_TIP)

    def show_draft(self, draft: Draft) -> None:
        """Show the draft; a field being typed stays as it is if it means the same."""
        for name, edit in self.edits.items():
            if draft.typed(name, edit.text()).text(name) != draft.text(name) or not edit.hasFocus():
                _set(edit, draft.text(name))
        self.length.show_seconds(draft.request.time_limit)
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

    def show_outcome(self, outcome: DraftOutcome) -> None:
        """Mark the field of a problem, and show below it why; else what Dyno chose for the time."""
        problem, found = outcome.problem, outcome.request
        seconds = self.edits["seconds"]
        if found and found.seconds and outcome.draft.request.seconds is None:
            seconds.setPlaceholderText(text_of(found.seconds))
        self.remark(self.length, outcome.chosen)
        wrong: dict[FieldRows, QWidget] = {}
        for name, widget in (*self.boxes.items(), *self.edits.items(), ("repeats", self.repeats)):
            text = problem.text if problem and problem.field == name else ""
            place = self.length if name == "time_limit" else widget
            for rows in (self, self.more):
                if text and rows.has(place):
                    wrong[rows] = place
            widget.setToolTip(as_tip(text or _FIELDS[name].tip))
            if widget.property("wrong") != bool(text):
                widget.setProperty("wrong", bool(text))
                widget.style().polish(widget)
        for rows in (self, self.more):
            rows.show_reason(wrong.get(rows), problem.text if problem else "")

    def reason_of(self, name: str) -> PlainTextLabel:
        """The line below the row of a field."""
        widget = self._place_of(name)
        return (self if self.has(widget) else self.more).line_of(widget)

    def is_below_more(self, name: str) -> bool:
        """Whether a field is one of those below More."""
        return name in _FIELDS and name not in IN_VIEW

    def _place_of(self, name: str) -> QWidget:
        special = {"repeats": self.repeats, "time_limit": self.length}
        return special.get(name) or self.edits.get(name) or self.boxes[name]

    def _add(self, row: PlanRequestOption, rows: FieldRows) -> None:
        if row.name == "time_limit":
            rows.add(row.title, self.length, row.tip, self.length.edit)
        elif row.name == "repeats":
            rows.add(row.title, self._with_choices(self._edit(row.name)), row.tip)
        elif row.is_typed:
            rows.add(row.title, self._edit(row.name), row.tip)
        else:
            rows.add(row.title, self._box(row), row.tip)

    def _edit(self, name: str) -> QLineEdit:
        edit = self.edits[name] = self._line()
        edit.textEdited.connect(lambda text: self.typed.emit(name, text))
        return edit

    def _line(self) -> QLineEdit:
        line = QLineEdit()
        line.setMinimumWidth(8 * SPACE)
        return line

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

    def _box(self, row: PlanRequestOption) -> QComboBox:
        box = self.boxes[row.name] = QComboBox()
        _fit(box)
        for value in row.choices:
            box.addItem(_TEXTS.get(value, value), value)
        box.currentIndexChanged.connect(lambda _: self.chosen.emit(row.name, box.currentData()))
        return box


def _fit(box: QComboBox) -> None:
    box.setMinimumWidth(12 * SPACE)  # all columns are as wide
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(6)


def _set(edit: QLineEdit, text: str) -> None:
    if edit.text() != text:
        edit.setText(text)
        edit.setCursorPosition(0)  # what does not fit is cut off at its end
