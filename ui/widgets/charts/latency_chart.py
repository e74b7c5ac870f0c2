"""A percentile over time; a selected range has the percentiles of all its events, no mean of percentiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.protocol.latency import Counts
from app.stats.percentiles import percentiles_of
from ui.core.theme import Theme

from .heat_track import HeatTrack, Integers
from .lines import ChartLine
from .range_figures import Found
from .scale import value_text
from .time_chart import TimeChart

PERCENTILES = (50.0, 95.0, 99.0, 99.9)
WHAT = " / ".join(f"p{percent:g}" for percent in PERCENTILES)


class LatencyChart(TimeChart):
    """Curves of a percentile, with the latencies of every second behind them where they are stored."""

    def __init__(self, theme: Theme, title: str, unit: str, parent: QWidget | None = None) -> None:
        self._heats: Mapping[str, HeatTrack] = {}
        super().__init__(theme, title, unit, parent)

    def set_heats(self, heats: Mapping[str, HeatTrack]) -> None:
        """Set the latencies of each line, by its key."""
        self._heats = heats

    def figures_of(self, lines: Sequence[ChartLine], first: float, last: float) -> tuple[str, Found]:
        known = [line for line in lines if line.key in self._heats]
        totals = [(line, self._heats[line.key].total(first, last)) for line in known]
        found = [(line, percentiles_text(total)) for line, total in totals if total is not None]
        return (WHAT, found) if found else super().figures_of(lines, first, last)


def percentiles_in_head(total: Integers) -> str:
    """`p99 0.90 ms`; the highest percentile that the events carry."""
    found = percentiles_of(nonempty_bucket_rows(total), PERCENTILES)
    carried = [(percent, ms) for percent, ms in zip(PERCENTILES, found, strict=True) if ms is not None]
    return f"p{carried[-1][0]:g} {value_text(carried[-1][1])} ms" if carried else "too few for a percentile"


def nonempty_bucket_rows(total: Integers) -> Counts:
    """The rows that have events."""
    return {int(row): int(total[row]) for row in total.nonzero()[0]}


def percentiles_text(total: Integers) -> str:
    """`0.31 / 0.52 / 0.90 / 1.40 (n 50,123)`."""
    texts = [value_text(each) for each in percentiles_of(nonempty_bucket_rows(total), PERCENTILES)]
    return f"{' / '.join(texts)} (n {int(total.sum()):,})"
