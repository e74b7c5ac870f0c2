"""What the faults of the field's usual orders workload are worth: its texts, and its nearly uniform keys.

python -m tests.bench orders              # about six minutes an engine

Each form on tables of each form's texts, without foreign keys, at READ COMMITTED, clients of any warehouse:
so only texts, or only what the workload does, differ between two figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import product

from app.protocol.events import StepEnded
from app.protocol.plan import Plan
from tests.bench import rig as rigs
from tests.bench.figure import Figure
from tests.bench.server import engines
from tests.sequences import own_sequence

FORMS = {"common": "orders", "specified": "orders-specified"}
WAREHOUSES, ITEMS, CLIENTS, SECONDS, WARMUP = 2, 100_000, 8, 30, 5
LONGEST_S = 3600.0  # of a contender
MIB = 1 << 20
LOAD = """\
name = "texts-{texts}"
workload = "orders-load"
options = {{form = "{texts}", foreign_keys = false}}
settle_after = true
"""
DRIVE = """\
name = "{does}-on-{texts}"
workload = "{workload}"
options = {{own_table = false, isolation = "read-committed"}}
"""


def _sequence(options: argparse.Namespace) -> str:
    steps: list[str] = []
    for texts in FORMS:
        steps.append(LOAD.format(texts=texts))
        steps += [DRIVE.format(does=does, texts=texts, workload=each) for does, each in FORMS.items()]
    rows, seconds = options.rows or ITEMS, options.seconds or SECONDS
    size = {"tables": WAREHOUSES, "rows": rows, "threads": [CLIENTS], "seconds": seconds, "warmup": WARMUP}
    return own_sequence("orders-faults", *steps, **size)


def measure(options: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    with rigs.made(options) as rig:
        (rig.home / "sequences/orders-faults.toml").write_text(_sequence(options))
        for engine in engines(options):
            plan = rig.plan(engine, "", sequence="orders-faults")
            with rig.carried_out(plan) as followed:
                events = list(followed.to_the_end(LONGEST_S))
            found += figures_of(engine, plan, [each for each in events if isinstance(each, StepEnded)])
    return found


def figures_of(engine: str, plan: Plan, ended: Sequence[StepEnded]) -> list[Figure]:
    """Sizes and new orders a minute, then what texts and keys are worth."""
    by_name = {plan.steps[each.step].name: each for each in ended}
    if failed := [f"{name}: {each.reason}" for name, each in by_name.items() if each.outcome != "completed"]:
        raise SystemExit(f"{engine}: {'; '.join(failed)}")
    sizes = {texts: _mib(by_name[f"settle.texts-{texts}"]) for texts in FORMS}
    rates = {(does, texts): by_name[f"{does}-on-{texts}"] for does, texts in product(FORMS, FORMS)}
    return [
        *(Figure(f"{engine}, size with {texts} texts", sizes[texts], "MiB", 1, "load") for texts in FORMS),
        Figure(f"{engine}, size, specified over common", sizes["specified"] / sizes["common"], "", 1, "pair"),
        *_rates(engine, rates),
        *_ratios(engine, {key: each.value or 0.0 for key, each in rates.items()}),
    ]


def _rates(engine: str, rates: dict[tuple[str, str], StepEnded]) -> Iterator[Figure]:
    for (does, texts), each in rates.items():
        events, name = int(each.totals.events or 0), f"{engine}, {FORMS[does]} on {texts} texts"
        yield Figure(name, each.value or 0.0, "new orders/min", events, "transactions", digits=0)
        errors = 1000 * int(each.totals.errors or 0) / max(events, 1)
        yield Figure(f"{name}, repeated", errors, "per 1,000", events, "transactions", digits=1)


def _ratios(engine: str, rates: dict[tuple[str, str], float]) -> Iterator[Figure]:
    for does in FORMS:
        ratio = rates[does, "specified"] / rates[does, "common"]
        yield Figure(f"{engine}, {FORMS[does]}: specified over common texts", ratio, "", 1, "pair")
    for texts in FORMS:
        ratio = rates["specified", texts] / rates["common", texts]
        yield Figure(f"{engine}, orders-specified over orders, {texts} texts", ratio, "", 1, "pair")


def _mib(ended: StepEnded) -> float:
    return (ended.sizes.get("total") or 0.0) / MIB


FIGURES = {"orders": measure}
