"""How far a plan has come whose contenders take turns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.following.progress import PlanProgress, stored_progress
from app.following.progress_text import rates_by_session_text
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from tests.rounds import Round, sliced_plan


def told(made: Round) -> PlanProgress:
    """By all its events, in the order of their times."""
    progress = PlanProgress(made.plan)
    events = [(event.at, maker.session, event) for maker in made.makers for event in maker.events]
    for _, session, event in sorted(events, key=lambda each: each[0]):
        progress.take(session, event)
    return progress


def running(count: int = 2, repeats: int = 1) -> Round:
    """In the fourth second of its first step in slices."""
    made = Round(sliced_plan(count, repeats)).begin()
    made.whole(0)
    made.sliced(1, range(-2, 3))
    made.slice(1, 1, 3)
    return made


def test_one_line_for_all_that_take_turns() -> None:
    progress = told(running())
    assert progress.line == "repeat 1 of 1  2/3 point-query threads=1: second 4 of 8"
    assert progress.qps_text == "innodb 1,000 | myisam 2,000"


def test_rates_of_a_round_are_in_the_order_of_the_contenders() -> None:
    plan = sliced_plan(4, 2)
    rates = [(turn.session, turn.contender * 1000.0) for turn in plan.turns[:3:-1]]
    assert rates_by_session_text(plan, rates).split(" | ")[:2] == ["innodb 0", "myisam 1,000"]
    long = replace(plan, contenders=[replace(each, name=4 * each.name) for each in plan.contenders])
    assert rates_by_session_text(long, rates) == "0 | 1,000 | 2,000 | 3,000"


def test_the_second_in_the_line_never_goes_back() -> None:
    made = running()
    made.slice(0, 1, 3)
    progress, seen = PlanProgress(made.plan), []
    events = sorted(
        ((event.at, maker.session, event) for maker in made.makers for event in maker.events),
        key=lambda each: each[0],
    )
    for _, session, event in events:
        progress.take(session, event)
        if event.kind == "sample" and event.step == 1:
            warmed = 2 * ("warm-up" not in progress.line)
            seen.append(int(progress.line.split(" second ")[-1].split()[0]) + warmed)
    assert seen == sorted(seen) and len(set(seen)) == 6


def test_in_a_step_that_is_carried_out_whole_the_line_has_who_works() -> None:
    made = Round(sliced_plan()).begin()
    made.whole_of(0, 0)
    assert told(made).line == "1/2 innodb-default-1  1/3 load: completed"
    made.spend(made.makers[1], 0.0)
    made.makers[1].start_step(0)
    assert told(made).line == "2/2 myisam-default-1  1/3 load"
    assert told(made).qps_text == ""


def test_who_has_failed_is_no_longer_in_the_line() -> None:
    made = running(3)
    made.makers[0].end("failed", "the server has crashed")
    progress = told(made)
    assert progress.qps_text == "myisam 2,000 | rocksdb 3,000"
    assert progress.left_s == pytest.approx(2 * 8 + 8 - 3 - 1 + 8 - 3 + 2 * 2, abs=0.01)


def test_the_time_that_has_gone_is_that_of_the_round() -> None:
    made = running()
    progress = told(made)
    assert progress.elapsed_s == pytest.approx(made.clock - made.makers[0].began_at, abs=0.05)
    assert progress.elapsed_s < sum(maker.t for maker in made.makers)


def test_the_time_that_is_left_counts_the_seconds_of_each_contender_once() -> None:
    made = running()
    progress = told(made)
    of_this_step = (8 - 3) + (8 - 4)
    assert progress.left_s == pytest.approx(of_this_step + 2 * (2 + 8), abs=0.01)
    assert progress.finish_at == pytest.approx(made.clock + of_this_step + 20, abs=0.01)
    first, second = (maker.session for maker in made.makers)
    assert (progress.gone_s(first, 1), progress.gone_s(second, 1)) == (5.0, 6.0)
    assert progress.length_s(first, 1) == progress.length_s(second, 1) == 10.0


def test_a_round_shows_how_long_the_next_takes() -> None:
    made = Round(sliced_plan(repeats=2)).all_of()
    progress = told(made)
    took = made.clock - made.makers[0].began_at
    assert progress.elapsed_s == pytest.approx(took, abs=0.1)
    assert progress.left_s == pytest.approx(took, rel=0.02)
    assert progress.length_s(made.makers[0].session, 1) == pytest.approx(10.0)


def test_a_clock_of_the_target_that_was_set_does_not_lengthen_a_round() -> None:
    made = running()
    for event in made.makers[1].events:
        object.__setattr__(event, "at", event.at + 86_400)
    progress = told(made)
    assert progress.elapsed_s <= sum(maker.t for maker in made.makers)


def test_what_is_looked_at_stays_while_its_round_goes_on() -> None:
    made = running(repeats=2)
    first, second = (maker.session for maker in made.makers)
    progress = PlanProgress(made.plan)
    assert progress.after(first) is None
    events = [(event.at, maker.session, event) for maker in made.makers for event in maker.events]
    for _, session, event in sorted(events, key=lambda each: each[0]):
        progress.take(session, event)
        if event.kind == "sample":
            assert progress.after(second) is progress.sessions[second]
            assert progress.after("another") is progress.sessions[first]
    made.makers[0].end()
    progress = told(made)
    assert progress.after(first) is progress.sessions[first]
    made.makers[1].end("failed", "the server has crashed")
    assert (after := told(made).after(second)) is not None and after.id in (first, second)


def test_who_failed_is_left_for_who_goes_on() -> None:
    made = running()
    made.makers[0].end("failed", "the server has crashed")
    first, second = (maker.session for maker in made.makers)
    assert (after := told(made).after(first)) is not None and after.id == second


def test_the_history_tells_the_same(tmp_path: Path) -> None:
    made = running()
    with History(tmp_path) as history:
        for maker in made.makers:
            JournalStorer(history).append(made.plan.id, maker.session, 0, maker.raw)
        stored = stored_progress(history, made.plan)
    progress = told(made)
    for name in ("line", "qps_text", "left_s", "finish_at", "elapsed_s"):
        assert getattr(stored, name) == getattr(progress, name), name
