"""Whether figures differ, for all cells of a comparison: beyond the noise, and large enough to matter."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean, median
from typing import Iterator, Mapping, Sequence, Tuple

from .looks import p_same, share_of_look, share_of_same
from .welch import Difference, Pair, Part, differences

BETTER, WORSE, DIFFERS = "better", "worse", "differs"
NOISE = "~"  # within the noise
SMALL = "too small to matter"
FEW = "not enough repeats"
SINGLE = "n=1"
SAME = "same"  # no relevant difference, whatever the noise; of plans until decided
DRIFT = "drift"  # drift of the machine may explain too much of the difference
COLOURED = (BETTER, WORSE)
LEAST = 3  # repeats: two sessions are often slow by chance
PART = 1 / 3  # of a difference: so much of it may be the machine's drift
Column = Sequence[Tuple[float, float]]  # when each session began, and the logarithm of its figure


@dataclass(frozen=True)
class Limits:
    """The limits of verdicts."""

    false_share: float = 0.05  # share of false ones among the differences of all cells
    matters: float = 0.02  # a ratio closer to 1 than this does not count, however sure it is
    repeatedly: bool = False  # the plan was looked at after each round, and went on until it was decided

    @classmethod
    def of_pct(cls, false_share_pct: float, matters_pct: float) -> Limits:
        """Limits from percentages."""
        return cls(false_share_pct / 100, matters_pct / 100)

    def at_look(self, cells: Sequence[Samples], rounds: int = 0) -> Limits:
        """The limits at a look, by the rounds of these cells or by this number."""
        columns = Counter(cell.column for cell in cells if not _untested(cell))
        is_alone = min(columns.values(), default=1) == 1
        return self.after(rounds or max((cell.n for cell in cells), default=0), is_alone)

    def after(self, rounds: int, is_alone: bool) -> Limits:
        if not self.repeatedly:
            return self
        share = share_of_look(self.false_share, rounds, is_alone)
        return replace(self, false_share=share, repeatedly=False)


@dataclass(frozen=True)
class Samples:
    """The results of a step in base and other column, one for each session."""

    base: tuple[float, ...]
    other: tuple[float, ...]
    direction: str = "higher"  # higher | lower is better; empty: neither
    column: int = 0  # cells of one column tell of its noise together
    added: tuple[Part, ...] = ()  # variances of the machine, where the columns are of different times
    times: tuple[tuple[float, ...], ...] = ()  # when the sessions of both began, in seconds; empty: unknown
    by_round: bool = False  # figures at the same place of both are of one round, and judged as a pair

    @property
    def n(self) -> int:
        return min(len(self.base), len(self.other))

    @property
    def has_logarithms(self) -> bool:
        return min(*self.base, *self.other) > 0

    @property
    def pair(self) -> Pair:
        """The pair of samples that is tested; results with zeros are not logarithms."""
        if not self.has_logarithms:
            return self._paired(self.base, self.other)
        return self._paired(tuple(map(log, self.base)), tuple(map(log, self.other)), self.added)

    def _paired(
        self, base: tuple[float, ...], other: tuple[float, ...], added: tuple[Part, ...] = ()
    ) -> Pair:
        if not self.by_round:
            return Pair(base, other, added)
        return Pair((), tuple(theirs - ours for ours, theirs in zip(base, other)))

    @property
    def medians(self) -> tuple[float, float]:
        """The medians of base and other; in rounds the median of ratios."""
        if not self.by_round:
            return median(self.base), median(self.other)
        apart = median(self.pair.other)
        return (1.0, exp(apart)) if self.has_logarithms else (median(self.base), median(self.base) + apart)

    @property
    def is_drift(self) -> bool:
        """Whether drift of the machine may explain the difference."""
        figures = (self.pair.base, self.pair.other)
        return bool(self.times) and is_drift(*(list(zip(*column)) for column in zip(self.times, figures)))


@dataclass(frozen=True)
class Verdict:
    word: str
    p: float | None = None  # of the test; the level it must pass depends on all cells


def judge(cells: Sequence[Samples], limits: Limits = Limits()) -> list[Verdict]:
    """A verdict for each cell; the false discovery rate (Benjamini and Hochberg) covers tested cells."""
    now = limits.at_look(cells)
    differences = dict(tested_differences(cells))
    ps = {at: difference.p(now.false_share) for at, difference in differences.items()}
    limit = _largest_p([*ps.values()], now.false_share)
    same = _same(cells, differences, now) if limits.repeatedly else set[int]()
    return [
        Verdict(_word(cell, now, ps[at] <= limit, at in same), ps[at])
        if at in ps
        else Verdict(_untested(cell))
        for at, cell in enumerate(cells)
    ]


def _same(cells: Sequence[Samples], differences: Mapping[int, Difference], limits: Limits) -> set[int]:
    """Cells without a relevant difference, at the same false discovery rate."""
    ps = {at: p_same(each, limits.matters) for at, each in differences.items() if cells[at].has_logarithms}
    share = share_of_same(limits.false_share)
    limit = _largest_p([*ps.values()], share)
    return {at for at, p in ps.items() if p <= limit}


@dataclass(frozen=True)
class Interval:
    """The interval of a cell's ratio to its base, that of the means of logarithms."""

    ratio: float
    low: float
    high: float


