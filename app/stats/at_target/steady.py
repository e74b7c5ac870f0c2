"""Whether a step was steady: no trend, no two levels, no stall in the throughput of its seconds.

The tests hold by simulation what the limits promise: of steady steps at most 1 in 20 is called unsteady, also
where seconds hang together (by 0.7 from one to the next) and checkpoints come and go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import ceil, inf, sqrt
from statistics import fmean, median

STEADY, UNSTEADY, SHORT = "steady", "unsteady", "too short to tell"

LEAST_S = 25  # seconds with a figure: fewer cannot tell a trend from noise, but a stall
MATTERS = 0.05  # a trend or a second level below this share does not count, however sure it is
STALLED = 0.2  # of the usual throughput: a second below it hardly works
STALL_S = 2  # seconds in a row that are a stall
SPARSE = 20.0  # events in a working second: with fewer, a second without one is chance
DEAD_S = 10  # seconds in a row without work are a stall, even with few events

_BLOCKS = 20  # of a step at most: longer steps have longer blocks
_BLOCK_S = 3  # at least: averages out most of the correlation between seconds
# how many standard errors of blocks, as if these were independent: what still hangs together is allowed for
_BEYOND_TREND, _BEYOND_LEVEL = 3.9, 5.6  # the split of two levels is searched, and noise has splits too
_FEW = 2.5  # over the number of blocks: by so much more, as fewer of them tell less of their noise
_LEAST_BLOCKS = 7
_EDGE = 0.15  # of the step, at both ends: a level lasts that long at least,
_LEVEL_S = 12  # and that long: a checkpoint of 6 s at the end of a step is no second level
_MOST_EDGE = 0.3  # of a short step, which would have no room for a second level otherwise


@dataclass(frozen=True)
class Steadiness:
    word: str  # steady | unsteady | too short to tell
    text: str  # the reason, of figures alone


def ratio_steadiness(
    base: Sequence[float | None], other: Sequence[float | None], first_s: int = 0
) -> Steadiness:
    """Steadiness of the ratio of two contenders that alternate: common changes do not count."""
    found = steadiness(_related(other, base), first_s, "its ratio to the base")
    # if the base stalls
    turned = steadiness(_related(base, other), first_s, "the ratio of the base to it")
    return turned if found.word != UNSTEADY and turned.word == UNSTEADY else found


def _related(seconds: Sequence[float | None], to: Sequence[float | None]) -> list[float | None]:
    """The throughput if the others had worked as usual in each second."""
    usual = _usual([value for value in to if value is not None])
    both = zip(seconds, to)
    return [value * usual / of if value is not None and of else None for value, of in both]


def steadiness(seconds: Sequence[float | None], first_s: int = 0, what: str = "throughput") -> Steadiness:
    """Steadiness of the throughput from this second on; None if unknown."""
    known = [value for value in seconds if value is not None]
    usual = _usual(known)
    stalled = [each.seconds for each in stalls(seconds)]
    if len(known) >= DEAD_S and not any(known):
        return Steadiness(UNSTEADY, f"nothing was done in {len(known)} seconds")
    if len(known) < LEAST_S:
        few = f"{len(known)} seconds have a figure, {LEAST_S} are needed"
        return Steadiness(UNSTEADY, _stalls_text(stalled)) if stalled else Steadiness(SHORT, few)
    low = usual * STALLED if usual >= SPARSE else -inf
    working = [None if value is None or value < low else value for value in seconds]
    blocks = _blocks(working, first_s)
    drift = _drift(blocks, what) if len(blocks) >= _LEAST_BLOCKS else ""
    reasons = [*([_stalls_text(stalled)] if stalled else []), *([drift] if drift else [])]
    if reasons:
        return Steadiness(UNSTEADY, ", ".join(reasons))
    if len(blocks) < _LEAST_BLOCKS:
        return Steadiness(SHORT, f"only {len(known)} of {len(seconds)} seconds have a figure")
    trend = f"no trend of {_least_trend(blocks)}% or more"  # a smaller one is not seen
    return Steadiness(STEADY, f"{trend}, no two levels, no stall in {len(known)} seconds")


def _usual(known: Sequence[float]) -> float:
    """The usual throughput of a second with work.

    The median alone would be that of the stalls where a server hardly does anything most of the time.
    """
    working = [value for value in known if value > 0]
    return max(median(working), fmean(working)) if working else 0.0


@dataclass(frozen=True)
class Stall:
    """Seconds in a row in which hardly anything was done."""

    first: int  # its place among the seconds
    last: int
    seconds: int  # with a figure: unknown ones, which a hanging server has, are between them


def stalls(seconds: Sequence[float | None]) -> list[Stall]:
    """The stalls among these seconds; None is unknown."""
    known = [(at, value) for at, value in enumerate(seconds) if value is not None]
    values = [value for _, value in known]
    usual = _usual(values)
    low, least = (usual * STALLED, STALL_S) if usual >= SPARSE else (0.0, DEAD_S)
    runs = [[at for at, _ in same] for is_low, same in groupby(known, lambda each: each[1] <= low) if is_low]
    found = [Stall(run[0], run[-1], len(run)) for run in runs if len(run) >= least]
    return [] if _takes_long(values, usual, len(found)) else found


def _takes_long(known: Sequence[float], usual: float, count: int) -> bool:
    """Whether single queries take this long: they then end one by one after such stretches."""
    return usual < 2 and count > 1 and sum(value > 0 for value in known) < 2 * count


def _stalls_text(lengths: Sequence[int]) -> str:
    if len(lengths) == 1:
        return f"1 stall of {lengths[0]} s"
    return f"{len(lengths)} stalls of {STALL_S} s or more, {sum(lengths)} s together"


def _blocks(seconds: Sequence[float | None], first_s: int) -> list[tuple[int, float]]:
    """The start and mean of each block, without those less than half known."""
    length = max(_BLOCK_S, -(-len(seconds) // _BLOCKS))
    found = []
    for at in range(0, len(seconds) - length + 1, length):
        known = [value for value in seconds[at : at + length] if value is not None]
        if 2 * len(known) >= length:
            found.append((first_s + at, fmean(known)))
    return found


def _drift(blocks: Sequence[tuple[int, float]], what: str) -> str:
    """The stronger of a trend and a second level; empty if there is neither."""
    trend, level = _trend(blocks), _level(blocks)
    first, second = (trend, level) if trend.noise <= level.noise else (level, trend)
    clearest = next((each for each in (first, second) if each.is_found), None)
    if clearest is None:
        return ""
    return _trend_text(trend, what) if clearest is trend else _level_text(blocks, level, what)


@dataclass(frozen=True)
class _Found:
    """A fit to the blocks: its range, p-value and residual."""

    before: float
    after: float
    error: float  # standard, of the difference
    noise: float  # what is left over, a block
    beyond: float  # so many errors
    at: int = 0  # where the second level begins

    @property
    def share(self) -> float:
        return max(self.after / self.before - 1, -1.0) if self.before > 0 else inf

    @property
    def is_found(self) -> bool:
        return abs(self.share) >= MATTERS and abs(self.after - self.before) > self.beyond * self.error


def _trend(blocks: Sequence[tuple[int, float]]) -> _Found:
    """A straight line by the median of all slopes (Theil and Sen), which a few outliers do not turn."""
    slope = median((b - a) / (to - at) for (at, a), (to, b) in combinations(blocks, 2))
    level = median(value - slope * at for at, value in blocks)
    noise = _noise([value - level - slope * at for at, value in blocks])
    # of a block: a mean is that of its middle
    half = min(to - at for (at, _), (to, _) in zip(blocks, blocks[1:])) / 2
    before, after = (level + slope * at for at in (blocks[0][0] - half, blocks[-1][0] + half))
    return _Found(before, after, noise * sqrt(12 / len(blocks)), noise, _beyond(_BEYOND_TREND, blocks))


def _least_trend(blocks: Sequence[tuple[int, float]]) -> int:
    """The smallest trend that this noise lets us find, in whole percent."""
    found, usual = _trend(blocks), median(value for _, value in blocks)
    share = max(MATTERS, found.beyond * found.error / usual) if usual else MATTERS
    return ceil(100 * share - 1e-9)


def _level(blocks: Sequence[tuple[int, float]]) -> _Found:
    """Two levels, split where the residual is smallest."""
    values, edge = [value for _, value in blocks], _edge(blocks)
    noise, at = min(
        (_parted_noise(values[:at], values[at:]), at) for at in range(edge, len(values) - edge + 1)
    )
    error = noise * sqrt(1 / at + 1 / (len(values) - at))
    # medians: the block in which they part may be between them
    return _Found(median(values[:at]), median(values[at:]), error, noise, _beyond(_BEYOND_LEVEL, values), at)


def _edge(blocks: Sequence[tuple[int, float]]) -> int:
    """The least number of blocks of a level."""
    length = min(to - at for (at, _), (to, _) in zip(blocks, blocks[1:]))
    return max(round(len(blocks) * _EDGE), min(ceil(_LEVEL_S / length), ceil(len(blocks) * _MOST_EDGE)))


def _beyond(errors: float, blocks: Sequence[object]) -> float:
    return errors * (1 + _FEW / len(blocks))


def _parted_noise(before: Sequence[float], after: Sequence[float]) -> float:
    a, b = fmean(before), fmean(after)
    return _noise([*(value - a for value in before), *(value - b for value in after)])


def _noise(rest: Sequence[float]) -> float:
    """The noise left over after fitting two parameters."""
    return sqrt(sum(each * each for each in rest) / (len(rest) - 2))


def _trend_text(trend: _Found, what: str) -> str:
    if trend.share == inf:
        return f"{what} rises from nothing over the step"
    return f"{what} {'falls' if trend.share < 0 else 'rises'} {abs(trend.share):.0%} over the step"


def _level_text(blocks: Sequence[tuple[int, float]], level: _Found, what: str) -> str:
    second = blocks[level.at][0]
    if level.share == inf:
        return f"two levels: nothing is done until about second {second}"
    word = "lower" if level.share < 0 else "higher"
    return f"two levels: from about second {second} on {what} is {abs(level.share):.0%} {word}"
