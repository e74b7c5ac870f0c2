"""Starting from a kept data set against loading it: until the first test, and what three tests then show."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from app.protocol.plan import Step
from tests.bench.figure import Figure
from tests.bench.rig import Rig, made

ENGINES = "innodb,rocksdb"
TABLES, ROWS, FASTER = 4, 1_000_000, 10
TESTS = ("point-query", "read-only", "update-index")
SECONDS, WARMUP, REPEATS = 10, 5, 3
STEPS = "".join(f'\n[[step]]\nname = "{name}"\nworkload = "{name}"\n' for name in TESTS)


@dataclass(frozen=True)
class Session:
    """One that was carried out, as its journal tells it."""

    steps: list[Step]
    events: Sequence[Any]

    def first(self, kind: str, name: str) -> Any:
        """The event of this kind about a step."""
        return next(e for e in self.events if e.kind == kind and self.steps[e.step].name == name)

    @property
    def until_first_test(self) -> float:
        """Server made, loaded, settled; or copied and started."""
        return float(self.first("step_started", TESTS[0]).t)

    def value(self, name: str) -> float:
        return float(self.first("step_ended", name).value)


def measure(options: argparse.Namespace) -> list[Figure]:
    with made(options) as rig:
        return [
            figure for engine in (options.engines or ENGINES).split(",") for figure in _measure(rig, engine)
        ]


def _measure(rig: Rig, engine: str) -> list[Figure]:
    """Sessions of both starts in turns; the one that makes the snapshot counts for neither."""
    _carry_out(rig, engine, "snapshot")
    loaded, kept = [], []
    for _ in range(REPEATS):
        loaded.append(_carry_out(rig, engine, "loaded"))
        kept.append(_carry_out(rig, engine, "snapshot"))
    return [*_start_figures(rig, engine, loaded, kept), *_test_figures(engine, loaded, kept)]


def _carry_out(rig: Rig, engine: str, start: str) -> Session:
    size = {"tables": TABLES, "rows": rig.options.rows or ROWS, "seconds": SECONDS, "warmup": WARMUP}
    plan = rig.plan(engine, STEPS, start=start, **size)
    with rig.carried_out(plan) as followed:
        events = followed.to_the_end()
    if events[-1].outcome != "completed":
        raise SystemExit(f"{engine}, {start}: {events[-1].outcome}: {events[-1].reason}")
    return Session(plan.steps, events)


def _start_figures(rig: Rig, engine: str, loaded: list[Session], kept: list[Session]) -> list[Figure]:
    long, short = (median(each.until_first_test for each in sessions) for sessions in (loaded, kept))
    what = f"{engine}, {TABLES} x {rig.options.rows or ROWS:,} rows"
    return [
        Figure(f"{what}: until the first test, loaded", long, "s", REPEATS, "sessions"),
        Figure(f"{what}: until the first test, from a snapshot", short, "s", REPEATS, "sessions"),
        Figure(f"{what}: times faster", long / short, "", REPEATS, "pairs", at_least=FASTER, digits=1),
    ]


def _test_figures(engine: str, loaded: list[Session], kept: list[Session]) -> list[Figure]:
    figures = []
    for name in TESTS:
        one, other = (median(each.value(name) for each in sessions) for sessions in (loaded, kept))
        figures += [
            Figure(f"{engine}: {name}, loaded", one, "queries/s", REPEATS, "sessions", digits=0),
            Figure(f"{engine}: {name}, from a snapshot over loaded", other / one, "", REPEATS, "pairs"),
        ]
    return figures


FIGURES = {"snapshot": measure}
