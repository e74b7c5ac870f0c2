"""The shape of each event of a journal: what the history and everything that reads it relies on.

A kind or field that is not named here is of a newer minor protocol: it is kept as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict

from msgspec import Meta

from app.protocol.latency import LONGEST_CODE
from app.protocol.others import Others
from app.protocol.plan import Plan
from app.protocol.reading import read
from app.protocol.thread_states import ThreadStates
from app.protocol.waits import Statement, Waits

from . import Count, Figure, Figures, Moment, Name, Number, Numbers, Seconds, ShapeError, Text, Whole, check
from .facts import check_fact
from .plan import Id, PlanShape, Second

MOST_LISTED = 1000  # statements of a step
MOST_TRIES = 1000  # of a search

Seq = Annotated[int, Meta(ge=0, le=1 << 53)]
Place = Annotated[int, Meta(ge=-1, le=1_000_000)]  # of a step in its plan; -1: none
LatencyCode = Annotated[str, Meta(max_length=LONGEST_CODE)]  # read where it is stored: many at once are quick


class Stamp(TypedDict, total=False):
    """Fields of every event."""

    seq: Seq
    t: Seconds
    at: Moment


class SessionPlanned(Stamp, total=False):
    protocol: Name
    session: Id
    plan: PlanShape


class SessionStarted(Stamp, total=False):
    agent: Name
    pid: Count


class Fact(Stamp, total=False):
    name: Name
    value: Any  # see FACTS
    when: Name


class _Named(TypedDict):
    name: Name


class Series(_Named, total=False):
    unit: Name
    kind: Name
    direction: Name
    label: Name
    digits: Whole


class SeriesDeclared(Stamp, total=False):
    series: Annotated[list[Series], Meta(max_length=10_000)]


class StepStarted(Stamp, total=False):
    step: Place
    seed: Whole
    after_crash: bool
    debt: Numbers


class Progress(Stamp, total=False):
    step: Place
    done: Number
    total: Number
    unit: Name
    text: Text


class Sample(Stamp, total=False):
    step: Place
    s: Second
    dt: Seconds
    values: list[Number | None]
    derived: bool
    latency: LatencyCode | None


class Log(Stamp, total=False):
    source: Name
    level: Name
    text: Text


class Note(Stamp, total=False):
    text: Text
    step: Place


class Mark(Stamp, total=False):
    name: Name
    step: Place
    value: Number | None
    text: Text


class Totals(TypedDict, total=False):
    events: Figure | None
    transactions: Figure | None
    queries: Figure | None
    statements: Figure | None
    reads: Figure | None
    writes: Figure | None
    other: Figure | None
    errors: Figure | None
    reconnects: Figure | None
    clients: Figure | None
    rows: Figures


class Settled(TypedDict, total=False):
    """Of the settle step itself; with `cause` it says what the writes before it have cost, see SettledRun."""

    seconds: Number
    waited_for: Numbers
    capped: bool
    left: list[Text]


class SettledRun(TypedDict):
    seconds: Number
    waited_for: Numbers
    capped: bool
    left: list[Text]
    written_bytes: Number | None
    device_bytes: Number | None
    steps: list[Name]
    cause: Place
    run_written_bytes: Number | None
    run_written_by: Name
    rows: Number
    row_bytes: Number | None
    write_amplification: Number | None


class Schedule(TypedDict, total=False):
    """Of a step at a rate."""

    rate: Figure
    achieved: Figure | None
    behind_s: Figure
    queued: Figure | None


class Try(TypedDict, total=False):
    rate: Figure
    p99_ms: Figure | None
    events: Figure
    passed: bool


class Limit(TypedDict, total=False):
    """The search of a step of kind limit."""

    p99_ms: Figure
    closed_rate: Figure
    rate: Figure | None
    tries: Annotated[list[Try], Meta(max_length=MOST_TRIES)]


class StepEnded(Stamp, total=False):
    step: Place
    outcome: Literal["completed", "failed", "stopped", "skipped"]
    reason: Text
    value: Figure | None
    seconds: Figure
    totals: Totals
    latency_ms: Figures
    buckets: list[tuple[Figure, Figure]]
    per_query: Figures
    per_row: Figures
    status: dict[Name, float | None]  # as the server counts: of 64 bits, and back to 0
    sizes: Figures
    rows: Numbers
    debt: Numbers
    marks: list[Name]
    settled: Settled
    in_force: dict[Name, Any]
    others: dict[Name, Any]  # read as `Others`
    schedule: Schedule
    limit: Limit
    waits: dict[Name, Any]  # read as `Waits`
    statements: Annotated[list[dict[Name, Any]], Meta(max_length=MOST_LISTED)]  # read as `Statement`
    threads: dict[Name, Any]  # read as `ThreadStates`


class SessionEnded(Stamp, total=False):
    outcome: Literal["completed", "failed", "stopped"]
    reason: Text
    events: Count


SHAPES: Mapping[str, Any] = {
    "session_planned": SessionPlanned,
    "session_started": SessionStarted,
    "fact": Fact,
    "series_declared": SeriesDeclared,
    "step_started": StepStarted,
    "progress": Progress,
    "sample": Sample,
    "log": Log,
    "note": Note,
    "mark": Mark,
    "step_ended": StepEnded,
    "session_ended": SessionEnded,
}


def check_event(data: Mapping[str, Any]) -> None:
    """Raise ShapeError if an event of a known kind does not have its readers' shape."""
    kind = data.get("kind")
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    check(data, shape or Stamp)
    if kind == "session_planned":
        _check_plan(data)
    elif kind == "fact":
        check_fact(data)
    elif kind == "step_ended":
        _check_step_ended(data)


def _check_step_ended(data: Mapping[str, Any]) -> None:
    if "cause" in data.get("settled", {}):
        check(data["settled"], SettledRun)
    _check_read("others", Others, data.get("others", {}))
    _check_read("threads", ThreadStates, data.get("threads", {}))
    _check_read("waits", Waits, data.get("waits", {}))
    for each in data.get("statements", ()):
        _check_read("statements", Statement, each)


def _check_read(name: str, cls: Any, value: Any) -> None:
    try:
        read(cls, value)
    except ShapeError as error:
        raise ShapeError(f"{name}: {error}") from None


def _check_plan(data: Mapping[str, Any]) -> None:
    try:
        Plan.from_json(data.get("plan"))
    except ValueError as error:
        raise ShapeError(str(error)) from None
