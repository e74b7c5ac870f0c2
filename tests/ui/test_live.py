"""The Live page: a session that is over and one that runs, by the same road."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMessageBox, QPushButton

from app.core.errors import LinkError
from app.following.follower import Link
from app.following.progress import PlanProgress
from app.history.step_text import mark_text
from app.protocol.events import Log, Note, Progress, Sample, SessionStarted, StepEnded
from app.protocol.plan import Step
from tests.journals import SERIES, Maker, contender, plan, renamed, whole
from tests.ui.conftest import ShowLive as Show
from tests.ui.seen import painted
from tests.ui.watched import WatchedPlans, keep
from ui.core.bus import Changes, Wanted
from ui.core.context import Context
from ui.models.results import COLUMNS
from ui.pages.live import LivePage
from ui.pages.live.charts import CPU, GHOST
from ui.pages.live.curves import QPS
from ui.widgets.strip import PlanStrip

TWO = [contender(), contender("rocksdb")]
HANDLER_READS = {"name": "server.handler_reads", "unit": "1/s", "kind": "rate", "direction": "", "digits": 0}
PADDING = 16  # pixels around the name of a column
Follow = Callable[[Maker], LivePage]


@pytest.fixture
def follow(plans: tuple[Context, WatchedPlans], show: Show, qtbot: Any) -> Follow:
    """The page with a session that is followed, as far as it has come."""
    context, followed = plans

    def make(maker: Maker) -> LivePage:
        followed.watch(maker.plan)
        followed.bring(maker)
        page = show(context)
        qtbot.waitUntil(lambda: shown(page) == maker.session)
        return page

    return make


def shown(page: LivePage) -> str:
    """The session whose curves are drawn."""
    seen = page._watching.loaded
    return seen.curves.session if seen else ""


def samples(page: LivePage) -> int:
    return len(page.body.charts.qps.track(QPS))


def cells(page: LivePage, column: int) -> list[str]:
    model = page.body.results
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def started(maker: Maker, step: int, seconds: int = 2) -> Maker:
    """Steps up to this one, which is at hand."""
    maker.begin()
    for at in range(step):
        maker.step(at)
    maker.start_step(step)
    maker.samples(step, range(-2, seconds))
    return maker


def test_empty_it_offers_the_next_step(context: Context, show: Show, qtbot: Any) -> None:
    page = show(context)
    button = next(each for each in page.findChildren(QPushButton) if each.text() == "Set up a plan")
    with qtbot.waitSignal(context.bus.wanted) as asked:
        button.click()
    assert asked.args == [Wanted("bench")]


def test_a_session_that_is_over(recorded: Any, context: Context, drawn: Show) -> None:
    page = drawn(context)
    assert cells(page, 0) == ["load", "index", "settle.index", "point-query", "update-index"]
    assert cells(page, 2) == ["70,723 rows/s", "11,171 rows/s", "3.00 s", "19,074", "1,175"]
    assert "took 15 s" in page.body.header.text
    assert not page.body.steering.isVisible()
    assert not any(action.isEnabled() for action in page.body.steering.actions_of_plan)
    assert page.body.remarks.toPlainText().count("warm-up over") == 2


def test_time_goes_on_while_nothing_is_heard(followed: WatchedPlans, qtbot: Any, follow: Follow) -> None:
    """A server that takes long to start tells nothing meanwhile."""
    maker = Maker(plan()).planned()
    maker.add(SessionStarted, agent="a" * 64, pid=1)
    page = follow(maker)
    qtbot.waitUntil(lambda: "starting the server" in page.body.header.text)
    its_plan = followed.get(maker.plan.id)
    assert its_plan is not None
    its_plan.link = Link("up", clock_offset_s=maker.events[-1].at + 130 - time.time())
    page.status.update()
    assert re.search(r"2 min 1\d s elapsed, about", page.body.header.text)
    its_plan.link = Link("down", clock_offset_s=its_plan.link.clock_offset_s)
    page.status.update()
    assert "2 min" not in page.body.header.text, "nobody knows whether it goes on"


def test_a_session_that_runs_is_read_and_then_kept_up(
    followed: WatchedPlans, qtbot: Any, follow: Follow
) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    before = samples(page)
    maker.samples(1, [2, 3])
    followed.bring(maker)
    assert samples(page) == before + 2
    qtbot.waitUntil(lambda: "second 4 of 5" in page.body.header.text)
    assert cells(page, 2)[1:3] == ["4 of 5 s", "waiting"]
    maker.samples(1, [4])
    maker.end_step(1, value=12345.0)
    followed.bring(maker)
    qtbot.waitUntil(lambda: cells(page, 2)[1] == "12,345")


def test_of_a_step_that_is_repeated_the_attempt_at_hand_is_drawn(
    followed: WatchedPlans, qtbot: Any, follow: Follow
) -> None:
    maker = started(Maker(plan()), 1, 5)
    page = follow(maker)
    assert samples(page) == 7
    maker.repeat_step(1)
    began_t = maker.t
    followed.bring(maker)
    qtbot.waitUntil(lambda: samples(page) == 0)
    maker.samples(1, range(-2, 2))
    followed.bring(maker)
    qtbot.waitUntil(lambda: "attempt 2, second 2 of 5" in page.body.header.text)
    assert samples(page) == 4
    (*_, bounds) = page._watching.loaded.curves.bounds.values()  # type: ignore[union-attr]
    assert bounds.began_t == began_t and bounds.measured_t is not None
    assert "begins again: attempt 2" in page.body.remarks.toPlainText()
    maker.samples(1, range(2, 5))
    maker.end_step(1, marks=["second-attempt"])
    followed.bring(maker)
    qtbot.waitUntil(lambda: any("second-attempt" in text for text in cells(page, len(COLUMNS) - 1)))


def test_it_goes_along_with_a_session_that_is_carried_out_again(
    followed: WatchedPlans, qtbot: Any, follow: Follow
) -> None:
    its_plan = plan(TWO, attempts=3)
    first, second, _, other, *_ = (turn.session for turn in its_plan.turns)
    page = follow(whole(its_plan, first))
    strip = page.body.header.strip
    assert [*dict.fromkeys(block.session for block in strip._blocks)] == [first, other]
    again = started(Maker(its_plan, second), 1)
    followed.bring(again)
    qtbot.waitUntil(lambda: shown(page) == second)
    assert "1/2 innodb-default-1-attempt-2" in page.body.header.text
    assert [*dict.fromkeys(block.session for block in strip._blocks)] == [first, second, other]


def test_what_arrives_while_the_store_is_read_is_drawn_once(
    plans: tuple[Context, WatchedPlans], show: Show, qtbot: Any
) -> None:
    context, followed = plans
    maker = started(Maker(plan()), 1)
    followed.watch(maker.plan)
    followed.bring(maker)
    page = show(context)  # asks for what is stored; nothing is delivered before the event loop turns
    maker.samples(1, [2, 3])
    followed.bring(maker)
    qtbot.waitUntil(lambda: shown(page) == maker.session)
    drawn = page.body.charts.qps.track(QPS).window(0, 1e9, 1 << 20)[0].tolist()
    wanted = [event.t for event in maker.events if event.kind == "sample"]
    assert [t for t in drawn if t in wanted] == wanted


def test_a_session_not_stored_yet_is_shown_when_it_arrives(
    plans: tuple[Context, WatchedPlans], show: Show, qtbot: Any
) -> None:
    context, followed = plans
    maker = Maker(plan()).planned()
    followed.watch(maker.plan)
    page = show(context)
    page.open(Wanted("live", (maker.session,)))
    qtbot.waitUntil(lambda: page._stack.currentIndex() == 1)
    assert shown(page) == ""
    context.bus.changed.emit(Changes(sessions=True))  # something else has ended meanwhile
    qtbot.waitUntil(lambda: not page._watching._soon.isActive())
    read: list[None] = []
    context.tasks.read(page, lambda _: None, read.append, lambda error: pytest.fail(str(error)))
    qtbot.waitUntil(lambda: bool(read))
    assert page.body.message.text == ""
    maker.add(SessionStarted, agent="a" * 64, pid=1)
    followed.bring(maker)
    qtbot.waitUntil(lambda: shown(page) == maker.session)


def test_hidden_it_takes_in_and_does_not_paint(followed: WatchedPlans, follow: Follow) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    page.hide()
    before = samples(page)
    maker.samples(1, [2])
    followed.bring(maker)
    assert samples(page) == before + 1
    assert not page.painting.isActive()
    assert not page.status.isActive()
    page.show()
    assert page.status.isActive()


def test_it_goes_along_with_the_plan_unless_a_person_looks_at_something(
    plans: tuple[Context, WatchedPlans], show: Show, qtbot: Any
) -> None:
    context, followed = plans
    its_plan = plan(TWO)
    first, second = (Maker(its_plan, turn.session) for turn in its_plan.turns)
    followed.watch(its_plan)
    started(first, 1)
    followed.bring(second.planned())
    followed.bring(first)
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == first.session)
    for step in range(1, 5):
        if step > 1:
            first.start_step(step)
        first.end_step(step)
    followed.bring(first.end())
    second.add(SessionStarted, agent="a" * 64, pid=1)
    followed.bring(second)
    qtbot.waitUntil(lambda: shown(page) == second.session)
    page._on_block_chosen(first.session, 1)
    qtbot.waitUntil(lambda: shown(page) == first.session)
    assert not page.body.charts.axis.is_following
    second.start_step(0)
    followed.bring(second)
    qtbot.wait(1)
    assert shown(page) == first.session


def test_a_block_is_looked_at_while_the_next_goes_on(
    followed: WatchedPlans, qtbot: Any, follow: Follow
) -> None:
    maker = started(Maker(plan()), 2)
    page = follow(maker)
    block = page.body.header.strip.blocks()[1]
    point = block.place.center().toPoint()
    qtbot.mouseClick(page.body.header.strip, Qt.MouseButton.LeftButton, pos=point)
    seen = page._watching.loaded
    assert seen is not None
    bounds = seen.curves.bounds[1]
    first, last = page.body.charts.axis.range
    assert first <= bounds.began_t <= (bounds.ended_t or 0) <= last
    assert page.body.table.selectionModel().selectedRows()[0].row() == 1
    maker.samples(2, [2])
    followed.bring(maker)
    page.painting.paint()
    assert page.body.charts.axis.range == (first, last)
    qtbot.mouseClick(page.body.header.strip, Qt.MouseButton.LeftButton, pos=_middle(page, 2))
    assert page.body.charts.axis.is_following


def _middle(page: LivePage, at: int) -> QPoint:
    return page.body.header.strip.blocks()[at].place.center().toPoint()


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_strip_shows_what_differs(context: Context, qtbot: Any, repeats: int) -> None:
    strip = PlanStrip(context.theme)
    qtbot.addWidget(strip)
    contenders = [replace(contender(each), name=f"mysql-8.4-{each}") for each in ("innodb", "myisam")]
    its_plan = plan(contenders, repeats=repeats)
    progress = PlanProgress()
    strip.show_progress(progress, {})  # before its first event
    progress.take_all(its_plan.turns[0].session, started(Maker(its_plan), 1).events)
    strip.show_progress(progress, {})
    names = [strip._names[turn.session][0] for turn in its_plan.turns]
    assert sorted(names) == sorted(
        ["innodb", "myisam"] if repeats == 1 else ["innodb-1", "innodb-2", "myisam-1", "myisam-2"]
    )


def test_a_name_that_does_not_fit_into_the_strip_loses_the_plan_before_the_repeat(
    context: Context, qtbot: Any
) -> None:
    strip = PlanStrip(context.theme)
    qtbot.addWidget(strip)
    its_plan = plan([contender(), contender("myisam")], repeats=2)
    turns = [replace(turn, name=f"duel-{turn.name}") for turn in its_plan.turns]
    its_plan = replace(its_plan, name="duel", turns=turns)
    strip.show_progress(PlanProgress(its_plan), {})
    strip.resize(4 * strip.fontMetrics().horizontalAdvance("duel-innodb-1"), strip.sizeHint().height())
    assert {"innodb-1", "innodb-2"} <= set(painted(strip))


def test_the_strip_by_keyboard(recorded: Any, context: Context, qtbot: Any, drawn: Show) -> None:
    page = drawn(context)
    strip = page.body.header.strip
    qtbot.keyClick(strip, Qt.Key.Key_End)
    assert "update-index threads=2" in strip.accessibleDescription()
    qtbot.keyClick(strip, Qt.Key.Key_Left)
    assert "point-query threads=2" in strip.accessibleDescription()
    assert page.body.table.selectionModel().selectedRows()[0].row() == 3


def test_a_step_that_is_looked_at_is_told_without_its_warm_up(context: Context, drawn: Show) -> None:
    made = whole(plan(TWO))
    keep(context, [made])
    page = drawn(context)
    at, step = next((at, each) for at, each in enumerate(made.plan.steps) if each.kind == "drive")
    page._look_at(at)
    assert step.warmup and f"(n {step.seconds})" in page.body.charts.qps._figures.told


def test_a_ghost_is_offered_and_drawn(context: Context, show: Show, qtbot: Any) -> None:
    earlier, other, now = (
        whole(plan(number=1)), whole(renamed(plan(number=2), rows=9)), whole(plan(number=3)),
    )  # fmt: skip
    keep(context, [earlier, other, now])
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == now.session)
    ghosts = page.body.choices._ghosts
    assert [ghosts.itemData(at) for at in range(ghosts.count())] == ["", earlier.session, other.session]
    assert "other work" in ghosts.itemText(2)
    ghosts.setCurrentIndex(1)
    ghosts.activated.emit(1)
    qtbot.waitUntil(lambda: len(page.body.charts.qps.track(GHOST + QPS)) > 0)
    assert ghosts.currentData() == earlier.session
    assert page.body.results.headerData(3, Qt.Orientation.Horizontal) == f"/ {now.plan.turns[0].name}"


def test_charts_are_saved_as_pictures_and_as_numbers(
    context: Context, show: Show, qtbot: Any, tmp_path: Path
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
    names = [each.plan.turns[0].name for each in (now, earlier)]
    assert [row[0] for row in rows] == [names[0]] * len(sampled) + [names[1]] * len(sampled)
    assert [float(row[1]) for row in rows[: len(sampled)]] == [
        pytest.approx(each.t, abs=1e-3) for each in sampled
    ]
    assert {row[2] for row in rows} == {step.label for step in now.plan.steps[1:]}
    assert [row[3] for row in rows[: len(sampled)]] == [
        "" if each.values[0] is None else f"{each.values[0]:.15g}" for each in sampled
    ]


def test_numbers_that_cannot_be_saved_are_told(context: Context, tmp_path: Path, drawn: Show) -> None:
    keep(context, [whole(plan())])
    page = drawn(context)
    page.body.choices._save_to(str(tmp_path / "missing" / "charts.csv"))
    assert "cannot write" in page.body.message.text


def held_against(page: LivePage, session: str, qtbot: Any) -> tuple[str, str, set[str]]:
    """Head, its tooltip and values of the column that divides by another session."""
    page.open(Wanted("live", (session,)))
    qtbot.waitUntil(lambda: shown(page) == session)
    head = page.body.results.headerData
    tip = head(3, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    return str(head(3, Qt.Orientation.Horizontal)), str(tip), set(cells(page, 3))


def test_against_the_base_of_the_same_repeat(context: Context, show: Show, qtbot: Any) -> None:
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
    assert "Relative to duel-innodb-2:" in second[1]
    assert (third[0], third[2]) == ("/ base", {""})
    assert held_against(page, makers[2].session, qtbot)[2] == {""}  # the base itself
    header = page.body.table.horizontalHeader()
    assert header.fontMetrics().horizontalAdvance("/ innodb-12") + PADDING < header.sectionSize(3)


def test_all_curves_of_the_cpu_chart_are_read(context: Context, drawn: Show) -> None:
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


def test_a_chosen_series_is_read_and_remembered(context: Context, qtbot: Any, drawn: Show) -> None:
    keep(context, [whole(plan())])
    page = drawn(context)
    box = page.body.choices._series
    at = box.findData("load.errors")
    box.setCurrentIndex(at)
    box.activated.emit(at)
    qtbot.waitUntil(lambda: len(page.body.charts.choice.track("load.errors")) > 0)
    assert context.memory.value("live/series", "") == "load.errors"


def test_notes_and_log_lines_come_in(followed: WatchedPlans, follow: Follow) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    maker.add(Note, text="the fan is loud", step=1)
    maker.add(Log, source="server", level="error", text="page corruption")
    followed.bring(maker)
    lines = page.body.remarks.toPlainText().splitlines()
    assert [line.split("  ")[1] for line in lines[-2:]] == [
        "note: the fan is loud", "server error: page corruption",
    ]  # fmt: skip
    assert page._watching.loaded is not None
    assert page._watching.loaded.curves.marks[-1][1] == "the fan is loud"


def test_what_can_be_asked_of_a_plan(followed: WatchedPlans, qtbot: Any, follow: Follow) -> None:
    its_plan = plan(TWO)
    maker = started(Maker(its_plan), 1)
    page = follow(maker)
    steering = page.body.steering
    assert steering.isVisible()
    qtbot.keyClicks(steering.note, "the fan is loud")
    qtbot.keyClick(steering.note, Qt.Key.Key_Return)
    for each, agreed in ((steering.skip, "Skip step"), (steering.stop_after, "Stop after step")):
        asked = len(followed.asked)
        each.trigger()
        assert len(followed.asked) == asked
        answer(page, agreed)
    assert followed.asked == [
        ("note", its_plan.id, "the fan is loud"), ("skip", its_plan.id), ("stop", its_plan.id, "step"),
    ]  # fmt: skip
    steering.stop_session.trigger()
    assert answer(page, "Stop session") == {"Stop session", "Stop plan", "Keep running"}
    assert followed.asked[-1] == ("stop", its_plan.id, "session")
    assert steering.note.text() == ""


def answer(page: LivePage, text: str) -> set[str]:
    """With a click, to the question that is asked; all of its answers."""
    (box,) = (each for each in page.window().findChildren(QMessageBox) if each.isVisible())
    answers = {button.text().replace("&", ""): button for button in box.buttons()}
    answers[text].click()
    return set(answers)


def test_a_note_that_did_not_get_there_is_not_lost(
    followed: WatchedPlans, qtbot: Any, monkeypatch: pytest.MonkeyPatch, follow: Follow
) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    refused: list[Any] = []
    monkeypatch.setattr(followed, "note", lambda plan, text, owner, failed: refused.append(failed))
    note = page.body.steering.note
    qtbot.keyClicks(note, "the fan came on")
    qtbot.keyClick(note, Qt.Key.Key_Return)
    assert note.text() == ""
    refused[0](LinkError("nuc does not answer"))
    assert note.text() == "the fan came on" and page.body.message.text == "nuc does not answer"


def test_going_on_stops_nothing(followed: WatchedPlans, qtbot: Any, follow: Follow) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    page.body.steering.stop_plan.trigger()
    box = page.window().findChild(QMessageBox)
    box.reject()
    assert followed.asked == []
    maker.end("stopped")
    followed.bring(maker, "ended")
    qtbot.waitUntil(lambda: not page.body.steering.isVisible())


def test_several_plans_each_with_its_line(
    plans: tuple[Context, WatchedPlans], show: Show, qtbot: Any
) -> None:
    context, followed = plans
    makers = [
        started(Maker(plan(number=number, target=target)), 1) for number, target in ((1, "a"), (2, "b"))
    ]
    for maker, target in zip(makers, "ab", strict=True):
        followed.watch(maker.plan, target)
        followed.bring(maker)
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == makers[1].session)
    lines = page.body.plans._lines
    assert [line.text.split("  ")[0] for line in lines.values()] == ["a plan on a", "a plan on b"]
    assert page.body.plans.isVisible()
    lines[makers[0].plan.id].clicked.emit()
    qtbot.waitUntil(lambda: shown(page) == makers[0].session)


def test_latency_says_what_one_is_of(context: Context, drawn: Show) -> None:
    per = {"read": "transaction", "write": "query"}
    steps = [replace(step, latency_per=per.get(step.group, "query")) for step in plan().steps]
    mixed = plan(its_steps=steps)
    keep(context, [whole(mixed)])
    page = drawn(context)
    seen = page._watching.loaded
    assert seen is not None
    page.body.charts.axis.set_cursor(seen.curves.bounds[1].began_t + 1)
    assert page.body.charts.latency.accessibleName() == "Latency p95, ms per transaction"
    page.body.charts.axis.set_cursor(seen.curves.bounds[4].began_t + 1)
    assert page.body.charts.latency.accessibleName() == "Latency p95, ms per query"
    assert cells(page, 4)[1].endswith(" tx")
    assert not cells(page, 4)[4].endswith(" tx")


def test_a_scan_is_shown_by_the_rows_that_the_server_reads(context: Context, drawn: Show) -> None:
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
    assert [line.key for line in chart._lines] == ["server.handler_reads"]
    page.body.charts.axis.reset()
    assert chart.accessibleName() == "QPS, queries/s"


def test_a_settle_step_says_what_is_still_to_be_written(follow: Follow) -> None:
    settle = Step("settle.load", "settle", unit="s", cap_s=60)
    maker = Maker(plan(its_steps=[plan().steps[0], settle])).begin()
    maker.step(0)
    maker.start_step(1)
    maker.add(Progress, step=1, done=3, total=60, unit="s", text="1,234 dirty pages")
    page = follow(maker)
    assert "settle.load: 3 of 60 s: 1,234 dirty pages" in page.body.header.text
    assert cells(page, 2)[1] == "3 s"


def test_the_step_at_hand_is_in_sight(plans: tuple[Context, WatchedPlans], qtbot: Any, drawn: Show) -> None:
    context, watched_plans = plans
    many = plan(its_steps=[replace(plan().steps[0], name=f"load{at}") for at in range(40)])
    watched_plans.watch(many)
    maker = Maker(many).begin()
    for at in range(30):
        maker.step(at)
    maker.start_step(30)
    watched_plans.bring(maker)
    page = drawn(context)
    table, row = page.body.table, page.body.results.index(30, 0)
    qtbot.waitUntil(lambda: table.viewport().rect().contains(table.visualRect(row).center()))


def test_what_is_to_be_known_of_a_step_stands_there_in_words(context: Context, drawn: Show) -> None:
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
    assert told == [mark_text("shared-cores"), "too short to tell: 5 seconds have a figure, 25 are needed"]


def test_a_failed_step_says_why(context: Context, drawn: Show) -> None:
    keep(context, [whole(plan(), failed=2)])
    page = drawn(context)
    index = page.body.results.index(2, 2)
    assert (index.data(), index.data(Qt.ItemDataRole.ToolTipRole)) == (
        "failed",
        "sysbench: FATAL: error 1205",
    )


def test_changes_elsewhere_read_the_figures_and_not_the_curves(
    recorded: Any, context: Context, qtbot: Any, drawn: Show
) -> None:
    page = drawn(context)
    seen = page._watching.loaded
    with qtbot.waitSignal(page._watching.figured):
        context.bus.changed.emit(Changes(sessions=True))
    assert page._watching.loaded is seen


def test_a_plan_that_cannot_be_followed_offers_to_connect_again(
    plans: tuple[Context, WatchedPlans], show: Show, qtbot: Any
) -> None:
    context, followed = plans
    maker = started(Maker(plan()), 1)
    entry = followed.watch(maker.plan)
    followed.bring(maker)
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == maker.session)
    entry.problem = "nuc: the key needs its passphrase"
    qtbot.waitUntil(lambda: page.body.message.text == entry.problem)
    button = next(
        each for each in page.body.message.findChildren(QPushButton) if each.text() == "Connect again"
    )
    button.click()
    assert followed.asked == [("retry", maker.plan.id)]
    entry.problem = ""
    qtbot.waitUntil(lambda: page.body.message.text == "")
