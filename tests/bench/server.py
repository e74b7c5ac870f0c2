"""That the bench does not disturb what it measures: Dyno's processes, the server's share, QPS, dead time."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from statistics import mean
from typing import Any

from app.protocol.plan import Plan
from tests.bench.figure import Figure, ratio_figures
from tests.bench.pairs import BLOCK, ratio_of
from tests.bench.processes import Cost, Watch, cpu_s
from tests.bench.turns import Turns, queries_per_second, waiting

from . import rig as rigs

CORE_PCT = 0.25  # of one core
AGENT_PCT = 0.5  # with states of threads, waits by name and figures of the engine
MEMORY_MB = 30.0
RATIO = 0.98
DEAD_S = 0.5  # a step
RUN_IN = 3  # seconds of the step before its costs are taken
IDLE_TURN_S = 15
SECONDS, ENGINES = 300, "innodb,rocksdb"  # where nobody says anything
WORKLOADS = ("point-query", "update-index")

STEP = """
[[step]]
name = "{name}"
workload = "{workload}"
seconds = {seconds}
"""


def engines(options: argparse.Namespace) -> list[str]:
    return str(options.engines or ENGINES).split(",")


# ---- what Dyno's processes on the target cost


def measure_processes(options: argparse.Namespace) -> list[Figure]:
    """CPU and memory of every process of Dyno on the target over a driven step, with a follower attached."""
    found: list[Figure] = []
    with rigs.made(options) as rig:
        for engine in engines(options):
            found += _processes_of(rig, engine, options.seconds or SECONDS)
    return found


def _processes_of(rig: rigs.Rig, engine: str, seconds: int) -> list[Figure]:
    driven = STEP.format(name="read-write", workload="read-write", seconds=seconds + 60)
    plan = rig.plan(engine, driven)
    with rig.carried_out(plan) as followed:
        followed.wait(lambda e: e.kind == "sample" and _is_run_in(plan, e), "a driven second")
        watch = Watch(rig.directory, rig.sshd.pid)
        watch.run(seconds)
    found = [cost for cost in watch.costs.values() if not cost.last.is_sshd]
    found.sort(key=lambda cost: cost.last.pid)
    figures = [each for cost in found for each in _figures_of(engine, cost, followed.agent, watch.seconds)]
    links = sum(cost.cpu_s for cost in watch.costs.values() if cost.last.is_sshd)
    name = f"{engine}: sshd of Dyno's connections, CPU"  # not Dyno's own: told, not judged
    return [*figures, Figure(name, 100 * links / watch.seconds, "% of a core", round(watch.seconds), "s")]


def _is_run_in(plan: Plan, event: Any) -> bool:
    return plan.steps[event.step].kind == "drive" and int(event.s) >= RUN_IN


def _figures_of(engine: str, cost: Cost, agent: int, seconds: float) -> list[Figure]:
    name, n = f"{engine}: {_name_of(cost, agent)}", round(seconds)
    share, ticks = 100 * cost.cpu_s / seconds, 100 * cost.stat_s / seconds
    most = AGENT_PCT if name.endswith("agent") else CORE_PCT
    return [
        Figure(f"{name}, CPU", share, "% of a core", n, "s", at_most=most),
        Figure(f"{name}, CPU by /proc/PID/stat", ticks, "% of a core", n, "s", at_most=most),
        Figure(f"{name}, memory", cost.memory_mb, "MiB", n, "s", at_most=MEMORY_MB, digits=1),
        Figure(f"{name}, most memory since it began", cost.peak_mb, "MiB", n, "s", MEMORY_MB, digits=1),
    ]


def _name_of(cost: Cost, agent: int) -> str:
    if cost.last.pid == agent:
        return "agent"
    return "follow" if " follow " in cost.last.command else cost.last.command[:60]


# ---- the server's share


def measure_server(options: argparse.Namespace) -> list[Figure]:
    """CPU of an idle server with sampling, less without: turns of both, as many seconds of each."""
    found: list[Figure] = []
    with rigs.made(options) as rig:
        for engine in engines(options):
            unused = STEP.format(name="unused", workload="point-query", seconds=1)
            with waiting(rig.plan(engine, unused), rig) as turns:
                found += _server_of(engine, turns, options.seconds or SECONDS)
    return found


def _server_of(engine: str, turns: Turns, seconds: int) -> list[Figure]:
    blocks = max(1, round(seconds / IDLE_TURN_S / 2))
    used: dict[str, list[float]] = {"A": [], "B": []}
    for way in BLOCK * blocks:
        began, before = time.monotonic(), cpu_s(turns.server)
        if way == "A":
            turns.sample(IDLE_TURN_S)
        else:
            time.sleep(IDLE_TURN_S)
        used[way].append(100 * (cpu_s(turns.server) - before) / (time.monotonic() - began))
    n = 2 * blocks * IDLE_TURN_S
    share = mean(used["A"]) - mean(used["B"])
    return [
        Figure(f"{engine}: idle server with sampling", mean(used["A"]), "% of a core", n, "s"),
        Figure(f"{engine}: idle server without", mean(used["B"]), "% of a core", n, "s"),
        Figure(f"{engine}: the server's share", share, "% of a core", 2 * n, "s", at_most=CORE_PCT),
    ]


# ---- QPS under Dyno over QPS without


def measure_qps(options: argparse.Namespace) -> list[Figure]:
    """Turns A B B A of one load on one server: A by the agent with a follower attached, B bare sysbench."""
    found: list[Figure] = []
    with rigs.made(options) as rig:
        for engine in engines(options):
            for workload in WORKLOADS:
                found += _qps_of(rig, engine, workload, options)
    return found


def _qps_of(rig: rigs.Rig, engine: str, workload: str, options: argparse.Namespace) -> list[Figure]:
    blocks = max(1, (options.pairs + 1) // 2)
    steps = [STEP.format(name=f"turn{n}", workload=workload, seconds=options.turn) for n in range(2 * blocks)]
    with waiting(rig.plan(engine, "".join(steps)), rig) as turns:
        turns.drive_bare(turns.step, seed=len(steps) + 1)  # the first turn finds cold caches
        found = [_block(rig, turns, number) for number in range(blocks)]
    bare = mean(b for _, b1, b2, _ in found for b in (b1, b2))
    name, n = f"{engine}: {workload}", 2 * len(found)
    first = Figure(f"{name}, bare sysbench", bare, "queries/s", n, "turns", digits=0)
    return [first, *ratio_figures(f"{name}, under Dyno over bare", ratio_of(found), RATIO)]


def _block(rig: rigs.Rig, turns: Turns, number: int) -> tuple[float, float, float, float]:
    """A B B A; a follower is attached for each A and gone in each B."""
    first = _under_dyno(rig, turns)
    lines = [turns.drive_bare(turns.step, seed=2 * number + each + 1) for each in range(2)]
    bare = [queries_per_second(line) for line in lines]
    return first, bare[0], bare[1], _under_dyno(rig, turns)


def _under_dyno(rig: rigs.Rig, turns: Turns) -> float:
    with rig.followed(turns.plan) as followed:
        index = turns.drive()
        ended = followed.wait(lambda e: e.kind == "step_ended" and e.step == index, "the end of a turn")
    if ended.outcome != "completed":
        raise SystemExit(f"a turn {ended.outcome}: {ended.reason}")
    return float(ended.totals.queries) / float(ended.seconds)


# ---- no dead time


def measure_dead_time(options: argparse.Namespace) -> list[Figure]:
    """What driven steps take beyond the seconds they declare, from one end to the next."""
    found: list[Figure] = []
    with rigs.made(options) as rig:
        for engine in engines(options):
            plan = rig.plan(engine, "", sequence="duel")
            with rig.carried_out(plan) as followed:
                found += _dead_time_of(engine, plan, followed.to_the_end())
    return found


def _dead_time_of(engine: str, plan: Plan, events: Sequence[Any]) -> list[Figure]:
    ends = [0.0, *(event.t for event in events if event.kind == "step_ended")]
    beyond = [
        ends[index + 1] - ends[index] - step.seconds - step.warmup
        for index, step in enumerate(plan.steps)
        if step.kind == "drive"
    ]
    start = next(event.t for event in events if event.kind == "step_started")
    after = events[-1].t - ends[-1]
    n = len(beyond)
    return [
        Figure(f"{engine}: beyond the declared seconds, the longest", max(beyond), "s", n, "steps", DEAD_S),
        Figure(f"{engine}: beyond the declared seconds, on average", mean(beyond), "s", n, "steps", DEAD_S),
        Figure(f"{engine}: before the first step (server made and started)", start, "s", 1, "session"),
        Figure(f"{engine}: after the last step (rows counted, shutdown)", after, "s", 1, "session"),
    ]


FIGURES = {
    "processes": measure_processes,
    "server": measure_server,
    "qps": measure_qps,
    "dead-time": measure_dead_time,
}
