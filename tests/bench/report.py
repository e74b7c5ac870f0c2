"""A report of a large comparison: from the history to the file, its statistics included."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from app.engines import KNOWN, all_causes
from app.engines.counter import names_in
from app.history.store.history import History
from app.report.writing import ReportRequest, write_report
from tests import comparable, journals
from tests.bench.figure import Figure

COLUMNS, REPEATS, STEPS = 8, 5, 60
TIMES = 5
MB = 1 << 20
_PREFIXES = (*(f"{name}." for name in KNOWN), "server.")
_DRIVEN = tuple((f"step{at}", f"group{at // 5}") for at in range((STEPS - 2) // 2))

FACTS = {  # as many as a server has, and what a script needs to be part of the report
    "variables": {f"variable_{at}": str(at) for at in range(700)},
    "my_cnf": "[mysqld]\n# what follows is Dyno's\n[mysqld]\ndatadir=/d/sessions/S/data\nsocket=/tmp/s/s\n",
}


def measure_report(_options: argparse.Namespace) -> list[Figure]:
    """8 columns of 5 repeats, 60 steps: load, settling, and steps at two numbers of threads."""
    with TemporaryDirectory() as folder:
        home, file = Path(folder, "home"), Path(folder, "report.html")
        steps = [replace(step, lua=f"{step.name}.lua") for step in comparable.steps((1, 8), 5, _DRIVEN)]
        plan = comparable.plan(COLUMNS, REPEATS, its_steps=steps)
        request = ReportRequest(comparable.keep(home, plan, facts=FACTS, series=_series()), file)
        times, without = [], []
        for _ in range(TIMES):
            times.append(_write(home, request))
            with patch("app.report.content.cause_sentences", lambda *_: ()):
                without.append(_write(home, request)[1])
        size = file.stat().st_size / MB
    name = f"{COLUMNS} columns x {REPEATS} repeats x {STEPS} steps"
    took, cpu, cpu_without = (median(each) for each in (*zip(*times, strict=True), without))
    return [
        Figure(f"{name}: the report, median", took, "s", TIMES, "reports", at_most=3, digits=2),
        Figure("its CPU, times that without causes", cpu / cpu_without, "", TIMES, "pairs", digits=2),
        Figure(f"{name}: its HTML", size, "MiB", 1, "report", at_most=3, digits=2),
    ]


def _series() -> list[dict[str, Any]]:
    """Those in which causes look for their figures, too."""
    names = dict.fromkeys(name for cause in all_causes() for name in names_in(cause.names))
    plain = {"unit": "1/s", "kind": "rate", "direction": "none", "digits": 2}
    return [*journals.SERIES, *({**plain, "name": name} for name in names if name.startswith(_PREFIXES))]


def _write(home: Path, request: ReportRequest) -> tuple[float, float]:
    """Seconds of time and of CPU that a report takes."""
    began, cpu = time.perf_counter(), time.process_time()
    with History(home) as history:
        write_report(history, request)
    return time.perf_counter() - began, time.process_time() - cpu


FIGURES = {"report": measure_report}
