"""Whether samples differ, for all cells of a comparison: beyond the noise, and large enough to matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from .ranks import least_p, p_of

BETTER, WORSE, DIFFERS = "better", "worse", "differs"
NOISE = "~"  # within the noise
SMALL = "too small to matter"
FEW = "not enough repeats"
SINGLE = "n=1"
COLOURED = (BETTER, WORSE)


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


@dataclass(frozen=True)
class Verdict:
    word: str
    p: float | None = None  # of the rank test, as it stands: what is asked of it depends on all cells


def judge(cells: Sequence[Cell], limits: Limits = Limits()) -> list[Verdict]:
    """One for each cell; the false discovery rate (Benjamini and Hochberg) is held over what n can decide."""
    found: list[Verdict] = [_undecided(cell, limits) for cell in cells]
    open_cells = [at for at, verdict in enumerate(found) if verdict.p is not None]
    limit = _largest_p([found[at].p or 0.0 for at in open_cells], limits.false_share)
    for at in open_cells:
        found[at] = _decided(cells[at], found[at].p or 0.0, limit, limits)
    return found


def _undecided(cell: Cell, limits: Limits) -> Verdict:
    n, m = len(cell.base), len(cell.other)
    if min(n, m) <= 1:
        return Verdict(SINGLE)
    if least_p(n, m) > limits.false_share:
        return Verdict(FEW)
    return Verdict("", p_of(cell.base, cell.other))


def _largest_p(ps: Sequence[float], share: float) -> float:
    """Up to which p a cell counts as different; below 0 where none does."""
    ordered = sorted(ps)
    kept = [p for at, p in enumerate(ordered, 1) if p <= share * at / len(ordered)]
    return kept[-1] if kept else -1.0


def _decided(cell: Cell, p: float, limit: float, limits: Limits) -> Verdict:
    if p > limit:
        # as far apart as they can be, and yet one among so many cells: only more repeats can tell
        is_clear = p <= least_p(len(cell.base), len(cell.other))
        return Verdict(FEW if is_clear else NOISE, p)
    base, other = median(cell.base), median(cell.other)
    if base and other and max(other / base, base / other) - 1 < limits.matters:
        return Verdict(SMALL, p)
    if not cell.direction:
        return Verdict(DIFFERS, p)
    return Verdict(BETTER if (other > base) == (cell.direction == "higher") else WORSE, p)
