"""Latency second by second: the heat map of Live, and the percentiles of a range."""

from __future__ import annotations

import random
from math import log10
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from app.protocol.latency import Counts, add, bucket_at
from app.stats.percentiles import percentiles_of
from tests.journals import Maker, plan, steps, whole
from tests.plans import MARIADB
from tests.ui.conftest import ShowLive as Show
from tests.ui.watched import WatchedPlans, keep
from ui.core.context import WindowContext
from ui.pages.live import LivePage
from ui.pages.live.choices import SERIES
from ui.pages.live.curves import StepOnAxis
from ui.pages.live.heat import HEAT
from ui.widgets.charts.heat_chart import HeatChart
from ui.widgets.charts.scale import value_text

SECONDS, STALL_S, STALL_MS = 60, 12, 200.0
STEPS = steps([2], SECONDS)


def second(s: int, seed: int = 1) -> Counts:
    """Events around 0.3 ms; two of one second take 200 ms."""
    chance = random.Random(f"{seed} {s}")
    counts: Counts = {}
    for _ in range(2000):
        add(counts, {bucket_at(chance.lognormvariate(-1.2, 0.25)): 1})
    return {**counts, bucket_at(STALL_MS): 2} if s == STALL_S else counts


def begun() -> Maker:
    maker = Maker(plan(its_steps=STEPS)).begin()
    maker.step(0)
    maker.latencies = {s: second(s) for s in range(-2, SECONDS)}
    return maker


@pytest.fixture
def chosen(context: WindowContext) -> WindowContext:
    context.memory.keep(SERIES, HEAT["name"])
    return context


@pytest.fixture
def heat_page(chosen: WindowContext, drawn: Show) -> LivePage:
    maker = begun()
    maker.step(1)
    maker.step(2)
    keep(chosen, [maker.end()])
    return drawn(chosen)


def heat(page: LivePage) -> HeatChart:
    chart = page.body.charts.charts[-1]
    assert isinstance(chart, HeatChart)
    return chart


def look_at(page: LivePage, step: int) -> StepOnAxis:
    loaded = page.watching.loaded
    assert loaded is not None
    page.body.charts.look_at(loaded.curves.bounds[step])
    return loaded.curves.bounds[step]


def point(chart: HeatChart, t: float, ms: float) -> None:
    """Move the mouse to a moment and a latency."""
    area = chart.canvas.area
    QTest.mouseMove(chart.canvas.viewport(), QPoint(round(area.px(t)), round(area.py(log10(ms)))))


def colours(chart: HeatChart, t: float) -> set[str]:
    """The colours of all cells at a moment."""
    image, area = chart._image, chart.canvas.area
    x = int((t - area.x[0]) / (area.x[1] - area.x[0]) * image.width())
    found = (image.pixelColor(x, y) for y in range(image.height()))
    return {colour.name() for colour in found if colour.alpha()}


@pytest.mark.parametrize("appearance", ["light", "dark"])
def test_a_stall_is_seen_in_its_second(heat_page: LivePage, chosen: WindowContext, appearance: str) -> None:
    chosen.theme.set_appearance(appearance)
    measured_t, chart = look_at(heat_page, 1).measured_t, heat(heat_page)
    assert measured_t is not None and chart.isVisible() and not heat_page.body.charts.choice.isVisible()
    at = measured_t + STALL_S - 0.5  # the maker marks the end of the warm-up a second late
    point(chart, at, STALL_MS)
    assert chart.cursor_text.endswith(" ms: 2 events, 0.1 % of 2,002")
    assert not chart._image.pixelColor(0, 0).alpha()
    slowest = [chart._image.pixelColor(x, 0).alpha() > 0 for x in range(chart._image.width())]
    assert 0 < sum(slowest) <= len(slowest) // 30
    point(chart, at + 2, STALL_MS)
    assert chart.cursor_text.endswith(": 0 events, 0 % of 2,000")
    chart._y = None
    assert ": 2,000 events, p99.9 " in chart.cursor_text
    assert len(colours(chart, at)) > 3


def test_a_range_has_the_percentiles_of_its_events(heat_page: LivePage) -> None:
    look_at(heat_page, 1)
    latency = heat_page.body.charts.latency
    counts: Counts = {}
    for s in range(SECONDS):
        add(counts, second(s))
    wanted = " / ".join(value_text(each) for each in percentiles_of(counts, (50, 95, 99, 99.9)))
    assert latency.figures.told.splitlines()[0].endswith(", p50 / p95 / p99 / p99.9, ms per query")
    assert (
        latency.figures.told.splitlines()[1]
        == f"{MARIADB}-innodb-default: {wanted} (n {sum(counts.values()):,})"
    )
    assert heat(heat_page).figures.told == latency.figures.told


def test_a_session_without_latencies_says_so(chosen: WindowContext, drawn: Show) -> None:
    keep(chosen, [whole(plan(its_steps=STEPS))])
    page = drawn(chosen)
    look_at(page, 1)
    assert heat(page)._image.isNull() and "Dyno measures them since protocol 1.3" in heat(page).nothing
    assert page.body.charts.latency.figures.told.splitlines()[0].endswith("mean ± sd, ms per query")
    page.grab()


def test_a_running_session_grows(
    chosen: WindowContext, plans: tuple[WindowContext, WatchedPlans], show: Show, qtbot: Any
) -> None:
    followed, maker = plans[1], begun()
    maker.start_step(1)
    maker.samples(1, range(-2, 3))
    followed.watch(maker.plan)
    followed.bring(maker)
    page = show(chosen)
    qtbot.waitUntil(lambda: page.watching.loaded is not None)
    assert len(page.watching.loaded.curves.heat) == 5  # type: ignore[union-attr]
    maker.samples(1, range(3, 20))
    followed.bring(maker)
    assert len(page.watching.loaded.curves.heat) == 22  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: bool(heat(page)._cells) and len(heat(page)._cells.starts) == 22)  # type: ignore[union-attr]
