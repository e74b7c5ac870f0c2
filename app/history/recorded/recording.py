"""What each event of a journal changes in the derived tables."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from sqlite3 import Connection, IntegrityError
from typing import Any, assert_never

from app.core.errors import DynoError
from app.engines import engine_of
from app.history.store import blocks
from app.history.store.blocks import SampleLayout
from app.history.store.decoding import Line, SampleLine, kind_of
from app.history.store.distributions import decode_distributions
from app.protocol.events import (
    REPEATED,
    Event,
    Fact,
    LogEvent,
    MomentEvent,
    Note,
    ProgressEvent,
    Sample,
    SeriesDeclared,
    SessionEnded,
    SessionPlanned,
    SessionStarted,
    StepEnded,
    StepStarted,
    UnknownEvent,
    step_ended_fields,
)
from app.protocol.latency import Counts, counts_of
from app.protocol.series import SeriesDeclaration
from app.protocol.step_parts import to_json

from .counting import store_step_count
from .group_means import keep_headlines
from .latency import percentiles
from .planned import keep_planned
from .stored_states import stored_state

# what content that is no journal brings about: nothing of the batch is kept then
REFUSED = (
    ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, IntegrityError,
)  # fmt: skip


class JournalError(DynoError):
    """A journal that is none, or does not continue what is stored."""


class HistoryRecorder:
    """Stores the events of one session in order, with their consequences."""

    def __init__(self, connection: Connection, session: str) -> None:
        self._connection = connection
        self._session = session
        self._samples: list[SampleLine] = []  # of the active step, not yet in the staging
        self._load()

    def _load(self) -> None:
        row = self._execute("SELECT number FROM session WHERE id = ?", self._session).fetchone()
        self._number: int | None
        (self._number,) = row or (None,)
        self._state = stored_state(self._connection, self._session)
        self._layout = _read_layout(self._connection, self._number)

    def record(self, lines: Sequence[Line]) -> None:
        """Store events; those of a running step go to the staging."""
        take, at_hand = self._samples.append, self._state.at_hand
        ended = False
        for line in lines:
            if type(line) is SampleLine and line.step == at_hand >= 0:
                take(line)
            else:
                self._record(line)
                at_hand = self._state.at_hand
                ended = ended or isinstance(line, (StepEnded, SessionEnded))
        if ended:
            keep_headlines(self._connection, self._number)
        self._stage()

    def _record(self, line: Line) -> None:
        try:
            if isinstance(line, SampleLine):
                self._state.check_second(line)  # those between the steps are only in the journal
            else:
                self._state.check(line)
                self._keep(line)
        except REFUSED as error:
            raise self._error(line.seq, str(error)) from None

    def _keep(self, event: Event) -> None:
        """Store an event that is no sample of the running step."""
        before = self._state.at_hand
        if isinstance(event, SessionPlanned):
            self._number = keep_planned(self._connection, self._session, event)
            self._load()
        self._state.take(event)
        match event:
            case SessionStarted():
                self._keep_state("started_at = ?, agent = ?", event.at, replace_surrogates(event.agent))
            case SeriesDeclared():
                self._stage()
                self._layout = _declare(self._connection, self._number, event.series)
            case StepStarted():
                self._start_step(event)
            case StepEnded():
                self._end_step(event, is_at_hand=event.step == before)
            case SessionEnded():
                self._end_session(event, before)
            case ProgressEvent():
                self._keep_progress(event)
            case Fact() | LogEvent() | Note() | MomentEvent() | UnknownEvent():
                self._keep_remark(event)
            case Sample():
                raise AssertionError("samples come as SampleLine")
            case SessionPlanned():
                pass
            case _:
                assert_never(event)

    def _keep_remark(self, event: Fact | LogEvent | Note | MomentEvent | UnknownEvent) -> None:
        match event:
            case Fact():
                self._insert(
                    "fact",
                    event.seq,
                    replace_surrogates(event.name),
                    replace_surrogates(event.when),
                    pack_json(event.value),
                )
            case LogEvent():
                self._insert(
                    "log",
                    event.seq,
                    event.t,
                    replace_surrogates(event.source),
                    replace_surrogates(event.level),
                    replace_surrogates(event.text),
                )
            case Note():
                self._insert("note", event.seq, event.t, event.at, event.step, replace_surrogates(event.text))
            case MomentEvent():
                self._insert(
                    "mark",
                    event.seq,
                    event.t,
                    event.step,
                    replace_surrogates(event.name),
                    event.value,
                    replace_surrogates(event.text),
                )
                if event.name == REPEATED:
                    self._repeat_step(event.step)
            case UnknownEvent():
                self._insert(
                    "unknown", event.seq, event.t, replace_surrogates(kind_of(event)), json.dumps(event.data)
                )

    def _insert(self, table: str, *values: Any) -> None:
        marks = ", ".join("?" * (len(values) + 1))
        self._execute(f"INSERT INTO {table} VALUES ({marks})", self._number, *values)  # noqa: S608

    def _keep_progress(self, event: ProgressEvent) -> None:
        shown = {"done": event.done, "total": event.total, "unit": event.unit, "text": event.text}
        self._execute(
            "UPDATE step SET progress = ? WHERE session = ? AND position = ?",
            json.dumps(shown), self._number, event.step,
        )  # fmt: skip

    def _start_step(self, event: StepStarted) -> None:
        number = self._keep_step(event.step)
        started = {"seed": event.seed, "after_crash": event.after_crash, "debt": event.debt}
        self._execute("INSERT INTO result (step, started) VALUES (?, ?)", number, pack_json(started))

    def _repeat_step(self, position: int) -> None:
        """Begin a step again: earlier seconds remain only in the stored journal."""
        number = self._keep_step(position)
        self._samples.clear()
        self._execute("DELETE FROM staging WHERE step = ?", number)

    def _end_step(self, event: StepEnded, is_at_hand: bool) -> None:
        """End a step, also one that never began because it was skipped."""
        number = self._keep_step(event.step)
        seconds = self._pack(number, counts_of(event.buckets)) if is_at_hand else None
        keep_figures(self._connection, number, event)
        store_step_count(self._connection, number, seconds)
        self._keep_state("failed_steps = ?", self._state.failed_steps)

    def _end_session(self, event: SessionEnded, at_hand: int) -> None:
        """End the session and its running step; later steps stay as they are."""
        if at_hand >= 0:
            self._pack(self._keep_step(at_hand), {})
        self._keep_state("ended_at = ?, ended_t = ?", event.at, event.t)

    def _keep_state(self, more: str, *values: Any) -> None:
        self._execute(
            f"UPDATE session SET state = ?, reason = ?, {more} WHERE number = ?",  # noqa: S608 - our own words
            self._state.state, replace_surrogates(self._state.reason), *values, self._number,
        )  # fmt: skip

    def _keep_step(self, position: int) -> int:
        """Store the state of a step; returns its number."""
        step, number = self._state.steps[position], self._number_of(position)
        self._execute(
            "UPDATE step SET state = ?, reason = ?, started_t = ?, ended_t = ?,"
            " progress = CASE WHEN ? THEN '' ELSE progress END WHERE number = ?",
            step.state, replace_surrogates(step.reason), step.began_t, step.ended_t, step.is_over, number,
        )  # fmt: skip
        return number

    def _pack(self, number: int, buckets: Counts) -> blocks.StoredStepSeconds | None:
        """Pack the seconds of a step that has ended."""
        self._check_widths()
        packed = blocks.pack_step_seconds(self._connection, number, self._samples, self._layout, buckets)
        self._samples.clear()
        return packed

    def _stage(self) -> None:
        if self._samples:
            self._check_widths()
            self._check_latencies()
            blocks.store_running_seconds(
                self._connection, self._number_of(self._state.at_hand), self._samples, self._layout
            )
            self._samples.clear()

    def _number_of(self, position: int) -> int:
        query = "SELECT number FROM step WHERE session = ? AND position = ?"
        return int(self._execute(query, self._number, position).fetchone()[0])

    def _check_widths(self) -> None:
        wanted = len(self._layout.numbers)
        for sample in self._samples:
            if len(sample.values) != wanted:
                raise self._error(
                    sample.seq, f"a sample has {len(sample.values)} values, {wanted} are declared"
                )

    def _check_latencies(self) -> None:
        try:
            decode_distributions([sample.latency for sample in self._samples])
        except ValueError as error:
            raise self._error(self._samples[0].seq, str(error)) from None

    def _error(self, seq: int, text: str) -> JournalError:
        return JournalError(
            f"the journal of session {self._session} cannot be read from event {seq} on: {text}"
        )

    def _execute(self, statement: str, *values: Any) -> Any:
        return self._connection.execute(statement, values)


def _read_layout(connection: Connection, session: int | None) -> SampleLayout:
    rows = connection.execute(
        "SELECT number, position, digits FROM series WHERE session = ? ORDER BY number", (session,)
    ).fetchall()
    placed = sorted((position, number) for number, position, _ in rows if position is not None)
    return SampleLayout(tuple(number for _, number in placed), tuple(digits for _, _, digits in rows))


def _declare(
    connection: Connection, session: int | None, declared: Sequence[SeriesDeclaration]
) -> SampleLayout:
    """Declare series; each keeps its first number."""
    known = dict(connection.execute("SELECT name, number FROM series WHERE session = ?", (session,)))
    connection.execute("UPDATE series SET position = NULL WHERE session = ?", (session,))
    for position, each in enumerate(declared):
        name = replace_surrogates(each.name)
        texts = map(replace_surrogates, (each.unit, each.kind, each.direction, each.label))
        connection.execute(
            "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (session, number) DO UPDATE SET position = excluded.position",
            (session, known.setdefault(name, len(known)), position, name, *texts,
             min(9, max(0, each.digits))),
        )  # fmt: skip
    if len({each.name for each in declared}) < len(declared):
        raise ValueError("a series is declared twice")
    return _read_layout(connection, session)


_ENGINE = "SELECT engine FROM session JOIN step ON step.session = session.number WHERE step.number = ?"


STORED = (  # of `step_ended`, for `result`
    "totals", "latency_ms", "buckets", "per_row", "status", "sizes", "rows", "debt", "settled", "in_force",
    "schedule", "limit", "waits", "statements", "threads", "operation",
)  # fmt: skip


def keep_figures(connection: Connection, number: int, event: StepEnded) -> None:
    """The figures of a step that has ended: what lists and comparisons read, and all of it."""
    totals, rows = event.totals, event.rows
    (engine,) = connection.execute(_ENGINE, (number,)).fetchone()
    connection.execute(
        "UPDATE step SET value = ?, queries = ?, seconds = ?, errors = ?,"
        " size_bytes = ?, data_bytes = ?, row_count = ?, p50_ms = ?, p95_ms = ?, p99_ms = ?, per_query = ?,"
        " marks = ?, others = ?"
        " WHERE number = ?",
        (
            event.value, totals.queries, event.seconds,
            totals.errors, event.sizes.get("total"),
            engine_of(engine).data_bytes(event.sizes), rows.get("in_tables"),
            *percentiles(event.buckets, event.latency_ms, totals.events or 0.0),
            json.dumps(event.per_query), json.dumps(event.marks),
            json.dumps(event.others, default=to_json) if event.others else "", number,
        ),
    )  # fmt: skip
    said = step_ended_fields(vars(event))
    content = pack_json({name: said[name] for name in STORED})
    connection.execute(
        "INSERT INTO result (step, started, ended) VALUES (?, ?, ?)"
        " ON CONFLICT (step) DO UPDATE SET ended = excluded.ended",
        (number, pack_json({}), content),
    )


def pack_json(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":"), default=to_json).encode())


def replace_surrogates(text: str) -> str:
    """Text for SQLite and terminals: half a surrogate pair is replaced."""
    return text.encode("utf-8", "replace").decode()
