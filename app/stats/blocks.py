"""How steady one session was in itself: its seconds in blocks.

A second is much like the one before it, so seconds are never counted as so many measurements. What is said
here of one session says nothing of the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

LEAST_S = 5  # seconds of a block
MOST, FEWEST = 10, 4  # blocks


def max_block_deviation(seconds: Sequence[float | None]) -> float | None:
    """The largest deviation of a block from the median, as a share; None for too few blocks."""
    blocks = block_means(seconds)
    middle = median(blocks) if len(blocks) >= FEWEST else 0.0
    return max(abs(block / middle - 1) for block in blocks) if middle else None


def block_means(seconds: Sequence[float | None]) -> list[float]:
    """Means of equal blocks; missing seconds do not count, an empty block is left out."""
    count = min(MOST, len(seconds) // LEAST_S)
    bounds = [len(seconds) * at // count for at in range(count + 1)] if count else []
    blocks = [
        [value for value in seconds[first:last] if value is not None]
        for first, last in zip(bounds, bounds[1:])
    ]
    return [fmean(block) for block in blocks if block]
