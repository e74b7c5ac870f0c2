"""The events of the journal: one a line, written by the agent, never rewritten.

Every event carries `seq` (1, 2, ... without gaps in a journal), `t` (CLOCK_MONOTONIC seconds since
the session began) and `at` (the target's UTC clock, seconds since 1970). A minor protocol adds
kinds and fields with defaults; a major one is refused. Fields are never renamed or reused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Union

from .others import DISTURBED
from .values import check_fields

PROTOCOL = (1, 3)
MAX_LINE = 1 << 20  # bytes of one event, its newline included
MAX_NOTE = 4000  # characters
CLIENT_BOUND = "client-bound"  # a load target had no CPU left
LOPSIDED = "lopsided"  # a client of one load target did a fraction of the work of one of another
TUNNELLED = "tunnelled"  # load targets reached the server over loopback
# marks of a step whose figure says nothing of its contender: it is not judged, of repeats it is left out
SPOILT = (
    "after-a-crash", "error-ridden", "indebted", "bad-statistics", "no-index", "fewer-clients", "out-of-rows",
    "other-work", "changed-plan", DISTURBED, CLIENT_BOUND, LOPSIDED, TUNNELLED,
)  # fmt: skip
REPEATED = "repeated"  # the mark after which the seconds of a step count anew


class ProtocolError(ValueError):
    """A line that is no event, or of an unreadable protocol version."""


@dataclass(frozen=True)
class SessionPlanned:
    """The first event: everything about the session that was decided beforehand."""

    kind: ClassVar[str] = "session_planned"
    seq: int
    t: float
    at: float
    protocol: str  # "1.0"
    session: str
    plan: dict[str, Any]  # Plan.to_json(): the journal needs nothing beside it


@dataclass(frozen=True)
class SessionStarted:
    kind: ClassVar[str] = "session_started"
    seq: int
    t: float
    at: float
    agent: str  # hash of the agent file
    pid: int


@dataclass(frozen=True)
class Fact:
    """A fact: machine, build, variables, create_table, compression, engine_status, ..."""

    kind: ClassVar[str] = "fact"
    seq: int
    t: float
    at: float
    name: str
    value: Any
    when: str = ""  # loaded | written | ended, for facts taken more than once


@dataclass(frozen=True)
class SeriesDeclared:
    """The series whose values every later sample carries, in this order."""

    kind: ClassVar[str] = "series_declared"
    seq: int
    t: float
    at: float
    # {"name","unit","kind":"gauge"|"rate","direction":"higher"|"lower"|"","label","digits"}
    series: list[dict[str, Any]]


@dataclass(frozen=True)
class StepStarted:
    kind: ClassVar[str] = "step_started"
    seq: int
    t: float
    at: float
    step: int  # index into the steps of the plan
    seed: int = 0
    after_crash: bool = False
    debt: dict[str, Any] = field(default_factory=dict)  # what was still to be written when it began


@dataclass(frozen=True)
class Progress:
    """Progress of a step without measured seconds (load, index, scan, settle)."""

    kind: ClassVar[str] = "progress"
    seq: int
    t: float
    at: float
    step: int
    done: float
    total: float
    unit: str
    text: str = ""


@dataclass(frozen=True)
class Sample:
    """One second of everything."""

    kind: ClassVar[str] = "sample"
    seq: int
    t: float
    at: float
    step: int
    s: int  # the second of the step, from 0; negative in warm-up
    dt: float  # the true length of the interval
    values: list[Any]  # as declared; null is missing
    derived: bool = False  # the last second: total less intervals
    latency: str | None = None  # events by bucket, see latency.py


@dataclass(frozen=True)
class Log:
    kind: ClassVar[str] = "log"
    seq: int
    t: float
    at: float
    source: str  # agent | server | sysbench
    level: str  # info | warning | error
    text: str


def note_problem(text: str) -> str:
    """Why this text cannot be a note; '' if it can."""
    if not text.strip():
        return "a note needs a text"
    if len(text) > MAX_NOTE:
        return "a note has {} characters at most, this one has {}".format(MAX_NOTE, len(text))
    return ""


@dataclass(frozen=True)
class Note:
    """A note that a person wrote at this moment."""

    kind: ClassVar[str] = "note"
    seq: int
    t: float
    at: float
    text: str
    step: int = -1


@dataclass(frozen=True)
class Mark:
    """A moment: measured (the warm-up is over), repeated (the step begins again), crash, recovered, ..."""

    kind: ClassVar[str] = "mark"
    seq: int
    t: float
    at: float
    name: str
    step: int = -1
    value: float | None = None
    text: str = ""


@dataclass(frozen=True)
class StepEnded:
    kind: ClassVar[str] = "step_ended"
    seq: int
    t: float
    at: float
    step: int
    outcome: str  # completed | failed | stopped | skipped
    reason: str = ""
    value: float | None = None  # the figure of the step, in the unit of its Step
    seconds: float = 0.0  # the measured ones
    # events queries reads writes other transactions errors reconnects rows ...
    totals: dict[str, Any] = field(default_factory=dict)
    latency_ms: dict[str, Any] = field(default_factory=dict)  # min avg max p50 p95 p99
    buckets: list[Any] = field(default_factory=list)  # [[upper bound in ms, count], ...]
    # cpu_us disk_busy_us rows_read log_kb read_kb (the device's) server_read_kb (its own) ...: docs/journal.md
    per_query: dict[str, Any] = field(default_factory=dict)
    per_row: dict[str, Any] = field(default_factory=dict)
    status: dict[str, Any] = field(default_factory=dict)  # deltas of the server's counters
    # bytes by part: tables redo undo binlog temporary other total
    sizes: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, Any] = field(default_factory=dict)  # inserted deleted (derived), in the tables now
    debt: dict[str, Any] = field(default_factory=dict)
    marks: list[str] = field(default_factory=list)  # error-ridden, after-a-crash, indebted, capped ...
    # of a settle step: seconds waited_for capped left written_bytes device_bytes; of the writes before it:
    # steps cause run_written_bytes run_written_by rows row_bytes write_amplification
    settled: dict[str, Any] = field(default_factory=dict)
    # server_cores load_cores variables restarted_with key_caches: read back where the step asks for them
    in_force: dict[str, Any] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)  # Others: what else took the machine meanwhile
    # of a step at a rate: rate achieved (events/s) behind_s queued (events due that had not begun at its end)
    schedule: dict[str, Any] = field(default_factory=dict)
    # of a step of kind limit: p99_ms (the limit) closed_rate rate (events/s) tries [{rate p99_ms events passed}]
    limit: dict[str, Any] = field(default_factory=dict)
    waits: dict[str, Any] = field(default_factory=dict)  # Waits: what the threads of the server waited for
    statements: list[Any] = field(default_factory=list)  # Statement: by digest, the longest first
    threads: dict[str, Any] = field(default_factory=dict)  # ThreadStates: what the server's threads did


@dataclass(frozen=True)
class SessionEnded:
    """The last event; a journal without it belongs to a session that is active or lost."""

    kind: ClassVar[str] = "session_ended"
    seq: int
    t: float
    at: float
    outcome: str  # completed | failed | stopped
    reason: str
    events: int  # of this journal, this one included


@dataclass(frozen=True)
class Unknown:
    """An event of a newer minor protocol: kept as it is and shown as unknown."""

    kind: ClassVar[str] = "unknown"
    seq: int
    t: float
    at: float
    data: dict[str, Any] = field(default_factory=dict)


Event = Union[
    SessionPlanned, SessionStarted, Fact, SeriesDeclared, StepStarted, Progress, Sample, Log, Note, Mark,
    StepEnded, SessionEnded, Unknown,
]  # fmt: skip

KINDS: dict[str, Any] = {cls.kind: cls for cls in Event.__args__ if cls is not Unknown}  # type: ignore[attr-defined]
_NAMES = {cls: frozenset(f.name for f in fields(cls)) for cls in KINDS.values()}


def encode(event: Any) -> bytes:
    """An event as one line with newline; raises ProtocolError if it is too long."""
    data = event.data if isinstance(event, Unknown) else vars(event)
    line = json.dumps(
        {"kind": event.kind, **data}, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
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
    cls = KINDS.get(data.get("kind", ""), Unknown) if isinstance(data.get("kind"), str) else Unknown
    if cls is Unknown:
        return _unknown(data)
    try:
        check_fields(cls, data, cls.kind)
    except ValueError as error:
        raise ProtocolError(str(error)) from None
    if cls is SessionPlanned:
        check_protocol(data["protocol"])
    names = _NAMES[cls]
    event: Event = cls(**{name: value for name, value in data.items() if name in names})
    return event


def _unknown(data: dict[str, Any]) -> Unknown:
    if not isinstance(data.get("seq"), int) or not isinstance(data.get("kind"), str):
        raise ProtocolError("not an event: it has no kind or no seq")
    try:
        t, at = (float(data.get(name) or 0.0) for name in ("t", "at"))
    except (TypeError, ValueError, OverflowError):
        raise ProtocolError("not an event: its t or at is no number") from None
    return Unknown(data["seq"], t, at, data)


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
