"""Filling a table and building its index, by each load method, against `sysbench prepare`."""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from app.agent.load.generator import driver_options
from app.agent.server.program import find_sysbench
from app.core.errors import InputError
from app.protocol.plan import Plan
from tests.bench.figure import Figure
from tests.bench.pairs import BLOCK, ratio_of
from tests.bench.processes import cpu_s
from tests.bench.server import STEP, engines
from tests.bench.turns import Turns, waiting

from . import rig as rigs

ROWS = 4_000_000
FASTER = 1.5  # rows of a fast method, against prepare
GOALS = {("innodb", "parallel"), ("rocksdb", "parallel"), ("rocksdb", "bulk")}
SIZE = 0.02  # of prepare's; what differs by more is refused for space and for reads before the writes
SEED = 1


@dataclass(frozen=True)
class Loaded:
    """One load."""

    rows_s: float
    index_s: float
    cpu_s: float  # of the server, while the rows came in
    size: int  # of the tables, settled


def measure_load(options: argparse.Namespace) -> list[Figure]:
    """Turns A B B A on one server: A a method of ours, B `sysbench prepare`; each is settled behind it."""
    rows = options.rows or ROWS
    found: list[Figure] = []
    with rigs.made(options) as rig:
        for engine in engines(options):
            unused = STEP.format(name="unused", workload="point-query", seconds=1)
            with waiting(rig.plan(engine, unused, tables=1, rows=1000), rig) as turns:
                for method in options.methods.split(","):
                    found += _method_of(rig, turns, engine, method, rows)
    return found


def _method_of(rig: rigs.Rig, turns: Turns, engine: str, method: str, rows: int) -> list[Figure]:
    try:
        plan = rig.plan(engine, "", tables=1, rows=rows, load_method=method)
    except InputError as error:
        print(f"{engine}: {error}", flush=True)
        return []
    loads = [_ours(turns, plan) if way == "A" else _prepare(turns, rows) for way in BLOCK]
    return _figures_of(f"{engine}: {method}", loads, rows, FASTER if (engine, method) in GOALS else None)


def _figures_of(name: str, loads: Sequence[Loaded], rows: int, goal: float | None) -> list[Figure]:
    a1, b1, b2, a2 = loads
    ours, theirs = (a1, a2), (b1, b2)
    rows_ratio = ratio_of([(1 / a1.rows_s, 1 / b1.rows_s, 1 / b2.rows_s, 1 / a2.rows_s)]).value
    index_ratio = ratio_of([(1 / a1.index_s, 1 / b1.index_s, 1 / b2.index_s, 1 / a2.index_s)]).value
    apart = max(abs(a.size / b.size - 1) for a in ours for b in theirs)
    return [
        _rate(f"{name}, rows", [rows / each.rows_s for each in ours]),
        _rate(f"{name}, rows of prepare", [rows / each.rows_s for each in theirs]),
        Figure(f"{name}, rows over prepare", rows_ratio, "", 2, "pairs", at_least=goal),
        _rate(f"{name}, index", [rows / each.index_s for each in ours]),
        Figure(f"{name}, index over prepare", index_ratio, "", 2, "pairs"),
        _cpu(f"{name}, CPU of the server", ours, rows),
        _cpu(f"{name}, CPU of the server for prepare", theirs, rows),
        Figure(f"{name}, size apart from prepare", 100 * apart, "%", 2, "pairs", at_most=100 * SIZE),
    ]


def _rate(name: str, rates: Sequence[float]) -> Figure:
    return Figure(name, mean(rates), "rows/s", len(rates), "loads", digits=0)


def _cpu(name: str, loads: Sequence[Loaded], rows: int) -> Figure:
    spent = mean(1e6 * each.cpu_s / rows for each in loads)
    return Figure(name, spent, "us a row", len(loads), "loads", digits=2)


def _ours(turns: Turns, plan: Plan) -> Loaded:
    turns.empty()
    load, index = plan.steps[:2]
    before = cpu_s(turns.server)
    rows_s = float(turns.drive_bare(load, SEED, plan)["time_s"])
    spent = cpu_s(turns.server) - before
    index_s = float(turns.drive_bare(index, SEED, plan)["time_s"])
    return Loaded(rows_s, index_s, spent, turns.settle()["tables"])


def _prepare(turns: Turns, rows: int) -> Loaded:
    """`sysbench prepare`: its parts are told apart by when it says that it begins them."""
    turns.empty()
    engine = turns.plan.contenders[0].engine
    line = ["stdbuf", "-oL", find_sysbench(), "oltp_read_write", *driver_options(turns.socket, 0)]
    line += ["--mysql-db=dyno", f"--table-size={rows}", f"--mysql-storage-engine={engine}"]
    line += [f"--rand-seed={SEED}", "--rand-type=uniform", "prepare"]
    began: dict[str, float] = {}
    spent: dict[str, float] = {}
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for said in process.stdout:
            part = said.partition(" ")[0]  # Creating (the table), Inserting, Creating (the index)
            began[part], spent[part] = time.monotonic(), cpu_s(turns.server)
    ended = time.monotonic()
    assert process.returncode == 0 and {"Inserting", "Creating"} <= began.keys(), f"prepare: {began}"
    return Loaded(
        rows_s=began["Creating"] - began["Inserting"],
        index_s=ended - began["Creating"],
        cpu_s=spent["Creating"] - spent["Inserting"],
        size=turns.settle()["tables"],
    )


FIGURES = {"load": measure_load}
