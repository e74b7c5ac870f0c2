"""The latencies of a step by second, with the moments of its seconds; those of several sessions together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any

from app.protocol.latency import BUCKETS, Counts
from app.protocol.plan import coordinates_json

from .blocks import step_clock_rows, unfinished_step_times
from .distributions import Distributions, counts_by_bucket, distributions_of
from .history import History

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SecondLatencies:
    """Second, end and length of each sample of a step, and its events by bucket."""

    s: Floats
    t: Floats
    dt: Floats
    events: Distributions

    def part(self, first_s: int, end_s: int | None = None) -> tuple[int, int]:
        """The places of these seconds."""
        end = len(self.s) if end_s is None else int(self.s.searchsorted(end_s))
        return int(self.s.searchsorted(first_s)), end

    def between(self, first_s: int, end_s: int | None = None) -> Counts:
        """All events of these seconds by bucket."""
        return counts_by_bucket(self.events.total(*self.part(first_s, end_s)))


def latencies_of(connection: Connection, step: int) -> SecondLatencies | None:
    """The latencies of a step by second; None where no second has any."""
    events = distributions_of(connection, step)
    if events is None:
        return None
    clock = step_clock_rows(connection, step)
    s, t, dt = unfinished_step_times(connection, step) if clock is None else clock
    return SecondLatencies(s, t, dt, events)


_STEP = """
SELECT step.number FROM session JOIN step ON step.session = session.number
WHERE session.id = ? AND step.name = ? AND coordinates = ? AND NOT warm ORDER BY step.position"""


def latencies_by_session(
    history: History, sessions: Sequence[str], step: str, coordinates: Mapping[str, Any]
) -> dict[str, SecondLatencies]:
    """The latencies of the same step by the id of the session, without sessions that have none."""
    text = coordinates_json(coordinates)
    with history.reading():
        rows = {session: history.one(_STEP, (session, step, text)) for session in sessions}
        found = {
            session: latencies_of(history.connection, row[0])
            for session, row in rows.items()
            if row is not None
        }
    return {session: each for session, each in found.items() if each is not None}


def merge_second_latencies(found: Sequence[SecondLatencies]) -> SecondLatencies:
    """The events of the same second of several sessions added up; a second is as long as its longest."""
    import numpy as np

    first = int(min(each.s.min() for each in found))
    length = int(max(each.s.max() for each in found)) - first + 1
    keys, dt, known = [], np.zeros(length), np.zeros(length, bool)
    for each in found:
        at = each.s.astype(np.int64) - first
        keys.append(np.repeat(at, each.events.sizes) * BUCKETS + each.events.buckets)
        np.maximum.at(dt, at, each.dt)
        known[at] |= each.events.known
    cells, places = np.unique(np.concatenate(keys), return_inverse=True)
    counts = np.bincount(places, weights=np.concatenate([each.events.counts for each in found]))
    ends = np.cumsum(np.bincount(cells // BUCKETS, minlength=length))
    there = np.flatnonzero(known)
    events = Distributions(ends[there], cells % BUCKETS, counts.astype(np.int64), known[there])
    s = (there + first).astype(np.float64)
    return SecondLatencies(s, s + np.maximum(dt[there].round(), 1), np.maximum(dt[there].round(), 1), events)
