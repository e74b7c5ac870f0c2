"""A report of a large comparison: from the history to the file, its statistics included."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from app.history.history import History
from app.report.writing import ReportRequest, write_report
from tests import comparable
from tests.bench.figure import Figure

COLUMNS, REPEATS, STEPS = 8, 5, 60
TIMES = 5
MB = 1 << 20
_DRIVEN = tuple((f"step{at}", f"group{at // 5}") for at in range((STEPS - 2) // 2))

FACTS = {  # as many as a server has, and what a script needs to be part of the report
    "variables": {f"variable_{at}": str(at) for at in range(700)},
    "my_cnf": "[mysqld]\n# what follows is Dyno's\n[mysqld]\ndatadir=/d/sessions/S/data\nsocket=/tmp/s/s\n",
}


def measure_report(_options: argparse.Namespace) -> list[Figure]:
    """8 columns of 5 repeats, 60 steps: load, settling, and steps at two numbers of threads."""
    with TemporaryDirectory() as folder:
        home, times = Path(folder, "home"), []
        steps = [replace(step, lua=f"{step.name}.lua") for step in comparable.steps((1, 8), 5, _DRIVEN)]
        plan = comparable.plan(COLUMNS, REPEATS, its_steps=steps)
        ids = comparable.keep(home, plan, facts=FACTS)
        for at in range(TIMES):
            file = Path(folder, f"report{at}.html")
            began = time.perf_counter()
            with History(home) as history:
                write_report(history, ReportRequest(ids, file))
            times.append(time.perf_counter() - began)
        size = file.stat().st_size / MB
    name = f"{COLUMNS} columns x {REPEATS} repeats x {STEPS} steps"
    return [
        Figure(f"{name}: the report, median", median(times), "s", TIMES, "reports", at_most=3, digits=2),
        Figure(f"{name}: its HTML", size, "MiB", 1, "report", at_most=3, digits=2),
    ]


FIGURES = {"report": measure_report}
