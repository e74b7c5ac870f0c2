"""Charts and results on the Live page: what they are of, against what, and saved."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox

from app.history.steps.step_text import step_mark_meaning
from app.protocol.events import ProgressEvent, Sample, StepEnded
from app.protocol.plan import Step
from app.protocol.series import committed_series
from tests.journals import SERIES, Maker, plan, renamed, whole
from tests.plans import MARIADB
from tests.ui.conftest import ShowLive as Show
from tests.ui.find import find
from tests.ui.live_page import TWO, Follow, cells, shown
from tests.ui.watched import keep
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.models.results import COLUMNS
from ui.pages.live import LivePage
from ui.pages.live.curves import QPS
from ui.pages.live.lines import CPU, GHOST

HANDLER_READS = {"name": "server.handler_reads", "unit": "1/s", "kind": "rate", "direction": "", "digits": 0}


PADDING = 16  # pixels around the name of a column


def test_a_ghost_is_offered_and_drawn(context: WindowContext, show: Show, qtbot: Any) -> None:
    earlier, other, now = (
        whole(plan(number=1)), whole(renamed(plan(number=2), rows=9)), whole(plan(number=3)),
    )  # fmt: skip
    keep(context, [earlier, other, now])
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == now.session)
    ghosts = find(page.body.choices, QComboBox, "Overlay")
    assert [ghosts.itemData(at) for at in range(ghosts.count())] == ["", earlier.session, other.session]
    assert "other work" in ghosts.itemText(2)
    ghosts.setCurrentIndex(1)
    ghosts.activated.emit(1)
    qtbot.waitUntil(lambda: len(page.body.charts.qps.track(GHOST + QPS)) > 0)
    assert ghosts.currentData() == earlier.session
    assert (
        page.body.results.headerData(3, Qt.Orientation.Horizontal) == f"/ {MARIADB}-{now.plan.turns[0].name}"
    )


def test_charts_are_saved_as_pictures_and_as_numbers(
    context: WindowContext, show: Show, qtbot: Any, tmp_path: Path
) -> None:
    earlier, now = whole(plan(number=1)), whole(plan(number=2))
    keep(context, [earlier, now])
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == now.session)
    page.body.choices.ghost_chosen.emit(earlier.session)
    qtbot.waitUntil(lambda: len(page.body.charts.qps.track(GHOST + QPS)) > 0)
    for name in ("charts.png", "charts.svg", "charts.csv"):
        with qtbot.waitSignal(context.bus.saved):
            page.body.choices._save_to(str(tmp_path / name))
    assert QImage(str(tmp_path / "charts.png")).width() > 1000
    assert f"{now.plan.turns[0].name} on local, " in (tmp_path / "charts.svg").read_text()
    head, *rows = csv.reader((tmp_path / "charts.csv").read_text().splitlines())
    assert head[:4] == ["session", "time (s)", "step", "load.queries (queries/s)"]
    sampled = [event for event in now.events if isinstance(event, Sample)]
    names = [f"{MARIADB}-{each.plan.turns[0].name}" for each in (now, earlier)]
    assert [row[0] for row in rows] == [names[0]] * len(sampled) + [names[1]] * len(sampled)
    assert [float(row[1]) for row in rows[: len(sampled)]] == [
        pytest.approx(each.t, abs=1e-3) for each in sampled
    ]
    assert {row[2] for row in rows} == {step.label for step in now.plan.steps[1:]}
    assert [row[3] for row in rows[: len(sampled)]] == [
        "" if each.values[0] is None else f"{each.values[0]:.15g}" for each in sampled
    ]


def test_numbers_that_cannot_be_saved_are_told(context: WindowContext, tmp_path: Path, drawn: Show) -> None:
    keep(context, [whole(plan())])
    page = drawn(context)
    page.body.choices._save_to(str(tmp_path / "missing" / "charts.csv"))
    assert "cannot be written" in page.body.message.text


def held_against(page: LivePage, session: str, qtbot: Any) -> tuple[str, str, set[str]]:
    """Head, its tooltip and values of the column that divides by another session."""
    page.open(ShowPageRequest("live", (session,)))
    qtbot.waitUntil(lambda: shown(page) == session)
    head = page.body.results.headerData
    tip = head(3, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    return str(head(3, Qt.Orientation.Horizontal)), str(tip), set(cells(page, 3))


def test_against_the_base_of_the_same_repeat(context: WindowContext, show: Show, qtbot: Any) -> None:
    its_plan = plan([replace(each, name=each.engine) for each in TWO], repeats=3)
    its_plan = replace(its_plan, turns=[replace(each, name=f"duel-{each.name}") for each in its_plan.turns])
    makers = [Maker(its_plan, turn.session).begin() for turn in its_plan.turns]
    del makers[4]  # the base of the last repeat has not begun
    for maker, value in zip(makers, (1000.0, 1500.0, 2000.0, 1000.0, 1000.0), strict=True):
        for step in range(5):
            maker.start_step(step)
            maker.end_step(step, value=value)
        maker.end()
    keep(context, makers)
    page = show(context)
    first, second, third = (held_against(page, maker.session, qtbot) for maker in makers[1::2] + makers[4:])
    assert (first[0], first[2]) == ("/ innodb-1", {"1.50"})
    assert (second[0], second[2]) == ("/ innodb-2", {"0.50"})
    assert f"Relative to duel-{MARIADB}-innodb-2:" in second[1]
    assert (third[0], third[2]) == ("ratio", {""})
    assert held_against(page, makers[2].session, qtbot)[2] == {""}  # the base itself
    header = page.body.table.horizontalHeader()
    assert header.fontMetrics().horizontalAdvance("/ innodb-12") + PADDING < header.sectionSize(3)


def test_all_curves_of_the_cpu_chart_are_read(context: WindowContext, drawn: Show) -> None:
    series = [{**SERIES[3], "name": each.series} for each in CPU]
    maker = Maker(plan()).begin(series)
    for step in range(5):
        maker.step(step)
    maker.end()
    keep(context, [maker])
    chart = drawn(context).body.charts.cpu
    assert {each.label: len(chart.track(each.series)) > 0 for each in CPU} == {
        "machine (% of all)": True, "server": True, "sysbench": True, "others": True,
    }  # fmt: skip


def test_a_chosen_series_is_read_and_remembered(context: WindowContext, qtbot: Any, drawn: Show) -> None:
    keep(context, [whole(plan())])
    page = drawn(context)
    box = find(page.body.choices, QComboBox, "Last chart")
    at = box.findData("load.errors")
    box.setCurrentIndex(at)
    box.activated.emit(at)
    qtbot.waitUntil(lambda: len(page.body.charts.choice.track("load.errors")) > 0)
    assert context.memory.value("live/series", "") == "load.errors"


def test_latency_says_what_one_is_of(context: WindowContext, drawn: Show) -> None:
    per = {"read": "transaction", "write": "query"}
    steps = [replace(step, latency_per=per.get(step.group, "query")) for step in plan().steps]
    mixed = plan(its_steps=steps)
    keep(context, [whole(mixed)])
    page = drawn(context)
    seen = page.watching.loaded
    assert seen is not None
    page.body.charts.axis.set_cursor(seen.curves.bounds[1].began_t + 1)
    assert page.body.charts.latency.accessibleName() == "Latency p95, ms per transaction"
    page.body.charts.axis.set_cursor(seen.curves.bounds[4].began_t + 1)
    assert page.body.charts.latency.accessibleName() == "Latency p95, ms per query"
    assert cells(page, 4)[1].endswith(" tx")
    assert not cells(page, 4)[4].endswith(" tx")


def test_a_scan_is_shown_by_the_rows_that_the_server_reads(context: WindowContext, drawn: Show) -> None:
    scan = Step("scan", "scan", workload="scan", unit="rows/s", coordinates={"threads": 1})
    maker = Maker(plan(its_steps=[*plan().steps, scan])).begin([*SERIES, HANDLER_READS])
    at = len(maker.plan.steps) - 1
    for each in range(at):
        maker.step(each)
    maker.start_step(at)
    maker.samples(at, range(12))
    maker.end_step(at)
    keep(context, [maker.end()])
    page = drawn(context)
    chart = page.body.charts.qps
    assert chart.accessibleName() == "QPS, queries/s"
    page.body.table.activated.emit(page.body.results.index(at, 0))
    assert chart.accessibleName() == "Rows read by the server, rows/s"
    assert [line.key for line in chart.head.lines] == ["server.handler_reads"]
    page.body.charts.axis.reset()
    assert chart.accessibleName() == "QPS, queries/s"


def test_a_figure_of_a_kind_is_shown_by_what_committed(context: WindowContext, drawn: Show) -> None:
    part = {"unit": "events/min", "beside": True, "coordinates": {"threads": 1}}
    mix = Step(
        "mix", "drive", unit="new orders/min", figure_kind="new", coordinates={"threads": 1}, seconds=12
    )
    kinds = [Step(f"mix/{name}", "drive", event_kind=name, **part) for name in ("new", "pay")]
    series = [{"name": each.name, "unit": each.unit} for each in committed_series(["new", "pay"])]
    maker = Maker(plan(its_steps=[*plan().steps, mix, *kinds])).begin([*SERIES, *series])
    at = len(maker.plan.steps) - 3
    for each in range(at + 3):
        maker.step(each)
    keep(context, [maker.end()])
    page = drawn(context)
    chart = page.body.charts.qps
    assert chart.accessibleName() == "QPS, queries/s"
    page.body.table.activated.emit(page.body.results.index(at, 0))
    assert chart.accessibleName() == "Committed, new orders/min"
    keys = ["load.committed", "load.committed{new}", "load.committed{pay}"]
    assert [line.key for line in chart.head.lines] == keys
    page.body.charts.axis.reset()
    assert chart.accessibleName() == "QPS, queries/s"


def test_a_settle_step_says_what_is_still_to_be_written(follow: Follow) -> None:
    settle = Step("settle.load", "settle", unit="s", cap_s=60)
    maker = Maker(plan(its_steps=[plan().steps[0], settle])).begin()
    maker.step(0)
    maker.start_step(1)
    maker.add(ProgressEvent, step=1, done=3, total=60, unit="s", text="1,234 dirty pages")
    page = follow(maker)
    assert "settle.load: 3 of 60 s: 1,234 dirty pages" in page.body.header.text
    assert cells(page, 2)[1] == "3 s"


def test_what_is_to_be_known_of_a_step_stands_there_in_words(context: WindowContext, drawn: Show) -> None:
    maker = Maker(plan()).begin()
    for at in range(3):
        maker.step(at)
    ended = maker.events[-1]
    assert isinstance(ended, StepEnded)
    ended.marks.append("shared-cores")
    keep(context, [maker.end()])
    page = drawn(context)
    assert cells(page, 2)[2].startswith("!  ") and not cells(page, 2)[1].startswith("!")
    assert cells(page, len(COLUMNS) - 1)[2] == "shared-cores"
    told = page.body.results.index(2, 2).data(Qt.ItemDataRole.ToolTipRole).splitlines()
    assert told == [
        step_mark_meaning("shared-cores"),
        "too short to tell: 5 seconds have a figure, 25 are needed",
    ]


def test_a_failed_step_says_why(context: WindowContext, drawn: Show) -> None:
    keep(context, [whole(plan(), failed=2)])
    page = drawn(context)
    index = page.body.results.index(2, 2)
    assert (index.data(), index.data(Qt.ItemDataRole.ToolTipRole)) == (
        "failed",
        "sysbench: FATAL: error 1205",
    )
