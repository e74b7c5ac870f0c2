"""Sequences of a person's own, as they are written: of a second a step, unless it is said otherwise."""

from __future__ import annotations

import json
from pathlib import Path

from tests.plans import write

LOAD, INDEX = 'workload = "load"', 'workload = "index"'
SETTLED = f"{INDEX}\nsettle_after = true"
CALM = "rate = 400"  # of a step whose speed is of no matter: at full speed it slows other tests
SMALL = {"tables": 2, "rows": 2000, "threads": [2], "seconds": 1, "warmup": 0}


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
