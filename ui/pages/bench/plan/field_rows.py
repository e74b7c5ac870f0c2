"""Fields in rows with their labels above, and a line below each row for what is wrong there."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.core.plain import PlainTextLabel, WholeTextLabel, as_tip
from ui.core.theme import SPACE
from ui.widgets.layouts import in_grid

_PARTS = 3  # lines of the grid in a row: labels, fields, what is wrong


class ReasonLabel(WholeTextLabel):
    """A line that is as high without a text, and grows for one that needs several: a remedy comes last."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_role("muted")

    def _least_height(self) -> int:
        return self.fontMetrics().height()


class FieldRows(QWidget):
    """A grid of fields in which nothing moves when a reason of one line comes or goes."""

    def __init__(self, columns: tuple[int, ...]) -> None:
        """`columns`: the stretch of each."""
        super().__init__()
        self._across = len(columns)
        self._grid = in_grid(SPACE, SPACE // 4)
        self.setLayout(self._grid)
        self._labels: dict[QWidget, PlainTextLabel] = {}
        self._places: dict[QWidget, tuple[int, int]] = {}  # row and column
        self._lines: list[ReasonLabel] = []
        self._remarks: dict[int, str] = {}  # of rows where nothing is wrong
        for column, stretch in enumerate(columns):
            self._grid.setColumnStretch(column, stretch)

    def add(self, title: str, widget: QWidget, tip: str, named: QWidget | None = None) -> None:
        """Add a field as the next one; `named`: the part of it that has the name."""
        row, column = divmod(len(self._places), self._across)
        input_ = named or widget
        self._labels[widget] = PlainTextLabel(title, "muted", buddy=input_)
        self._places[widget] = row, column
        input_.setAccessibleName(title)
        input_.setToolTip(as_tip(tip))
        self._grid.addWidget(self._labels[widget], row * _PARTS, column)
        self._grid.addWidget(widget, row * _PARTS + 1, column)
        if column == 0:
            self._add_line(row)

    def has(self, widget: QWidget) -> bool:
        return widget in self._places

    def line_of(self, widget: QWidget) -> PlainTextLabel:
        """The line below the row of a field."""
        return self._lines[self._places[widget][0]]

    def remark(self, widget: QWidget, text: str) -> None:
        """Say something below the row of a field while nothing is wrong there."""
        self._remarks[self._places[widget][0]] = text

    def show_reason(self, wrong: QWidget | None, text: str) -> None:
        """Show what is wrong with a field below it, and remarks below the other rows."""
        row, column = self._places[wrong] if wrong else (-1, 0)
        for at, line in enumerate(self._lines):
            line.set_role("bad" if at == row else "muted")
            line.setText(text if at == row else self._remarks.get(at, ""))
            line.setAlignment(self._side(column) if at == row else Qt.AlignmentFlag.AlignLeft)

    def _side(self, column: int) -> Qt.AlignmentFlag:
        """Where the text begins or ends: at its field."""
        is_last = column == self._across - 1 and self._across > 1
        sides = Qt.AlignmentFlag
        return sides.AlignLeft if column == 0 else sides.AlignRight if is_last else sides.AlignHCenter

    def _add_line(self, row: int) -> None:
        line = ReasonLabel()
        self._lines.append(line)
        self._grid.addWidget(line, row * _PARTS + 2, 0, 1, self._across)
