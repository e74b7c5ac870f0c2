"""Latencies second by second: the events of each second, by the buckets of sysbench."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from sqlite3 import Connection
from typing import TYPE_CHECKING

from app.protocol.latency import BUCKETS, DIGITS, LONGEST_NUMBER, MOST_EVENTS, Counts, add, encode, without

from .damage import damage_as_error

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]

Code = str | None  # of a second, see protocol/latency.py; None is missing

_AT_ONCE = 1024  # seconds that are decoded together: their arrays stay small
_MISSING = "-"
_LEVEL = 1  # of zlib: more takes thrice the time for 5 % less


@dataclass(frozen=True)
class Distributions:
    """The events of consecutive seconds: entries of second, bucket and count, in this order."""

    ends: Integers  # of each second: the number of entries up to its end
    buckets: Integers
    counts: Integers
    known: Booleans  # whether a second has buckets; one without events has them too

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def sizes(self) -> Integers:
        """The number of entries of each second."""
        import numpy as np

        return np.diff(self.ends, prepend=0)

    def part(self, first: int, end: int) -> Distributions:
        """Only these seconds."""
        part = self.entries(first, end)
        ends = self.ends[first:end] - part.start
        return Distributions(ends, self.buckets[part], self.counts[part], self.known[first:end])

    def entries(self, first: int, end: int) -> slice:
        """The entries of these seconds."""
        return slice(self._before(first), self._before(end))

    def _before(self, second: int) -> int:
        return int(self.ends[second - 1]) if second > 0 else 0

    def total(self, first: int = 0, end: int | None = None) -> Integers:
        """The events of each bucket in these seconds together."""
        import numpy as np

        part = self.entries(first, len(self) if end is None else end)
        found = np.bincount(self.buckets[part], weights=self.counts[part], minlength=BUCKETS)
        return found.astype(np.int64)


def decode_distributions(codes: Sequence[Code]) -> Distributions:
    """The events of these seconds; raises ValueError for a code that is none."""
    import numpy as np

    parts = [_decode(codes[at : at + _AT_ONCE]) for at in range(0, len(codes), _AT_ONCE)]
    sizes = np.concatenate([np.zeros(0, np.int64), *(part[0] for part in parts)])
    buckets = np.concatenate([np.zeros(0, np.int16), *(part[1] for part in parts)])
    counts = np.concatenate([np.zeros(0, np.int32), *(part[2] for part in parts)])
    known = np.array([code is not None for code in codes], bool)
    return Distributions(np.cumsum(sizes), buckets, counts, known)


def _decode(codes: Sequence[Code]) -> tuple[Integers, Integers, Integers]:
    """The number of entries of each second, and their buckets and counts."""
    import numpy as np

    texts = [code or "" for code in codes]
    values, ends = _numbers(texts)
    zeros = np.flatnonzero(values == 0)
    if np.isin(zeros + 1, ends).any() or (values[zeros + 1] == 0).any():
        raise ValueError("a latency code skips no bucket")
    steps, is_count = np.ones(len(values), np.int64), np.ones(len(values), bool)
    steps[zeros], steps[zeros + 1] = 0, values[zeros + 1]
    is_count[zeros] = is_count[zeros + 1] = False
    passed = np.concatenate([[0], np.cumsum(steps)])
    first = np.concatenate([[0], ends[:-1]])
    if (passed[ends] - passed[first]).max(initial=0) > BUCKETS:
        raise ValueError(f"a latency code has more than {BUCKETS} buckets")
    buckets = passed[:-1] - np.repeat(passed[first], ends - first)
    sizes = np.diff(np.concatenate([[0], np.cumsum(is_count)])[ends], prepend=0)
    return sizes, buckets[is_count].astype(np.int16), values[is_count].astype(np.int32)


def _numbers(texts: Sequence[str]) -> tuple[Integers, Integers]:
    """All numbers of the codes, and how many there are up to the end of each code."""
    import numpy as np

    digits = _digits()[np.frombuffer("".join(texts).encode("ascii", "replace"), np.uint8)]
    finals = np.flatnonzero(digits < 32)
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    if digits.max(initial=0) > 63 or (digits[ends[ends > 0] - 1] > 31).any():
        raise ValueError("a latency code is torn, or has a character that is no digit")
    lengths = np.diff(finals, prepend=-1)
    if lengths.max(initial=0) > LONGEST_NUMBER:
        raise ValueError("a latency code has a number that is too large")
    values = digits[finals].astype(np.int64)
    longer = np.flatnonzero(lengths > 1)
    values[longer] <<= 5 * (lengths[longer] - 1)
    for at in range(LONGEST_NUMBER - 1):
        longer = longer[lengths[longer] > at + 1]
        lower = digits[finals[longer] - lengths[longer] + 1 + at].astype(np.int64) & 31
        values[longer] += lower << (5 * at)
    return values, np.searchsorted(finals, ends - 1, "right")


@lru_cache(maxsize=1)
def _digits() -> NDArray[np.uint8]:
    """The digit of each character; 64 for others."""
    import numpy as np

    found = np.full(256, 64, np.uint8)
    found[np.frombuffer(DIGITS.encode(), np.uint8)] = np.arange(64)
    return found


def with_trailing_events(
    codes: Sequence[Code], events: Distributions, s: Sequence[float], buckets: Counts
) -> list[Code]:
    """The codes of a step's seconds, whose events these are, with those that ended after the last one.

    They belong to the last second. Where a second is missing, nobody knows which events are left.
    """
    first = next((at for at, second in enumerate(s) if second >= 0), len(codes))
    if first == len(codes) or not events.known[first:].all():
        return list(codes)
    last = counts_by_bucket(events.total(len(codes) - 1))
    add(last, without(buckets, counts_by_bucket(events.total(first))))
    if max(last.values(), default=0) > MOST_EVENTS:
        return list(codes)
    return [*codes[:-1], encode(last)]


def counts_by_bucket(total: Integers) -> Counts:
    """The buckets that have events."""
    return {int(bucket): int(total[bucket]) for bucket in total.nonzero()[0]}


def pack(codes: Sequence[Code]) -> bytes:
    text = "\n".join(_MISSING if code is None else code for code in codes)
    return zlib.compress(text.encode(), _LEVEL)


def unpack_distributions(content: bytes) -> Distributions:
    """The seconds of a packed step; raises DamagedError if they are damaged."""
    with damage_as_error():
        codes = zlib.decompress(content).decode("ascii").split("\n")
        return decode_distributions([None if code == _MISSING else code for code in codes])


def store_step_latencies(connection: Connection, step: int, codes: Sequence[Code]) -> None:
    """Store the latencies of a step, if any of its seconds has them."""
    if any(code is not None for code in codes):
        connection.execute("INSERT INTO latency (step, content) VALUES (?, ?)", (step, pack(codes)))


def distributions_of(connection: Connection, step: int) -> Distributions | None:
    """The seconds of a step, in the order of its clock; None where no second has buckets."""
    row = connection.execute("SELECT content FROM latency WHERE step = ?", (step,)).fetchone()
    if row is not None:
        return unpack_distributions(row[0])
    staged = connection.execute("SELECT latency FROM staging WHERE step = ? ORDER BY seq", (step,)).fetchall()
    codes = [code for (code,) in staged]
    if all(code is None for code in codes):
        return None
    with damage_as_error():
        return decode_distributions(codes)
