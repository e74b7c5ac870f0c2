"""Latencies second by second: the events of each second, by the buckets of sysbench."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import TYPE_CHECKING

from app.protocol.latency import BUCKETS, DIGITS, LONGEST_NUMBER, MOST_EVENTS, Counts, add, encode, without

from .damage import unpacking

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


def decode(codes: Sequence[Code]) -> Distributions:
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
    values, last = _numbers(texts)
    is_zero = values == 0
    is_skip = np.concatenate([[False], is_zero])[:-1]
    if (is_zero & is_skip).any() or is_zero[last[last >= 0]].any():
        raise ValueError("a latency code skips no bucket")
    is_count = ~(is_zero | is_skip)
    passed = np.cumsum(np.where(is_zero, 0, np.where(is_skip, values, 1)))
    text_of = np.searchsorted(last, np.arange(len(values)))
    before = np.concatenate([[0], passed])[np.concatenate([[-1], last])[text_of] + 1]
    buckets = (passed - 1 - before)[is_count]
    if len(passed) and (passed - before).max() > BUCKETS:
        raise ValueError(f"a latency code has more than {BUCKETS} buckets")
    sizes = np.bincount(text_of[is_count], minlength=len(texts))
    return sizes, buckets.astype(np.int16), values[is_count].astype(np.int32)


def _numbers(texts: Sequence[str]) -> tuple[Integers, Integers]:
    """All numbers of the codes, and the place of the last one of each code among them; -1: none so far."""
    import numpy as np

    digits = _digits()[np.frombuffer("".join(texts).encode("ascii", "replace"), np.uint8)]
    is_last = digits < 32
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    if (digits > 63).any() or not is_last[ends[ends > 0] - 1].all():
        raise ValueError("a latency code is torn, or has a character that is no digit")
    finals = np.flatnonzero(is_last)
    starts = np.concatenate([[0], finals[:-1] + 1])[: len(finals)]
    if len(finals) and (finals - starts).max() >= LONGEST_NUMBER:
        raise ValueError("a latency code has a number that is too large")
    place = np.arange(len(digits)) - np.repeat(starts, finals - starts + 1)
    values = np.add.reduceat((digits & 31) << (5 * place), starts) if len(finals) else finals
    return values, np.searchsorted(finals, ends - 1, "right") - 1


def _digits() -> Integers:
    """The digit of each character; 64 for others."""
    import numpy as np

    found = np.full(256, 64, np.int64)
    found[np.frombuffer(DIGITS.encode(), np.uint8)] = np.arange(64)
    return found


def completed(codes: Sequence[Code], s: Sequence[float], buckets: Counts) -> list[Code]:
    """The codes of a step's seconds with the events that ended after the last one.

    They belong to the last second. Where a second is missing, nobody knows which events are left.
    """
    measured = [at for at, second in enumerate(s) if second >= 0]
    if not measured or any(codes[at] is None for at in measured):
        return list(codes)
    counts = decode([codes[at] for at in measured])
    left = without(buckets, as_counts(counts.total()))
    last = as_counts(counts.total(len(measured) - 1))
    add(last, left)
    if max(last.values(), default=0) > MOST_EVENTS:
        return list(codes)
    return [*codes[: measured[-1]], encode(last), *codes[measured[-1] + 1 :]]


def as_counts(total: Integers) -> Counts:
    """The buckets that have events."""
    return {int(bucket): int(total[bucket]) for bucket in total.nonzero()[0]}


def pack(codes: Sequence[Code]) -> bytes:
    text = "\n".join(_MISSING if code is None else code for code in codes)
    return zlib.compress(text.encode(), _LEVEL)


def unpack(content: bytes) -> Distributions:
    """The seconds of a packed step; raises DamagedError if they are damaged."""
    with unpacking():
        codes = zlib.decompress(content).decode("ascii").split("\n")
        return decode([None if code == _MISSING else code for code in codes])


def keep(connection: Connection, step: int, codes: Sequence[Code]) -> None:
    """Store the latencies of a step, if any of its seconds has them."""
    if any(code is not None for code in codes):
        connection.execute("INSERT INTO latency (step, content) VALUES (?, ?)", (step, pack(codes)))


def distributions_of(connection: Connection, step: int) -> Distributions | None:
    """The seconds of a step, in the order of its clock; None where no second has buckets."""
    row = connection.execute("SELECT content FROM latency WHERE step = ?", (step,)).fetchone()
    if row is not None:
        return unpack(row[0])
    staged = connection.execute("SELECT latency FROM staging WHERE step = ? ORDER BY seq", (step,)).fetchall()
    codes = [code for (code,) in staged]
    if all(code is None for code in codes):
        return None
    with unpacking():
        return decode(codes)
