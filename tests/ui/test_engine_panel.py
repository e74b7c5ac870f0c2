"""The tab *Engine* of the Live page: the running second, a step that has ended, an older journal."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QTextBrowser, QWidget

from app.agent.sampling.counters import ServerCounterSampler
from app.engines import KNOWN, engine_of
from app.protocol.events import Fact, Sample
from app.protocol.series import LOAD
from app.protocol.step_parts import to_json
from tests.journals import SERIES, Maker, contender, plan
from tests.ui.live_page import Follow
from tests.ui.watched import WatchedPlans
from ui.core.context import WindowContext
from ui.dialogs.help import HelpDialog
from ui.pages.live import LivePage
from ui.pages.live.engine_panel import MISSING, NO_FIGURES, NO_PANEL
from ui.shell.window import FIRST_SIZE, Window

LEAST = 110  # pixels of a lower chart
ENGINE = 1  # the tab


def begun(engine: str, series: Any = None) -> Maker:
    maker = Maker(plan([contender(engine)]))
    maker.begin(series or [*map(to_json, [*LOAD, *ServerCounterSampler(None, engine).declare()])])  # type: ignore[arg-type]
    maker.step(0)
    return maker


def second(maker: Maker, s: int, values: dict[str, float]) -> None:
    """A sample of the running step with these values of the engine's series; all others are missing."""
    maker.t += 1.0
    row = [values.get(each["name"]) for each in maker.series]
    maker.add(Sample, step=1, s=s, dt=1.0, values=row, derived=False)


@pytest.fixture
def follow_tab(follow: Follow) -> Follow:
    """With this tab open."""

    def make(maker: Maker) -> LivePage:
        page = follow(maker)
        page.body.tabs.setCurrentIndex(ENGINE)
        return page

    return make


def texts(page: LivePage) -> dict[str, str]:
    return {name: cell.text for name, cell in page.body.engine.cells.items() if cell.text != MISSING}


def test_the_running_second_then_the_step(
    plans: tuple[WindowContext, WatchedPlans], follow_tab: Any, qtbot: Any
) -> None:
    maker = begun("innodb")
    maker.start_step(1)
    page = follow_tab(maker)
    panel = page.body.engine
    second(maker, 0, {"innodb.cache_requests": 200.0, "innodb.cache_misses": 2.0})
    values = {"innodb.cache_requests": 400.0, "innodb.cache_misses": 100.0, "innodb.log_kb": 2048.0}
    second(maker, 1, values)
    plans[1].bring(maker)
    qtbot.waitUntil(lambda: texts(page) == {"cache_hits": "75.0 %", "log_rate": "2,048 KiB/s"})
    assert panel.heading.text() == "now"
    assert list(panel.cells) == [figure.name for figure in engine_of("innodb").panel]
    assert "More is better." in panel.cells["cache_hits"].toolTip()
    label = maker.plan.steps[1].label
    maker.add(Fact, name="engine_figures", value={"cache_hits": 0.6, "log_waits": 0.0}, when=label)
    maker.end_step(1)
    plans[1].bring(maker)
    qtbot.waitUntil(lambda: page.watching.overview.steps[1]["state"] == "completed")
    page.step.look_at(1)
    qtbot.waitUntil(lambda: texts(page) == {"cache_hits": "60.0 %", "log_waits": "0 /s"})
    assert panel.heading.text().startswith("point-query")
    page.body.table.choose_row(0)
    page.step.look_at(0)
    assert panel.heading.text() == NO_FIGURES and texts(page) == {}


def test_parts_are_next_to_their_figure(
    plans: tuple[WindowContext, WatchedPlans], follow_tab: Any, qtbot: Any
) -> None:
    maker = begun("rocksdb")
    maker.start_step(1)
    page = follow_tab(maker)
    values = {"rocksdb.level_score": 1.25, "rocksdb.level_mb{0}": 0.0, "rocksdb.level_mb{6}": 2048.0}
    second(maker, 0, values)
    plans[1].bring(maker)
    qtbot.waitUntil(lambda: texts(page) == {"level_score": "1.25 (L6 2,048 MiB)"})
    assert page.body.engine.cells["level_score"].toolTip().endswith("L6 2,048 MiB")


@pytest.mark.parametrize(("engine", "heading"), [("innodb", "now"), ("archive", NO_PANEL)])
def test_a_journal_without_such_series_and_an_engine_without_a_panel(
    plans: tuple[WindowContext, WatchedPlans], follow_tab: Any, qtbot: Any, engine: str, heading: str
) -> None:
    maker = begun(engine, SERIES)
    maker.start_step(1)
    page = follow_tab(maker)
    maker.samples(1, range(2))
    plans[1].bring(maker)
    qtbot.waitUntil(lambda: page.body.engine.heading.text() == heading)
    assert texts(page) == {}


def test_the_charts_have_their_height_below_the_panel(
    plans: tuple[WindowContext, WatchedPlans], qtbot: Any
) -> None:
    context, followed = plans
    maker = begun("rocksdb")
    maker.start_step(1)
    followed.watch(maker.plan)
    followed.bring(maker)
    window = Window(context)
    qtbot.addWidget(window)
    window.show_page("live")
    window.resize(FIRST_SIZE)
    window.show()
    qtbot.waitExposed(window)
    page = window.page("live")
    assert isinstance(page, LivePage)
    qtbot.waitUntil(lambda: page.watching.loaded is not None)
    page.body.tabs.setCurrentIndex(ENGINE)
    qtbot.waitUntil(lambda: bool(page.body.engine.cells))
    assert (window.width(), window.height()) == (1280, 800)
    assert [chart.height() >= LEAST for chart in page.body.charts.charts] == [True] * 5
    cells = page.body.engine.cells.values()
    assert all(page.body.engine.rect().contains(cell.geometry()) for cell in cells)
    assert all(cell.height() >= cell.minimumSizeHint().height() for cell in cells)


def test_the_help_has_the_words_of_the_engines(qtbot: Any) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    dialog = HelpDialog([], window)
    shown = dialog.findChild(QTextBrowser).toPlainText()
    assert all(figure.meaning in shown for engine in KNOWN.values() for figure in engine.panel)
