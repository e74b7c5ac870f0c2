"""Whether figures differ, for all cells of a comparison: beyond the noise, and large enough to matter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean, median
from typing import Iterable, Iterator, Mapping, Sequence, Tuple

from app.protocol.events import SPOILT as MARKED
from app.protocol.others import DISTURBED

from .looks import (
    FEW_LOADED,
    FEW_LOADS,
    OF_FEW,
    ROUNDS,
    can_still_decide,
    equivalence_false_share,
    p_same,
    share_of_look,
)
from .moderated import UNKNOWN, VariancePrior
from .pooled import pooled_differences
from .steady import UNSTEADY
from .welch import LogMeanDifference, PairedResults, Part

BETTER, WORSE, DIFFERS = "better", "worse", "differs"
NOISE = "~"  # within the noise
SMALL = "too small to matter"
FEW = "not enough repeats"
SINGLE = "n=1"
SAME = "same"  # no difference that matters, whatever the noise
AT_RATE = "at its rate"  # both keep the rate that the plan sets: never judged
DRIFT = "drift"  # drift of the machine may explain too much of the difference
COLOURED = (BETTER, WORSE)
LEAST = 3  # repeats: two sessions are often slow by chance
ROUNDING = 1e-9  # of an interval without noise, which is a logarithm's
SPREADS = 3.0  # of starts: counts differ beyond so many of these,
LEAST_COUNTED = 0.003  # and by this share at least
PART = 1 / 3  # of a difference: so much of it may be the machine's drift
SPOILT = (*MARKED, UNSTEADY)  # of a repeat, which is left out where enough others remain
Column = Sequence[Tuple[float, float]]  # when each session began, and the logarithm of its figure


@dataclass(frozen=True)
class VerdictLimits:
    """The limits of verdicts."""

    false_share: float = 0.05  # share of false ones among the differences of all cells
    matters: float = 0.02  # a ratio closer to 1 than this does not count, however sure it is
    repeatedly: bool = False  # the plan was looked at after each round, and went on until it was decided
    is_last: bool = False  # its time was up: nobody looks again, so this look may take all of the share

    @classmethod
    def of_pct(cls, false_share_pct: float, matters_pct: float) -> VerdictLimits:
        """Limits from percentages."""
        return cls(false_share_pct / 100, matters_pct / 100)

    def at_look(self, cells: Sequence[StepResultPair], rounds: int = 0) -> VerdictLimits:
        """The limits at a look, by the rounds of these cells or by this number."""
        most = max((cell.n for cell in cells if not cell.keeps_rate), default=0)
        return self.after(rounds or most)

    def after(self, rounds: int) -> VerdictLimits:
        if not self.repeatedly:
            return self
        share = self.false_share if self.is_last else share_of_look(self.false_share, rounds)
        return replace(self, false_share=share, repeatedly=False)


def spoilt_by(marks: Iterable[str], is_alike: bool = False) -> list[str]:
    """The marks for which a repeat does not count; `is_alike`: load disturbed all columns alike."""
    return [mark for mark in marks if mark in SPOILT and not (is_alike and mark == DISTURBED)]


@dataclass(frozen=True)
class StepResultPair:
    """The results of a step in base and other column, one for each session."""

    base: tuple[float, ...]
    other: tuple[float, ...]
    direction: str = "higher"  # higher | lower is better; empty: neither
    column: int = 0  # cells of one column tell of its noise together
    added: tuple[Part, ...] = ()  # variances of the machine, where the columns are of different times
    times: tuple[tuple[float, ...], ...] = ()  # when the sessions of both began, in seconds; empty: unknown
    by_round: bool = False  # figures at the same place of both are of one round, and judged as a pair
    keeps_rate: bool = False  # both are only the rate that the plan sets
    is_load: bool = False  # of a load or an index: these tell of their noise by themselves
    is_counted: bool = False  # instructions: each is of another start of the server, and needs no test
    known_spread: float = 0.0  # of starts, where these are too few to show it
    earlier: VariancePrior = UNKNOWN  # of its rounds, from earlier plans

    @property
    def n(self) -> int:
        return min(len(self.base), len(self.other))

    @property
    def has_logarithms(self) -> bool:
        return min(*self.base, *self.other) > 0

    @property
    def pair(self) -> PairedResults:
        """The pair of samples that is tested; results with zeros are not logarithms."""
        if not self.has_logarithms:
            return self._paired(self.base, self.other)
        return self._paired(tuple(map(log, self.base)), tuple(map(log, self.other)), self.added)

    def _paired(
        self, base: tuple[float, ...], other: tuple[float, ...], added: tuple[Part, ...] = ()
    ) -> PairedResults:
        if not self.by_round:
            return PairedResults(base, other, added)
        return PairedResults((), tuple(theirs - ours for ours, theirs in zip(base, other)))

    @property
    def medians(self) -> tuple[float, float]:
        """The medians of base and other; in rounds the median of ratios."""
        if not self.by_round:
            return median(self.base), median(self.other)
        apart = median(self.pair.other)
        return (1.0, exp(apart)) if self.has_logarithms else (median(self.base), median(self.base) + apart)

    @property
    def ratio(self) -> float:
        """The ratio that people see: of the medians, in rounds the median of ratios."""
        if self.by_round:
            return median(theirs / ours for ours, theirs in zip(self.base, self.other))
        return median(self.other) / median(self.base)

    @property
    def usual_noise(self) -> VariancePrior:
        """The prior of the logarithms of its ratios; none where these are not what is tested."""
        return self.earlier if self.by_round and self.has_logarithms else UNKNOWN

    @property
    def is_drift(self) -> bool:
        """Whether drift of the machine may explain the difference."""
        figures = (self.pair.base, self.pair.other)
        return bool(self.times) and is_drift(*(list(zip(*column)) for column in zip(self.times, figures)))


@dataclass(frozen=True)
class Interval:
    """The interval of a cell's ratio to its base, that of the means of logarithms."""

    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class Verdict:
    word: str
    p: float | None = None  # of the test; the level it must pass depends on all cells
    interval: Interval | None = None  # of the ratio
    is_odd: bool = False  # a few repeats differ from the others: the ratio is not within its interval
    is_pooled: bool = False  # the noise of earlier plans was taken into account


