"""What is known of a step, as journals have it, and the causes that follow from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.comparison.verdicts.compare import compare
from app.comparison.why.causes import CausesEntry, causes
from app.history.store.history import History
from app.protocol.events import Fact, StepEnded
from app.protocol.plan import Step
from tests import journals
from tests.journals import store

STEPS = [Step("update", "drive", unit="queries/s", threads=4, coordinates={"threads": 4}, seconds=3)]
FAST, SLOW = 10_000.0, 1_000.0  # queries a second: 400 and 4,000 us per query of four clients
# the time of the clients per query, by state
CALM = {"running": 100.0, "runnable": 50.0, "disk": 10.0, "fsync": 5.0, "lock": 5.0, "network": 230.0}


@dataclass(frozen=True)
class Seen:
    """What is known of a step."""

    states: Mapping[str, float] = field(default_factory=lambda: CALM)
    spent: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)  # ms of 5,000 queries
    named: Mapping[str, float] = field(default_factory=dict)  # us per query
    others: Mapping[str, Any] = field(default_factory=dict)
    series: Mapping[str, float] = field(default_factory=dict)
    by_name: bool = False
    files: Mapping[str, float] = field(default_factory=dict)  # bytes of 5,000 queries
    schedule: Mapping[str, float] = field(default_factory=dict)
    status: Mapping[str, float] = field(default_factory=dict)  # of 5,000 statements
    variables: Mapping[str, str] = field(default_factory=dict)


class Made(journals.Maker):
    """Its series have these values all the time."""

    def value(self, position: int, s: int) -> float | None:
        return float(self.series[position]["value"])


def keep(history: History, number: int, rate: float, seen: Seen, engine: str) -> str:
    lines = "".join(f"{name}={value}\n" for name, value in seen.variables.items())
    contender = replace(journals.contender(engine), cnf=f"[mysqld]\n{lines}")
    plan = journals.plan([contender], number=number, its_steps=STEPS)
    maker = Made(plan)
    maker.begin([{**journals.SERIES[0], "name": name, "value": value} for name, value in seen.series.items()])
    maker.add(Fact, name="variables", value={**journals.VARIABLES, **seen.variables}, when="begun")
    maker.start_step(0)
    maker.samples(0, range(3))
    events = [
        {"name": name, "kind": "mutex", "count": 9, "ms": us * 5, "per_query_us": us}
        for name, us in seen.named.items()
    ]
    times = {f"client_{state}_us": time for state, time in seen.states.items()}
    maker.add(
        StepEnded,
        step=0,
        outcome="completed",
        value=rate,
        totals={"events": 5000, "queries": 5000, "errors": 0},
        per_query={**times, **seen.spent},
        others=dict(seen.others),
        waits={
            "by_name": seen.by_name,
            "kinds": dict(seen.kinds),
            "events": events,
            "files": dict(seen.files),
        },
        schedule=dict(seen.schedule),
        status={"questions": 5000.0, **seen.status} if seen.status else {},
    )
    store(history, maker.end())
    return maker.session


def found(
    history: History, base: Seen, planted: Seen, engine: str = "innodb", rates: Any = (FAST, SLOW)
) -> CausesEntry:
    ids = [keep(history, at, rates[at], seen, engine) for at, seen in enumerate((base, planted))]
    comparison = compare(history, ids)
    return causes(history, comparison, comparison.rows[0], 1)


def names(entry: CausesEntry) -> list[str]:
    return [each["name"] for each in entry["causes"]]


def with_time(**states: float) -> dict[str, float]:
    return {**CALM, **states}
