"""The seconds of a step that count: were they steady, and what do they come to where a person cut them?"""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from sqlite3 import Connection
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from app.core.errors import InputError
from app.history.store import blocks
from app.history.store.blocks import step_clock_rows, values_of
from app.history.store.damage import damage_as_error, read_json
from app.history.store.second_latencies import latencies_of
from app.protocol.plan import step_label
from app.protocol.reading import MOST_SECONDS
from app.protocol.series import in_a_second, series_of_figure
from app.stats.at_target.steady import UNSTEADY, Steadiness, steadiness
from app.stats.percentiles import percentiles_of

from .group_means import keep_headlines
from .latency import PERCENTILES

if TYPE_CHECKING:
    from app.history.store.history import History


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
        [value for value in seconds[first:last] if value is not None] for first, last in pairwise(bounds)
    ]
    return [fmean(block) for block in blocks if block]


LEAST_CUT_S = 10  # seconds that are left
_NO_LATENCY = (None,) * len(PERCENTILES)

# timed steps: one that ends with its work has no part that could represent it
_TIMED = "kind = 'drive' AND NOT warm AND step.state = 'completed' AND step.value IS NOT NULL"
_STEP = f"""
SELECT session.number, session.id, step.position, unit FROM step JOIN session ON step.session = session.number
WHERE step.number = ? AND {_TIMED}"""
_STORED = f"""
SELECT position, counted.seconds, first_s, last_s, counted.reason, counted.value, steadiness, text,
    max_block_deviation, counted.p50_ms, counted.p95_ms, counted.p99_ms
FROM step JOIN session ON step.session = session.number JOIN counted ON counted.step = step.number
WHERE session.id = ? AND {_TIMED}"""


class _Timed(NamedTuple):
    """A row of `_STEP`: a timed step that completed."""

    session: int  # its number
    id: str
    position: int
    unit: str


@dataclass(frozen=True)
class Cut:
    """The seconds of a step that count, from this one to that one, and why."""

    first_s: int
    last_s: int
    reason: str = ""


@dataclass(frozen=True)
class MeasuredSeconds:
    """The measured seconds of a step from 0 on; None is a gap."""

    values: Sequence[float | None]
    lengths: Sequence[float]  # of each in seconds; NaN where no sample came
    unit: str = ""

    def part(self, cut: Cut | None) -> Sequence[float | None]:
        return self.values if cut is None else self.values[cut.first_s : cut.last_s + 1]

    def mean(self, cut: Cut) -> float | None:
        """The mean over the seconds of a cut, each weighted by its length."""
        there = [
            (value, length)
            for value, length in zip(self.part(cut), self.lengths[cut.first_s : cut.last_s + 1], strict=True)
            if value is not None
        ]
        whole = sum(length for _, length in there)
        return round(sum(value * length for value, length in there) / whole, 2) if whole else None

    def steadiness(self, cut: Cut | None = None) -> Steadiness:
        return steadiness(in_a_second(self.part(cut), self.unit), cut.first_s if cut else 0)

    def max_block_deviation(self, cut: Cut | None = None) -> float | None:
        """The largest deviation of a block, over seconds with a sample."""
        there = range(len(self.values)) if cut is None else range(cut.first_s, cut.last_s + 1)
        return max_block_deviation([self.values[s] for s in there if self.lengths[s] == self.lengths[s]])

    def fitting(self, cut: Cut | None) -> Cut | None:
        """The cut, if it fits these seconds: one from another history may not."""
        try:
            if cut is not None:
                self.check(cut)
        except InputError:
            return None
        return cut

    def check(self, cut: Cut) -> None:
        """Raises InputError where these seconds cannot represent the step."""
        whole, first, end = len(self.values), cut.first_s, cut.last_s + 1
        if first >= end:
            raise InputError(f"seconds {first} to {end}: the end must be after the start")
        if first < 0 or end > whole:
            raise InputError(f"seconds {first} to {end}: the step only has seconds 0 to {whole}")
        known = sum(value is not None for value in self.part(cut))
        if known < LEAST_CUT_S:
            raise InputError(
                f"seconds {first} to {end} contain {known} measured ones, at least {LEAST_CUT_S} are needed"
            )
        if end - first == whole:
            raise InputError(f"seconds {first} to {end} are the whole step: choose fewer")


@dataclass(frozen=True)
class RecountedStep:
    """The result and steadiness of a step from its seconds."""

    seconds: int  # that were measured
    cut: Cut | None
    value: float | None  # that the seconds of the cut come to
    steadiness: Steadiness
    max_block_deviation: float | None = None  # from the median of blocks, as a share of it
    latency_ms: tuple[float | None, ...] = _NO_LATENCY  # PERCENTILES of a cut, where buckets are stored

    @property
    def has_latency(self) -> bool:
        return self.latency_ms[0] is not None


@dataclass(frozen=True)
class CuttableStep:
    """A step whose seconds can be chosen, with them."""

    number: int
    label: str
    unit: str
    whole: float  # its figure, of all of them
    seconds: MeasuredSeconds
    cut: Cut | None


def stored_step_counts(history: History, session: str) -> dict[int, RecountedStep]:
    """What was counted, by the position of the step."""
    return {position: _counted(*stored) for position, *stored in history.query(_STORED, (session,))}


def _counted(
    seconds: int,
    first_s: int | None,
    last_s: int,
    reason: str,
    value: float | None,
    word: str,
    text: str,
    deviation: float | None,
    *latency_ms: float | None,
) -> RecountedStep:
    cut = None if first_s is None else Cut(first_s, last_s, reason)
    return RecountedStep(seconds, cut, value, Steadiness(word, text), deviation, latency_ms)


