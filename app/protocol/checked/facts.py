"""The facts of a journal that somebody reads; others are kept and shown as they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.protocol.events import Event, Fact, SessionPlanned
from app.protocol.plan import Plan
from app.protocol.reading import Content, Count, Figure, Name, Number, ShapeError, Text, read, read_field
from app.protocol.stacks import Stacks


@dataclass(frozen=True)
class StartAndDataFact:
    load: Name = ""
    start: Name = ""
    pause_s: Number = 0.0
    source: Name = ""
    snapshot: Name = ""
    copy: Name = ""
    not_kept: Name = ""


@dataclass(frozen=True)
class AllocatorFact:
    allocator: Text | None = None
    numa: Text | None = None
    limit_bytes: Count | None = None
    used_bytes: Count | None = None
    peak_bytes: Count | None = None


@dataclass(frozen=True)
class Compression:
    in_force: Text


@dataclass(frozen=True)
class ExplainResult:
    statement: Content
    rows: list[dict[Name, Any]]


@dataclass(frozen=True)
class StatementPlans:
    """Plans of a statement; `end` only if it differs from the begin."""

    statement: Content
    begin: list[dict[Name, Any]]
    end: list[dict[Name, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class RowsPerEvent:
    """Rows of an event, by what was done with them."""

    found: dict[Name, Number | None]
    expected: dict[Name, list[Number]]
    wrong: list[Name] = field(default_factory=list)  # what was beyond its bounds


@dataclass(frozen=True)
class Build:
    """The build of a session, with its notes."""

    build: Name = ""
    base: Text = ""
    server: Text = ""
    family: Name = ""
    version: Name = ""
    fingerprint: Name = ""
    notes: dict[Name, Content] | None = None


@dataclass(frozen=True)
class LoadTargetStepFigures:
    """What one load target did in a step."""

    name: Name
    threads: Count
    events: Count
    cpu_pct: Number | None
    rtt_ms: Number | None  # of the network
    network_pct: Number | None  # of the time of its events, at least
    clock_error_ms: Number | None


@dataclass(frozen=True)
class RemoteLoadFacts:
    """The load of a step from other machines, and how far apart their seconds were."""

    targets: list[LoadTargetStepFigures]
    apart_ms: Number | None  # between the ends of the same second of two of them, at most


@dataclass(frozen=True)
class ReplicaLagOfStep:
    """How far a replica was behind its primary: by a number a second, and when the replica showed it."""

    name: Name
    median_ms: Number | None
    p95_ms: Number | None
    longest_ms: Number | None
    resolution_ms: Number | None  # by so much a lag is too long, at most
    beats: Count  # numbers
    waiting: Count = 0  # of these not shown at the end: they took longer than is known
    lost: Count = 0  # others, as the replica did not answer
    awaited_s: Number = 0.0  # before the step, until it had what its primary had
    median_most_ms: Number | None = None  # the median if those waiting never arrive; None: it has none then


@dataclass(frozen=True)
class ExistingServerStep:
    """What of a step on a server that runs already is not that server's own."""

    rtt_before_ms: Number | None = None  # of SELECT 1, through the relay
    rtt_during_ms: Number | None = None
    rtt_after_ms: Number | None = None
    network_pct: Number | None = None  # of the time of a query, at most
    relay_cpu_us: Number | None = None  # for a query
    others_statements: Number | None = None  # a second
    price: Number | None = None  # of an hour
    of: Name = ""  # the replica that the figures above are of; empty: the server of the contender
    lags: list[ReplicaLagOfStep] = field(default_factory=list)  # of all replicas


@dataclass(frozen=True)
class ExistingServerPlace:
    """Where a server is that runs already."""

    on_this_machine: bool = True  # that drives the load


@dataclass(frozen=True)
class CanaryResult:
    """The result of the canary before a session."""

    build: Name
    key: Name
    reads: Number  # a second, by key
    commits: Number
    reads_by_second: list[Number]
    commits_by_second: list[Number]
    others: dict[Name, Any]


@dataclass(frozen=True)
class AskedConditions:
    """The conditions of consistency, as they were asked once."""

    conditions: Count
    seconds: Figure
    held: dict[Name, Figure]  # seconds, by name
    problem: Text = ""  # the first that is violated or cannot be asked
    unknown: Text = ""  # why others had no answer


@dataclass(frozen=True)
class SessionFacts:
    """By their names."""

    engine_figures: dict[Name, Figure]
    canary: CanaryResult
    build: Build
    start_state: StartAndDataFact
    valgrind: Text  # its version, where instructions were counted
    variables: dict[Name, Content]
    not_default: list[Name]
    memory: AllocatorFact
    my_cnf: Content
    create_table: Content
    foreign_keys: Count  # of all tables, where the load may have some
    compression: Compression
    explain: ExplainResult
    plans: list[StatementPlans]
    work: RowsPerEvent
    load: RemoteLoadFacts
    existing: ExistingServerStep
    existing_server: ExistingServerPlace
    servers_reached: list[Name]  # behind the address of one that runs already, if there are several
    conditions: AskedConditions
    stacks: Stacks


LEFT_OUT = "left out"  # the key of what the agent writes in place of a fact that is too large for a line


def check_event(event: Event) -> None:
    """Raise ShapeError if the plan or the fact in an event is not as its readers rely on."""
    if isinstance(event, Fact):
        check_fact(event)
    elif isinstance(event, SessionPlanned):
        try:
            Plan.from_json(event.plan)
        except ValueError as error:
            raise ShapeError(str(error)) from None


def check_fact(fact: Fact) -> None:
    if is_oversize_fact(fact.value):
        return
    try:
        if fact.name == "machine":
            from app.protocol.answers import Machine  # dear to import, and no live event needs it

            read(Machine, fact.value)
        else:
            read_field(SessionFacts, fact.name, fact.value)
    except ShapeError as error:
        raise ShapeError(f"the fact {fact.name}: {error}") from None


def is_oversize_fact(value: Any) -> bool:
    """Whether a fact was left out as too large for the journal."""
    return isinstance(value, dict) and value.keys() == {LEFT_OUT}
