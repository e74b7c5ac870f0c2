"""The insert benchmark of two engines: rows per second, rates that are kept, the longest responses, the size.

python -m tests.bench insert-benchmark              # about 12 minutes a contender
python -m tests.bench insert-benchmark --short      # one: it shows that the part works
python -m tests.bench insert-benchmark --memory-limit 300M --rows 6000000      # beyond memory
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from app.catalog import Catalog
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.events import StepEnded
from app.protocol.plan import Plan, Step
from app.protocol.step_parts import RateAdherence
from tests.bench import rig as rigs
from tests.bench.figure import Figure
from tests.bench.server import engines

WHOLE, SHORT = "insert-benchmark", "insert-benchmark-short"
KEPT_PCT = 95.0  # of its rate: below it the author compares no queries
LONGEST_S = 5400.0  # of a contender
MIB = 1 << 20


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--short", action="store_true", help="of insert-benchmark: the form of a minute")
    parser.add_argument("--memory-limit", default="", help="of insert-benchmark: of each server, as 300M")


def measure(options: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    with rigs.made(options) as rig:
        for engine in engines(options):
            found += _measured(rig, engine, SHORT if options.short else WHOLE)
    return found


def _measured(rig: rigs.Rig, engine: str, sequence: str) -> list[Figure]:
    options = rig.options
    contender = ContenderRequest(rig.build_with(engine), engine, memory_limit=options.memory_limit)
    asked = PlanRequest(
        target=rigs.NAME,
        sequence=sequence,
        contenders=(contender,),
        rows=options.rows or None,
        allow_busy=bool(options.allow_busy),
    )
    plan = resolve(asked, rig.survey, Catalog())
    with rig.carried_out(plan) as followed:
        ended = [each for each in followed.to_the_end(LONGEST_S) if isinstance(each, StepEnded)]
    if failed := [f"{plan.steps[each.step].name}: {each.reason}" for each in ended if each.value is None]:
        raise SystemExit(f"{engine}: {'; '.join(failed)}")
    return figures_of(engine, plan, ended)


def figures_of(engine: str, plan: Plan, ended: Sequence[StepEnded]) -> list[Figure]:
    """Those of each step and role that has any, then the size of the data directory at the end."""
    found = [each for end in ended for each in _of_step(engine, plan.steps[end.step], end)]
    return [
        *found,
        Figure(f"{engine}, data directory at the end", _mib(ended), "MiB", 1, "session", digits=1),
    ]


def _mib(ended: Sequence[StepEnded]) -> float:
    return next(end.sizes["total"] or 0.0 for end in reversed(ended) if end.sizes.get("total")) / MIB


def _of_step(engine: str, step: Step, end: StepEnded) -> Iterator[Figure]:
    name, events = f"{engine}, {step.name}", int(end.totals.events or 0)
    if not step.workload or step.follows:
        return
    if step.rate:
        yield _kept(name, events, end.schedule or RateAdherence())
    else:
        yield Figure(name, end.value or 0.0, step.unit, events, "events", digits=1)
    if (longest := end.latency_ms.get("max")) is not None:
        yield Figure(f"{name}, longest response", longest, "ms", events, "events", digits=1)


def _kept(name: str, events: int, schedule: RateAdherence) -> Figure:
    kept = 100 * (schedule.achieved or 0.0) / schedule.rate if schedule.rate else 0.0
    return Figure(f"{name}, rate kept", kept, "%", events, "events", at_least=KEPT_PCT, digits=1)


FIGURES = {WHOLE: measure}