def recount(connection: Connection, step: int) -> None:
    """Count a step again after its cut has changed."""
    store_step_count(connection, step)
    (session,) = connection.execute("SELECT session FROM step WHERE number = ?", (step,)).fetchone()
    keep_headlines(connection, session)


def recount_cut_steps(connection: Connection, session: str) -> None:
    """Count all cut steps of a session again, for cuts that came after the seconds."""
    rows = connection.execute(
        "SELECT DISTINCT step.number FROM cut JOIN session ON session.id = cut.session"
        " JOIN step ON step.session = session.number AND step.position = cut.step WHERE cut.session = ?",
        (session,),
    )
    for (step,) in rows.fetchall():
        recount(connection, step)


def store_step_count(
    connection: Connection, step: int, packed: blocks.StoredStepSeconds | None = None
) -> None:
    """Count the seconds of a step that has ended; uses those just packed, without unpacking."""
    keep(connection, step, count_step_seconds(connection, step, packed))


def keep(connection: Connection, step: int, found: RecountedStep | None) -> None:
    connection.execute("DELETE FROM counted WHERE step = ?", (step,))
    if found is None:
        return
    cut = found.cut
    connection.execute(
        "INSERT INTO counted VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            step, found.seconds, *((cut.first_s, cut.last_s, cut.reason) if cut else (None, None, "")),
            found.value, found.steadiness.word, found.steadiness.text, found.max_block_deviation,
            *found.latency_ms,
        ),
    )  # fmt: skip


def count_step_seconds(
    connection: Connection, step: int, packed: blocks.StoredStepSeconds | None = None
) -> RecountedStep | None:
    """Count the seconds of a step; None if its result does not come from seconds."""
    timed = _timed(connection, step)
    seconds = None if timed is None else _read(connection, step, timed, packed)
    if timed is None or seconds is None:
        return None
    cut = seconds.fitting(_cut_of(connection, timed.id, timed.position))
    value = None if cut is None else seconds.mean(cut)
    deviation = seconds.max_block_deviation(cut)
    latency_ms = _NO_LATENCY if cut is None else _latency_of(connection, step, cut)
    return RecountedStep(len(seconds.values), cut, value, seconds.steadiness(cut), deviation, latency_ms)


def _latency_of(connection: Connection, step: int, cut: Cut) -> tuple[float | None, ...]:
    """The percentiles of the seconds of a cut."""
    found = latencies_of(connection, step)
    counts = {} if found is None else found.between(cut.first_s, cut.last_s + 1)
    return tuple(percentiles_of(counts, PERCENTILES))


def _cut_of(connection: Connection, session: str, position: int) -> Cut | None:
    row = connection.execute(
        "SELECT first_s, last_s, reason FROM cut WHERE session = ? AND step = ? ORDER BY number DESC",
        (session, position),
    ).fetchone()
    return None if row is None else Cut(*row)


def cuttable_step(history: History, session: str, position: int) -> CuttableStep:
    """A step whose seconds can be chosen from; raises InputError where they cannot."""
    connection = history.connection
    row = history.one(
        "SELECT step.number, step.name, coordinates, value FROM step"
        " JOIN session ON session = session.number WHERE id = ? AND position = ?",
        (session, position),
    )
    if row is None:
        raise InputError(f"session {session} has no step {position}")
    number, name, coordinates, whole = row
    timed = _timed(connection, number)
    if timed is None:
        raise InputError(f"{name}: seconds can be chosen only for a timed step that completed")
    seconds = _read(connection, number, timed)
    if seconds is None:
        raise InputError(f"{name}: its result, in {timed.unit}, is not computed from stored seconds")
    label = step_label(name, read_json(coordinates))
    return CuttableStep(number, label, timed.unit, whole, seconds, _cut_of(connection, session, position))


def unsteady_steps(history: History, plan: str) -> dict[tuple[str, int], str]:
    """Why steps of a plan were not steady, by session and position."""
    sessions = history.query("SELECT id FROM session WHERE plan = ?", (plan,))
    return {
        (session, position): each.steadiness.text
        for (session,) in sessions
        for position, each in stored_step_counts(history, session).items()
        if each.steadiness.word == UNSTEADY
    }


def _timed(connection: Connection, step: int) -> _Timed | None:
    row = connection.execute(_STEP, (step,)).fetchone()
    return None if row is None else _Timed(*row)


def _read(
    connection: Connection, step: int, timed: _Timed, packed: blocks.StoredStepSeconds | None = None
) -> MeasuredSeconds | None:
    """The seconds of a step; None if its result is of another kind, or none are stored."""
    row = connection.execute(
        "SELECT number FROM series WHERE session = ? AND name = ?",
        (timed.session, series_of_figure(timed.unit)),
    ).fetchone()
    if row is None:
        return None
    (series,) = row
    clock = step_clock_rows(connection, step) if packed is None else packed.clock
    values = values_of(connection, step, series) if packed is None else packed.of(series)
    if clock is None or values is None:
        return None
    import numpy as np

    with damage_as_error():
        measured = clock[0] >= 0
        places = clock[0][measured].astype(int)
        if places.max(initial=0) > MOST_SECONDS:
            raise ValueError("no step is that long")
        every = np.full((2, places.max(initial=-1) + 1), np.nan)
        every[:, places] = values[measured], clock[2][measured]
    found, lengths = every.tolist()
    return MeasuredSeconds([value if value == value else None for value in found], lengths, timed.unit)
