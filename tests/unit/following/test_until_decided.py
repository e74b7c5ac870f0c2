"""How far a plan has come that ends when it is decided: what was not needed went by in no time."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.watch import PlanEventPrinter
from app.following.follower import FollowerLinkState, FollowerNews
from app.following.progress import PlanProgress, stored_plan_progress
from app.following.progress_text import not_needed_text
from app.history.recorded.writing import JournalStorer
from app.history.store.decoding import Events, decode_events
from app.history.store.history import History
from app.protocol.plan import SLICES, Plan
from app.protocol.states import DECIDED, IN_PART, OUT_OF_TIME, UNDECIDABLE, state_word
from app.stats.at_target.looks import ROUNDS
from tests.decided import LATER_S, makers_of, spared, until_decided
from tests.journals import Maker
from tests.rounds import sliced_plan


def played(its_plan: Plan, makers: list[Maker]) -> PlanProgress:
    progress = PlanProgress(its_plan)
    for maker in makers:
        progress.take_all(maker.session, maker.events)
    return progress


def why_spared(progress: PlanProgress, session: str) -> str:
    assert progress.plan is not None
    return not_needed_text(progress.plan, progress.sessions, session)


def test_a_plan_that_was_decided_is_over_and_says_when() -> None:
    its_plan = until_decided()
    progress = played(its_plan, makers_of(its_plan, 4))
    assert (progress.is_over, progress.left_s, progress.left_text()) == (True, 0.0, "")
    assert progress.ending == "decided after 4 repeats"
    assert progress.line.startswith("8/16 myisam-default-4  5/5 ")
    assert progress.line.endswith(": completed, decided after 4 repeats")
    last = its_plan.turns[-1].session
    assert why_spared(progress, last) == "not needed: decided after 4 repeats"
    assert progress.sessions[last].word == "not needed"
    assert progress.elapsed_s < LATER_S / 2


@pytest.mark.parametrize(("reason", "what"), [(IN_PART, "the rest"), (UNDECIDABLE, "it")])
def test_what_could_not_be_decided_is_not_called_decided(reason: str, what: str) -> None:
    its_plan = until_decided()
    progress = played(its_plan, makers_of(its_plan, 4, reason))
    said = f"{reason} after 4 repeats: 8 repeats would not decide {what}"
    assert progress.ending == said
    assert why_spared(progress, its_plan.turns[-1].session) == f"not needed: {said}"


def test_a_plan_that_came_to_its_limit_says_so() -> None:
    its_plan = until_decided(time_limit=100)
    progress = played(its_plan, makers_of(its_plan, 3, OUT_OF_TIME))
    assert progress.ending == "ended by its time limit after 3 repeats"
    assert why_spared(progress, its_plan.turns[-1].session) == f"left out: {OUT_OF_TIME}"


def test_a_plan_of_all_its_rounds_ends_like_any_other() -> None:
    its_plan = until_decided()
    assert played(its_plan, makers_of(its_plan, ROUNDS)).ending == ""


def test_what_is_left_is_the_most() -> None:
    its_plan = until_decided()
    makers = makers_of(its_plan, 2, is_over=False)
    progress = played(its_plan, makers)
    assert re.fullmatch("at most .+ left", progress.left_text())
    fixed = played(replace(its_plan, until_decided=False), makers)
    assert fixed.left_s == progress.left_s
    assert fixed.left_text() == progress.left_text().replace("at most", "about")
    within = played(replace(its_plan, time_limit=int(progress.elapsed_s) + 50), makers)
    assert within.left_s == pytest.approx(50, abs=1)


def test_the_round_at_hand_goes_on_beyond_the_limit() -> None:
    its_plan = until_decided(time_limit=1)
    running = Maker(its_plan, its_plan.turns[0].session).begin()
    running.step(0)
    progress = played(its_plan, [running])
    of_round = 2 * 4 * 7  # two contenders, four steps of 2 s of warm-up and 5 s
    assert progress.left_s is not None and of_round <= progress.left_s < 2 * of_round


@pytest.mark.parametrize("order", ["interleaved", SLICES])
def test_a_contender_that_has_left_is_not_looked_at(order: str) -> None:
    made = sliced_plan(3, ROUNDS) if order == SLICES else until_decided(3)
    its_plan = replace(made, until_decided=True)
    makers = makers_of(its_plan, 3, is_over=False)
    fourth = [turn for turn in its_plan.turns if turn.repeat == 4]
    progress = played(its_plan, [*makers, spared(its_plan, fourth[1].session)])
    current = progress.current
    assert current and progress.plan and progress.plan.turn_of(current.id).repeat == 3
    assert why_spared(progress, fourth[1].session) == "not needed: decided after 3 repeats"
    assert progress.ending == "" and progress.elapsed_s < LATER_S / 2


def test_a_person_who_stops_what_was_left_has_decided_nothing() -> None:
    its_plan = until_decided(3)
    makers = makers_of(its_plan, 3, is_over=False)
    for turn in its_plan.turns:
        if turn.repeat > 3 and turn.contender == 2:
            makers.append(spared(its_plan, turn.session))
        elif turn.repeat > 3:
            makers.append(Maker(its_plan, turn.session).planned().end("stopped", "the plan was stopped"))
    progress = played(its_plan, makers)
    assert (progress.is_over, progress.ending) == (True, "")


def test_the_stored_plan_tells_the_same(dyno_home: Path) -> None:
    its_plan = until_decided()
    makers = makers_of(its_plan, 4)
    with History(dyno_home) as history:
        for maker in makers:
            JournalStorer(history).append(its_plan.id, maker.session, 0, maker.raw)
        stored, _ = stored_plan_progress(history, its_plan.id, [maker.session for maker in makers])
    told = played(its_plan, makers)
    for name in ("ending", "line", "left_s", "is_over"):
        assert getattr(stored, name) == getattr(told, name)
    assert stored.elapsed_s == pytest.approx(told.elapsed_s, abs=0.1)


def test_a_terminal_says_once_which_contender_leaves() -> None:
    its_plan = until_decided()
    said: list[str] = []
    watch = PlanEventPrinter(said.append)
    for maker in makers_of(its_plan, 4):
        watch.take(FollowerNews(FollowerLinkState("up"), {maker.session: Events(decode_events(maker.raw))}))
    ends = [line for line in said if "decided" in line or "stopped" in line]
    assert ends == [
        "innodb-default: not needed: decided after 4 repeats",
        "myisam-default: not needed: decided after 4 repeats",
    ]


def test_what_a_person_has_stopped_is_stopped() -> None:
    assert state_word("stopped", "somebody asked for it") == "stopped"
    assert state_word("failed", DECIDED) == "failed"
