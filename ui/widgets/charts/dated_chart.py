"""Curves over sessions in the order of time: dates below, the session at the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.harmless import harmless
from app.core.units import date_text
from ui.core.theme import Theme

from .line_chart import LineChart
from .lines import ChartLine
from .scale import Tick, narrow_axis_range

_DATE = 130  # pixels of a date below
_LEAST = 10.0  # percent that the chart is high
UNIT = "% of the usual"


class DatedChart(LineChart):
    """Percent of the usual; a place for each session, however far apart they are in time."""

    def __init__(self, theme: Theme, title: str) -> None:
        self._dates: Sequence[float] = ()
        self._texts: Sequence[str] = ()
        super().__init__(theme, title, UNIT)

    def set_dated(
        self,
        dates: Sequence[float],
        texts: Sequence[str],
        curves: Sequence[tuple[ChartLine, Sequence[float | None]]],
    ) -> None:
        """Set when each session began, what the cursor says of it, and a share of 1 for each."""
        self._dates, self._texts = dates, texts
        xs = [float(at) for at in range(len(dates))]
        self.set_curves([(line, xs, [*map(_percent, shares)]) for line, shares in curves], "", UNIT)

    def stand_text(self, at: int) -> str:
        return harmless(", ".join(filter(None, (date_text(self._dates[at]), self._texts[at]))))

    def margin(self) -> float:
        """No margin: the names are above, with room for their values."""
        return 0.0

    def fit_y(self, ys: Sequence[float], most: int) -> None:
        """Around the values, as they are percent of the usual."""
        if self.scale.is_logarithmic or not ys:
            super().fit_y(ys, most)
            return
        self.area.y = narrow_axis_range(min(ys), max(ys), most, _LEAST)
        self.ground.y_ticks = self.scale.ticks(self.area.y, most)

    def x_ticks(self) -> list[Tick]:
        """Ticks with dates, as many as fit."""
        places = list(self._places.values())
        every = max(1, -(-len(places) * _DATE // max(int(self.area.plot.width()), 1)))
        named = range(every // 2, len(places), every)  # a date at the very edge would be cut
        return [(places[at], date_text(self._dates[at])) for at in named]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