def judge(cells: Sequence[StepResultPair], limits: VerdictLimits = VerdictLimits()) -> list[Verdict]:
    """A verdict for each cell, on the target and in Compare.

    The false discovery rate (Benjamini and Hochberg) covers all tested cells.
    """
    now = limits.at_look(cells)
    differences = dict(tested_differences(cells, limits))
    ps = {at: difference.p(now.false_share) for at, difference in differences.items()}
    limit = _largest_p([*ps.values()], now.false_share)
    same = _same(cells, differences, now) if limits.repeatedly else set[int]()
    found = _intervals(cells, differences, now)
    return [
        replace(
            _verdict(cell, _word(cell, now, ps[at] <= limit, at in same), ps[at], found.get(at), now.matters),
            is_pooled=differences[at].is_pooled,
        )
        if at in ps
        else _verdict_of_counts(cell, now.matters)
        if cell.is_counted
        else Verdict(_untested(cell))
        for at, cell in enumerate(cells)
    ]


def _verdict_of_counts(cell: StepResultPair, matters: float) -> Verdict:
    """Counts differ beyond three times the spread of their starts, which is all the noise they have."""
    if cell.n < 2 or not cell.has_logarithms:
        return Verdict(SINGLE if cell.n < 2 else NOISE)
    room = room_of_counts(max(*map(spread_of_starts, (cell.base, cell.other)), cell.known_spread))
    interval = Interval(cell.ratio, cell.ratio / room, cell.ratio * room)
    if interval.low <= 1 <= interval.high:
        return Verdict(SAME if is_within(interval.low, interval.high, matters) else NOISE, None, interval)
    return Verdict(BETTER if (cell.ratio > 1) == (cell.direction == "higher") else WORSE, None, interval)


def room_of_counts(spread: float) -> float:
    """How many times one count may be another where starts of one server have this spread."""
    return 1 + max(LEAST_COUNTED, SPREADS * spread)


def spread_of_starts(figures: Sequence[float]) -> float:
    """How far counts are apart, as a share: all that starts of one server differ by."""
    return (max(figures) - min(figures)) / median(figures)


def _verdict(cell: StepResultPair, word: str, p: float, interval: Interval | None, matters: float) -> Verdict:
    """The verdict; none where the ratio contradicts its interval, the same where all of that is too small."""
    if interval and not _agree(word, cell.ratio, interval):
        return Verdict(NOISE, p, is_odd=True)
    is_same = interval and word in (NOISE, SMALL) and is_within(interval.low, interval.high, matters)
    return Verdict(SAME if is_same else word, p, interval)


def is_within(low: float | None, high: float | None, matters: float) -> bool:
    """Whether a whole interval is closer to 1 than what matters."""
    return bool(low and high and 1 / (1 + matters) < low <= high < 1 + matters)


