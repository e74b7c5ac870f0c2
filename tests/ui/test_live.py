"""The Live page: a session that is over and one that runs, by the same road."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from app.following.follower import FollowerLinkState
from app.following.progress import PlanProgress
from app.protocol.events import SessionStarted
from tests.journals import Maker, contender, plan, whole
from tests.ui.conftest import ShowLive as Show
from tests.ui.live_page import TWO, Follow, cells, samples, shown, started
from tests.ui.seen import painted
from tests.ui.watched import WatchedPlans, keep
from ui.core.bus import PartsToReload, ShowPageRequest
from ui.core.context import WindowContext
from ui.models.results import COLUMNS
from ui.pages.live import LivePage
from ui.pages.live.curves import QPS
from ui.widgets.strip import PlanStrip


def test_empty_it_offers_the_next_step(context: WindowContext, show: Show, qtbot: Any) -> None:
    page = show(context)
    button = next(each for each in page.findChildren(QPushButton) if each.text() == "Set up a plan")
    with qtbot.waitSignal(context.bus.wanted) as asked:
        button.click()
    assert asked.args == [ShowPageRequest("bench")]


def test_a_session_that_is_over(released: Any, context: WindowContext, drawn: Show) -> None:
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
    its_plan.link = FollowerLinkState("up", clock_offset_s=maker.events[-1].at + 130 - time.time())
    page.status.update()
    assert re.search(r"2 min 1\d s elapsed, about", page.body.header.text)
    its_plan.link = FollowerLinkState("down", clock_offset_s=its_plan.link.clock_offset_s)
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
    (*_, bounds) = page.watching.loaded.curves.bounds.values()  # type: ignore[union-attr]
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
    assert [*dict.fromkeys(block.session for block in strip.blocks())] == [first, other]
    again = started(Maker(its_plan, second), 1)
    followed.bring(again)
    qtbot.waitUntil(lambda: shown(page) == second)
    assert "1/2 innodb-default-1-attempt-2" in page.body.header.text
    assert [*dict.fromkeys(block.session for block in strip.blocks())] == [first, second, other]


def test_what_arrives_while_the_store_is_read_is_drawn_once(
    plans: tuple[WindowContext, WatchedPlans], show: Show, qtbot: Any
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
    plans: tuple[WindowContext, WatchedPlans], show: Show, qtbot: Any
) -> None:
    context, followed = plans
    maker = Maker(plan()).planned()
    followed.watch(maker.plan)
    page = show(context)
    page.open(ShowPageRequest("live", (maker.session,)))
    qtbot.waitUntil(lambda: page._stack.currentIndex() == 1)
    assert shown(page) == ""
    context.bus.changed.emit(PartsToReload(sessions=True))  # something else has ended meanwhile
    qtbot.waitUntil(lambda: not page.watching._soon.isActive())
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
    plans: tuple[WindowContext, WatchedPlans], show: Show, qtbot: Any
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
    seen = page.watching.loaded
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
def test_the_strip_shows_what_differs(context: WindowContext, qtbot: Any, repeats: int) -> None:
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
    context: WindowContext, qtbot: Any
) -> None:
    strip = PlanStrip(context.theme)
    qtbot.addWidget(strip)
    its_plan = plan([contender(), contender("myisam")], repeats=2)
    turns = [replace(turn, name=f"duel-{turn.name}") for turn in its_plan.turns]
    its_plan = replace(its_plan, name="duel", turns=turns)
    strip.show_progress(PlanProgress(its_plan), {})
    strip.resize(4 * strip.fontMetrics().horizontalAdvance("duel-innodb-1"), strip.sizeHint().height())
    assert {"innodb-1", "innodb-2"} <= set(painted(strip))


def test_the_strip_by_keyboard(released: Any, context: WindowContext, qtbot: Any, drawn: Show) -> None:
    page = drawn(context)
    strip = page.body.header.strip
    qtbot.keyClick(strip, Qt.Key.Key_End)
    assert "update-index threads=2" in strip.accessibleDescription()
    qtbot.keyClick(strip, Qt.Key.Key_Left)
    assert "point-query threads=2" in strip.accessibleDescription()
    assert page.body.table.selectionModel().selectedRows()[0].row() == 3


def test_a_step_that_is_looked_at_is_told_without_its_warm_up(context: WindowContext, drawn: Show) -> None:
    made = whole(plan(TWO))
    keep(context, [made])
    page = drawn(context)
    at, step = next((at, each) for at, each in enumerate(made.plan.steps) if each.kind == "drive")
    page.step.look_at(at)
    assert step.warmup and f"(n {step.seconds})" in page.body.charts.qps.figures.told


def test_the_step_at_hand_is_in_sight(
    plans: tuple[WindowContext, WatchedPlans], qtbot: Any, drawn: Show
) -> None:
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


def test_changes_elsewhere_read_the_figures_and_not_the_curves(
    released: Any, context: WindowContext, qtbot: Any, drawn: Show
) -> None:
    page = drawn(context)
    seen = page.watching.loaded
    with qtbot.waitSignal(page.watching.figured):
        context.bus.changed.emit(PartsToReload(sessions=True))
    assert page.watching.loaded is seen
