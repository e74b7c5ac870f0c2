"""Sequences of a person's own, as they are written: of a second a step, unless it is said otherwise."""

from __future__ import annotations

import json
from pathlib import Path

from tests.plans import write

LOAD, INDEX = 'workload = "load"', 'workload = "index"'
SETTLED = f"{INDEX}\nsettle_after = true"
CALM = "rate = 400"  # of a step whose speed is of no matter: at full speed it slows other tests
SMALL = {"tables": 2, "rows": 2000, "threads": [2], "seconds": 1, "warmup": 0}

# a reader beside an inserter, which a remover follows
ROLES = """\
name = "qr100"
figure = "reader"
cap_s = 3600

[[step.role]]
name = "inserter"
workload = "insert"
rate = 100
arrivals = "each-second"
events = 6000
level = {rate = 95, p99_ms = 50}

[[step.role]]
name = "reader"
workload = "read-only"
options = {point_selects = 3}

[[step.role]]
name = "remover"
workload = "delete-each"
follows = "inserter"
apart = 8
"""
# a reader beside writers, without a bound
TOGETHER = """\
name = "together"

[[step.role]]
name = "reader"
workload = "point-query"

[[step.role]]
name = "writer"
workload = "update-index"
threads = 3
rate = 10
"""


def own_sequence(name: str, *steps: str, **keys: object) -> str:
    """Each step is the lines of its table, those of its variations behind them."""
    head = {"name": name, "title": "For tests", **SMALL, **keys}
    lines = [f"{key} = {json.dumps(value)}" for key, value in head.items()]
    return "\n".join([*lines, *(f"\n[[step]]\n{step}" for step in steps)]) + "\n"


def keep_own(home: Path, *steps: str, top: str = "") -> str:
    """`own`: load, index, then these, of the sizes that the plan says; the answer is its name."""
    tables = "".join(f"\n[[step]]\n{step}\n" for step in (LOAD, INDEX, *steps))
    write(home / "sequences/own.toml", f'name = "own"\ntitle = "Mine"\n{top}{tables}')
    return "own"
