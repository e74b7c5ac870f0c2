"""How many events each latency bucket of sysbench has, as a short text.

`AgQDhBAGB`: bucket 512 has 3 events, the next one 33, bucket 520 has 1. The digits are those of base64, five bits
each, the lowest first; 32 is added to each digit of a number but its last. Numbers are the counts of buckets in
order; a 0 is followed by how many buckets have none.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, exp, log
from typing import Dict, Iterable, List, Optional, Sequence

BUCKETS = 1024  # a bucket holds what is nearest to its middle on the logarithmic scale
SHORTEST_MS, LONGEST_MS = 0.001, 100000.0  # the middles of the first and the last one
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
LONGEST_NUMBER = 6  # digits
MOST_EVENTS = 32**LONGEST_NUMBER - 1  # of a bucket in a second
LONGEST_CODE = BUCKETS * LONGEST_NUMBER
_BASE = log(SHORTEST_MS)
_ROUNDED = 0.01  # of a bucket: bounds are rounded to six digits
_PER_UNIT = (BUCKETS - 1) / (log(LONGEST_MS) - _BASE)

Counts = Dict[int, int]  # events by bucket


def upper_ms(bucket: int) -> float:
    """The upper bound of a bucket."""
    return float("{:.6g}".format(exp((bucket + 0.5) / _PER_UNIT + _BASE)))


@lru_cache(maxsize=4 * BUCKETS)
def bucket_at(ms: float) -> int:
    """The bucket of a latency; an upper bound belongs to the bucket below it."""
    place = ceil((log(max(ms, SHORTEST_MS)) - _BASE) * _PER_UNIT - 0.5 - _ROUNDED)
    return min(max(place, 0), BUCKETS - 1)


def counts_of(buckets: Iterable[Sequence[float]]) -> Counts:
    """The counts of `[[upper bound in ms, count], ...]`."""
    counts: Counts = {}
    for upper, count in buckets:
        bucket = bucket_at(upper)
        counts[bucket] = counts.get(bucket, 0) + int(count)
    return counts


def buckets_of(counts: Counts) -> List[List[float]]:
    """These counts as `[[upper bound in ms, count], ...]`."""
    return [[upper_ms(bucket), counts[bucket]] for bucket in sorted(counts)]


def add(counts: Counts, more: Counts) -> None:
    """Add the events of `more` to `counts`."""
    for bucket, count in more.items():
        counts[bucket] = counts.get(bucket, 0) + count


def without(counts: Counts, less: Counts) -> Counts:
    """The events of `counts` that are not in `less`."""
    left = {bucket: count - less.get(bucket, 0) for bucket, count in counts.items()}
    return {bucket: count for bucket, count in left.items() if count > 0}


def percentile(buckets: Sequence[Sequence[float]], percent: int) -> Optional[float]:
    """The upper bound of the bucket in which a percentile is."""
    wanted = sum(bucket[1] for bucket in buckets) * percent / 100.0
    seen = 0.0
    for upper, count in buckets:
        seen += count
        if seen >= wanted:
            return float(upper)
    return None


def encode(counts: Counts) -> str:
    """The text of these counts."""
    parts, after = [], 0
    for bucket in sorted(counts):
        if bucket > after:
            parts += [_number(0), _number(bucket - after)]
        parts.append(_number(counts[bucket]))
        after = bucket + 1
    return "".join(parts)


def _number(value: int) -> str:
    digits = []
    while value > 31:
        digits.append(DIGITS[32 + (value & 31)])
        value >>= 5
    return "".join([*digits, DIGITS[value]])
