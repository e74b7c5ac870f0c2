"""Whether a ratio in slices is that of whole steps: turns A B B A of both, on the same two live servers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log

from app.history.figures import steps
from app.history.history import History
from app.planner import ContenderRequest
from app.planner.cores import OWN_CPUS
from app.protocol.plan import SLICES, Plan, Step
from tests.bench import rig as rigs
from tests.bench.figure import Figure
from tests.bench.pairs import BLOCK, mean_ratio
from tests.bench.sliced_plans import LOGS, ROWS, TABLES, THREADS, write_presets

# no workload has clients of two kinds: here each does a little reading between many changes
_WRITER = (
    'workload = "read-write"\noptions = {point_selects = 2, simple_ranges = 0, sum_ranges = 0,'
    " order_ranges = 0, distinct_ranges = 0, index_updates = 8, non_index_updates = 8}"
)
WORKLOADS = {
    **{name: f'workload = "{name}"' for name in ("point-query", "read-only", "update-index", "read-write")},
    "writer-and-reader": _WRITER,
    "insert": 'workload = "insert"',  # the last one: those behind it would find other rows
}
ENGINES = {"rocksdb": "default", "innodb": "other", "myisam": "default"}  # against InnoDB: preset by engine
TURNS = BLOCK.lower()
WHOLE = TURNS[1]  # the others are in slices
PAIRS = ((0, 1), (3, 2))  # of a block: in slices, whole
SECONDS, WITHIN_PCT = 6, 5.0  # of a step; goal
TIMES = 10  # what its steps take, until a plan takes too long
Rates = Mapping[str, float | None]  # by step


def measure(options: argparse.Namespace) -> Iterator[tuple[str, LOGS]]:
    """Plan after plan: its engine, and how far apart both ratios are (logarithms), by workload."""
    engines = (options.engines or ",".join(ENGINES)).split(",")
    with rigs.made(options) as rig:
        write_presets(rig.home)
        build = rig.build_with("rocksdb")
        for _ in range(options.plans or 1):
            for engine in engines:
                plan = _plan(rig, build, engine)
                with rig.carried_out(plan) as followed:
                    followed.to_the_end(TIMES * len(plan.steps) * len(plan.contenders) * _seconds(options))
                yield engine, logs_of(*_rates(rig, plan))


def _plan(rig: rigs.Rig, build: str, engine: str) -> Plan:
    seconds = _seconds(rig.options)
    tables = "".join(
        f'\n[[step]]\nname = "{name}.{at}{turn}"\n{lines}\nseconds = {seconds}\nwarmup = 1\n'
        for name, lines in WORKLOADS.items()
        for at, turn in enumerate(TURNS * rig.options.rounds)
    )
    asked = (("innodb", "default"), (engine, ENGINES[engine]))
    contenders = tuple(ContenderRequest(build, of, preset, name=f"{of}-{preset}") for of, preset in asked)
    size = {"tables": TABLES, "rows": rig.options.rows or ROWS, "threads": (THREADS,)}
    plan = rig.plan(engine, tables, contenders=contenders, order=SLICES, cpus=OWN_CPUS, repeats=1, **size)
    return replace(plan, steps=[_whole_where_named(step) for step in plan.steps])


def _seconds(options: argparse.Namespace) -> int:
    return options.seconds or SECONDS


def _whole_where_named(step: Step) -> Step:
    return replace(step, sliced=step.sliced and not step.name.endswith(WHOLE))


def _rates(rig: rigs.Rig, plan: Plan) -> list[Rates]:
    """Of both contenders."""
    with History(rig.home) as history:
        return [{each["name"]: each["value"] for each in steps(history, turn.session)} for turn in plan.turns]


def logs_of(base: Rates, other: Rates) -> LOGS:
    """The ratio in slices over that of whole steps, for each pair of them that has all figures."""
    return {name: [*_pairs(name, base, other)] for name in WORKLOADS}


def _pairs(name: str, base: Rates, other: Rates) -> Iterator[float]:
    for first, second in _places(base, name):
        sliced, whole = (f"{name}.{at}{TURNS[at % len(TURNS)]}" for at in (first, second))
        known = [rates.get(step) for step in (sliced, whole) for rates in (other, base)]
        if all(known):
            above, below, above_whole, below_whole = (float(each or 0) for each in known)
            yield log(above / below) - log(above_whole / below_whole)


def _places(rates: Rates, name: str) -> Iterator[tuple[int, int]]:
    """Of the pairs of all blocks."""
    steps = sum(each.startswith(f"{name}.") for each in rates)
    for block in range(0, steps, len(TURNS)):
        yield from ((block + sliced, block + whole) for sliced, whole in PAIRS)


def figures_of(found: Mapping[str, LOGS]) -> list[Figure]:
    return [
        figure
        for engine, logs in found.items()
        for name, of_pairs in logs.items()
        if len(of_pairs) > 1
        for figure in _figures(f"{engine} over InnoDB, {name}: ratio in slices over whole steps", of_pairs)
    ]


def _figures(label: str, logs: list[float]) -> list[Figure]:
    ratio = mean_ratio(logs)
    off = 100 * abs(ratio.value - 1)
    return [
        Figure(label, ratio.value, "", ratio.pairs, "pairs", digits=3),
        Figure(f"{label}, from (95 %)", ratio.low, "", ratio.pairs, "pairs", digits=3),
        Figure(f"{label}, to (95 %)", ratio.high, "", ratio.pairs, "pairs", digits=3),
        Figure(f"{label}, off", off, "%", ratio.pairs, "pairs", at_most=WITHIN_PCT, digits=1),
    ]
