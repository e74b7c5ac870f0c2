"""The throughput of our Lua against that of sysbench's own script, for the tests that both have."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from resource import RUSAGE_CHILDREN, getrusage
from statistics import mean

from app.agent.load.generator import driver_options
from app.agent.server.affinity import set_affinity
from app.agent.server.program import find_sysbench
from app.protocol.cpus import as_text
from app.protocol.plan import Step
from tests.bench.figure import Figure, ratio_figures
from tests.bench.pairs import ratio_of
from tests.bench.server import RATIO, STEP, engines
from tests.bench.turns import Turns, waiting

from . import rig as rigs

TURN_S = 1  # short: the speed of a machine moves within seconds
# select_random_points and select_random_ranges read other columns by another key than any workload of ours
SCRIPTS = {
    "point-query": "oltp_point_select",
    "read-only": "oltp_read_only",
    "update-index": "oltp_update_index",
    "update-nonindex": "oltp_update_non_index",
    "write-only": "oltp_write_only",
    "read-write": "oltp_read_write",
    "insert": "oltp_insert",
    "delete-only": "oltp_delete",
}
_DONE = re.compile(r"total time:\s+([\d.]+)s\s+total number of events:\s+(\d+)")


@dataclass(frozen=True)
class Turn:
    """One process of sysbench."""

    rate: float  # events a second
    cpu_us: float  # of the process, an event

    @classmethod
    def of(cls, events: int, seconds: float, cpu_s: float) -> Turn:
        return cls(events / seconds, 1e6 * cpu_s / events)


def measure_lua(options: argparse.Namespace) -> list[Figure]:
    """Events a second in turns A B B A on one server and its tables: A our Lua, B sysbench's script."""
    found: list[Figure] = []
    steps = "".join(STEP.format(name=name, workload=name, seconds=TURN_S) for name in SCRIPTS)
    with rigs.made(options) as rig:
        for engine in engines(options):
            plan = rig.plan(engine, steps, threads=(1,), rows=options.rows or 200_000)
            with waiting(plan, rig) as turns, _apart(turns.server):
                for step in turns.plan.steps:
                    if step.kind == "drive":
                        found += _lua_of(engine, turns, step, max(1, (options.pairs + 1) // 2))
    return found


@contextmanager
def _apart(server: int) -> Iterator[None]:
    """The server on the first CPU, sysbench on the others: else they meet in some turns only."""
    every = os.sched_getaffinity(0)
    first, *others = sorted(every)
    set_affinity(server, as_text([first]))
    os.sched_setaffinity(0, others or every)
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def _lua_of(engine: str, turns: Turns, step: Step, blocks: int) -> list[Figure]:
    _ours(turns, step, 1)  # the first turn finds cold caches
    _stock(turns, step, 1)
    found = [_block(turns, step, 2 * number + 2) for number in range(blocks)]
    name, script = f"{engine}: {step.name}", SCRIPTS[step.workload]
    stock = mean(turn.rate for block in found for turn in block[1:3])
    rate, cpu = (ratio_of([_four(block, what) for block in found]) for what in ("rate", "cpu_us"))
    return [
        Figure(f"{name}, {script}", stock, "events/s", 2 * blocks, "turns", digits=0),
        *ratio_figures(f"{name}, our Lua over it", rate, RATIO),
        Figure(f"{name}, CPU of an event in sysbench, over it", cpu.value, "", 2 * blocks, "pairs"),
    ]


def _four(block: Sequence[Turn], what: str) -> tuple[float, float, float, float]:
    a1, b1, b2, a2 = (float(getattr(turn, what)) for turn in block)
    return a1, b1, b2, a2


def _block(turns: Turns, step: Step, seed: int) -> list[Turn]:
    ways = (_ours, _stock, _stock, _ours)
    return [way(turns, step, seed + at // 2) for at, way in enumerate(ways)]


def _ours(turns: Turns, step: Step, seed: int) -> Turn:
    before = _spent_s()
    total = turns.drive_bare(step, seed)
    return Turn.of(int(total["events"]), float(total["time_s"]), _spent_s() - before)


def _spent_s() -> float:
    """CPU of the processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _stock(turns: Turns, step: Step, seed: int) -> Turn:
    plan, engine = turns.plan, turns.plan.contenders[0].engine
    line = [find_sysbench(), SCRIPTS[step.workload], *driver_options(turns.socket, 0), "--mysql-db=dyno"]
    line += [f"--tables={plan.tables}", f"--table-size={plan.rows}", f"--mysql-storage-engine={engine}"]
    line += [f"--threads={step.threads}", f"--time={step.seconds}", "--events=0", f"--rand-seed={seed}"]
    line += ["--rand-type=uniform", "--report-interval=1", "--histogram=on", "--percentile=95", "run"]
    before = _spent_s()
    said = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    done = _DONE.search(said)
    assert done, said
    return Turn.of(int(done[2]), float(done[1]), _spent_s() - before)


FIGURES = {"lua": measure_lua}
