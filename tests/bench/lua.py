"""The throughput of our Lua against that of sysbench's own script, for the tests that both have."""

from __future__ import annotations

import argparse
import re
import subprocess
from statistics import mean

from app.agent.generator import driver_options, find_sysbench
from app.protocol.plan import Step

from . import rig as rigs
from .figure import Figure, ratio_figures
from .pairs import ratio_of
from .server import RATIO, STEP, engines
from .turns import Turns, waiting

TURN_S = 2  # short: this machine's speed moves within a minute
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
_RATE = re.compile(r"transactions:\s+\d+\s+\(([\d.]+) per sec")


def measure_lua(options: argparse.Namespace) -> list[Figure]:
    """Events a second in turns A B B A on one server and its tables: A our Lua, B sysbench's script."""
    found: list[Figure] = []
    steps = "".join(STEP.format(name=name, workload=name, seconds=TURN_S) for name in SCRIPTS)
    with rigs.made(options) as rig:
        for engine in engines(options):
            with waiting(rig.plan(engine, steps, threads=(1,), rows=options.rows or 200_000), rig) as turns:
                for step in turns.plan.steps:
                    if step.kind == "drive":
                        found += _lua_of(engine, turns, step, max(1, (options.pairs + 1) // 2))
    return found


def _lua_of(engine: str, turns: Turns, step: Step, blocks: int) -> list[Figure]:
    _ours(turns, step, 1)  # the first turn finds cold caches
    _stock(turns, step, 1)
    found = [_block(turns, step, 2 * number + 2) for number in range(blocks)]
    name, script = f"{engine}: {step.name}", SCRIPTS[step.workload]
    stock = mean(b for _, b1, b2, _ in found for b in (b1, b2))
    first = Figure(f"{name}, {script}", stock, "events/s", 2 * blocks, "turns", digits=0)
    return [first, *ratio_figures(f"{name}, our Lua over it", ratio_of(found), RATIO)]


def _block(turns: Turns, step: Step, seed: int) -> tuple[float, float, float, float]:
    first = _ours(turns, step, seed)
    stock = _stock(turns, step, seed), _stock(turns, step, seed + 1)
    return first, *stock, _ours(turns, step, seed + 1)


def _ours(turns: Turns, step: Step, seed: int) -> float:
    total = turns.drive_bare(step, seed)
    return float(total["events"]) / float(total["time_s"])


def _stock(turns: Turns, step: Step, seed: int) -> float:
    plan, engine = turns.plan, turns.plan.contenders[0].engine
    line = [find_sysbench(), SCRIPTS[step.workload], *driver_options(turns.socket, 0), "--mysql-db=dyno"]
    line += [f"--tables={plan.tables}", f"--table-size={plan.rows}", f"--mysql-storage-engine={engine}"]
    line += [f"--threads={step.threads}", f"--time={step.seconds}", "--events=0", f"--rand-seed={seed}"]
    line += ["--rand-type=uniform", "--report-interval=1", "--histogram=on", "--percentile=95", "run"]
    said = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    rate = _RATE.search(said)
    assert rate, said
    return float(rate[1])


FIGURES = {"lua": measure_lua}
