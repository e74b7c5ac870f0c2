"""From the start of the process to the painted, usable window, against the smallest window there can be."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench.figure import Figure
from tests.bench.history import fill

SESSIONS = 1_000
PAIRS = 15
ENDS = """
import os, sys
from PySide6.QtCore import QEvent, QObject, QTimer
def end():
    print(flush=True)
    os._exit(0)
class Ends(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, end)  # what waits comes first
        return False
"""
SMALLEST = f"""
{ENDS}
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
application = QApplication(sys.argv)
application.setStyle("Fusion")
window = QMainWindow()
label = QLabel("the smallest window")
window.setCentralWidget(label)
ends = Ends()
label.installEventFilter(ends)
window.resize(1280, 800)
window.show()
application.exec()
"""
DYNO = f"""
{ENDS}
from PySide6.QtWidgets import QApplication
from ui.main import main
ends, go = Ends(), QApplication.exec
def watched(_):
    from ui.shell.window import Window
    WATCH
    go()
QApplication.exec = watched
sys.argv = ["dyno"]
main()
"""
PAINTED = DYNO.replace("WATCH", "Window._begin = lambda self: end()  # its places and menus can be used")
BENCH = DYNO.replace(
    "WATCH",
    """
    show_page = Window.show_page
    def show_watched(self, name):
        self.page(name).installEventFilter(ends)
        show_page(self, name)
    Window.show_page = show_watched
""",
)


def measure_start(_: argparse.Namespace) -> list[Figure]:
    """A B C C B A, so that a machine that grows slower or faster favours neither."""
    with TemporaryDirectory() as folder:
        home = Path(folder, "dyno")
        fill(home, SESSIONS)
        environment = {**os.environ, "DYNO_HOME": str(home)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed Dyno has its .pyc files
        if "DISPLAY" not in environment:
            environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        took: dict[str, list[float]] = {SMALLEST: [], PAINTED: [], BENCH: []}
        for _ in range(PAIRS):
            for program in (SMALLEST, PAINTED, BENCH, BENCH, PAINTED, SMALLEST):
                took[program].append(_seconds(program, environment))
    smallest, ours, bench = (median(took[program][2:]) for program in (SMALLEST, PAINTED, BENCH))
    return [
        Figure("smallest window painted", smallest * 1000, "ms", 2 * PAIRS - 2, "starts", digits=0),
        Figure("Dyno painted, 1,000 sessions", ours * 1000, "ms", 2 * PAIRS - 2, "starts", digits=0),
        Figure("Dyno with the page to set up a plan", bench * 1000, "ms", 2 * PAIRS - 2, "starts", digits=0),
        Figure(
            "Dyno over smallest", ours / smallest, "ratio", 2 * PAIRS - 2, "starts", at_most=1.3, digits=2
        ),
    ]


def _seconds(program: str, environment: dict[str, str]) -> float:
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        took = time.perf_counter() - began
        assert line == b"\n", process.stderr.read().decode()
    return took


FIGURES = {"window-start": measure_start}
