"""The Compare page: from the wish to the painted table, and to all of its curves."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Sample
from tests import comparable, journals
from tests.bench.figure import Figure
from tests.bench.history import noisy

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from ui.pages.compare import ComparePage

COLUMNS, STEPS, SECONDS = 6, 50, 300
OTHERS = 400  # sessions that are in the history besides
TIMES = 15
_DRIVEN = tuple((f"step{at}", f"group{at // 8}") for at in range(STEPS // 2))
MANY_COLUMNS, REPEATS, MANY_STEPS = 8, 5, 60
_MANY_DRIVEN = tuple((f"step{at}", f"group{at // 8}") for at in range(MANY_STEPS // 2 - 1))


def measure_compare_page(options: argparse.Namespace) -> list[Figure]:
    """6 sessions of 50 steps; each time the columns come in another order, so that nothing is kept."""
    with TemporaryDirectory() as folder:
        ids = _fill(Path(folder))
        with _page(Path(folder)) as (application, page):
            return _measure(application, page, ids)


def measure_compare_repeats(options: argparse.Namespace) -> list[Figure]:
    """8 columns of 5 repeats x 60 steps with all verdicts and means, to the painted table and bars."""
    with TemporaryDirectory() as folder:
        plan = comparable.plan(MANY_COLUMNS, REPEATS, its_steps=comparable.steps((1, 8), 20, _MANY_DRIVEN))
        ids = comparable.keep(Path(folder), plan)
        with _page(Path(folder)) as (application, page):
            return _measure_repeats(application, page, ids)


@contextmanager
def _page(home: Path) -> Iterator[tuple[QApplication, ComparePage]]:
    """On this history, at the size of a large window."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from ui.shell.application import close_context, make_application, make_window_context

    application = QApplication.instance() or make_application()
    assert isinstance(application, QApplication)
    context = make_window_context(home)
    context.theme.set_appearance("light")
    from ui.pages.compare import ComparePage

    page = ComparePage(context)
    page.resize(1600, 900)
    page.show()
    try:
        yield application, page
    finally:
        page.close()
        close_context(context)


def _fill(home: Path) -> tuple[str, ...]:
    """Sessions of 10 series, and others beside them."""
    import numpy as np

    plan = comparable.plan(COLUMNS, its_steps=comparable.steps((1, 8), SECONDS, _DRIVEN)[: STEPS + 2])
    declared, values = noisy(SECONDS, np.random.default_rng(1))
    declared, seconds = declared[:10], values[:, :10].tolist()
    with History(home) as history:
        history.connection.execute("PRAGMA synchronous = OFF")
        for turn in plan.turns:
            maker = journals.Maker(plan, turn.session).begin(declared)
            for at in range(len(plan.steps)):
                maker.start_step(at)
                for s, each in enumerate(seconds):
                    maker.t += 1.0
                    maker.add(Sample, step=at, s=s, dt=1.0, values=each)
                maker.end_step(at)
            JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
        for number in range(2, OTHERS // COLUMNS + 2):
            other = comparable.plan(COLUMNS, number=number, its_steps=plan.steps[:2])
            for turn in other.turns:
                raw = journals.whole(other, turn.session).raw
                JournalStorer(history).append(other.id, turn.session, 0, raw)
    return tuple(turn.session for turn in plan.turns)


def _measure(application: QApplication, page: ComparePage, ids: tuple[str, ...]) -> list[Figure]:
    tables: list[float] = []
    figures = []
    for panel in page.body.panels:
        page.body.tabs.setCurrentWidget(panel)
        times = [
            _open(application, page, ids[turn % COLUMNS :] + ids[: turn % COLUMNS]) for turn in range(TIMES)
        ]
        tables += [each.table_ms for each in times[1:]]  # the first one makes the charts
        wholes = [each.whole_ms for each in times[1:]]
        figures.append(_figure(f"with {panel.title.lower()}", wholes, 150))
        figures.append(
            Figure(f"with {panel.title.lower()}, the first", times[0].whole_ms, "ms", 1, "time", digits=1)
        )
    return [_figure(f"{COLUMNS} sessions x {STEPS} steps: table", tables, 50), *figures]


def _measure_repeats(application: QApplication, page: ComparePage, ids: tuple[str, ...]) -> list[Figure]:
    """The columns come in another order each time; the first one makes the charts."""
    times = [
        _open(application, page, ids[turn % MANY_COLUMNS :] + ids[: turn % MANY_COLUMNS])
        for turn in range(TIMES)
    ]
    comparison = page.body.comparison
    assert comparison is not None
    assert [len(column.ids) for column in comparison.columns] == [REPEATS] * MANY_COLUMNS
    assert len(comparison.rows) == MANY_STEPS
    name = f"{MANY_COLUMNS} columns of {REPEATS} repeats x {MANY_STEPS} steps"
    longest = [each.longest_ms for each in times[1:]]
    return [
        _figure(f"{name}: table", [each.table_ms for each in times[1:]], 500),
        _figure("with bars", [each.whole_ms for each in times[1:]], 500),
        Figure("with bars, the first", times[0].whole_ms, "ms", 1, "time", digits=1),
        Figure(
            "longest turn of the GUI thread, median", median(longest), "ms CPU", len(longest), "times",
            at_most=20, digits=1,
        ),
    ]  # fmt: skip


def _figure(name: str, times: list[float], goal: float) -> Figure:
    return Figure(f"{name}, median", median(times), "ms", len(times), "times", at_most=goal, digits=1)


@dataclass(frozen=True)
class _Opened:
    """Milliseconds from the wish on."""

    table_ms: float  # until the table is painted
    whole_ms: float  # until all that stands beside is
    longest_ms: float  # CPU of the GUI thread in one go


def _open(application: QApplication, page: ComparePage, ids: tuple[str, ...]) -> _Opened:
    from ui.core.bus import ShowPageRequest

    drawn: list[bool] = []
    listening = page.body.panel.drawn.connect(lambda: drawn.append(True))
    before = page.body.comparison
    began = time.perf_counter()
    page.open(ShowPageRequest("compare", ids))
    turns = _wait(application, lambda: page.body.comparison is not before)
    turns.append(_turn(page.body.table.viewport().repaint))
    table_ms = (time.perf_counter() - began) * 1000
    turns += _wait(application, lambda: bool(drawn))
    turns.append(_turn(application.processEvents))
    whole_ms = (time.perf_counter() - began) * 1000
    page.disconnect(listening)
    return _Opened(table_ms, whole_ms, max(turns) * 1000)


def _wait(application: QApplication, is_so: Callable[[], bool]) -> list[float]:
    """What each turn of the GUI thread took meanwhile."""
    end = time.perf_counter() + 30
    turns = []
    while not is_so():
        turns.append(_turn(application.processEvents))
        time.sleep(0.0002)  # the other threads come first
        assert time.perf_counter() < end
    return turns


def _turn(work: Callable[[], object]) -> float:
    """Seconds of CPU."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


FIGURES = {"compare-page": measure_compare_page, "compare-repeats": measure_compare_repeats}
