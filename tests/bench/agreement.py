"""Whether slices agree with whole steps: turns A B B A of both, on the same two live servers."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log

from app.history.steps.figures import steps
from app.history.store.history import History
from app.planner.request.contender import ContenderRequest
from app.planner.request.cores import OWN_CPUS
from app.protocol.plan import SLICES, Plan, Step
from tests.bench import rig as rigs
from tests.bench.figure import Figure
from tests.bench.pairs import BLOCK, mean_ratio
from tests.bench.sliced_plans import ROWS, TABLES, THREADS, write_presets

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
BASE, ALL = "innodb", "all workloads"
ENGINES = {"rocksdb": "baseline", BASE: "other", "myisam": "baseline"}  # against InnoDB: preset by engine
TURNS = BLOCK.lower()
WHOLE = TURNS[1]  # the others are in slices
PAIRS = ((0, 1), (3, 2))  # of a block: in slices, whole
SECONDS = 6  # of a step
RATIO, RATE, PERCENTILES = "ratio", "rate", ("p50", "p95", "p99")
WITHIN_PCT = {RATIO: 5.0, **dict.fromkeys(PERCENTILES, 3.0)}  # goals
TIMES = 10  # what its steps take, until a plan takes too long
Figures = Mapping[str, Mapping[str, float | None]]  # of a session: by step, by measure
Key = tuple[str, str, str]  # engine, workload (or all of them), measure
Logs = dict[Key, list[float]]  # in slices over whole steps; the ratio is that of InnoDB's rate


def measure(options: argparse.Namespace) -> Iterator[Logs]:
    """After each plan, what all plans so far have found."""
    engines = (options.engines or ",".join(ENGINES)).split(",")
    found: Logs = defaultdict(list)
    with rigs.made(options) as rig:
        write_presets(rig.home)
        build = rig.build_with("rocksdb")
        for _ in range(options.plans or 1):
            for engine in engines:
                plan = _plan(rig, build, engine)
                with rig.carried_out(plan) as followed:
                    followed.to_the_end(TIMES * len(plan.steps) * len(plan.contenders) * _seconds(options))
                for key, logs in logs_of(engine, *_figures_of(rig, plan)).items():
                    found[key] += logs
                yield found


def _plan(rig: rigs.Rig, build: str, engine: str) -> Plan:
    seconds = _seconds(rig.options)
    chosen = rig.options.workloads.split(",") if rig.options.workloads else WORKLOADS
    tables = "".join(
        f'\n[[step]]\nname = "{name}.{at}{turn}"\n{WORKLOADS[name]}\nseconds = {seconds}\nwarmup = 1\n'
        for name in chosen
        for at, turn in enumerate(TURNS * rig.options.rounds)
    )
    asked = ((BASE, "baseline"), (engine, ENGINES[engine]))
    contenders = tuple(ContenderRequest(build, of, preset, name=f"{of}-{preset}") for of, preset in asked)
    size = {"tables": TABLES, "rows": rig.options.rows or ROWS, "threads": (THREADS,)}
    plan = rig.plan(engine, tables, contenders=contenders, order=SLICES, cpus=OWN_CPUS, repeats=1, **size)
    return replace(plan, steps=[_whole_where_named(step) for step in plan.steps])


def _seconds(options: argparse.Namespace) -> int:
    return options.seconds or SECONDS


def _whole_where_named(step: Step) -> Step:
    """Those that an engine does not cut are cut here, too."""
    return replace(step, sliced=step.kind == "drive" and not step.name.endswith(WHOLE))


def _figures_of(rig: rigs.Rig, plan: Plan) -> list[Figures]:
    """Of both contenders."""
    with History(rig.home) as history:
        return [
            {
                each["name"]: {RATE: each["value"], **each["latency_ms"]}
                for each in steps(history, turn.session)
            }
            for turn in plan.turns
        ]


def logs_of(engine: str, base: Figures, other: Figures) -> Logs:
    """Of each pair that has its figures."""
    found: Logs = defaultdict(list)
    for name in WORKLOADS:
        of_base, of_other = (_changes(each, name, RATE) for each in (base, other))
        both = zip(of_base, of_other, strict=True)
        found[engine, name, RATIO] = [
            there - here for here, there in both if here is not None and there is not None
        ]
        for measure in PERCENTILES:
            for its_engine, figures in ((BASE, base), (engine, other)):
                changes = _changes(figures, name, measure)
                found[its_engine, ALL, measure] += [each for each in changes if each is not None]
    return found


def _changes(figures: Figures, name: str, measure: str) -> list[float | None]:
    """For each pair of a workload, in slices over whole; None without both figures."""
    found: list[float | None] = []
    count = sum(step.startswith(f"{name}.") for step in figures)
    for block in range(0, count, len(TURNS)):
        for pair in PAIRS:
            sliced, whole = (figures[f"{name}.{block + at}{TURNS[at]}"].get(measure) for at in pair)
            found.append(log(sliced / whole) if sliced and whole else None)
    return found


def figures_of(found: Logs) -> list[Figure]:
    return [figure for key, logs in found.items() if len(logs) > 1 for figure in _figures(key, logs)]


def _figures(key: Key, logs: list[float]) -> list[Figure]:
    engine, name, measure = key
    whose = f"{engine} over {BASE}" if measure == RATIO else engine
    label, ratio = f"{whose}, {name}: {measure} in slices over whole steps", mean_ratio(logs)
    off = 100 * abs(ratio.value - 1)
    return [
        Figure(label, ratio.value, "", ratio.pairs, "pairs", digits=3),
        Figure(f"{label}, from (95 %)", ratio.low, "", ratio.pairs, "pairs", digits=3),
        Figure(f"{label}, to (95 %)", ratio.high, "", ratio.pairs, "pairs", digits=3),
        Figure(f"{label}, off", off, "%", ratio.pairs, "pairs", at_most=WITHIN_PCT[measure], digits=1),
    ]
