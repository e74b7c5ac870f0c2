"""Where the values of a chart stand: as they are, or by their logarithm."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from .scale import Tick, figure_ticks, logarithmic_range, logarithmic_ticks

Range = tuple[float, float]


class ValueScale(QObject):
    """A linear or logarithmic scale; values without a logarithm are gaps."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_logarithmic = False
        self.is_fixed = False  # it cannot be changed
        self.has_logarithms = False  # whether any value that is shown is above 0

    def fix_logarithmic(self) -> None:
        self.is_logarithmic = self.is_fixed = True

    def toggle(self) -> None:
        if self.is_fixed:
            return
        is_wanted = not self.is_logarithmic and self.has_logarithms
        if is_wanted != self.is_logarithmic:
            self.is_logarithmic = is_wanted
            self.changed.emit()

    def place(self, value: float | None) -> float | None:
        """The place of a value."""
        if value is None or not self.is_logarithmic:
            return value
        return math.log10(value) if value > 0 else None

    def logarithms(self, low: float, high: float) -> Range:
        """A logarithmic range around these places; a default one without any."""
        return logarithmic_range(low, high) if low <= high else (0.0, 1.0)

    def ticks(self, shown: Range, most: int) -> Sequence[Tick]:
        return (logarithmic_ticks if self.is_logarithmic else figure_ticks)(*shown, most)
