"""The seconds of a step: staged while it runs, packed into one block a series when it ends."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from sqlite3 import Connection
from typing import TYPE_CHECKING

from app.protocol.latency import Counts

from .damage import damage_as_error
from .distributions import Code, decode_distributions, store_step_latencies, with_trailing_events
from .packing import pack, unpack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .decoding import SampleLine

    Floats = NDArray[np.float64]

_NAN = float("nan")
_CLOCK_DIGITS = (0, 4, 4)  # of s, t and dt


@dataclass(frozen=True)
class SampleLayout:
    """Where values of a sample belong: the series' number at each position, and its decimals."""

    numbers: tuple[int, ...] = ()
    digits: tuple[int, ...] = ()  # by number

    @property
    def is_plain(self) -> bool:
        return self.numbers == tuple(range(len(self.digits)))


def store_running_seconds(
    connection: Connection, step: int, samples: Sequence[SampleLine], layout: SampleLayout
) -> None:
    """Store seconds of a running step."""
    plain = layout.is_plain
    connection.executemany(
        "INSERT INTO staging (step, seq, s, t, dt, derived, latency, content)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (step, each.seq, each.s, each.t, each.dt, each.derived, each.latency, content)
            for each in samples
            for content in [_content(each.values, layout, plain)]
        ],
    )


def _content(values: Sequence[float | None], layout: SampleLayout, plain: bool) -> bytes:
    floats = [_NAN if value is None else value for value in values]
    if not plain:
        placed = [_NAN] * len(layout.digits)
        for number, value in zip(layout.numbers, floats, strict=True):
            placed[number] = value
        floats = placed
    return array("d", floats).tobytes()


@dataclass(frozen=True)
class StoredStepSeconds:
    """All seconds of a step: a row for each series, a column for each second."""

    clock: Floats  # rows: s, t, dt
    derived: list[int]  # columns
    values: Floats
    latency: list[Code]

    def of(self, series: int) -> Floats | None:
        """The values of a series; None if it had none."""
        import numpy as np

        return None if np.isnan(self.values[series]).all() else self.values[series]


def pack_step_seconds(
    connection: Connection, step: int, samples: Sequence[SampleLine], layout: SampleLayout, buckets: Counts
) -> StoredStepSeconds | None:
    """Pack the staged seconds and these, which come after them; nothing of the step stays in the staging.

    `buckets`: all events of the step. Returns what was packed, where there were any.
    """
    import numpy as np

    staged = unfinished_step_seconds(connection, step, len(layout.digits))
    fresh = _fresh_seconds(samples, layout)
    count = staged.values.shape[1]
    if count:
        fresh = StoredStepSeconds(
            np.concatenate([staged.clock, fresh.clock], axis=1),
            staged.derived + [count + at for at in fresh.derived],
            np.concatenate([staged.values, fresh.values], axis=1),
            staged.latency + fresh.latency,
        )
        connection.execute("DELETE FROM staging WHERE step = ?", (step,))
    if not fresh.values.shape[1]:
        return None
    _insert(connection, step, fresh, layout)
    events = decode_distributions(fresh.latency)
    store_step_latencies(
        connection, step, with_trailing_events(fresh.latency, events, fresh.clock[0].tolist(), buckets)
    )
    return fresh


def unfinished_step_seconds(connection: Connection, step: int, series: int) -> StoredStepSeconds:
    """The staged seconds of a step."""
    import numpy as np

    rows = connection.execute(
        "SELECT s, t, dt, derived, content, latency FROM staging WHERE step = ? ORDER BY seq", (step,)
    ).fetchall()
    *columns, are_derived, every_content, latencies = zip(*rows, strict=True) if rows else [()] * 6
    values = np.full((len(rows), series), np.nan)
    at = 0
    for _, run in groupby(every_content, len):  # series declared later are missing before
        contents = list(run)
        with damage_as_error():
            there = np.frombuffer(b"".join(contents)).reshape(len(contents), -1)
            values[at : at + len(contents), : there.shape[1]] = there
        at += len(contents)
    clock = np.array(columns, dtype=np.float64)
    derived = [at for at, is_derived in enumerate(are_derived) if is_derived]
    return StoredStepSeconds(clock, derived, _turned(values), list(latencies))


def unfinished_step_times(connection: Connection, step: int) -> Floats:
    """The rows s, t, dt of a step that has not ended."""
    import numpy as np

    rows = connection.execute("SELECT s, t, dt FROM staging WHERE step = ? ORDER BY seq", (step,)).fetchall()
    return _turned(np.array(rows, dtype=np.float64).reshape(-1, 3))


def _fresh_seconds(samples: Sequence[SampleLine], layout: SampleLayout) -> StoredStepSeconds:
    import numpy as np

    if not samples:
        return StoredStepSeconds(np.empty((3, 0)), [], np.empty((len(layout.digits), 0)), [])
    values = np.array([each.values for each in samples], dtype=np.float64)
    if not layout.is_plain:
        placed = np.full((len(samples), len(layout.digits)), np.nan)
        placed[:, list(layout.numbers)] = values
        values = placed
    clock = [[each.s for each in samples], [each.t for each in samples], [each.dt for each in samples]]
    derived = [at for at, each in enumerate(samples) if each.derived]
    codes = [each.latency for each in samples]
    return StoredStepSeconds(np.array(clock, dtype=np.float64), derived, _turned(values), codes)


def _turned(values: Floats) -> Floats:
    import numpy as np

    return np.ascontiguousarray(values.T)


def _insert(connection: Connection, step: int, seconds: StoredStepSeconds, layout: SampleLayout) -> None:
    import numpy as np

    connection.execute(
        "INSERT INTO clock (step, s, t, dt, derived) VALUES (?, ?, ?, ?, ?)",
        (step, *pack(seconds.clock, _CLOCK_DIGITS), json.dumps(seconds.derived)),
    )
    there = np.flatnonzero(~np.isnan(seconds.values).all(axis=1))
    blocks = pack(seconds.values[there], [layout.digits[number] for number in there])
    connection.executemany(
        "INSERT INTO block (step, series, content) VALUES (?, ?, ?)",
        [(step, number, block) for number, block in zip(there.tolist(), blocks, strict=True)],
    )


def read_block(content: bytes) -> Floats:
    """The values of a packed column; raises DamagedError if they are damaged."""
    with damage_as_error():
        return unpack(content)


def step_clock_rows(connection: Connection, step: int) -> Floats | None:
    """The rows s, t, dt of a packed step."""
    import numpy as np

    row = connection.execute("SELECT s, t, dt FROM clock WHERE step = ?", (step,)).fetchone()
    with damage_as_error():
        return None if row is None else np.array([read_block(block) for block in row])


def values_of(connection: Connection, step: int, series: int) -> Floats | None:
    """The values of a series in a packed step; None if it had none."""
    row = connection.execute(
        "SELECT content FROM block WHERE step = ? AND series = ?", (step, series)
    ).fetchone()
    return None if row is None else read_block(row[0])
