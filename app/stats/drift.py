"""Whether a difference may be the machine's, which became faster or slower meanwhile."""

from __future__ import annotations

from statistics import fmean
from typing import Sequence, Tuple

Column = Sequence[Tuple[float, float]]  # when each session began, and the logarithm of its figure

PART = 1 / 3  # of the difference: so much of it may be the machine's


def is_drift(base: Column, other: Column) -> bool:
    """The trend within both columns, times how far they are apart in time: no further than it was seen."""
    apart = _mean(other, 1) - _mean(base, 1)
    far = min(abs(_mean(other, 0) - _mean(base, 0)), max(map(_span, (base, other))))
    return abs(_slope(base, other) * far) > abs(apart) * PART


def _slope(*columns: Column) -> float:
    across = along = 0.0
    for column in columns:
        middle, level = _mean(column, 0), _mean(column, 1)
        across += sum((at - middle) ** 2 for at, _ in column)
        along += sum((at - middle) * (figure - level) for at, figure in column)
    return along / across if across else 0.0


def _mean(column: Column, which: int) -> float:
    return fmean(each[which] for each in column)


def _span(column: Column) -> float:
    return max(at for at, _ in column) - min(at for at, _ in column)
