"""*Count the work* of Bench and Compare: a count is set up, with its time and what is wrong, and started."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.catalog import Catalog
from app.planner.kinds.counting import count_request
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan
from tests import comparable
from tests.fakes import ScriptedAgent
from tests.plans import survey
from tests.ui.bench.set_up import now, reason, request_of, settle
from ui.core.bus import ShowPageRequest
from ui.pages.bench import BenchPage


def test_what_is_ticked_is_counted_and_the_plan_comes_back(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], to_follow: list[Any]
) -> None:
    mine, started = page.controller.draft, list[Plan]()
    page.run_panel.run_bar.count.trigger()
    settle(qtbot, page)
    assert request_of(page) == count_request(mine.request)
    assert "work, not speed" in page.message.text and not reason(page)
    assert page.outcome and page.outcome.estimate and page.outcome.plan and page.outcome.plan.counts
    agent = ScriptedAgent(found=now())
    upload = agent.upload_plan
    agent.upload_plan = lambda plan: (started.append(plan), upload(plan))[1]  # type: ignore[method-assign]
    reach(agent)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: bool(to_follow))
    assert page.controller.draft == mine
    same = resolve(count_request(mine.request), now(), Catalog())
    assert started[0].work_key == same.work_key and len(started[0].turns) == len(same.turns)


def test_without_valgrind_the_line_that_brings_it_is_shown(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.take_survey(replace(now(), valgrind=""))
    page.run_panel.run_bar.count.trigger()
    settle(qtbot, page)
    assert "apt-get install valgrind" in reason(page) and not page.run_panel.run_bar.run.isEnabled()
    page.give_back.trigger()
    settle(qtbot, page)
    assert not reason(page)


@pytest.mark.parametrize(
    ("step", "sequence", "said"),
    [("point-query", "work.point-query", ""), ("load", "work", "only what clients do by event is counted")],
)
def test_the_contenders_of_compare_are_counted_in_the_chosen_step(
    qtbot: QtBot, page: BenchPage, dyno_home: Path, step: str, sequence: str, said: str
) -> None:
    plan = resolve(replace(page.controller.draft.request, sequence="duel"), survey(), Catalog())
    ids = comparable.keep(dyno_home, plan)
    page.open(ShowPageRequest("bench", tuple(ids), steps=(step,), is_count=True))
    qtbot.waitUntil(lambda: request_of(page).sequence == sequence)
    settle(qtbot, page)
    assert [each.build for each in request_of(page).contenders] == [each.build for each in plan.contenders]
    assert page.message.text.startswith(said) and "press Run" in page.message.text
    qtbot.waitUntil(lambda: page.sequence.box.currentData() == sequence)  # once the choices are read
    page.give_back.trigger()
    assert request_of(page).sequence != sequence


def test_a_count_keeps_the_plan_of_a_person_for_the_next_window(
    qtbot: QtBot, page: BenchPage, open_page: Callable[[], BenchPage]
) -> None:
    mine = page.controller.draft
    page.run_panel.run_bar.count.trigger()
    settle(qtbot, page)
    assert open_page().controller.draft.request == mine.request
    page.sequence.sequence_chosen.emit("quick")
    assert page.controller.draft == mine.with_sequence("quick") and page.message.text == ""
