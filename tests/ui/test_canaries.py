"""The canaries of a target in the window: a chart of how its machine was over time."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.history.store.history import History
from app.remote.target import LOCAL
from app.targets.store import Targets
from tests.unit.history.test_canaries import STEADY, keep
from ui.core.context import WindowContext
from ui.pages.bench.targets.canaries import CanariesDialog

BUSY = {
    "causes": ["cpu"],
    "cpu_pct": 150.0,
    "cpus": 2,
    "programs": [{"name": "cc1\x1b[31m", "cpu_pct": 150.0}],
}


def opened(qtbot: QtBot, context: WindowContext) -> CanariesDialog:
    dialog = CanariesDialog(context, Targets(context.home).get(LOCAL))
    qtbot.addWidget(dialog)
    dialog.begin()
    return dialog


def test_each_run_stands_at_its_share_of_the_usual(qtbot: QtBot, context: WindowContext) -> None:
    facts = [{**STEADY, "reads": 5000 + 50 * at} for at in range(9)]
    facts[4] = {**facts[4], "reads": 2600, "others": BUSY}
    with History(context.home) as history:
        keep(history, *facts)
    dialog = opened(qtbot, context)
    qtbot.waitUntil(lambda: "undisturbed canary runs" in dialog.said.text())
    chart = dialog.chart
    assert len(chart.stands()) == 9
    chart.set_cursor(4)
    assert chart.values() == ["50.00", "100.0", "50.00"]
    assert "other programs took 150% of 200% CPU: cc1" in chart.stand_text(4)
    assert "\x1b" not in chart.stand_text(4)
    chart.set_cursor(0)
    assert chart.values()[2] == "\N{EN DASH}"


def test_without_any_it_says_when_there_will_be_some(qtbot: QtBot, context: WindowContext) -> None:
    dialog = opened(qtbot, context)
    qtbot.waitUntil(lambda: not dialog.chart.isVisible())
    assert "plans of more than ten minutes" in dialog.said.text()
