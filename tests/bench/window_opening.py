"""The window opened during a plan of ten hours: until Live shows it, until the next second is drawn.

The target answers at once: what is measured is the window and the history.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench.figure import Figure
from tests.bench.opened_window import UnderWay

STARTS = 7
WITHIN_S = 1.0  # goal
MOST_S = 120.0  # of a start
PIECE = 1 << 24  # bytes that are stored at once
IMPORTS = """
import gc, time
gc.disable()
import PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets, numpy, pyqtgraph
print(time.monotonic())
"""


def measure_opening(_: argparse.Namespace) -> list[Figure]:
    from tests.bench.history import SECONDS

    figures = []
    for name, step_s in (("60 steps of 10 min", 600), ("one step of 10 h", SECONDS)):
        with TemporaryDirectory() as folder:
            home = Path(folder, "dyno")
            told = _keep(home, SECONDS, step_s)
            found = [(*_open(home, told), _import()) for _ in range(STARTS + 1)][
                1:
            ]  # the first makes .pyc files
        shown, goes_on, cpu, imported = (median(each[at] for each in found) for at in range(4))
        figures += [
            Figure(f"{name}: Live with state and curve", shown, "s", STARTS, "starts", at_most=WITHIN_S),
            Figure(f"{name}: CPU of it, all threads", cpu, "s", STARTS, "starts"),
            Figure(f"{name}: the next second drawn", goes_on, "s", STARTS, "starts"),
            Figure(
                "in turn with it: Qt, numpy and pyqtgraph imported, no more", imported, "s", STARTS, "starts"
            ),
        ]
    return figures


def _keep(home: Path, seconds: int, step_s: int) -> UnderWay:
    """A session of which all but the last second is stored."""
    from app.history.recorded.writing import JournalStorer
    from app.history.store.history import History
    from tests.bench.history import a_session

    plan, lines = a_session(seconds, step_s)
    session, known = plan.turns[0].session, lines[:-3]
    raw, offset = b"".join(known), 0
    with History(home) as history:
        writer = JournalStorer(history)
        while offset < len(raw):
            end = raw.rfind(b"\n", offset, offset + PIECE) + 1
            writer.append(plan.id, session, offset, raw[offset:end])
            offset = end
    return UnderWay(plan.id, session, offset, seconds - 1, json.loads(known[-1])["t"], lines[-3].decode())


def _open(home: Path, told: UnderWay) -> tuple[float, float, float]:
    """Seconds from the start of the process, and CPU of the first; what it stores is stored in a copy."""
    copy = home.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    home = shutil.copytree(home, copy)
    words, began = ["-m", "tests.bench.opened_window", json.dumps(vars(told))], time.monotonic()
    shown, cpu, goes_on = _told_by(words, home)
    return shown - began, goes_on - began, cpu


def _import() -> float:
    """Seconds from the start of a process until what Dyno's charts stand on is there."""
    began = time.monotonic()
    (there,) = _told_by(["-c", IMPORTS], Path())
    return there - began


def _told_by(words: list[str], home: Path) -> list[float]:
    """The figures that a Python prints."""
    environment = {**os.environ, "DYNO_HOME": str(home)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed Dyno has its .pyc files
    if "DISPLAY" not in environment:
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    command = [sys.executable, *words]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=MOST_S
    )
    return [float(word) for word in done.stdout.split()]


FIGURES = {"window-opening": measure_opening}
