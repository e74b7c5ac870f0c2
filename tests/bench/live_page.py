"""The Live page while much arrives: how late the GUI thread is; how old a second is when it is painted."""

from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from app.history.store.journals import whole_lines
from app.protocol.events import MAX_LINE
from tests.bench.figure import Figure
from tests.bench.history import READ, ten_hours

if TYPE_CHECKING:
    from app.protocol.plan import Plan
    from tests.ui.watched import WatchedPlans
    from ui.pages.live import LivePage

TICK_S = 0.016
STREAMED_S = 30  # seconds that come as they are measured
CAUGHT_UP = 100_000  # lines that come as fast as they can
STEP_S = 600
CALM_S = 0.5  # after which a session that was opened is shown
WIDTH, HEIGHT = 1600, 900
LATE_MS, LATEST_MS, PIXEL_MS = 3, 50, 250  # goals
WATCHED_S = 60


class Ticks:
    """A timer of 16 ms on the GUI thread, and how late each of its ticks was."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self.late_ms: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(interval=round(TICK_S * 1000), timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()

    def _on_tick(self) -> None:
        now = time.perf_counter()
        self.late_ms.append(max(0.0, now - self._last - TICK_S) * 1000)
        self._last = now

    def taken(self) -> list[float]:
        """Those since the last time."""
        found, self.late_ms = self.late_ms, []
        return found


class Wire:
    """The output of `follow`: what is put in comes out of `read`; a target without a machine."""

    returncode: int | None = None
    stderr = b""

    def __init__(self, session: str) -> None:
        self._session = session
        self._sent = 0
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._rest = memoryview(b"")
        self.connection = self

    def put(self, raw: bytes) -> None:
        """Whole lines, as the agent sends them: no more at once than a header may announce."""
        end = 0
        while end < len(raw):
            part = whole_lines(raw[end : end + MAX_LINE])
            end += len(part)
            head = {"session": self._session, "offset": self._sent, "bytes": len(part)}
            self._sent += len(part)
            self._waiting.put(json.dumps(head).encode() + b"\n")
            self._waiting.put(part)

    def end(self) -> None:
        self._waiting.put(b'{"end":true}\n')

    def follow(self, _plan: str, _offsets: Mapping[str, int]) -> Wire:
        return self

    def read(self, timeout_s: float) -> bytes:
        if not self._rest:
            try:
                self._rest = memoryview(self._waiting.get(timeout=timeout_s))
            except queue.Empty:
                raise TimeoutError from None
        found, self._rest = self._rest[:READ], self._rest[READ:]
        return bytes(found)

    def close(self) -> None:
        pass


@contextmanager
def live_page(home: Path) -> Iterator[tuple[LivePage, WatchedPlans]]:
    """The page in a window of its own; nothing is followed yet."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from tests.ui.watched import watched
    from ui.core.gc_timer import GarbageCollectionTimer
    from ui.pages.live import LivePage
    from ui.shell.application import SWITCH_S, close_context, make_application, make_window_context

    sys.setswitchinterval(SWITCH_S)
    application = QApplication.instance() or make_application()
    made = make_window_context(home)
    made.theme.set_appearance("light")
    context, plans = watched(made)
    page = LivePage(context)
    page.resize(WIDTH, HEIGHT)
    page.show()
    collecting = GarbageCollectionTimer()
    collecting.settle()
    try:
        yield page, plans
    finally:
        collecting.close()
        page.deleteLater()
        application.processEvents()
        close_context(made)


def follow(plans: WatchedPlans, home: Path, plan: Plan, wire: Any) -> threading.Thread:
    """The real follower on a thread of its own; its updates go the way they always go."""
    plans.watch(plan)
    return _follow(plans, home, plan, lambda: wire)


def _follow(plans: WatchedPlans, home: Path, plan: Plan, reach: Callable[[], Any]) -> threading.Thread:
    from app.following.follower import Follower
    from ui.core.following import GATHER, FollowerReport, blocking_news_sender

    followed = plans.get(plan.id)
    assert followed is not None
    say = blocking_news_sender(followed, plans._heard.emit, threading.Event())
    follower = Follower(
        home,
        plan.id,
        followed.sessions,
        reach,
        lambda update: say(FollowerReport(plan.id, update=update)),
        gather=GATHER,
    )
    thread = threading.Thread(target=follower.run, daemon=True)
    thread.start()
    return thread


