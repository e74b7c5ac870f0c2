"""How far estimates are off: plans of several sizes and engines, each estimated before it is carried out."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import median

from app.history.lists.sessions import sessions_of_plan
from app.history.machines.measured import read_machine_record
from app.history.store.history import History
from app.planner.estimate.estimate import estimate
from app.protocol.plan import Plan
from tests.bench import rig as rigs
from tests.bench.figure import Figure

ENGINES = ("innodb", "rocksdb", "myisam")
FIRST_ROWS = 100_000  # of a table: the plans that estimates are learned from
ROWS = (50_000, 200_000, 400_000)
STEPS = "\n".join(
    (
        '[[step]]\nworkload = "point-query"\nseconds = 2\nwarmup = 0\n',
        '[[step]]\nworkload = "update-index"\nevents = 4000\nwarmup = 0\n',
        '[[step]]\nworkload = "scan"\n',
    )
)


def measure(options: argparse.Namespace) -> list[Figure]:
    guessed, learned = [], []
    engines = options.engines.split(",") if options.engines else ENGINES
    with rigs.made(options) as rig:
        for engine in engines:
            _errors(rig, rig.plan(engine, STEPS, rows=FIRST_ROWS))
        for rows in ROWS:
            for engine in engines:
                errors = _errors(rig, rig.plan(engine, STEPS, rows=rows))
                guessed.append(errors[0])
                learned.append(errors[1])
    return [*_figures("guessed", guessed), *_figures("by earlier sessions", learned)]


def _errors(rig: rigs.Rig, plan: Plan) -> tuple[float, float]:
    """By how many percent the guess and what was learned differ from what the plan took."""
    with History(rig.home) as history:
        known = read_machine_record(history, plan.machine_key)
    expected = [estimate(plan, rig.survey).seconds, estimate(plan, rig.survey, known).seconds]
    with rig.carried_out(plan) as followed:
        followed.to_the_end()
    took = _took(rig, plan)
    print(f"{plan.rows} rows: {took:.1f} s, expected {expected[0]:.1f} s, {expected[1]:.1f} s", flush=True)
    guessed, learned = (100 * (each / took - 1) for each in expected)
    return guessed, learned


def _took(rig: rigs.Rig, plan: Plan) -> float:
    with History(rig.home) as history:
        ids = sessions_of_plan(history, plan.id)
        marks = ", ".join("?" * len(ids))
        rows = history.query(f"SELECT ended_t FROM session WHERE id IN ({marks})", ids)
    return float(sum(seconds for (seconds,) in rows))


def _figures(how: str, errors: Sequence[float]) -> list[Figure]:
    off, n = [abs(each) for each in errors], len(errors)
    return [
        Figure(f"time of a plan, {how}: off by, median", median(off), "%", n, "plans", digits=0),
        Figure(f"time of a plan, {how}: off by, at most", max(off), "%", n, "plans", digits=0),
    ]


FIGURES = {"estimates": measure}
