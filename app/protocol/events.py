"""The events of the journal: one a line, written by the agent, never rewritten.

Every event carries `seq` (1, 2, ... without gaps in a journal), `t` (CLOCK_MONOTONIC seconds since
the session began) and `at` (the target's UTC clock, seconds since 1970). A minor protocol adds
kinds and fields with defaults; a major one is refused. Fields are never renamed or reused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Mapping, Union

from .others import DISTURBED, Others
from .reading import (
    PART,
    Count,
    Counter,
    Figure,
    Id,
    LatencyCode,
    Moment,
    Name,
    Number,
    Outcome,
    Place,
    Second,
    Seconds,
    Seq,
    ShapeError,
    StepOutcome,
    Text,
    max_list_entries_rule,
    read,
)
from .series import SeriesDeclaration
from .stacks import PROFILED_ON_REQUEST
from .step_parts import OperationResult, P99LimitSearch, RateAdherence, SettleStepResult, Totals, to_json
from .thread_states import ThreadStates
from .waits import StatementDigest, Waits

PROTOCOL = (1, 4)
MAX_LINE = 1 << 20  # bytes of one event, its newline included
MAX_NOTE = 4000  # characters
CLIENT_BOUND = "client-bound"  # a load target had no CPU left
LOPSIDED = "lopsided"  # a client of one load target did a fraction of the work of one of another
TUNNELLED = "tunnelled"  # load targets reached the server over loopback
QUERY_LIMITED = "query-limited"  # the plan's limit for a server that runs already was what it reached
REMOTE = "remote"  # the server runs already, on another machine
NOT_ALONE = "not-alone"  # other clients had a server that runs already do more than a little
# marks of a step whose figure says nothing of its contender: it is not judged, of repeats it is left out
SPOILT = (
    "after-a-crash", "error-ridden", "indebted", "bad-statistics", "no-index", "fewer-clients", "out-of-rows",
    "other-work", "changed-plan", DISTURBED, CLIENT_BOUND, LOPSIDED, TUNNELLED,
    NOT_ALONE, QUERY_LIMITED, PROFILED_ON_REQUEST,
)  # fmt: skip
REPEATED = "repeated"  # the mark after which the seconds of a step count anew
# of an operation; each has the second of the step
OPERATION, ANSWERS, OPERATION_ENDED = OPERATION_MOMENTS = ("operation", "answers", "operation-ended")


class ProtocolError(ValueError):
    """A line that is no event, or of an unreadable protocol version."""


@dataclass(frozen=True)
class StampedEvent:
    """What every event has."""

    seq: Seq
    t: Seconds
    at: Moment


@dataclass(frozen=True)
class SessionPlanned(StampedEvent):
    """The first event: everything about the session that was decided beforehand."""

    kind: ClassVar[str] = "session_planned"
    protocol: Name  # "1.0"
    session: Id
    plan: dict[Name, Any]  # Plan.to_json(): the journal needs nothing beside it


@dataclass(frozen=True)
class SessionStarted(StampedEvent):
    kind: ClassVar[str] = "session_started"
    agent: Name  # hash of the agent file
    pid: Count


@dataclass(frozen=True)
class Fact(StampedEvent):
    """A fact: machine, build, variables, create_table, compression, engine_status, ..."""

    kind: ClassVar[str] = "fact"
    name: Name
    value: Any  # see app/protocol/checked/facts.py
    when: Name = ""  # loaded | written | ended, for facts taken more than once


@dataclass(frozen=True)
class SeriesDeclared(StampedEvent):
    """The series whose values every later sample carries, in this order."""

    kind: ClassVar[str] = "series_declared"
    series: list[SeriesDeclaration] = field(metadata=max_list_entries_rule(10_000))


@dataclass(frozen=True)
class StepStarted(StampedEvent):
    kind: ClassVar[str] = "step_started"
    step: Place  # index into the steps of the plan
    seed: int = 0
    after_crash: bool = False
    # what was still to be written when it began
    debt: dict[Name, Number | None] = field(default_factory=dict)


@dataclass(frozen=True)
class ProgressEvent(StampedEvent):
    """Progress of a step without measured seconds (load, index, scan, settle)."""

    kind: ClassVar[str] = "progress"
    step: Place
    done: Number
    total: Number
    unit: Name
    text: Text = ""


@dataclass(frozen=True)
class Sample(StampedEvent):
    """One second of everything."""

    kind: ClassVar[str] = "sample"
    step: Place
    s: Second  # the second of the step, from 0; negative in warm-up
    dt: Seconds  # the true length of the interval
    values: list[Number | None]  # as declared; null is missing
    derived: bool = False  # the last second: total less intervals
    latency: LatencyCode | None = None  # events by bucket, see latency.py


@dataclass(frozen=True)
class LogEvent(StampedEvent):
    kind: ClassVar[str] = "log"
    source: Name  # agent | server | sysbench
    level: Name  # info | warning | error
    text: Text


def note_problem(text: str) -> str:
    """Why this text cannot be a note; '' if it can."""
    if not text.strip():
        return "a note needs a text"
    if len(text) > MAX_NOTE:
        return "a note has {} characters at most, this one has {}".format(MAX_NOTE, len(text))
    return ""


@dataclass(frozen=True)
class Note(StampedEvent):
    """A note that a person wrote at this moment."""

    kind: ClassVar[str] = "note"
    text: Text
    step: Place = -1


@dataclass(frozen=True)
class MomentEvent(StampedEvent):
    """A moment: measured (the warm-up is over), repeated (the step begins again), crash, recovered, ..."""

    kind: ClassVar[str] = "mark"
    name: Name
    step: Place = -1
    value: Number | None = None
    text: Text = ""


@dataclass(frozen=True)
class StepEnded(StampedEvent):
    kind: ClassVar[str] = "step_ended"
    step: Place
    outcome: StepOutcome  # completed | failed | stopped | skipped
    reason: Text = ""
    value: Figure | None = None  # the figure of the step, in the unit of its Step
    seconds: Figure = 0.0  # the measured ones
    totals: Totals = field(default_factory=Totals)
    latency_ms: dict[Name, Figure | None] = field(default_factory=dict)  # min avg max p50 p95 p99
    buckets: list[tuple[Figure, Figure]] = field(default_factory=list)  # (upper bound in ms, count)
    # cpu_us disk_busy_us rows_read log_kb read_kb (the device's) server_read_kb (its own) ...: docs/developers/journal.md
    per_query: dict[Name, Figure | None] = field(default_factory=dict)
    per_row: dict[Name, Figure | None] = field(default_factory=dict)
    status: dict[Name, Counter | None] = field(default_factory=dict)  # deltas of the server's counters
    # bytes by part: tables redo undo binlog temporary other total
    sizes: dict[Name, Figure | None] = field(default_factory=dict)
    # inserted deleted (derived), in the tables now
    rows: dict[Name, Number | None] = field(default_factory=dict)
    debt: dict[Name, Number | None] = field(default_factory=dict)
    marks: list[Name] = field(default_factory=list)  # error-ridden, after-a-crash, indebted, capped ...
    settled: SettleStepResult | None = field(default=None, metadata=PART)  # of a settle step
    # server_cores load_cores variables restarted_with key_caches: read back where the step asks for them
    in_force: dict[Name, Any] = field(default_factory=dict)
    others: Others | None = field(default=None, metadata=PART)  # what else took the machine meanwhile
    schedule: RateAdherence | None = field(default=None, metadata=PART)  # of a step at a rate
    limit: P99LimitSearch | None = field(default=None, metadata=PART)  # of a step of kind limit
    waits: Waits | None = field(default=None, metadata=PART)  # what the threads of the server waited for
    # by digest, the longest first
    statements: list[StatementDigest] = field(default_factory=list, metadata=max_list_entries_rule(1000))
    threads: ThreadStates | None = field(default=None, metadata=PART)  # what the server's threads did
    operation: OperationResult | None = field(default=None, metadata=PART)  # of an operation beside roles


@dataclass(frozen=True)
class SessionEnded(StampedEvent):
    """The last event; a journal without it belongs to a session that is active or lost."""

    kind: ClassVar[str] = "session_ended"
    outcome: Outcome  # completed | failed | stopped
    reason: Text
    events: Count  # of this journal, this one included


@dataclass(frozen=True)
class UnknownEvent(StampedEvent):
    """An event of a newer minor protocol: kept as it is and shown as unknown."""

    kind: ClassVar[str] = "unknown"
    data: dict[str, Any] = field(default_factory=dict)


Event = Union[
    SessionPlanned, SessionStarted, Fact, SeriesDeclared, StepStarted, ProgressEvent, Sample, LogEvent, Note, MomentEvent,
    StepEnded, SessionEnded, UnknownEvent,
]  # fmt: skip

KINDS: dict[str, Any] = {cls.kind: cls for cls in Event.__args__ if cls is not UnknownEvent}  # type: ignore[attr-defined]
_PARTS = {each.name for each in fields(StepEnded) if "part" in each.metadata}


def step_ended_fields(ended: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of step_ended as they are written; `to_json` writes their parts."""
    return {name: {} if value is None and name in _PARTS else value for name, value in ended.items()}


