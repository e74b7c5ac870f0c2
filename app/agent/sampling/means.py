"""The means of the engine's series over the measured seconds of a step."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence


class Means:
    """Adds up samples, each weighted by its length; a missing value has no weight."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.clear()

    def clear(self) -> None:
        self._sums: List[float] = [0.0] * len(self._names)
        self._seconds: List[float] = [0.0] * len(self._names)

    def add(self, values: Sequence[Optional[float]], dt: float) -> None:
        for at, value in enumerate(values):
            if value is not None:
                self._sums[at] += value * dt
                self._seconds[at] += dt

    def values(self) -> Dict[str, float]:
        """The mean of each series that had a value."""
        found = zip(self._names, self._sums, self._seconds)
        return {name: total / seconds for name, total, seconds in found if seconds > 0}
