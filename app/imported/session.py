"""A session from another tool or person, and the journal that Dyno makes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.core.ids import encode_id
from app.protocol.events import (
    PROTOCOL,
    Event,
    Note,
    Sample,
    SeriesDeclared,
    SessionEnded,
    SessionPlanned,
    SessionStarted,
    StepEnded,
    StepStarted,
)
from app.protocol.events import encode as line_of
from app.protocol.plan import Contender, Plan, PlannedSession, Step, digest
from app.protocol.series import LOAD

OF_CONTENDER = ("build", "family", "version", "engine", "preset", "table_options")
NOT_REPORTED = ("load.reconnects", "load.rows")
SERIES = [each for each in LOAD if each.name not in NOT_REPORTED]


@dataclass(frozen=True)
class ReportedInterval:
    """What was reported of an interval that ended `t` seconds after the step began."""

    t: float
    dt: float
    values: tuple[float | None, ...]  # in the order of SERIES


@dataclass(frozen=True)
class ImportedStep:
    step: Step
    value: float
    seconds: float = 0.0  # 0: nobody said
    totals: dict[str, Any] = field(default_factory=dict)  # of step_ended
    latency_ms: dict[str, Any] = field(default_factory=dict)
    reported: tuple[ReportedInterval, ...] = ()


@dataclass
class ForeignSession:
    name: str
    at: float  # when it was carried out or published, as far as is known
    said: str  # where it comes from, in one line
    target: str = ""
    sequence: str = ""
    contender: Mapping[str, str] = field(default_factory=dict)
    steps: list[ImportedStep] = field(default_factory=list)
    source: Mapping[str, str] = field(default_factory=dict)  # of what was published; {}: it was not


@dataclass(frozen=True)
class ImportedJournal:
    session: str
    plan: str
    raw: bytes


def is_imported(plan: Mapping[str, Any]) -> bool:
    """Whether Dyno did not carry it out: what is not in such a plan is unknown, not nothing."""
    return not any(each["server"] or each.get("host") for each in plan["contenders"])


def foreign_journal_of(session: ForeignSession) -> ImportedJournal:
    """The same session gives the same journal, and so is known when it comes again."""
    plan = _plan(session)
    id_ = plan.turns[0].session
    first = SessionPlanned(1, 0.0, session.at, "{}.{}".format(*PROTOCOL), id_, plan.to_json())
    events: list[Event] = [first, SessionStarted(2, 0.0, session.at, agent="", pid=0)]
    events.append(Note(3, 0.0, session.at, session.said))
    if any(step.reported for step in session.steps):
        events.append(SeriesDeclared(4, 0.0, session.at, SERIES))
    t = 0.0
    for at, step in enumerate(session.steps):
        events += _events_of(at, step, t, session.at)
        t += step.seconds
    events.append(SessionEnded(0, t, session.at + t, "completed", "", len(events) + 1))
    numbered = (replace(event, seq=seq) for seq, event in enumerate(events, 1))
    return ImportedJournal(id_, plan.id, b"".join(map(line_of, numbered)))


def _events_of(at: int, step: ImportedStep, t: float, began_at: float) -> list[Event]:
    """The events of a step that began at t; they get numbers later."""
    found: list[Event] = [StepStarted(0, t, began_at + t, at)]
    for each in step.reported:
        now = t + each.t
        found.append(Sample(0, now, began_at + now, at, round(each.t) - 1, each.dt, list(each.values)))
    ended = t + step.seconds
    totals: Any = step.totals  # in its own order: the journal of a session that is imported again is the same
    found.append(
        StepEnded(
            0, ended, began_at + ended, at, "completed", value=step.value, seconds=step.seconds,
            totals=totals, latency_ms=step.latency_ms,
        )
    )  # fmt: skip
    return found


def _plan(session: ForeignSession) -> Plan:
    steps = [each.step for each in session.steps]
    what: dict[str, Any] = {name: session.contender.get(name, "") for name in OF_CONTENDER}
    contender = Contender(
        name=session.name, base="", server="", cnf="", fingerprint=f"unknown: {session.name}", **what
    )
    return Plan(
        id=_id(session, "plan"),
        name=session.source.get("article", session.name),
        target=session.target or "unknown",
        machine_key=digest([session.source.get("author", ""), session.target]),
        sequence=session.sequence,
        contenders=[contender],
        steps=steps,
        turns=[PlannedSession(_id(session, "session"), session.name, 0, 1, 1)],
        files={},
        tables=0,
        rows=0,
        seconds=0,
        warmup=0,
        pause=0,
        threads=sorted({step.threads for step in steps}),
        repeats=1,
    )


def _id(session: ForeignSession, what: str) -> str:
    """Made of the content, sorted by its time."""
    figures = [[each.step.label, each.value, each.seconds] for each in session.steps]
    content = [what, session.name, session.target, session.said, figures]
    drawn = int.from_bytes(hashlib.sha256(digest(content).encode()).digest()[:10], "big")
    return encode_id(max(0, int(session.at * 1000)) << 80 | drawn)
