"""How long a plan may take: a time or a time of day to type, and a slider that writes a time."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QSlider, QWidget

from app.core.units import time_text
from ui.core.plain import as_tip
from ui.core.theme import SPACE
from ui.widgets.layouts import in_row

HOUR = 3600
STOPS = (0, 900, 1800, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, 24 * HOUR)  # 0: as long as it takes
_EDGES = [(one + other) / 2 for one, other in pairwise(STOPS)]
_TIP = "How long the plan may take: 15 minutes to a day; at the left end as long as the work takes"


class LengthField(QWidget):
    """The field, with its slider."""

    slid = Signal(str)  # the text that was put into the field

    def __init__(self, edit: QLineEdit) -> None:
        super().__init__()
        self.edit = edit
        edit.setMinimumWidth(12 * SPACE)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, len(STOPS) - 1)
        self.slider.setPageStep(2)
        self.slider.setMinimumWidth(6 * SPACE)
        self.slider.setAccessibleName("How long, as a slider")
        self.slider.setToolTip(as_tip(_TIP))
        self.slider.valueChanged.connect(self._on_slid)
        self.setLayout(in_row((edit, 1), (self.slider, 1)))

    def show_seconds(self, seconds: int) -> None:
        """Put the slider at the nearest stop."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(sum(seconds > edge for edge in _EDGES))

    def _on_slid(self, at: int) -> None:
        text = time_text(STOPS[at]) if STOPS[at] else ""
        self.edit.setText(text)
        self.slid.emit(text)
