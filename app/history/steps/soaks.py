"""What the seconds of each long step of a session say, and what the step added to memory and tables."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from app.history.recorded.counting import Cut, RecountedStep
from app.history.store.blocks import read_block
from app.history.store.damage import DamagedError
from app.history.store.history import History
from app.protocol.series import in_a_second, series_of_figure
from app.stats.soak import Trend, below_half_pct, longest_stall_s, slowest, trend, trend_pct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST_S = 59.0  # of a step of a minute, whose last second may be shorter
LONG_S = 600  # from here on people are shown the figures without asking for them
_MEMORY, _HISTORY = "server.memory_mb", "history_list"  # a series, and the end of the name of one
# the step before tells how large the tables were when it began
_STEPS = (
    "SELECT number, position, unit, data_bytes, before FROM (SELECT number, position, unit, kind, seconds,"
    " state, warm, data_bytes, lag(data_bytes) OVER (ORDER BY position) AS before FROM step"
    " WHERE session = (SELECT number FROM session WHERE id = ?))"
    " WHERE kind = 'drive' AND NOT warm AND state = 'completed' AND seconds >= ?"
)
_SERIES = "SELECT name, number FROM series WHERE session = (SELECT number FROM session WHERE id = ?)"
_BLOCK = "SELECT content FROM block WHERE step = ? AND series = ?"


class TrendEntry(TypedDict):
    """The growth from the beginning to the end of the step, and its interval (95 %)."""

    value: float
    low: float
    high: float


class SoakEntry(TypedDict):
    """Figures of the seconds of a step of a minute or more; those that count, where it is cut."""

    seconds: int  # with a figure
    slowest: float | None  # second, in the unit of the step
    below_half_pct: float | None  # of the seconds, below half of their median
    longest_stall_s: int | None
    trend_pct: TrendEntry | None  # of the throughput, in percent of its mean
    memory_trend_mb: TrendEntry | None  # of the server
    size_growth_mb: float | None  # of tables and indexes, over the whole step
    history_list_max: float | None


class _LongStep(NamedTuple):
    """A row of `_STEPS`."""

    number: int
    position: int
    unit: str
    data_bytes: float | None
    before: float | None


def soaks_of_session(
    history: History, session: str, counts: Mapping[int, RecountedStep]
) -> dict[int, SoakEntry]:
    """The figures of each step of a minute or more, by its position."""
    rows = [_LongStep(*row) for row in history.query(_STEPS, (session, LEAST_S))]
    known = dict(history.query(_SERIES, (session,))) if rows else {}
    found = {}
    for row in rows:
        cut = counts[row.position].cut if row.position in counts else None
        with suppress(DamagedError):  # of a step: all others have their figures
            if (entry := _soak(history, row, known, cut)) is not None:
                found[row.position] = entry
    return found


def _soak(history: History, row: _LongStep, known: Mapping[str, int], cut: Cut | None) -> SoakEntry | None:
    clock = history.one("SELECT s FROM clock WHERE step = ?", (row.number,))
    if clock is None or not series_of_figure(row.unit):
        return None
    s = read_block(clock[0])
    counted = s >= 0 if cut is None else (s >= cut.first_s) & (s <= cut.last_s)

    def seconds(name: str) -> list[float | None]:
        block = history.one(_BLOCK, (row.number, known.get(name, -1)))
        values = None if block is None else read_block(block[0])
        if values is None or len(values) != len(s):
            return []
        return [value if value == value else None for value in values[counted].tolist()]

    rates = seconds(series_of_figure(row.unit))
    purged = next((name for name in known if name.endswith(f".{_HISTORY}")), "")
    return {
        "seconds": sum(value is not None for value in rates),
        "slowest": slowest(rates),
        "below_half_pct": below_half_pct(rates),
        "longest_stall_s": longest_stall_s(in_a_second(rates, row.unit)),
        "trend_pct": _entry(trend_pct(rates)),
        "memory_trend_mb": _entry(trend(seconds(_MEMORY))),
        "size_growth_mb": _growth_mb(row),
        "history_list_max": max((value for value in seconds(purged) if value is not None), default=None),
    }


def _entry(found: Trend | None) -> TrendEntry | None:
    return None if found is None else {"value": found.value, "low": found.low, "high": found.high}


def _growth_mb(row: _LongStep) -> float | None:
    if row.data_bytes is None or row.before is None:
        return None
    return (row.data_bytes - row.before) / 2**20