def _agree(word: str, ratio: float, interval: Interval) -> bool:
    """Whether a ratio by medians is within the interval of that by means, and on its side of 1."""
    is_beyond = not interval.low <= 1 <= interval.high
    is_within = (1 - ROUNDING) * interval.low <= ratio <= (1 + ROUNDING) * interval.high
    return is_within and not (word == NOISE and is_beyond)


def _same(
    cells: Sequence[StepResultPair], differences: Mapping[int, LogMeanDifference], limits: VerdictLimits
) -> set[int]:
    """Cells without a relevant difference, at the same false discovery rate."""
    ps = {at: p_same(each, limits.matters) for at, each in differences.items() if cells[at].has_logarithms}
    share = equivalence_false_share(limits.false_share)
    limit = _largest_p([*ps.values()], share)
    return {at for at, p in ps.items() if p <= limit}


def _intervals(
    cells: Sequence[StepResultPair], differences: Mapping[int, LogMeanDifference], limits: VerdictLimits
) -> dict[int, Interval]:
    """The intervals of tested cells; at most this share of comparisons has a wrong one.

    None where it would be too wide, or where a figure is 0.
    """
    there = {at: each for at, each in differences.items() if cells[at].has_logarithms}
    ends = {at: each.interval(limits.false_share, len(there)) for at, each in there.items()}
    return {at: Interval(exp(there[at].apart), *each) for at, each in ends.items() if each}


def _untested(cell: StepResultPair) -> str:
    """The verdict of a cell that is not tested; results of 0 have no known noise."""
    if cell.keeps_rate:
        return AT_RATE
    if cell.n < LEAST:
        return SINGLE if cell.n <= 1 else FEW
    return NOISE if cell.added and not cell.has_logarithms else ""


def tested_differences(
    cells: Sequence[StepResultPair], limits: VerdictLimits
) -> Iterator[tuple[int, LogMeanDifference]]:
    """The tested cells with their positions, column by column; one without logarithms is tested alone."""
    columns: dict[tuple[object, bool], list[int]] = {}
    for at, cell in enumerate(cells):
        if not _untested(cell) and not cell.is_counted:
            pool = cell.column if cell.has_logarithms else ("alone", at)
            columns.setdefault((pool, cell.is_load), []).append(at)
    loaded = {of for of, are_loads in columns if are_loads}
    for (of, are_loads), its in columns.items():
        are_few = len(its) <= (FEW_LOADS if are_loads else FEW_LOADED if of in loaded else 1)
        weight = OF_FEW if limits.repeatedly and are_few else 1.0
        earlier = [cells[at].usual_noise for at in its]
        for at, found in zip(its, pooled_differences([cells[at].pair for at in its], earlier)):
            yield at, replace(found, weight=weight)


def _largest_p(ps: Sequence[float], share: float) -> float:
    """The largest p of a difference; negative if there is none."""
    ordered = sorted(ps)
    kept = [p for at, p in enumerate(ordered, 1) if share and p <= share * at / len(ordered)]
    return kept[-1] if kept else -1.0


def _word(cell: StepResultPair, limits: VerdictLimits, is_beyond: bool, is_same: bool) -> str:
    """The verdict; `is_beyond` the noise. *Same* needs proof that no relevant difference exists."""
    word = _word_beyond(cell, limits) if is_beyond else NOISE
    return SAME if is_same and word in (NOISE, SMALL) else word


def _word_beyond(cell: StepResultPair, limits: VerdictLimits) -> str:
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


# which cells of a plan are decided after a round, so that more rounds would tell nothing new


HOPELESS = "cannot be decided"
DECISIONS = (BETTER, WORSE, DIFFERS, SMALL, SAME)


def cell_stopping_decisions(cells: Sequence[StepResultPair], limits: VerdictLimits, rounds: int) -> list[str]:
    """The decision for each cell after these rounds; '' if another round may decide it."""
    words = [verdict.word for verdict in judge(cells, limits)]
    share = limits.at_look(cells, ROUNDS).false_share
    hopeful = {
        at
        for at, found in tested_differences(cells, limits)
        if can_still_decide(found, cells[at].n, share, limits.matters)
    }
    return [
        word if word in DECISIONS else "" if at in hopeful or _is_young(cells[at], rounds) else HOPELESS
        for at, word in enumerate(words)
    ]


def _is_young(cell: StepResultPair, rounds: int) -> bool:
    """Whether it may still get enough repeats; a cell that never had a result seldom does."""
    return cell.n < LEAST and rounds < ROUNDS and (rounds < LEAST or 0 < cell.n >= LEAST - (ROUNDS - rounds))
