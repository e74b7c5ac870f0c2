"""Latency second by second: the heat map of Live, and the percentiles of a range."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from app.protocol.latency import Counts, bucket_at
from tests.journals import Maker, plan, steps, whole
from tests.ui.conftest import ShowLive as Show
from tests.ui.watched import WatchedPlans, keep
from ui.core.context import Context
from ui.pages.live import LivePage
from ui.pages.live.choices import SERIES
from ui.pages.live.heat import HEAT
from ui.widgets.charts.heat_chart import HeatChart

STALL_S, STALL_MS = 12, 200.0


def second(s: int, seed: int = 1) -> Counts:
    """Events around 0.3 ms; those of one second around 200 ms."""
    chance = random.Random(f"{seed} {s}")
    counts: Counts = {}
    for _ in range(2000):
        bucket = bucket_at(chance.lognormvariate(-1.2, 0.25))
        counts[bucket] = counts.get(bucket, 0) + 1
    return {**counts, bucket_at(STALL_MS): 2} if s == STALL_S else counts


def session(seconds: int = 60) -> Maker:
    made = plan(its_steps=steps([2], seconds))
    maker = Maker(made).begin()
    maker.step(0)
    maker.latencies = {s: second(s) for s in range(-2, seconds)}
    maker.step(1)
    maker.step(2)
    return maker.end()


@pytest.fixture
def page(context: Context, drawn: Show) -> LivePage:
    keep(context, [session()])
    context.memory.keep(SERIES, HEAT["name"])
    return drawn(context)


def heat(page: LivePage) -> HeatChart:
    chart = page.body.charts.charts[-1]
    assert isinstance(chart, HeatChart)
    return chart


def point(chart: HeatChart, t: float, ms: float) -> None:
    """Move the mouse to a moment and a latency."""
    from math import log10

    area = chart._canvas.area
    QTest.mouseMove(chart._canvas.viewport(), QPoint(round(area.px(t)), round(area.py(log10(ms)))))


def test_the_stall_is_where_it_was(page: LivePage, qtbot: Any) -> None:
    chart, bounds = heat(page), page._watching.loaded.curves.bounds[1]  # type: ignore[union-attr]
    page.body.charts.look_at(bounds)
    assert chart.isVisible() and not page.body.charts.choice.isVisible()
    assert bounds.measured_t is not None
    qtbot.waitUntil(lambda: not chart._image.isNull())
    point(chart, bounds.measured_t + STALL_S - 0.5, STALL_MS)
    assert chart.cursor_text.endswith(" ms: 2 events, 0.1 % of 2,002")
    point(chart, bounds.measured_t + STALL_S + 0.6, STALL_MS)
    assert chart.cursor_text.endswith(": 0 events, 0 % of 2,000")
