"""What a plan has found so far on Live, and the way to its comparison."""

from __future__ import annotations

from typing import Any

from tests.decided import makers_of, until_decided
from tests.journals import Maker
from tests.ui.conftest import ShowLive
from tests.ui.test_until_decided import carried_out
from tests.ui.watched import WatchedPlans
from ui.core.context import WindowContext
from ui.pages.live import LivePage


def bring(watcher: WatchedPlans, rounds: int) -> list[str]:
    """A plan of which so many rounds are over; the journals of all sessions begin with it."""
    its_plan = until_decided()
    watcher.watch(its_plan)
    for turn in its_plan.turns:
        watcher.bring(Maker(its_plan, turn.session).planned())
    for maker in makers_of(its_plan, rounds, is_over=False):
        watcher.bring(maker)
    return [turn.session for turn in its_plan.turns]


def row(page: LivePage) -> str:
    return page.body.so_far.text.text()


def test_the_line_grows_from_round_to_round(
    plans: tuple[WindowContext, WatchedPlans], drawn: ShowLive, qtbot: Any
) -> None:
    context, watcher = plans
    bring(watcher, 1)
    page = drawn(context)
    qtbot.waitUntil(lambda: "so far" in row(page))
    assert row(page).endswith("at least 2 more repeats until each step is decided")
    its_plan = until_decided()
    for maker in makers_of(its_plan, 3, is_over=False)[2:]:
        watcher.bring(maker)
    qtbot.waitUntil(lambda: "at least" not in row(page))
    assert "so far" in row(page) and "decided" in row(page)


def test_a_plan_can_be_compared_while_it_runs(
    plans: tuple[WindowContext, WatchedPlans], drawn: ShowLive, qtbot: Any
) -> None:
    context, watcher = plans
    sessions = bring(watcher, 1)
    page = drawn(context)
    compare = page.body.so_far.compare
    qtbot.waitUntil(compare.isEnabled)
    assert compare.text().replace("&", "") == "Compare so far"
    with qtbot.waitSignal(context.bus.wanted) as wanted:
        compare.trigger()
    assert wanted.args[0].page == "compare"
    assert list(wanted.args[0].sessions) == sessions


def test_a_plan_that_is_over_says_what_it_comes_to(
    plans: tuple[WindowContext, WatchedPlans], drawn: ShowLive, qtbot: Any
) -> None:
    context, watcher = plans
    carried_out(watcher, 4, is_over=True)
    page = drawn(context)
    qtbot.waitUntil(lambda: row(page) != "")
    assert "so far" not in row(page)
    assert page.body.so_far.compare.text().replace("&", "") == "Compare plan"
