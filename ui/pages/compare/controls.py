"""The controls of a comparison: measure, view, filter."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QMenu,
    QPushButton,
    QWidget,
)

from app.comparison.cells.measures import MEASURES, Measure
from ui.core.memory import WindowStateFile
from ui.core.plain import PlainTextLabel, as_tip
from ui.widgets.actions import action_button
from ui.widgets.layouts import boxed, in_row
from ui.widgets.wide_list import WideListComboBox
from ui.widgets.wrapping_row import WrappingRow, empty_room

_MEASURE_WIDTH = 12  # characters; the open list shows all of a name
_RELATIVE_TIP = "Results as multiples of the base"
_ABSOLUTE_TIP = "Results as measured"


class CompareControls(QWidget):
    """Controls above the table; they remember the last choice."""

    changed = Signal()

    def __init__(self, memory: WindowStateFile) -> None:
        super().__init__()
        self._memory = memory
        self._measures = WideListComboBox()
        self._measures.setAccessibleName("Measure")
        self._measures.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._measures.setMinimumContentsLength(_MEASURE_WIDTH)
        self._measures.setToolTip("The measure to compare the steps by")
        for measure in MEASURES:
            self._measures.addItem(measure.title, measure.name)
        self._measures.setCurrentIndex(
            max(self._measures.findData(memory.value("compare/measure", "value")), 0)
        )
        self._relative, self._absolute = QPushButton("Relative"), QPushButton("Absolute")
        for button, tip in ((self._relative, _RELATIVE_TIP), (self._absolute, _ABSOLUTE_TIP)):
            button.setCheckable(True)
            button.setToolTip(as_tip(tip))
        self._group = QButtonGroup(self)
        self._group.addButton(self._relative)
        self._group.addButton(self._absolute)
        (self._relative if memory.value("compare/relative", True) else self._absolute).setChecked(True)
        label = PlainTextLabel("&Measure", buddy=self._measures)
        what, view = in_row(label, self._measures), in_row(self._relative, self._absolute)
        self._row = WrappingRow(boxed(what), boxed(view), empty_room())
        self.setLayout(self._row)
        self._measures.currentIndexChanged.connect(self._on_chosen)
        self._group.buttonToggled.connect(lambda _button, is_on: self._on_chosen() if is_on else None)

    @property
    def measure(self) -> Measure:
        return MEASURES[self._measures.currentIndex()]

    @property
    def is_relative(self) -> bool:
        return self._relative.isChecked()

    def turn(self) -> None:
        """Switch between relative and absolute."""
        (self._absolute if self.is_relative else self._relative).setChecked(True)

    def add_first(self, *actions: QAction) -> None:
        """Add an action at the left, as in a browser."""
        self._row.insert(0, boxed(in_row(*map(action_button, actions))))

    def add_button(self, action: QAction) -> None:
        self._row.addWidget(action_button(action))

    def add_menu(self, text: str, tip: str, actions: Sequence[QAction]) -> None:
        button = QPushButton(text)
        button.setToolTip(as_tip(tip))
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        menu.addActions(list(actions))
        button.setMenu(menu)
        self._row.addWidget(button)

    def _on_chosen(self) -> None:
        self._memory.keep("compare/measure", self.measure.name)
        self._memory.keep("compare/relative", self.is_relative)
        self.changed.emit()
