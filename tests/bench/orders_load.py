"""What loading the tables of orders takes beside as many rows of our own load, in turns on one server.

python -m tests.bench orders-load             # ten warehouses of 10,000 items: half a million rows a load

The common form has one secondary key a row, as `load and index` has; the specified form 0.12, `load` none.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import median

from app.catalog import Catalog
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan, Step
from tests.bench import rig as rigs
from tests.bench.figure import Figure
from tests.bench.orders import LOAD as LOAD_OF_ORDERS
from tests.bench.pairs import mean_ratio
from tests.bench.processes import cpu_s
from tests.bench.server import STEP, engines
from tests.bench.turns import Turns, waiting
from tests.sequences import INDEX, LOAD, own_sequence

NAME, WAREHOUSES, ITEMS, CLIENTS, ROUNDS = "loads", 10, 10_000, 2, 3
SEED = 1
MOST = 1.2  # times the time of load
PAIRS = {"specified": "load", "common": "load and index"}  # with about as many keys a row


@dataclass(frozen=True)
class Cost:
    """Of a row, in microseconds."""

    time: float
    server: float
    client: float

    @property
    def cpu(self) -> float:
        return self.server + self.client


def measure(options: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    with rigs.made(options) as rig:
        _write_sequence(rig)
        for engine in engines(options):
            with waiting(_plan(rig, engine, 1000, 1), rig) as turns:
                costs = _costs(turns, rig, engine)
            found += figures_of(f"{options.build}, {engine}", costs)
    return found


def _write_sequence(rig: rigs.Rig) -> None:
    """The step that is never driven ends what the waiting session carries out."""
    common = LOAD_OF_ORDERS.format(texts="common").replace("false", "true")
    loads = [
        each.replace("settle_after = true\n", "")
        for each in (LOAD_OF_ORDERS.format(texts="specified"), common)
    ]
    unused = STEP.format(name="unused", workload="orders", seconds=1).replace("[[step]]\n", "")
    text = own_sequence(NAME, LOAD, INDEX, *loads, unused, threads=[CLIENTS])
    (rig.home / f"sequences/{NAME}.toml").write_text(text)


def _plan(rig: rigs.Rig, engine: str, rows: int, tables: int) -> Plan:
    contender = ContenderRequest(rig.options.build, engine)
    request = PlanRequest(target=rigs.NAME, sequence=NAME, contenders=(contender,), rows=rows, tables=tables)
    return resolve(request, rig.survey, Catalog())


def _costs(turns: Turns, rig: rigs.Rig, engine: str) -> Mapping[str, Sequence[Cost]]:
    """Of each way to load, in the order of its turns: there and back in each round."""
    items = rig.options.rows or ITEMS
    orders = _plan(rig, engine, items, WAREHOUSES)
    load = _plan(rig, engine, round(items * (4.99 + 1 / WAREHOUSES)), WAREHOUSES)
    ways = {
        "load": (load, load.steps[:1]),
        "load and index": (load, load.steps[:2]),
        "specified": (orders, orders.steps[2:3]),
        "common": (orders, orders.steps[3:4]),
    }
    found: dict[str, list[Cost]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way in (*ways, *reversed(ways)):
            turns.empty()
            found[way].append(_loaded(turns, *ways[way]))
            print(f"{engine}, {way}: {found[way][-1]}", flush=True)
    return found


def _loaded(turns: Turns, plan: Plan, steps: Sequence[Step]) -> Cost:
    server, client = cpu_s(turns.server), _of_children()
    totals = [turns.drive_bare(each, SEED, plan) for each in steps]
    a_row = 1e6 / float(totals[0]["rows"]["inserted"])
    spent = cpu_s(turns.server) - server, _of_children() - client
    return Cost(sum(float(each["time_s"]) for each in totals) * a_row, spent[0] * a_row, spent[1] * a_row)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def figures_of(name: str, costs: Mapping[str, Sequence[Cost]]) -> list[Figure]:
    found: list[Figure] = []
    for way, each in costs.items():
        for what in ("time", "server", "client"):
            values = [float(getattr(cost, what)) for cost in each]
            found.append(
                Figure(f"{name}, {way}, {what}", median(values), "us a row", len(values), "loads", digits=2)
            )
    for way, base in PAIRS.items():
        for what, most in (("time", MOST), ("cpu", None)):
            found += _ratio(f"{name}, {way} over {base}, {what}", costs[way], costs[base], what, most)
    return found


def _ratio(
    name: str, ours: Sequence[Cost], base: Sequence[Cost], what: str, most: float | None
) -> list[Figure]:
    found = mean_ratio([log(getattr(a, what) / getattr(b, what)) for a, b in zip(ours, base, strict=True)])
    low = Figure(f"{name}, at least (95 %)", found.low, "", found.pairs, "pairs")
    high = Figure(f"{name}, at most (95 %)", found.high, "", found.pairs, "pairs")
    return [Figure(name, found.value, "", found.pairs, "pairs", at_most=most), low, high]


FIGURES = {"orders-load": measure}