def encode(event: Any) -> bytes:
    """An event as one line with newline; raises ProtocolError if it is too long."""
    data = event.data if isinstance(event, UnknownEvent) else step_ended_fields(vars(event))
    data = {"kind": event.kind, **data}
    line = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=to_json)
    raw = line.encode("utf-8", "backslashreplace") + b"\n"
    if len(raw) > MAX_LINE:
        raise ProtocolError(
            "the event {} has {} bytes; {} are the most".format(event.kind, len(raw), MAX_LINE)
        )
    return raw


def decode(line: bytes | str) -> Event:
    """The event of one line; a kind or field of a newer minor protocol is kept, not understood."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("not an event: {}".format(error)) from None
    return from_json(data)


def from_json(data: Any) -> Event:
    """The event of a decoded line."""
    if not isinstance(data, dict):
        raise ProtocolError("not an event: no object")
    kind = data.get("kind")
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    try:
        event: Event = _unknown(data) if cls is None else read(cls, data)
    except ShapeError as error:
        raise ProtocolError("not an event: {}: {}".format(kind, error)) from None
    if isinstance(event, SessionPlanned):
        check_protocol(event.protocol)
    return event


def _unknown(data: dict[str, Any]) -> UnknownEvent:
    if not isinstance(data.get("kind"), str):
        raise ProtocolError("not an event: it has no kind")
    stamp = read(StampedEvent, {"t": 0.0, "at": 0.0, **data})
    return UnknownEvent(stamp.seq, stamp.t, stamp.at, data)


def check_protocol(text: str) -> None:
    """Refuse a major protocol that is not ours, with both versions and what to update."""
    ours = "{}.{}".format(*PROTOCOL)
    try:
        major = int(text.split(".")[0])
    except ValueError:
        raise ProtocolError("{!r} is not a protocol version".format(text)) from None
    if major > PROTOCOL[0]:
        raise ProtocolError("journal of protocol {}, this Dyno reads {}: update Dyno".format(text, ours))
    if major < PROTOCOL[0]:
        raise ProtocolError(
            "journal of protocol {}, this Dyno reads {}: import it with an older Dyno".format(text, ours)
        )
