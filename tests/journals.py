"""Journals as an agent would write them, made up: plans, series, samples, steps, notes, failures."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol import latency
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
    encode,
    from_json,
)
from app.protocol.plan import Contender, Plan, PlannedSession, Step
from app.protocol.step_parts import OperationResult
from tests.plans import VERSION

BEGAN = 1_700_000_000.0

SERIES = [
    {"name": "load.queries", "unit": "queries/s", "kind": "rate", "direction": "higher", "digits": 2},
    {"name": "load.errors", "unit": "1/s", "kind": "rate", "direction": "lower", "digits": 2},
    {"name": "load.latency_p95_ms", "unit": "ms", "kind": "gauge", "direction": "lower", "digits": 3},
    {"name": "server.cpu_pct", "unit": "%", "kind": "rate", "direction": "lower", "digits": 1},
    {"name": "disk.write_kb", "unit": "KB/s", "kind": "rate", "direction": "lower", "digits": 1},
]


def contender(engine: str = "innodb", preset: str = "default") -> Contender:
    return Contender(
        name=f"{engine}-{preset}", build="mariadb-10.11", base="/usr", server="/usr/sbin/mariadbd",
        family="MariaDB", version=VERSION, fingerprint="f" * 64, engine=engine, preset=preset,
        cnf=f"[mysqld]\n# {engine} {preset}\n",
    )  # fmt: skip


def steps(threads: Sequence[int] = (1, 2), seconds: int = 5, warmup: int = 2) -> list[Step]:
    drive = [
        Step(
            name=name, kind="drive", workload=name, group=group, lua=f"{name}.lua", threads=n,
            coordinates={"threads": n}, seconds=seconds, warmup=warmup, writes=group == "write",
        )
        for name, group in (("point-query", "read"), ("update-index", "write"))
        for n in threads
    ]  # fmt: skip
    return [Step(name="load", kind="load", workload="load", unit="rows/s"), *drive]


def plan(
    contenders: Sequence[Contender] = (),
    repeats: int = 1,
    number: int = 1,
    its_steps: Sequence[Step] = (),
    target: str = "local",
    attempts: int = 1,
) -> Plan:
    """A plan whose sessions are S<number>A<ordinal>, padded to the length of an id; later attempts behind."""
    contenders = list(contenders) or [contender()]
    turns = [
        PlannedSession(
            session=session_id(number, repeat * len(contenders) + at + 1), name=f"{each.name}-{repeat + 1}",
            contender=at, repeat=repeat + 1, ordinal=repeat * len(contenders) + at + 1,
        )
        for repeat in range(repeats)
        for at, each in enumerate(contenders)
    ]  # fmt: skip
    later = [
        replace(
            turn, session=session_id(number, turn.ordinal + 100 * attempt), attempt=attempt,
            name=f"{turn.name}-attempt-{attempt}",
        )
        for turn in turns
        for attempt in range(2, attempts + 1)
    ]  # fmt: skip
    turns = sorted([*turns, *later], key=lambda turn: (turn.ordinal, turn.attempt))
    return Plan(
        id=f"{number:026d}", name="a plan", target=target, machine_key="m" * 64, sequence="duel",
        repeat_if_disturbed=attempts > 1,
        contenders=contenders, steps=list(its_steps) or steps(), turns=turns,
        files={"workloads/point-query.lua": "-- nothing", "sequences/duel.toml": "# nothing"},
        tables=4, rows=1000, seconds=5, warmup=2, pause=0, threads=[1, 2], repeats=repeats,
    )  # fmt: skip


def session_id(number: int, ordinal: int) -> str:
    return f"{number:010d}{ordinal:016d}"


VARIABLES = {"innodb_buffer_pool_size": "1073741824", "innodb_flush_method": "O_DIRECT"}
# of each operation: the server came back, and the ledger is whole
KEPT = OperationResult(at_s=5.0, first_answer_s=2.0, before=100.0, acknowledged=1000, missing=0)


class Maker:
    """Writes the events of one session; seq, t and at count themselves."""

    waits: Mapping[str, Any] = MappingProxyType({})  # of each step
    statements: Sequence[Any] = ()
    per_query: Mapping[str, float | None] = MappingProxyType(
        {"cpu_us": 35.5, "context_switches": 1.2, "reads": 0.1, "read_kb": 1.6}
    )

    def __init__(self, its_plan: Plan, session: str = "", seed: int = 1) -> None:
        self.plan = its_plan
        self.session = session or its_plan.turns[0].session
        self.events: list[Event] = []
        self.random = random.Random(f"{seed} {self.session}")
        self.t = 0.0
        self.latencies: dict[int, latency.Counts] = {}  # of further seconds, by s; they have none without
        ordinal = its_plan.turn_of(self.session).ordinal
        self.began_at = BEGAN + int(its_plan.id, 36) % 1000 * 100_000 + ordinal * 1000

    def add(self, kind: Any, **fields: Any) -> None:
        self.t = round(self.t + 0.001, 4)
        at = round(self.began_at + self.t, 3)
        stamp = {"seq": len(self.events) + 1, "t": self.t, "at": at}
        self.events.append(from_json({"kind": kind.kind, **stamp, **fields}))

    def begin(self, series: Sequence[dict[str, Any]] = SERIES) -> Maker:
        self.planned()
        self.add(SessionStarted, agent="a" * 64, pid=4711)
        self.add(Fact, name="machine", value={"hostname": "nuc", "cpu": {"model": "a CPU", "cores": 2}})
        self.add(Fact, name="variables", value=VARIABLES, when="loaded")
        self.declare(series)
        return self

    def planned(self, protocol: str = "1.0") -> Maker:
        self.add(SessionPlanned, protocol=protocol, session=self.session, plan=self.plan.to_json())
        return self

    def declare(self, series: Sequence[dict[str, Any]]) -> None:
        self.series = series
        self.add(SeriesDeclared, series=[{"label": each["name"], **each} for each in series])

    def step(
        self,
        at: int,
        outcome: str = "completed",
        reason: str = "",
        value: float | None = None,
        marks: Sequence[str] = (),
        others: dict[str, Any] | None = None,
    ) -> None:
        """A whole step of the plan."""
        self.start_step(at)
        step = self.plan.steps[at]
        if step.kind == "load":
            self.add(ProgressEvent, step=at, done=500, total=1000, unit="rows")
        self.samples(at, range(-step.warmup, step.seconds))
        self.end_step(at, outcome, reason, value, marks, others)

    def start_step(self, at: int) -> None:
        self.add(StepStarted, step=at, seed=at + 1)

    def samples(self, at: int, seconds: Iterable[int]) -> None:
        for s in seconds:
            self.t += 1.0
            if s == 0:
                self.add(MomentEvent, name="measured", step=at)
            values = [self.value(position, s) for position in range(len(self.series))]
            last = s == self.plan.steps[at].seconds - 1
            code = latency.encode(self.latencies[s]) if s in self.latencies else None
            dt = round(self.random.gauss(1, 0.001), 4)
            self.add(Sample, step=at, s=s, dt=dt, values=values, derived=last, latency=code)

    def value(self, position: int, s: int) -> float | None:
        """Noisy, sometimes missing, as the series declares its decimals."""
        if self.random.random() < 0.03:
            return None
        digits = self.series[position].get("digits", 2)
        base = (50_000, 0, 0.5, 95, 3000)[position % 5]
        return round(abs(self.random.gauss(base, base * 0.07)), digits)

    def repeat_step(self, at: int, attempt: int = 2) -> None:
        """Others have disturbed it: it begins again."""
        self.add(Fact, name="attempt", value={"attempt": attempt - 1}, when=self.plan.steps[at].label)
        self.add(MomentEvent, name=REPEATED, step=at, value=attempt, text=f"attempt {attempt}")

    def end_step(
        self,
        at: int,
        outcome: str = "completed",
        reason: str = "",
        value: float | None = None,
        marks: Sequence[str] = (),
        others: dict[str, Any] | None = None,
    ) -> None:
        step = self.plan.steps[at]
        if outcome != "completed":
            self.add(StepEnded, step=at, outcome=outcome, reason=reason)
            return
        value = value if value is not None else round(self.random.gauss(50_000, 500), 2)
        self.add(
            StepEnded, step=at, outcome=outcome, value=value, seconds=float(step.seconds),
            totals={"events": 5000, "queries": 5000, "errors": 3, "rows": {"read": 5000}},
            latency_ms={"min": 0.1, "avg": 0.3, "max": 9.0}, buckets=self.buckets(),
            per_query=dict(self.per_query),
            sizes={"tables": 1000, "redo": 500, "total": 1500},
            rows={"inserted": 4000, "deleted": 0, "in_tables": 4000},
            status={"Questions": 5000}, marks=list(marks), others=others or {},
            waits=dict(self.waits), statements=list(self.statements),
            operation=vars(KEPT) if step.is_operation else None,
        )  # fmt: skip

    def buckets(self) -> list[list[float]]:
        """Those of the measured seconds, if they have latencies."""
        counts: latency.Counts = {}
        for s in self.latencies:
            latency.add(counts, self.latencies[s] if s >= 0 else {})
        usual = [[0.2, 3000], [0.4, 1900], [9.0, 100]]
        return usual if counts in ({}, latency.counts_of(usual)) else latency.buckets_of(counts)

    def end(self, outcome: str = "completed", reason: str = "") -> Maker:
        self.add(SessionEnded, outcome=outcome, reason=reason, events=len(self.events) + 1)
        return self

    @property
    def raw(self) -> bytes:
        return b"".join(encode(event) for event in self.events)


def whole(its_plan: Plan, session: str = "", failed: int | None = None, seed: int = 1) -> Maker:
    """A session from its beginning to its end, with a note, a log line and perhaps a failed step."""
    maker = Maker(its_plan, session, seed).begin()
    for at in range(len(its_plan.steps)):
        if at == failed:
            maker.step(at, "failed", "sysbench: FATAL: error 1205")
        else:
            maker.step(at)
        if at == 1:
            maker.add(Note, text="the fan is loud", step=at)
            maker.add(LogEvent, source="server", level="warning", text="page cleaner took 4000ms")
    return maker.end()


def canary_of(reads: float) -> dict[str, Any]:
    """What a small server came to before a session; its commits hardly vary."""
    by_second = {"reads_by_second": [reads], "commits_by_second": [900.0]}
    return {"build": "b", "key": "k", "reads": reads, "commits": 900.0, **by_second, "others": {}}


def renamed(its_plan: Plan, **changes: Any) -> Plan:
    return replace(its_plan, **changes)


def store(history: History, *makers: Maker) -> None:
    """The journals of these sessions, each at once."""
    for maker in makers:
        JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.raw)
