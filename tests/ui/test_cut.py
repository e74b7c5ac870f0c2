"""Which seconds of a step count, chosen in the window: drawn over the curve, given by bounds, taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.history.lists.edits import count_only_seconds
from app.history.recorded.counting import Cut, CuttableStep, MeasuredSeconds
from app.history.recorded.writing import JournalStorer
from app.history.steps.figures import StepEntry, steps
from app.history.store.history import History
from tests import journals
from tests.plans import MARIADB
from tests.ui.find import find, label_texts
from ui.core.bus import PartsToReload, ShowPageRequest
from ui.core.context import WindowContext
from ui.core.theme import Theme
from ui.dialogs.cut import CutDialog
from ui.pages.compare.page import ComparePage
from ui.pages.compare.seconds import SecondsPanel
from ui.pages.history import HistoryPage
from ui.pages.history.tabs import DetailTabs, StepTable
from ui.pages.live import LivePage

PLAN = journals.plan(its_steps=journals.steps(threads=(1,), seconds=60))
ID = PLAN.turns[0].session
POINT = 1
VALUES = [50_000.0] * 20 + [30_000.0] * 40
REASON = "two levels: from about second 21 on throughput is 40% lower"


def opened(qtbot: QtBot, theme: Theme, cut: Cut | None = None) -> CutDialog:
    step = CuttableStep(
        1, "point-query threads=1", "queries/s", 36_666.0, MeasuredSeconds(VALUES, [1.0] * 60), cut
    )
    dialog = CutDialog("innodb", step, theme, None)  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def spins(dialog: CutDialog) -> list[QSpinBox]:
    return dialog.findChildren(QSpinBox)


def texts(part: QWidget) -> str:
    return "\n".join(label_texts(part))


def keep(dialog: CutDialog) -> QPushButton:
    return next(each for each in dialog.findChildren(QPushButton) if "these" in each.text())


def test_what_the_chosen_seconds_come_to_is_told_before_they_are_kept(qtbot: QtBot, theme: Theme) -> None:
    dialog = opened(qtbot, theme)
    assert not keep(dialog).isEnabled() and "choose fewer" not in texts(dialog)  # nobody has done any wrong
    assert f"All 60: 36,666 queries/s, unsteady: {REASON}" in texts(dialog)
    spins(dialog)[0].setValue(20)
    assert "Seconds 20 to 60: 30,000 queries/s, steady: no trend" in texts(dialog)
    assert f"All 60: 36,666 queries/s, unsteady: {REASON}" in texts(dialog)
    assert keep(dialog).isEnabled() and dialog.cut == Cut(20, 59)
    spins(dialog)[1].setValue(24)
    assert "Seconds 20 to 24 contain 4 measured ones, at least 10 are needed" in texts(dialog)
    assert not keep(dialog).isEnabled()


def test_a_stretch_drawn_over_the_curve_is_chosen(qtbot: QtBot, theme: Theme) -> None:
    dialog = opened(qtbot, theme)
    canvas: Any = dialog.chart.canvas
    area, port = canvas.area, canvas.viewport()
    at = [port.rect().center() for _ in range(2)]
    for point, t in zip(at, (30.4, 49.5), strict=True):
        point.setX(round(area.px(t)))
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=at[0])
    qtbot.mouseMove(port, at[1])
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=at[1])
    assert dialog.cut == Cut(30, 49)


def results(qtbot: QtBot, page: HistoryPage) -> DetailTabs:
    """The results of the session, its step chosen."""
    page.open(ShowPageRequest("history", (ID,)))
    qtbot.waitUntil(lambda: page.findChild(DetailTabs) is not None)
    tabs = page.findChild(DetailTabs)
    tabs.setCurrentIndex(1)
    table = find(tabs, StepTable)
    qtbot.waitUntil(lambda: table.model().rowCount() > POINT)
    table.selectRow(POINT)
    return tabs


@pytest.fixture
def cut_home(dyno_home: Path) -> Path:
    maker = journals.Maker(PLAN).begin()
    maker.value = lambda position, s: 1.0 if position else VALUES[max(s, 0)]  # type: ignore[method-assign]
    for at in range(len(PLAN.steps)):
        maker.step(at, value=36_666.0)
    with History(dyno_home) as history:
        JournalStorer(history).append(PLAN.id, ID, 0, maker.end().raw)
    return dyno_home


def stored(home: Path) -> StepEntry:
    with History(home) as history:
        return steps(history, ID)[POINT]


def test_in_the_history_a_step_is_cut_and_made_whole_again(
    cut_home: Path, context: WindowContext, qtbot: QtBot
) -> None:
    page = HistoryPage(context)
    qtbot.addWidget(page)
    page.resize(1200, 700)
    page.show()
    tabs = results(qtbot, page)
    assert REASON in texts(tabs)
    for wanted in (Cut(20, 59, "a backup ran"), None):
        tabs.choose_seconds.trigger()
        qtbot.waitUntil(lambda: page.cutting.dialog is not None)
        dialog = page.cutting.dialog
        assert dialog is not None
        if wanted:
            spins(dialog)[0].setValue(20)
            find(dialog, QLineEdit, "Why").setText("a backup ran")
            keep(dialog).click()
            qtbot.waitUntil(lambda: "seconds 20 to 60 of 60 (a backup ran)" in texts(tabs))
            assert "steady: no trend" in texts(tabs)
        else:
            next(each for each in dialog.findChildren(QPushButton) if "all again" in each.text()).click()
            qtbot.waitUntil(lambda: REASON in texts(tabs))
        page.cutting.dialog = None
        found = stored(cut_home)["cut"]
        assert (found and found["reason"]) == (wanted and "a backup ran")


def test_a_load_has_no_seconds_to_choose_from(cut_home: Path, context: WindowContext, qtbot: QtBot) -> None:
    page = HistoryPage(context)
    qtbot.addWidget(page)
    page.show()
    tabs = results(qtbot, page)
    assert tabs.choose_seconds.isEnabled()
    find(tabs, StepTable).selectRow(0)
    assert not tabs.choose_seconds.isEnabled()


def test_live_marks_the_step_and_opens_its_seconds(
    cut_home: Path, context: WindowContext, qtbot: QtBot
) -> None:
    page = LivePage(context)
    qtbot.addWidget(page)
    page.resize(1200, 700)
    page.show()
    page.open(ShowPageRequest("live", (ID,)))
    strip, table = page.body.header.strip, page.body.table
    qtbot.waitUntil(lambda: len(strip.blocks()) == len(PLAN.steps) and page.body.results.rowCount() > POINT)
    qtbot.waitUntil(lambda: f"unsteady: {REASON}" in strip.text_of(strip.blocks()[POINT]))
    assert "unsteady" not in strip.text_of(strip.blocks()[0])
    shown = page.body.results
    value = next(at for at, column in enumerate(shown.columns) if column.key == "value")
    assert shown.index(POINT, value).data() == "!  36,666"
    with History(cut_home) as history:
        count_only_seconds(history, ID, POINT, Cut(20, 59))
    context.bus.changed.emit(PartsToReload(sessions=True))
    page.reload()
    qtbot.waitUntil(lambda: shown.index(POINT, value).data() == "cut  30,000")
    assert "unsteady" not in strip.text_of(strip.blocks()[POINT])
    shaded = [span for span in page.body.charts.qps.ground.spans if span.kind == "warmup"]
    assert sum(span.last - span.first == 20 for span in shaded) == 1
    table.selectRow(POINT)
    action: QAction = page.step.choose_seconds
    action.trigger()
    qtbot.waitUntil(lambda: page.step.cutting.dialog is not None)


def test_the_mark_comes_with_the_end_of_the_step(
    context: WindowContext, qtbot: QtBot, dyno_home: Path
) -> None:
    maker = journals.Maker(PLAN).begin()
    maker.value = lambda position, s: 1.0 if position else VALUES[max(s, 0)]  # type: ignore[method-assign]
    maker.step(0)
    maker.start_step(POINT)
    maker.samples(POINT, range(-2, 60))
    before = maker.raw
    maker.end_step(POINT, value=36_666.0)
    with History(dyno_home) as history:
        JournalStorer(history).append(PLAN.id, ID, 0, before)
    page = LivePage(context)
    qtbot.addWidget(page)
    page.show()
    page.open(ShowPageRequest("live", (ID,)))
    strip = page.body.header.strip
    qtbot.waitUntil(lambda: len(strip.blocks()) == len(PLAN.steps))
    assert "unsteady" not in strip.text_of(strip.blocks()[POINT])
    with History(dyno_home) as history:
        JournalStorer(history).append(PLAN.id, ID, len(before), maker.raw[len(before) :])
    context.bus.changed.emit(PartsToReload(sessions=True))
    qtbot.waitUntil(lambda: f"unsteady: {REASON}" in strip.text_of(strip.blocks()[POINT]))


def test_compare_says_why_beside_the_curve(cut_home: Path, context: WindowContext, qtbot: QtBot) -> None:
    page = ComparePage(context)
    qtbot.addWidget(page)
    page.resize(1200, 700)
    page.show()
    page.open(ShowPageRequest("compare", (ID,)))
    qtbot.waitUntil(lambda: page.body.comparison is not None)
    panel = next(each for each in page.body.panels if isinstance(each, SecondsPanel))
    page.body.tabs.setCurrentWidget(panel)
    figures = page.body.table.figures
    rows = {row.workload: at for at in range(figures.rowCount()) if (row := figures.row_at(at))}
    page.body.table.choose(rows["point-query"], 3)
    qtbot.waitUntil(lambda: panel._told.text() == f"{MARIADB}-innodb-default-1: unsteady: {REASON}")
    page.body.table.choose(rows["load"], 3)
    qtbot.waitUntil(lambda: not panel._told.isVisible())
