"""Whether figures differ, for all cells of a comparison: beyond the noise, and large enough to matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean, median

from .drift import is_drift
from .welch import Difference, Pair, Part, differences

BETTER, WORSE, DIFFERS = "better", "worse", "differs"
NOISE = "~"  # within the noise
SMALL = "too small to matter"
FEW = "not enough repeats"
SINGLE = "n=1"
DRIFT = "drift"  # the machine changed meanwhile, by too large a part of the difference
COLOURED = (BETTER, WORSE)
LEAST = 3  # repeats: two sessions that are both slow by chance are no rare thing


@dataclass(frozen=True)
class Limits:
    """What a person may change."""

    false_share: float = 0.05  # of what is called a difference, over all cells of a comparison
    matters: float = 0.02  # a ratio nearer to 1 than this, whichever is the base, is none, however sure it is


@dataclass(frozen=True)
class Cell:
    """The figures of a step in the base and in another column, one of each session."""

    base: tuple[float, ...]
    other: tuple[float, ...]
    direction: str = "higher"  # higher | lower is better; empty: neither
    column: int = 0  # cells of one column tell of its noise together
    added: tuple[Part, ...] = ()  # variances of the machine, where the columns are of different times
    times: tuple[tuple[float, ...], ...] = ()  # when the sessions of both began, in seconds; empty: unknown

    @property
    def has_logarithms(self) -> bool:
        return min(*self.base, *self.other) > 0

    @property
    def pair(self) -> Pair:
        """As it is tested: figures that are 0 at times stay as they are."""
        if not self.has_logarithms:
            return Pair(self.base, self.other)
        return Pair(tuple(map(log, self.base)), tuple(map(log, self.other)), self.added)

    @property
    def is_drift(self) -> bool:
        """Whether the difference may be what the machine did meanwhile."""
        figures = (self.pair.base, self.pair.other)
        return bool(self.times) and is_drift(
            *(list(zip(*column, strict=True)) for column in zip(self.times, figures, strict=True))
        )


@dataclass(frozen=True)
class Verdict:
    word: str
    p: float | None = None  # of Welch's test, as it stands: what is asked of it depends on all cells


def judge(cells: Sequence[Cell], limits: Limits = Limits()) -> list[Verdict]:
    """One for each cell; the false discovery rate (Benjamini and Hochberg) is held over the tested ones."""
    found = [Verdict(_untested(cell)) for cell in cells]
    tested = [at for at, verdict in enumerate(found) if not verdict.word]
    ps = {at: difference.p(limits.false_share) for at, difference in _differences(cells, tested)}
    limit = _largest_p([*ps.values()], limits.false_share)
    for at in tested:
        word = _word(cells[at], limits) if ps[at] <= limit else NOISE
        found[at] = Verdict(word, ps[at])
    return found


def _untested(cell: Cell) -> str:
    """The word of a cell that is not tested; figures of 0 have no known noise."""
    fewest = min(len(cell.base), len(cell.other))
    if fewest < LEAST:
        return SINGLE if fewest <= 1 else FEW
    return NOISE if cell.added and not cell.has_logarithms else ""


def _differences(cells: Sequence[Cell], tested: Sequence[int]) -> Iterator[tuple[int, Difference]]:
    """Column by column; a cell that has no logarithms is tested by itself."""
    columns: dict[object, list[int]] = {}
    for at in tested:
        columns.setdefault(cells[at].column if cells[at].has_logarithms else ("alone", at), []).append(at)
    for its in columns.values():
        yield from zip(its, differences([cells[at].pair for at in its]), strict=True)


def _largest_p(ps: Sequence[float], share: float) -> float:
    """Up to which p a cell counts as different; below 0 where none does."""
    ordered = sorted(ps)
    kept = [p for at, p in enumerate(ordered, 1) if share and p <= share * at / len(ordered)]
    return kept[-1] if kept else -1.0


def _word(cell: Cell, limits: Limits) -> str:
    """The word of a cell beyond the noise."""
    base, other = median(cell.base), median(cell.other)
    if base and other and max(other / base, base / other) - 1 < limits.matters:
        return SMALL
    pair = cell.pair
    if (other > base) != (fmean(pair.other) > fmean(pair.base)):
        return NOISE  # a few odd sessions against the others
    if cell.is_drift:
        return DRIFT
    if not cell.direction:
        return DIFFERS
    return BETTER if (other > base) == (cell.direction == "higher") else WORSE
