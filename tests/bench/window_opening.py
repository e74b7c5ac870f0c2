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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.figure import Figure

STARTS = 7
WITHIN_S = 1.0  # goal
LOOK_MS = 5
MOST_S = 120.0  # of a start
BEAT = b'{"beat":1,"at":%.3f,"locked":true}\n'
PIECE = 1 << 24  # bytes that are stored at once


@dataclass(frozen=True)
class UnderWay:
    """What the child is told: a plan that goes on, and what the target has of it."""

    plan: str
    session: str
    offset: int  # bytes that are stored
    seconds: int  # of the session
    t: float  # of the last of them
    more: str  # the next second


# the parent


def measure_opening(_: argparse.Namespace) -> list[Figure]:
    from tests.bench.history import SECONDS

    figures = []
    for name, step_s in (("60 steps of 10 min", 600), ("one step of 10 h", SECONDS)):
        with TemporaryDirectory() as folder:
            home = Path(folder, "dyno")
            told = _keep(home, SECONDS, step_s)
            found = [_open(home, told) for _ in range(STARTS + 1)][1:]  # the first makes .pyc files
        shown, goes_on, cpu = (median(each[at] for each in found) for at in range(3))
        figures += [
            Figure(f"{name}: Live with state and curve", shown, "s", STARTS, "starts", at_most=WITHIN_S),
            Figure(f"{name}: CPU of it, all threads", cpu, "s", STARTS, "starts"),
            Figure(f"{name}: the next second drawn", goes_on, "s", STARTS, "starts"),
        ]
    return figures


def _keep(home: Path, seconds: int, step_s: int) -> UnderWay:
    """A session of which all but the last second is stored."""
    from app.history.history import History
    from app.history.writing import Writer
    from tests.bench.history import a_session

    plan, lines = a_session(seconds, step_s)
    session, known = plan.turns[0].session, lines[:-3]
    raw, offset = b"".join(known), 0
    with History(home) as history:
        writer = Writer(history)
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
    environment = {**os.environ, "DYNO_HOME": str(home)}
    if "DISPLAY" not in environment:
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    command = [sys.executable, "-m", "tests.bench.window_opening", json.dumps(vars(told))]
    began = time.monotonic()
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=MOST_S
    )
    shown, cpu, goes_on = map(float, done.stdout.split())
    return shown - began, goes_on - began, cpu


# the child


class Target:
    """A target without a machine: an agent that goes on with the session by a second."""

    returncode: int | None = None
    stderr = b""

    def __init__(self, told: UnderWay) -> None:
        self._told = told
        self._waiting: list[bytes] = []
        self.connection = self

    def follow(self, _plan: str, offsets: Mapping[str, int]) -> Target:
        assert offsets == {self._told.session: self._told.offset}
        more = self._told.more.encode()
        head = {"session": self._told.session, "offset": self._told.offset, "bytes": len(more)}
        self._waiting = [BEAT % time.time(), json.dumps(head).encode() + b"\n" + more]
        return self

    def read(self, timeout_s: float) -> bytes:
        if self._waiting:
            return self._waiting.pop(0)
        time.sleep(timeout_s)
        return BEAT % time.time()

    def close(self) -> None:
        pass


def main() -> int:
    """`dyno`, but for its target."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from ui.core.plans import Plans
    from ui.shell import application
    from ui.shell.window import Window

    told = UnderWay(**json.loads(sys.argv.pop()))
    Plans.adopt = lambda self: self._tasks.run(self, lambda: _find(told), self._on_found, print)  # type: ignore[method-assign]
    make = application.make_application

    def make_watched() -> Any:
        made = make()
        looks = QTimer(made, interval=LOOK_MS)
        looks.timeout.connect(lambda: _look(told, looks, found))
        looks.start()
        return made

    def _windows() -> list[Window]:
        return [each for each in QApplication.topLevelWidgets() if isinstance(each, Window)]

    def _look(told: UnderWay, looks: QTimer, found: list[float]) -> None:
        for window in _windows():
            pages = window._pages
            if "bench" in pages and "live" not in pages:
                window.show_page("live")  # as somebody who is quick
            elif "live" in pages and _is_shown(pages["live"], told, more=bool(found)):
                window.repaint()
                found += [time.monotonic()] if found else [time.monotonic(), time.process_time()]
        if len(found) == 3:
            print(*found, flush=True)
            os._exit(0)

    found: list[float] = []
    application.make_application = make_watched
    return application.open_window()


def _find(told: UnderWay) -> list[Any]:
    from app.following.adoption import RemotePlan
    from app.protocol.answers import SessionSummary
    from app.targets.store import Targets
    from ui.core import following

    following.agent_of = lambda *_: Target(told)  # type: ignore[assignment]
    sessions = [SessionSummary(told.session, told.offset, False)]
    return [RemotePlan(Targets().get("local"), "/dyno", told.plan, "a plan", "a" * 64, True, sessions)]


def _is_shown(page: Any, told: UnderWay, more: bool) -> bool:
    """State in words, and all seconds in the chart."""
    seen, second = page._watching.loaded, told.seconds + more
    if seen is None or seen.curves.t < told.t + more or not page.isVisible():
        return False
    drawn = len(page.body.charts.qps.track("load.queries"))
    return drawn >= second and ": second " in page.body.header.text


FIGURES = {"window-opening": measure_opening}


if __name__ == "__main__":
    raise SystemExit(main())
