"""The axis of latencies: what was loaded has one slow sample, which does not set it."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from ui.core.context import WindowContext
from ui.widgets.charts.latency_chart import LatencyChart

LOADED = (np.array([5.0, 30.0, 31.0, 32.0]), np.array([900.0, 1.2, 1.4, 1.3]))


def highest(chart: LatencyChart) -> float:
    return max(float(values.max()) for values in chart.values_for_axis([LOADED]) if len(values))


def test_a_load_does_not_set_the_axis(context: WindowContext, qtbot: QtBot) -> None:
    chart = LatencyChart(context.theme, "Latency p95", "ms")
    qtbot.addWidget(chart)
    assert highest(chart) == 900.0
    chart.set_aside([(0.0, 20.0)])
    assert highest(chart) == 1.4


def test_alone_it_is_shown(context: WindowContext, qtbot: QtBot) -> None:
    chart = LatencyChart(context.theme, "Latency p95", "ms")
    qtbot.addWidget(chart)
    chart.set_aside([(0.0, 1e7)])
    assert highest(chart) == 900.0
