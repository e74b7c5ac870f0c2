"""The window in a process of its own that follows a long session: memory, CPU, how soon it has caught up."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.bench.figure import Figure
from tests.bench.history import SECONDS, a_session
from tests.bench.processes import memory_of

if TYPE_CHECKING:
    from tests.ui.watched import WatchedPlans
    from ui.pages.live import LivePage

STEP_S = 600
SHOWN_S = 300  # of the page at 1 Hz
HOUR = 3600
PACE_S = 0.005  # between two seconds of the replay
DAY = 86_400
HEAD = 8  # lines before the first sample
CALM_S = 20.0  # after which a backlog is no longer felt
MOST_MB, GROWN_MB, MOST_PCT, MOST_S = 320, 2, 2, 1.5  # goals
DAYS = 3  # that are caught up with


@dataclass
class Replay:
    """What the child is told, and what it has found."""

    journal: str
    backlog: int  # lines that are there already
    pace_s: float  # between two of those that come
    most: int  # of them
    seconds_drawn: int = 0  # of the backlog
    caught_up_s: float = 0.0
    caught_up_cpu_s: float = 0.0  # of all threads
    hours_mb: list[float] = field(default_factory=list)
    peak_mb: float = 0.0
    cpu_pct: float = 0.0


# the parent


def measure_memory(options: argparse.Namespace) -> list[Figure]:
    """Ten hours of 50 series, second by second, each drawn on the Live page of a real window."""
    found = _replayed(SECONDS, Replay("", HEAD, PACE_S, SECONDS * 2))
    grown, n = found.hours_mb[-1] - found.hours_mb[-2], len(found.hours_mb)
    return [
        Figure("window after the first hour", found.hours_mb[0], "MiB", 1, "hours", digits=0),
        Figure("window after ten hours", found.hours_mb[-1], "MiB", n, "hours", at_most=MOST_MB, digits=0),
        Figure("window at its largest", found.peak_mb, "MiB", n, "hours", at_most=MOST_MB, digits=0),
        Figure("grown in the last hour", grown, "MiB", HOUR, "seconds", at_most=GROWN_MB, digits=2),
    ]


def measure_cpu(options: argparse.Namespace) -> list[Figure]:
    """The Live page shown with ten hours behind it, a second of 50 series each second."""
    seconds = min(options.seconds or SHOWN_S, STEP_S)
    backlog = SECONDS * 9 // 10
    found = _replayed(SECONDS, Replay("", backlog, 1.0, seconds))
    return [
        Figure("the window at 1 Hz, Live shown", found.cpu_pct, "% of a core", seconds, "s",
               at_most=MOST_PCT, digits=2)
    ]  # fmt: skip


def measure_day(options: argparse.Namespace) -> list[Figure]:
    """A day of 50 series that was carried out while nobody looked, from the connection to the pixel."""
    found = [_replayed(DAY, Replay("", DAY * 2, 1.0, 0)) for _ in range(DAYS)]
    took, cpu = median(each.caught_up_s for each in found), median(each.caught_up_cpu_s for each in found)
    return [
        Figure("a day caught up with, window open", took, "s", DAYS, "days", at_most=MOST_S, digits=2),
        Figure("CPU of it, all threads", cpu, "s", DAYS, "days", digits=2),
    ]


def _replayed(seconds: int, replay: Replay) -> Replay:
    with TemporaryDirectory() as folder:
        home = Path(folder, "dyno")
        home.mkdir()
        replay.journal = str(Path(folder, "journal"))
        Path(replay.journal).write_bytes(b"".join(a_session(seconds, STEP_S)[1]))
        environment = {**os.environ, "DYNO_HOME": str(home)}
        if "DISPLAY" not in environment:
            environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        told = [sys.executable, "-m", "tests.bench.window_process", json.dumps(vars(replay))]
        done = subprocess.run(told, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return Replay(**json.loads(done.stdout))


# the child


def main() -> int:
    """`dyno`, but for one plan that it follows without a target."""
    from PySide6.QtCore import QTimer

    from tests.ui.watched import watched
    from ui.shell import application

    replay = Replay(**json.loads(sys.argv.pop()))
    make = application.make_window_context

    def make_context(home: Path) -> Any:
        context, plans = watched(make(home))
        QTimer.singleShot(0, lambda: _begin(home, plans, replay))
        return context

    application.make_window_context = make_context
    return application.open_window()


def _begin(home: Path, plans: WatchedPlans, replay: Replay) -> None:
    from PySide6.QtWidgets import QApplication

    from app.protocol.events import SessionPlanned, decode
    from app.protocol.plan import Plan
    from tests.bench.live_page import Wire, follow
    from ui.core.bus import ShowPageRequest
    from ui.shell.window import Window

    lines = _lines(replay.journal)
    first = next(lines)
    planned = decode(first)
    assert isinstance(planned, SessionPlanned)
    plan = Plan.from_json(planned.plan)
    (window,) = (each for each in QApplication.topLevelWidgets() if isinstance(each, Window))
    window.resize(1600, 900)
    window.show_page("live")
    page: Any = window.page("live")
    wire = Wire(planned.session)
    follow(plans, home, plan, wire)
    page.open(ShowPageRequest("live", (planned.session,)))
    threading.Thread(target=_feed, args=(replay, first, lines, wire, page), daemon=True).start()


def _lines(path: str) -> Iterator[bytes]:
    with Path(path).open("rb") as file:
        yield from file


def _feed(replay: Replay, first: bytes, lines: Iterator[bytes], wire: Any, page: LivePage) -> None:
    """The backlog, then line by line; at the end what was found is printed."""
    time.sleep(2)  # the window has what it shows, charts too
    wire.put(first)
    backlog = [*islice(lines, replay.backlog)]
    began, cpu = time.monotonic(), time.process_time()
    wire.put(b"".join(backlog))
    replay.seconds_drawn = sum(line.startswith(b'{"kind":"sample"') for line in backlog)
    _wait_drawn(page, replay.seconds_drawn)
    replay.caught_up_s, replay.caught_up_cpu_s = time.monotonic() - began, time.process_time() - cpu
    del backlog
    if replay.most:
        time.sleep(CALM_S if replay.pace_s >= 1 else 0)
        _feed_slowly(replay, lines, wire, page)
    replay.peak_mb = memory_of(os.getpid(), "VmHWM")
    print(json.dumps(vars(replay)), flush=True)
    os._exit(0)


def _feed_slowly(replay: Replay, lines: Iterator[bytes], wire: Any, page: LivePage) -> None:
    began, cpu, drawn = time.monotonic(), time.process_time(), replay.seconds_drawn
    for number, line in enumerate(islice(lines, replay.most), 1):
        wire.put(line)
        drawn += line.startswith(b'{"kind":"sample"')
        time.sleep(max(0.0, began + number * replay.pace_s - time.monotonic()))
        if drawn // HOUR > len(replay.hours_mb):
            _wait_drawn(page, drawn)
            replay.hours_mb.append(memory_of(os.getpid(), "VmRSS"))
    replay.cpu_pct = (time.process_time() - cpu) / (time.monotonic() - began) * 100


def _wait_drawn(page: LivePage, seconds: int) -> None:
    while len(page.body.charts.qps.track("load.queries")) < seconds:
        time.sleep(0.01)


FIGURES = {"window-memory": measure_memory, "live-cpu": measure_cpu, "day-caught-up": measure_day}


if __name__ == "__main__":
    raise SystemExit(main())
