"""From a result on Compare to its curves on Live."""

from __future__ import annotations

from collections.abc import Sequence

from pytestqt.qtbot import QtBot

from app.protocol.plan import step_key
from tests import comparable
from tests.journals import Maker, whole
from tests.ui.compare.seen import Open, choose, columns_of
from tests.ui.conftest import ShowLive as Show
from tests.ui.live_page import shown, started
from tests.ui.watched import WatchedPlans, keep
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.compare import ComparePage

PLAN = comparable.plan(2, repeats=2)
FIRST, SECOND, THIRD, FOURTH = (turn.session for turn in PLAN.turns)
READ_ONLY = step_key("read-only", {"threads": 1})


def compare_page(qtbot: QtBot, context: WindowContext, sessions: Sequence[str]) -> ComparePage:
    page = ComparePage(context)
    qtbot.addWidget(page)
    page.resize(1280, 720)
    page.show()
    page.open(ShowPageRequest("compare", tuple(sessions)))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    return page


def wanted_of(qtbot: QtBot, context: WindowContext, page: ComparePage) -> ShowPageRequest:
    with qtbot.waitSignal(context.bus.wanted) as wanted:
        page.commands.live.trigger()
    (asked,) = wanted.args
    assert isinstance(asked, ShowPageRequest)
    return asked


def test_while_the_plan_runs_what_runs_is_opened(
    plans: tuple[WindowContext, WatchedPlans], qtbot: QtBot
) -> None:
    context, followed = plans
    followed.watch(PLAN)
    for session in (THIRD, FOURTH):
        followed.bring(Maker(PLAN, session).planned())
    followed.bring(whole(PLAN, FIRST))
    followed.bring(started(Maker(PLAN, SECOND), 1))
    page = compare_page(qtbot, context, [FIRST, SECOND, THIRD, FOURTH])
    for column in (0, 1):
        choose(page, "load", column)
        assert wanted_of(qtbot, context, page) == ShowPageRequest("live", (SECOND,))


def test_a_session_that_has_not_begun_is_not_opened(qtbot: QtBot, context: WindowContext) -> None:
    waiting = [Maker(PLAN, session).planned() for session in (SECOND, FOURTH)]
    keep(context, [whole(PLAN, FIRST), Maker(PLAN, THIRD).planned(), *waiting])
    page = compare_page(qtbot, context, [FIRST, SECOND, THIRD, FOURTH])
    choose(page, "read-only", 0)
    assert wanted_of(qtbot, context, page) == ShowPageRequest("live", (FIRST,), step=READ_ONLY)
    choose(page, "read-only", 1)
    with qtbot.waitSignal(context.bus.said) as said, qtbot.assertNotEmitted(context.bus.wanted):
        page.commands.live.trigger()
    assert "has begun" in said.args[0]


def test_a_ratio_opens_the_first_session_that_measured_its_step(
    qtbot: QtBot, opened: Open, context: WindowContext, page: ComparePage
) -> None:
    opened(2, repeats=2)
    choose(page, "read-only", 1)
    assert wanted_of(qtbot, context, page) == ShowPageRequest("live", (SECOND,), step=READ_ONLY)


def test_a_session_in_which_the_step_failed_is_not_the_one(qtbot: QtBot, context: WindowContext) -> None:
    failed = Maker(PLAN, FIRST).begin()
    for at in range(len(PLAN.steps)):
        failed.step(at, outcome="failed" if PLAN.steps[at].name == "read-only" else "completed")
    keep(context, [failed.end(), *(whole(PLAN, session) for session in (SECOND, THIRD, FOURTH))])
    page = compare_page(qtbot, context, [FIRST, SECOND, THIRD, FOURTH])
    choose(page, "read-only", 0)
    assert wanted_of(qtbot, context, page).sessions == (THIRD,)


def test_live_goes_to_the_step_that_is_asked_for(context: WindowContext, drawn: Show, qtbot: QtBot) -> None:
    keep(context, [whole(PLAN, session) for session in (FIRST, SECOND)])
    page = drawn(context)
    page.open(ShowPageRequest("live", (FIRST,), step=READ_ONLY))
    qtbot.waitUntil(lambda: shown(page) == FIRST)
    row = page.body.table.currentIndex().row()
    assert PLAN.steps[row].label == "read-only threads=1"
    assert page.watching.loaded is not None
    bounds = page.watching.loaded.curves.bounds
    first, last = page.body.charts.axis.range
    assert first <= bounds[row].began_t < (bounds[row].ended_t or 0) <= last < (bounds[row + 1].ended_t or 0)
