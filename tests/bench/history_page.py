"""The page of 10,000 sessions: how soon it is on the screen, what a key in its filter costs the window."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.bench.figure import Figure
from tests.bench.many_sessions import fill

if TYPE_CHECKING:
    from ui.core.context import WindowContext
    from ui.pages.history import HistoryPage
    from ui.shell.window import Window

LISTED = 10_000
STEPS = 50
TYPED = ("innodb", "rocksdb cached target-1", "mysql-8.0.31 quiet", "no such session")
PATIENCE_S = 20.0

Cost = tuple[float, float]  # ms on the clock, ms of CPU of the GUI thread


@contextmanager
def context_of(home: Path) -> Iterator[WindowContext]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from ui.shell.application import close_context, make_application, make_window_context

    application = QApplication.instance() or make_application()
    context = make_window_context(home)
    context.theme.set_appearance("light")
    yield context
    close_context(context)
    application.processEvents()


def wait(is_done: Callable[[], bool]) -> None:
    """The event loop, asleep while there is nothing to do."""
    from PySide6.QtCore import QEventLoop, QTimer

    ends, loop, alarm = time.monotonic() + PATIENCE_S, QEventLoop(), QTimer()
    alarm.timeout.connect(lambda: None)
    alarm.start(50)
    while not is_done():
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.monotonic() > ends:
            raise TimeoutError("the page is not shown")
    alarm.stop()


class Parts:
    """What of the page is watched."""

    def __init__(self, page: HistoryPage) -> None:
        from PySide6.QtCore import QEvent, QObject

        from ui.models.sessions import SessionModel
        from ui.pages.history.filter_bar import FilterLine
        from ui.pages.history.table import SessionTable

        self.line: Any = page.findChild(FilterLine)
        self.found = self.counted = self.paints = 0
        parts = self

        class Watch(QObject):
            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                if event.type() == QEvent.Type.Paint and parts.found:
                    parts.paints += 1
                return False

        self._watch = Watch(page)
        page.findChild(SessionTable).viewport().installEventFilter(self._watch)
        page.findChild(SessionModel).found.connect(self._on_found)
        page.counted.connect(self._on_counted)

    def forget(self) -> None:
        self.found = self.counted = self.paints = 0

    def _on_found(self, _: object) -> None:
        self.found += 1

    def _on_counted(self, _: object) -> None:
        self.counted += 1


def measure_page(options: argparse.Namespace) -> list[Figure]:
    """From the wish to see the page to the painted list: a page not made before, one hidden and stale."""
    firsts: list[Cost] = []
    agains: list[Cost] = []
    with TemporaryDirectory() as folder:
        fill(Path(folder), LISTED, STEPS)
        for _ in range(9):
            with context_of(Path(folder)) as context:
                window = _window(context)
                firsts.append(_shown(window))
                agains += [_shown_again(window, context) for _ in range(5)]
                window.close()
    first, n = firsts.pop(0), len(firsts)
    wall, cpu = (median(each) for each in zip(*firsts, strict=True))
    again, again_cpu = (median(each) for each in zip(*agains, strict=True))
    return [
        Figure("history page, the very first, with its imports", first[0], "ms", 1, "showing", digits=1),
        Figure("history page, made and shown", wall, "ms", n, "pages", at_most=50, digits=1),
        Figure("of that the GUI thread at work", cpu, "ms", n, "pages", digits=1),
        Figure("history page, shown again after a change", again, "ms", len(agains), "showings", at_most=50,
               digits=1),
        Figure("of that the GUI thread at work", again_cpu, "ms", len(agains), "showings", digits=1),
    ]  # fmt: skip


def _window(context: WindowContext) -> Window:
    from ui.shell.window import Window

    window = Window(context)
    window.resize(1280, 800)
    window.show()
    wait_idle()
    return window


def wait_idle() -> None:
    ends = time.monotonic() + 0.3
    wait(lambda: time.monotonic() > ends)


def _shown(window: Window) -> Cost:
    began, cpu = time.perf_counter(), time.thread_time()
    parts = Parts(window.page("history"))
    return _until_painted(window, parts, began, cpu)


def _shown_again(window: Window, context: WindowContext) -> Cost:
    from ui.core.bus import PartsToReload

    window.show_page("bench")
    context.bus.changed.emit(PartsToReload(sessions=True))
    wait_idle()
    parts = Parts(window.page("history"))
    return _until_painted(window, parts, time.perf_counter(), time.thread_time())


def _until_painted(window: Window, parts: Parts, began: float, cpu: float) -> Cost:
    window.show_page("history")
    wait(lambda: parts.paints > 0)
    cost = ((time.perf_counter() - began) * 1000, (time.thread_time() - cpu) * 1000)
    wait_idle()
    return cost


def measure_filter(options: argparse.Namespace) -> list[Figure]:
    """Each key of some texts: CPU of the GUI thread until nothing is left to do; when the list is there."""
    from PySide6.QtTest import QTest

    spent: list[float] = []
    shown: list[float] = []
    with TemporaryDirectory() as folder:
        fill(Path(folder), LISTED, STEPS)
        with context_of(Path(folder)) as context:
            window = _window(context)
            _shown(window)
            parts = Parts(window.page("history"))
            for text in TYPED:
                for key in text:
                    parts.forget()
                    cpu, began = time.thread_time(), time.perf_counter()
                    QTest.keyClick(parts.line, key)
                    wait(lambda: parts.found > 0 and parts.counted > 0)
                    shown.append((time.perf_counter() - began) * 1000)
                    spent.append(_settled(cpu))
                parts.line.clear()
                wait_idle()
            window.close()
    n, ordered = len(spent), sorted(spent)
    return [
        Figure("a key of the filter, GUI thread, median", median(spent), "ms", n, "keys", digits=1),
        Figure(
            "a key of the filter, GUI thread, p95", ordered[-n // 20], "ms", n, "keys", at_most=20, digits=1
        ),
        Figure("a key of the filter, GUI thread, longest", ordered[-1], "ms", n, "keys", digits=1),
        Figure("a key of the filter to list and counts", median(shown), "ms", n, "keys", digits=1),
    ]


def _settled(cpu: float) -> float:
    """CPU since, in ms, when what was asked for has been painted too."""
    from PySide6.QtWidgets import QApplication

    for _ in range(3):
        QApplication.processEvents()
    return (time.thread_time() - cpu) * 1000


FIGURES = {"history-page": measure_page, "history-filter": measure_filter}