def intervals(cells: Sequence[Samples], limits: Limits) -> list[Interval | None]:
    """An interval for each tested cell; at most this share of comparisons has a wrong one.

    None also where it would be too wide, or where a figure is 0.
    """
    share = limits.at_look(cells).false_share
    tested = [at for at, cell in enumerate(cells) if not _untested(cell) and cell.has_logarithms]
    found: list[Interval | None] = [None] * len(cells)
    for at, difference in _differences(cells, tested):
        if ends := difference.interval(share, len(tested)):
            found[at] = Interval(exp(difference.apart), *ends)
    return found


def _untested(cell: Samples) -> str:
    """The verdict of a cell that is not tested; results of 0 have no known noise."""
    if cell.n < LEAST:
        return SINGLE if cell.n <= 1 else FEW
    return NOISE if cell.added and not cell.has_logarithms else ""


def tested_differences(cells: Sequence[Samples]) -> Iterator[tuple[int, Difference]]:
    """The tested cells with their positions."""
    return _differences(cells, [at for at, cell in enumerate(cells) if not _untested(cell)])


def _differences(cells: Sequence[Samples], tested: Sequence[int]) -> Iterator[tuple[int, Difference]]:
    """Differences column by column; a cell without logarithms is tested alone."""
    columns: dict[object, list[int]] = {}
    for at in tested:
        columns.setdefault(cells[at].column if cells[at].has_logarithms else ("alone", at), []).append(at)
    for its in columns.values():
        yield from zip(its, differences([cells[at].pair for at in its]))


def _largest_p(ps: Sequence[float], share: float) -> float:
    """The largest p of a difference; negative if there is none."""
    ordered = sorted(ps)
    kept = [p for at, p in enumerate(ordered, 1) if share and p <= share * at / len(ordered)]
    return kept[-1] if kept else -1.0


def _word(cell: Samples, limits: Limits, is_beyond: bool, is_same: bool) -> str:
    """The verdict; `is_beyond` the noise. *Same* needs proof that no relevant difference exists."""
    word = _word_beyond(cell, limits) if is_beyond else NOISE
    return SAME if is_same and word in (NOISE, SMALL) else word


def _word_beyond(cell: Samples, limits: Limits) -> str:
    base, other = cell.medians
    if base and other and max(other / base, base / other) - 1 < limits.matters:
        return SMALL
    if (other > base) != (cell.pair.apart > 0):
        return NOISE  # a few outliers against the other sessions
    if cell.is_drift:
        return DRIFT
    if not cell.direction:
        return DIFFERS
    return BETTER if (other > base) == (cell.direction == "higher") else WORSE


def is_drift(base: Column, other: Column) -> bool:
    """Whether a difference may be the machine's, which became faster or slower meanwhile.

    The trend within both columns, times how far they are apart in time: no further than it was seen.
    """
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
