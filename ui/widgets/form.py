"""A form from a table: each field is a row with its attribute, its label, its help and its kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from app.core.quantity import count_of
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE

from .elided import ElidedLabel
from .layouts import in_grid, in_row

LINES_SHOWN = 3


class TextLineInput(QLineEdit):
    """A text."""

    changed = Signal()

    def __init__(self, field: FormFieldSpec) -> None:
        super().__init__()
        self.setPlaceholderText(field.empty)
        if field.longest:
            self.setMaxLength(field.longest)
        self.textChanged.connect(lambda _: self.changed.emit())

    def value(self) -> Any:
        return self.text().strip()

    def set_value(self, value: Any) -> None:
        self.setText(value)


class NumberField(TextLineInput):
    """A number; empty is 0, and -1 is what is no number."""

    def value(self) -> Any:
        text = self.text().strip()
        number = count_of(text) if text else 0
        return -1 if number is None else number

    def set_value(self, value: Any) -> None:
        self.setText(str(value or ""))


class TextListField(QPlainTextEdit):
    """A list of texts, one per line."""

    changed = Signal()

    def __init__(self, field: FormFieldSpec) -> None:
        super().__init__()
        self.setPlaceholderText(field.empty)
        self.setTabChangesFocus(True)
        self.setProperty("field", True)
        self.setFixedHeight(LINES_SHOWN * self.fontMetrics().lineSpacing() + 2 * SPACE)
        self.textChanged.connect(lambda: self.changed.emit())

    def value(self) -> Any:
        return [line.strip() for line in self.toPlainText().splitlines() if line.strip()]

    def set_value(self, value: Any) -> None:
        self.setPlainText("\n".join(value))


class CheckBoxField(QCheckBox):
    """Yes or no."""

    changed = Signal()

    def __init__(self, field: FormFieldSpec) -> None:
        super().__init__(field.label)
        self.toggled.connect(lambda _: self.changed.emit())

    def value(self) -> Any:
        return self.isChecked()

    def set_value(self, value: Any) -> None:
        self.setChecked(value)


class Choice(QComboBox):
    """One of a few values."""

    changed = Signal()

    def __init__(self, field: FormFieldSpec) -> None:
        super().__init__()
        for value, text in field.choices:
            self.addItem(text, value)
        self.currentIndexChanged.connect(lambda _: self.changed.emit())

    def value(self) -> Any:
        return self.currentData()

    def set_value(self, value: Any) -> None:
        self.setCurrentIndex(self.findData(value))


Input: TypeAlias = TextLineInput | TextListField | CheckBoxField | Choice


@dataclass(frozen=True)
class FormFieldSpec:
    """A row of the table."""

    name: str  # of the attribute
    label: str  # with the letter of its key
    help: str = ""  # the tooltip
    kind: type[TextLineInput | TextListField | CheckBoxField | Choice] = TextLineInput
    empty: str = ""  # what is in it while it has no value
    needed: str = ""  # what is wrong while it has no value
    title: str = ""  # its name, where the label is another
    group: str = ""  # fields that are shown and hidden together
    choices: tuple[tuple[Any, str], ...] = ()  # values and their texts
    longest: int = 0  # characters
    stretch: int = 1
    joins_row: bool = False  # in the row of the field before it
    is_wide: bool = False  # below the labels too
    button: str = ""  # next to it
    button_help: str = ""


class Form(QWidget):
    """Fields with their labels, each with what is wrong with it below."""

    changed = Signal()  # a value, or somebody has left a field
    button_clicked = Signal(str)  # name of its field

    def __init__(
        self,
        fields: Iterable[FormFieldSpec],
        gap: int = 2 * SPACE,
        parent: QWidget | None = None,
        keeps_room: bool = False,
    ) -> None:
        """`keeps_room`: for what is wrong, so that no field moves when it comes."""
        super().__init__(parent)
        self.fields = {each.name: each for each in fields}
        self.inputs: dict[str, Input] = {name: self._input(each) for name, each in self.fields.items()}
        self.problems = {name: _problem_label(keeps_room) for name in self.fields}
        self.buttons: dict[str, QPushButton] = {}
        self._left: set[str] = set()  # fields that somebody has been in
        self._shown: dict[str, list[QWidget]] = {}  # what belongs to a field
        self.grid = in_grid(gap, SPACE // 4 if keeps_room else SPACE)  # its first row is free
        self.setLayout(self.grid)
        self.grid.setColumnStretch(1, 1)
        for each in _rows(self.fields.values()):
            self._add_row(each)

    # values

    def fill(self, values: Mapping[str, Any]) -> None:
        """Fill in all values; nothing is wrong with them yet."""
        for name, each in self.inputs.items():
            each.set_value(values[name])
        self._left.clear()
        self.show_problems({})

    def values(self) -> dict[str, Any]:
        return {name: each.value() for name, each in self.inputs.items()}

    def line(self, name: str) -> QLineEdit:
        found = self.inputs[name]
        assert isinstance(found, QLineEdit)
        return found

    # what is wrong

    def missing(self) -> dict[str, str]:
        """What is wrong with empty fields."""
        found = self.values()
        return {name: each.needed for name, each in self.fields.items() if each.needed and not found[name]}

    def judged(self) -> set[str]:
        """The fields whose errors may be shown."""
        return self._left | {field for field, label in self.problems.items() if not label.isHidden()}

    def judge_all(self) -> None:
        """Show all errors from now on."""
        self._left.update(self.fields)

    def show_problems(self, problems: Mapping[str, str]) -> None:
        for name, label in self.problems.items():
            label.setText(problems.get(name, ""))
            label.setHidden(name not in problems)

    def focus_first(self, names: Iterable[str]) -> None:
        wrong = set(names)
        found = next((each for name, each in self.inputs.items() if name in wrong), None)
        if found is not None:
            found.setFocus()

    def mark(self, wrong: str) -> None:
        """Mark a field, and no other; '' for none."""
        for name, each in self.inputs.items():
            each.setProperty("wrong", name == wrong)
            each.style().polish(each)

    def show_group(self, group: str, is_shown: bool) -> None:
        for name, widgets in self._shown.items():
            if self.fields[name].group == group:
                for each in widgets:
                    each.setVisible(is_shown)

    # making it

    def _input(self, field: FormFieldSpec) -> Input:
        made: Input = field.kind(field)
        made.setAccessibleName(_title(field))
        made.setToolTip(as_tip(field.help))
        made.changed.connect(self.changed)
        if isinstance(made, QLineEdit):
            made.editingFinished.connect(lambda: self._on_left(field.name))
        return made

    def _add_row(self, fields: Sequence[FormFieldSpec]) -> None:
        first, at = fields[0], self.grid.rowCount()
        cells = in_row()
        for each in fields:
            label = self._label(each) if each.label and each.kind is not CheckBoxField else None
            if label is not None and each is first:
                if each.kind is TextListField:
                    label.setAlignment(Qt.AlignmentFlag.AlignTop)
                    label.setContentsMargins(0, SPACE // 2, 0, 0)
                self.grid.addWidget(label, at, 0)
            elif label is not None:
                cells.addWidget(label)
            cells.addWidget(self.inputs[each.name], each.stretch)
            button = self._button(each) if each.button else None
            if button is not None:
                cells.addWidget(button)
            parts = (self.inputs[each.name], label, button)
            self._shown[each.name] = [part for part in parts if part is not None]
        self.grid.addLayout(cells, at, 0 if first.is_wide else 1, 1, 2 if first.is_wide else 1)
        for number, each in enumerate(fields, 1):
            self.grid.addWidget(self.problems[each.name], at + number, 1)
            self.problems[each.name].hide()

    def _label(self, field: FormFieldSpec) -> PlainTextLabel:
        return PlainTextLabel(field.label, buddy=self.inputs[field.name])

    def _button(self, field: FormFieldSpec) -> QPushButton:
        button = self.buttons[field.name] = QPushButton(field.button)
        button.setToolTip(as_tip(field.button_help))
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.button_clicked.emit(field.name))
        return button

    def _on_left(self, name: str) -> None:
        if self.line(name).text() or name in self.judged():
            self._left.add(name)
            self.changed.emit()


def _problem_label(keeps_room: bool) -> PlainTextLabel:
    if not keeps_room:
        return PlainTextLabel(role="bad", wraps=True)
    made = ElidedLabel(role="bad")
    policy = made.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    made.setSizePolicy(policy)
    return made


def _rows(fields: Iterable[FormFieldSpec]) -> list[list[FormFieldSpec]]:
    """The fields of each row."""
    found: list[list[FormFieldSpec]] = []
    for each in fields:
        if each.joins_row:
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _title(field: FormFieldSpec) -> str:
    return field.title or field.label.replace("&", "")
