"""Where the values of a chart over time stand: as they are, or by their logarithm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from .pyramid import Values, highest, lowest
from .scale import Tick, figure_ticks, fitting, logarithmic_range, logarithmic_ticks

Range = tuple[float, float]


class ValueScale(QObject):
    """What has no logarithm is a gap while the scale is logarithmic."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_logarithmic = False
        self.has_logarithms = False  # whether any value that is shown is above 0

    def toggle(self) -> None:
        is_wanted = not self.is_logarithmic and self.has_logarithms
        if is_wanted != self.is_logarithmic:
            self.is_logarithmic = is_wanted
            self.changed.emit()

    def placed(self, values: Values) -> Values:
        """Where they stand."""
        if not self.is_logarithmic:
            return values
        return np.log10(values, out=np.full(len(values), np.nan), where=values > 0)

    def fitted(self, placed: Sequence[Values], now: Range, most: int) -> Range:
        """A range around what stands there, with room for so many ticks at most."""
        known = [values for values in placed if len(values)]
        if not self.is_logarithmic:
            low = lowest([0.0, *map(lowest, known)])
            high = highest([0.0, *map(highest, known)])
            self.has_logarithms = bool(high > 0)
            return fitting(float(low), float(high), now, most)
        low = lowest([np.nan, *map(lowest, known)])
        high = highest([np.nan, *map(highest, known)])
        return logarithmic_range(float(low), float(high)) if low <= high else (0.0, 1.0)

    def points(self, sample: tuple[float, float] | None, shown: Range) -> list[tuple[float, float]]:
        """Where a sample stands, as long as that is in sight."""
        placed = [] if sample is None else [(sample[0], float(self.placed(np.array(sample[1:]))[0]))]
        return [(t, y) for t, y in placed if shown[0] <= y <= shown[1]]

    def ticks(self, shown: Range, most: int) -> Sequence[Tick]:
        return (logarithmic_ticks if self.is_logarithmic else figure_ticks)(*shown, most)
