"""Latency, sizes, before and after: of eight contenders, of one, and of nothing; their numbers as CSV."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.comparison.cells.measures import FIGURE
from app.core.units import date_text
from app.protocol.plan import Step
from tests import comparable, journals, soaked, written
from tests.plans import MARIADB
from tests.ui.compare.seen import Open, button, choose, columns_of, offered, panel
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.theme import SPACE
from ui.pages.compare import ComparePage
from ui.pages.compare.bars import BarsPanel
from ui.pages.compare.latency import LatencyPanel
from ui.pages.compare.one_table import OperationsPanel, RolesPanel, SoakPanel
from ui.pages.compare.pairs import BeforeAfterPanel
from ui.pages.compare.rates import RatesPanel
from ui.pages.compare.seconds import SecondsPanel
from ui.pages.compare.sizes import SizesPanel
from ui.pages.compare.sweeps import SweepChartPanel
from ui.pages.compare.versions import VersionsPanel
from ui.pages.compare.why import STEP, WhyPanel


@pytest.mark.parametrize("columns", [2, 8])
def test_latencies_of_the_chosen_step(qtbot: QtBot, opened: Open, page: ComparePage, columns: int) -> None:
    opened(columns)
    choose(page, "update-index")
    shown = panel(qtbot, page, LatencyPanel)
    qtbot.waitUntil(lambda: shown.remark.text().startswith("update-index, threads 1: of one session"))
    assert shown.chart and shown.chart.isVisible()
    assert len(shown.chart.curves) == columns  # type: ignore[attr-defined]
    assert shown.chart.accessibleName() == "Latency of update-index over percentiles, ms/query"
    assert [text for _, text in shown.chart.ground.x_ticks] == ["50", "90", "99", "99.9"]  # of 5,000 events


@pytest.mark.parametrize(
    ("kind", "remark"),
    [
        (SweepChartPanel, "error bars: lowest to highest of n = 2 repeats"),
        (LatencyPanel, "update-index, threads 1: all events of up to 2 repeats together"),
    ],
)
def test_the_picture_of_one_chart_says_whose_figures_it_shows(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path,
    kind: type[SweepChartPanel | LatencyPanel], remark: str,
) -> None:  # fmt: skip
    opened(2, repeats=2)
    shown = panel(qtbot, page, kind)
    choose(page, "update-index")
    qtbot.waitUntil(lambda: shown.chart is not None and shown.remark.text().startswith(remark))
    assert shown.chart
    shown.chart.menu.save(str(tmp_path / "one.svg"))
    svg = (tmp_path / "one.svg").read_text()
    assert f"{MARIADB}-innodb-preset0 (base, n = 2), {MARIADB}-rocksdb-preset0 (n = 2), on local" in svg
    assert remark in svg and "update-index" in svg


@pytest.mark.parametrize("columns", [2, 8])
def test_sizes_of_the_chosen_step(qtbot: QtBot, opened: Open, page: ComparePage, columns: int) -> None:
    opened(columns, repeats=2)
    shown = panel(qtbot, page, SizesPanel)
    choose(page, "load")
    qtbot.waitUntil(lambda: shown.remark.text() == "load: by part; of repeats the one in the middle")
    rows = list(csv.reader(shown.csv().splitlines()))[1:]
    assert len(rows) == 2 * columns
    assert {row[1] for row in rows} == {"tables and indexes", "redo log or WAL"}


def test_who_has_no_curve_is_named(qtbot: QtBot, page: ComparePage) -> None:
    """One of the sessions never came to the step."""
    plans = [comparable.plan(1, number=1), comparable.plan(1, number=2, its_steps=comparable.steps()[:-2])]
    ids = [id_ for each in plans for id_ in comparable.keep(page.context.home, each)]
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    choose(page, "point-query")
    seconds = panel(qtbot, page, SecondsPanel)
    name = f"{MARIADB}-innodb-preset0-1 {date_text(journals.Maker(plans[1], ids[1]).began_at)}"
    qtbot.waitUntil(lambda: f"; no samples of {name}" in seconds.remark.text())
    assert seconds.caption.endswith(f"; no samples of {name}")
    latency = panel(qtbot, page, LatencyPanel)
    qtbot.waitUntil(lambda: latency._numbers is not None)
    assert latency.chart and not latency.chart.head.is_brief
    assert [len(xs) > 0 for _, xs, _ in latency.chart.curves] == [True, False]  # type: ignore[attr-defined]


def test_a_step_that_failed_everywhere_says_so(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(failed={(0, "read-only"), (1, "read-only")})
    choose(page, "read-only")
    for kind in (LatencyPanel, SizesPanel):
        shown = panel(qtbot, page, kind)
        qtbot.waitUntil(lambda shown=shown: shown.remark.text().endswith(shown.nothing))  # type: ignore[misc]
        assert shown.csv() == "" and shown.chart and not shown.chart.isVisible()


def test_the_same_test_before_and_after(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(2, repeats=3)
    shown = panel(qtbot, page, BeforeAfterPanel)
    (chart,) = (each for each in shown.charts if each.isVisibleTo(shown))
    assert chart.accessibleName() == "point-query, queries/s, after by before"
    assert [chart.stand_text(at) for at in range(2)] == ["point-query x1", "point-query x4"]
    assert shown.remark.text() == "error bars: lowest to highest of n = 3 repeats"
    page.controls.turn()
    assert shown.remark.text().startswith("paler: before the writes; ")
    assert [line.faint for line in chart.head.lines] == [True, False] * 2


def test_no_test_before_and_after(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(its_steps=comparable.steps((1,), driven=[("read-only", "scan-heavy")]))
    shown = panel(qtbot, page, BeforeAfterPanel)
    assert shown.remark.text() == shown.nothing
    assert not any(chart.isVisibleTo(shown) for chart in shown.charts)


@pytest.mark.parametrize(
    ("repeats", "told"),
    [(1, "n = 1: no error bars"), (3, "error bars: lowest to highest of n = 3 repeats")],
)
def test_bars_tell_what_their_error_bars_are(
    qtbot: QtBot, opened: Open, page: ComparePage, repeats: int, told: str
) -> None:
    opened(2, repeats=repeats)
    shown = panel(qtbot, page, BarsPanel)
    assert shown.remark.text().startswith(told)
    reaches = [reach for each in shown.charts[-1]._reaches.values() for reach in each]
    assert all((reach is not None) == (repeats > 1) for reach in reaches) and reaches


def test_one_session_breaks_no_chart(qtbot: QtBot, page: ComparePage) -> None:
    plan = comparable.plan(1, its_steps=comparable.steps((1,), driven=[("read-only", "scan-heavy")])[-1:])
    ids = comparable.keep(page.context.home, plan, {(0, "read-only")})
    page.open(ShowPageRequest("compare", ids))
    qtbot.waitUntil(lambda: page.body.comparison is not None)
    for each in offered(page):
        shown = panel(qtbot, page, type(each))
        shown.grab()
    assert page.message.text == "" or "Only one column" in page.message.text


@pytest.mark.parametrize("kind", [LatencyPanel, SecondsPanel, SweepChartPanel])
def test_a_picture_has_room_whatever_the_window_leaves(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type
) -> None:
    opened(8)
    choose(page, "point-query")
    shown = panel(qtbot, page, kind)
    qtbot.waitUntil(lambda: shown.csv().count("\n") > 1 and shown.picture.isVisible())
    size = shown.picture.size()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.png"), ""))
    with qtbot.waitSignal(page.context.bus.saved):
        page.sharing.save_chart()
    image = QImage(str(tmp_path / "a.png"))
    assert image.width() == 2 * (max(size.width(), 960) + 2 * SPACE)
    assert image.height() > 2 * (540 + 2 * SPACE), "the caption is above it"
    assert size.height() < 540 and shown.picture.size() == size
    base = page.context.theme.colour("base").rgb()
    assert any(image.pixel(x, 1000) != base for x in range(200, image.width() - 40))  # drawn that far


def test_the_numbers_behind_every_chart(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(8)
    choose(page, "point-query")
    folder = tmp_path / "saved"
    folder.mkdir()
    asked: list[str] = []

    def answer(_parent: object, _title: str, name: str, forms: str) -> tuple[str, str]:
        asked.append(forms)
        return str(folder / Path(name).stem), "CSV with the numbers (*.csv)"

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    lacking = (RatesPanel, VersionsPanel)  # no step has rates, or was counted
    panels = [each for each in offered(page) if not isinstance(each, lacking)]
    for each in panels:
        shown = panel(qtbot, page, type(each))
        if isinstance(shown, WhyPanel):
            button(shown, STEP).click()  # these sessions show no cause
        qtbot.waitUntil(lambda shown=shown: shown.csv().count("\n") > 1)  # type: ignore[misc]
        with qtbot.waitSignal(page.context.bus.saved):
            page.sharing.save_chart()
    assert len(list(folder.iterdir())) == len(panels) == len(asked)
    for file in folder.iterdir():
        head, *rows = csv.reader(file.read_text().splitlines())
        assert rows and {len(row) for row in rows} == {len(head)}, file
    assert page.controls.measure is FIGURE


def test_operations_have_a_tab_with_what_came_of_them(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(2)
    assert not any(isinstance(each, OperationsPanel) for each in offered(page))
    kill = Step("kill", "kill", unit="s", figure="time", coordinates={"threads": 1})
    opened(2, number=2, repeats=2, its_steps=[kill, replace(written.INSERTER, rate=0)])
    qtbot.waitUntil(lambda: any(isinstance(each, OperationsPanel) for each in offered(page)))
    shown = panel(qtbot, page, OperationsPanel)
    qtbot.waitUntil(lambda: shown.csv() != "")
    rows = list(csv.reader(shown.csv().splitlines()))
    assert ["kill", "of these gone", "0", "0"] in rows
    assert shown.remark.text().startswith("What operations did to the server and the roles beside them")
    shown.grab()


def test_roles_have_a_tab_where_each_is_measured_alone_too(
    qtbot: QtBot, opened: Open, page: ComparePage
) -> None:
    opened(2)
    assert not any(isinstance(each, RolesPanel) for each in offered(page))
    alone = Step("alone", "drive", "range", "reads", coordinates={"threads": 1})
    opened(2, number=2, repeats=2, its_steps=[alone, written.READER, written.INSERTER])
    qtbot.waitUntil(lambda: any(isinstance(each, RolesPanel) for each in offered(page)))
    shown = panel(qtbot, page, RolesPanel)
    qtbot.waitUntil(lambda: shown.csv() != "")
    (line,) = list(csv.reader(shown.csv().splitlines()))[1:]
    assert line[:2] == ["qr100 threads=1", "alone threads=1"] and len(line) == 4
    assert shown.remark.text().startswith("Roles beside each other, in parts of what each does alone; ")
    shown.grab()


def test_long_steps_have_a_tab_with_their_seconds(
    qtbot: QtBot, context: WindowContext, opened: Open, page: ComparePage
) -> None:
    opened(2)
    assert not any(isinstance(each, SoakPanel) for each in offered(page))
    page.open(ShowPageRequest("compare", tuple(soaked.long_sessions(context.home, [700], number=2))))
    qtbot.waitUntil(lambda: any(isinstance(each, SoakPanel) for each in offered(page)))
    shown = panel(qtbot, page, SoakPanel)
    qtbot.waitUntil(lambda: shown.csv() != "")
    rows = list(csv.reader(shown.csv().splitlines()))
    assert ["3.00", "3.00"] in [each[3:] for each in rows if each[1] == "longest stall"]
    assert shown.remark.text().startswith("Over the seconds of steps of ten minutes and more")