def turn(until: Callable[[], bool], most_s: float = 120.0) -> None:
    """The event loop, until something holds."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop, looked = QEventLoop(), QTimer(interval=20)
    looked.timeout.connect(lambda: loop.quit() if until() else None)
    looked.start()
    QTimer.singleShot(round(most_s * 1000), loop.quit)
    loop.exec()
    assert until(), "it did not come to that"


def measure_lateness(_: argparse.Namespace) -> list[Figure]:
    """50 series as they are measured, then a backlog as fast as it can be had."""
    plan, lines = ten_hours(STEP_S)
    copies = [line for line in lines if line.startswith(b'{"kind":"sample"')]
    steps = -(-CAUGHT_UP // len(copies))
    with TemporaryDirectory() as folder, live_page(Path(folder)) as (page, plans):
        ticks, found = Ticks(), {}
        found["50 series at 1 Hz"] = _streamed(page, plans, Path(folder), plan, lines, ticks)
        late: list[float] = []
        for number in range(steps):
            late += _caught_up(page, plans, Path(folder), number + 2, lines, ticks)
        found[f"{steps * len(lines):,} lines at once"] = late
    figures = []
    for name, each in found.items():
        figures += [
            Figure(f"late by, p99, {name}", float(np.percentile(each, 99)), "ms", len(each), "ticks",
                   at_most=LATE_MS, digits=2),
            Figure(f"late by, at most, {name}", max(each), "ms", len(each), "ticks",
                   at_most=LATEST_MS, digits=1),
        ]  # fmt: skip
    return figures


def _streamed(
    page: LivePage, plans: WatchedPlans, home: Path, plan: Plan, lines: list[bytes], ticks: Ticks
) -> list[float]:
    wire = Wire(plan.turns[0].session)
    follow(plans, home, plan, wire)
    head = 10 + STEP_S // 2  # with the first half of the first step
    wire.put(b"".join(lines[:head]))
    turn(lambda: _drawn(page) > 100)
    turn(lambda: True, 2)
    ticks.taken()
    began = time.monotonic()
    for second in range(STREAMED_S):
        wire.put(lines[head + second])
        turn(lambda at=began + second + 1: time.monotonic() >= at, 5)  # type: ignore[misc]
    late = ticks.taken()
    wire.end()
    turn(lambda: not plans.active())
    return late


def _caught_up(
    page: LivePage, plans: WatchedPlans, home: Path, number: int, lines: list[bytes], ticks: Ticks
) -> list[float]:
    """All of a session that ended while nobody looked."""
    from ui.core.bus import ShowPageRequest

    plan, own = _numbered(lines, number)
    wire = Wire(plan.turns[0].session)
    wire.put(b"".join(own[:8]))
    rest = b"".join(own[8:])
    follow(plans, home, plan, wire)
    turn(lambda: bool(plans.active()))
    page.open(ShowPageRequest("live", (plan.turns[0].session,)))
    turn(lambda: _shown(page) == plan.turns[0].session)
    calm_at = time.monotonic() + CALM_S
    turn(lambda: time.monotonic() >= calm_at)
    ticks.taken()
    wire.put(rest)
    wire.end()
    turn(lambda: not plans.active())
    return ticks.taken()


def _numbered(lines: list[bytes], number: int) -> tuple[Plan, list[bytes]]:
    """The same journal as another session of another plan."""
    from app.protocol.events import SessionPlanned, decode, encode
    from app.protocol.plan import Plan
    from tests import journals

    first = decode(lines[0])
    assert isinstance(first, SessionPlanned)
    session = journals.session_id(number, 1)
    known = Plan.from_json(first.plan)
    plan = replace(known, id=f"{number:026d}", turns=[replace(known.turns[0], session=session)])
    return plan, [encode(replace(first, session=session, plan=plan.to_json())), *lines[1:]]


def _shown(page: LivePage) -> str:
    seen = page.watching.loaded
    return seen.curves.session if seen else ""


def _drawn(page: LivePage) -> int:
    return len(page.body.charts.qps.track("load.queries"))


# from a line in the journal to the pixel

STEPS = """
[[step]]
name = "point-query"
workload = "point-query"
seconds = {seconds}
threads = [1]
"""


def measure_pixels(options: argparse.Namespace) -> list[Figure]:
    """A real session over SSH: how old each second is when the paint that shows it has ended.

    Target and window are one machine here, and so is their clock.
    """
    from tests.bench.rig import made

    with made(options) as rig, live_page(rig.home) as (page, plans):
        plan = rig.plan("innodb", STEPS.format(seconds=WATCHED_S))
        watch = _Pixels(page)
        started = rig.agent.start(rig.agent.upload_plan(plan))
        assert started.pid
        plans.watch(plan)
        _follow(plans, rig.home, plan, rig._reach)
        turn(lambda: bool(plans.active()))
        page.open(_wanted(plan))
        turn(lambda: not plans.active(), WATCHED_S + 120.0)
    ages = watch.ages_ms
    return [
        Figure("journal to pixel, p50", float(np.percentile(ages, 50)), "ms", len(ages), "seconds", digits=0),
        Figure("journal to pixel, p99", float(np.percentile(ages, 99)), "ms", len(ages), "seconds",
               at_most=PIXEL_MS, digits=0),
    ]  # fmt: skip


def _wanted(plan: Plan) -> Any:
    from ui.core.bus import ShowPageRequest

    return ShowPageRequest("live", (plan.turns[0].session,))


class _Pixels:
    """Of each sample of a step that lasts, its age when the chart with it has been painted."""

    def __init__(self, page: LivePage) -> None:
        from PySide6.QtCore import QEvent, QObject

        self.ages_ms: list[float] = []
        self._waiting: list[float] = []
        pixels = self

        class Paints(QObject):
            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                if event.type() == QEvent.Type.Paint and pixels._waiting and not page.painting.isActive():
                    watched.removeEventFilter(self)
                    watched.event(event)
                    watched.installEventFilter(self)
                    pixels._on_painted()
                    return True
                return False

        self._paints = Paints()
        self._canvas = page.body.charts.qps.canvas.viewport()
        self._canvas.installEventFilter(self._paints)
        page.context.bus.arrived.connect(self._on_arrived)

    def _on_arrived(self, arrival: Any) -> None:
        for events in arrival.update.events.values():
            self._waiting += [each.at for each in events.lines if hasattr(each, "dt") and each.step >= 0]

    def _on_painted(self) -> None:
        now = time.time()
        self.ages_ms += [(now - at) * 1000 for at in self._waiting]
        self._waiting.clear()


FIGURES = {"event-lateness": measure_lateness, "journal-to-pixel": measure_pixels}
