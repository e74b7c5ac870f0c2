"""How far a plan has come."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.following.follower import FollowerLinkState, FollowerNews
from app.following.now import progress_entry
from app.following.progress import PlanProgress
from app.following.progress_text import step_progress_text
from app.history.store.decoding import Events, decode_events
from app.planner.estimate.guesses import SERVER_S, step_guesses
from app.protocol.events import MomentEvent, ProgressEvent, SessionStarted, StepEnded
from app.protocol.plan import LIMIT, Plan, Step
from app.protocol.states import SessionState, StepState
from tests.journals import Maker, contender, plan, whole

TWO = [contender(), contender("rocksdb")]


def played(its_plan: Plan, *makers: Maker) -> PlanProgress:
    progress = PlanProgress()
    for each in (Maker(its_plan, turn.session).planned() for turn in its_plan.turns):
        progress.take_all(each.session, each.events)
    for maker in makers:
        progress.take_all(maker.session, maker.events)
    return progress


def test_the_plan_comes_with_the_first_event() -> None:
    progress = PlanProgress()
    assert (progress.line, progress.left_s, progress.current) == ("connecting", None, None)
    its_plan = plan(TWO)
    progress = played(its_plan)
    assert list(progress.sessions) == [turn.session for turn in its_plan.turns]
    assert {each.state for each in progress.sessions.values()} == {"waiting"}
    assert (progress.line, progress.elapsed_s, progress.is_over) == ("waiting", 0.0, False)


def test_states_follow_the_journal() -> None:
    its_plan = plan(TWO)
    first, second = its_plan.turns
    running = Maker(its_plan, second.session).begin()
    running.step(0)
    running.start_step(1)
    running.samples(1, range(-2, 3))
    progress = played(its_plan, whole(its_plan, first.session, failed=2), running)
    assert [step.state for step in progress.sessions[first.session].steps] == [
        "completed", "completed", "failed", "completed", "completed",
    ]  # fmt: skip
    assert progress.sessions[first.session].failed_steps == 1
    assert [step.state for step in progress.sessions[second.session].steps[:3]] == [
        "completed", "active", "waiting",
    ]  # fmt: skip
    assert progress.current is progress.sessions[second.session]
    assert progress.line == "2/2 rocksdb-default-1  2/5 point-query threads=1: second 3 of 5"


def test_the_warm_up_is_told_apart() -> None:
    its_plan = plan()
    maker = Maker(its_plan).begin()
    maker.start_step(1)
    maker.samples(1, range(-2, 0))
    progress = played(its_plan, maker)
    assert progress.line.endswith("warm-up second 2 of 2")


def test_time_left_is_what_is_declared_and_what_was_seen() -> None:
    its_plan = plan(TWO)
    first = whole(its_plan, its_plan.turns[0].session)
    progress = played(its_plan, first)
    load = progress.length_s(first.session, 0)
    beside = first.t - sum(progress.length_s(first.session, at) for at in range(5))
    assert progress.left_s == pytest.approx(4 * 7 + load + beside, abs=0.01)
    second = Maker(its_plan, its_plan.turns[1].session).begin()
    second.step(0)
    second.start_step(1)
    second.samples(1, range(-2, 3))
    progress.take_all(second.session, second.events)
    assert progress.left_s == pytest.approx(2 + 3 * 7, abs=0.1)
    assert progress.elapsed_s == pytest.approx(first.t + second.t)
    assert progress.finish_at == pytest.approx(second.events[-1].at + progress.left_s)


def test_a_settle_step_tells_what_is_still_to_be_written() -> None:
    its_plan = plan(its_steps=[Step("settle.load", "settle", unit="s", cap_s=60)])
    maker = Maker(its_plan).begin()
    maker.start_step(0)
    maker.add(ProgressEvent, step=0, done=3, total=60, unit="s", text="1,234 dirty pages")
    line = played(its_plan, maker).line
    assert line == "1/1 innodb-default-1  1/1 settle.load: 3 of 60 s: 1,234 dirty pages"


def test_a_load_tells_by_its_progress_how_long_it_will_take() -> None:
    its_plan = plan()
    maker = Maker(its_plan).begin()
    maker.start_step(0)
    maker.t += 10
    maker.add(ProgressEvent, step=0, done=250, total=1000, unit="rows")
    progress = played(its_plan, maker)
    assert progress.length_s(maker.session, 0) == pytest.approx(40, abs=0.1)
    assert progress.line.endswith("250 of 1,000 rows")


def test_a_load_never_seen_is_guessed_from_its_rows() -> None:
    its_plan = plan(its_steps=[Step("load", "load", unit="rows/s")])
    progress = played(its_plan)
    assert 0 < progress.length_s(its_plan.turns[0].session, 0) < 5
    later = plan([contender("an engine to come")], its_steps=[Step("load", "load")])
    assert played(later).left_s is not None


def test_a_session_that_will_start_from_a_snapshot_is_not_expected_to_load() -> None:
    """As the estimate before the start counts it."""
    steps = [Step(name="load", kind="load", workload="load"), Step(name="snapshot", kind="restart")]
    fresh = plan(repeats=3, its_steps=steps)
    kept = replace(fresh, start="snapshot")
    load, snapshot = step_guesses(kept, kept.contenders[0])
    left = played(kept).left_s
    assert left == pytest.approx(SERVER_S + load + 3 * snapshot, abs=0.1)
    assert played(fresh).left_s == pytest.approx(
        3 * (SERVER_S + sum(step_guesses(fresh, fresh.contenders[0]))), abs=0.1
    )


def test_the_latest_seconds_of_qps_are_at_hand() -> None:
    its_plan = plan()
    maker = Maker(its_plan).begin()
    maker.start_step(1)
    maker.samples(1, range(-2, 100))
    progress = played(its_plan, maker)
    samples = [event.values[0] for event in maker.events if event.kind == "sample"]
    assert list(progress.recent_qps) == samples[-60:]
    assert progress.qps_text == f"{samples[-1]:,.0f}"


def test_an_attempt_of_a_step_is_told() -> None:
    maker = Maker(plan()).begin()
    maker.start_step(1)
    maker.samples(1, range(-2, 5))
    maker.repeat_step(1)
    progress = played(maker.plan, maker)
    assert progress.line.endswith("point-query threads=1: attempt 2")
    assert progress.length_s(maker.session, 1) == pytest.approx(7, abs=0.1)
    maker.samples(1, range(-2, 1))
    assert played(maker.plan, maker).line.endswith("threads=1: attempt 2, second 1 of 5")


def test_an_attempt_of_a_session_is_there_once_it_has_come() -> None:
    its_plan = plan(TWO, attempts=3)
    (first, second, _), other = its_plan.turns[:3], its_plan.turns[3]
    progress = PlanProgress()
    for turn in its_plan.first_turns:
        progress.take_all(turn.session, Maker(its_plan, turn.session).planned().events)
    assert list(progress.sessions) == [first.session, other.session]
    progress.take_all(first.session, whole(its_plan, first.session).events)
    left_s = progress.left_s
    again = Maker(its_plan, second.session).begin()
    progress.take_all(again.session, again.events)
    assert list(progress.sessions) == [first.session, second.session, other.session]
    assert progress.line == "1/2 innodb-default-1-attempt-2: starting the server"
    assert left_s is not None and progress.left_s is not None and progress.left_s > left_s + 20
    for turn in (second, other):
        progress.take_all(turn.session, whole(its_plan, turn.session).events)
    assert progress.is_over


def test_between_steps_and_sessions_there_is_no_qps() -> None:
    """That of the session before stood beside the start of the next server."""
    its_plan = plan([contender("innodb"), contender("rocksdb")])
    first, second = (Maker(its_plan, turn.session) for turn in its_plan.turns)
    first.begin().step(1)
    assert not played(its_plan, first).qps_text
    first.start_step(2)
    assert not played(its_plan, first).qps_text
    first.samples(2, range(-2, 2))
    assert played(its_plan, first).qps_text
    assert not played(its_plan, first.end(), second.begin()).qps_text


def test_without_an_end_a_session_is_lost_once_all_was_read() -> None:
    its_plan = plan()
    maker = Maker(its_plan).begin()
    maker.start_step(1)
    progress = played(its_plan)
    progress.take_update(
        FollowerNews(FollowerLinkState("up"), {maker.session: Events(decode_events(maker.raw))})
    )
    assert progress.sessions[maker.session].state == "active"
    progress.take_update(FollowerNews(FollowerLinkState("ended")))
    session = progress.sessions[maker.session]
    assert (session.state, session.steps[1].state, progress.is_over) == ("lost", "failed", True)
    assert (progress.left_s, progress.qps_text) == (0.0, "")


def test_a_session_takes_its_active_step_with_it() -> None:
    its_plan = plan()
    maker = Maker(its_plan).begin()
    maker.start_step(1)
    maker.end("stopped", "asked for by a person")
    progress = played(its_plan, maker)
    session = progress.sessions[maker.session]
    assert [step.state for step in session.steps] == ["skipped", "stopped", "skipped", "skipped", "skipped"]
    assert progress.left_s == 0.0
    assert progress.line.endswith(": stopped")


def test_a_server_that_starts_is_said() -> None:
    its_plan = plan()
    maker = Maker(its_plan).planned()
    maker.add(SessionStarted, agent="a" * 64, pid=1)
    assert played(its_plan, maker).line == "1/1 innodb-default-1: starting the server"


def test_what_is_no_session_of_the_plan_changes_nothing() -> None:
    progress = played(plan())
    progress.take("another", whole(plan()).events[1])
    assert progress.current is None


@pytest.mark.parametrize(
    ("kind", "attempt", "said"),
    [
        (LIMIT, 1, "without a limit, second 3 of 10"),
        (LIMIT, 3, "try 2, second 3 of 10"),
        ("drive", 1, "second 3 of 10"),
        ("drive", 3, "attempt 3, second 3 of 10"),
    ],
)
def test_a_search_names_its_tries(kind: str, attempt: int, said: str) -> None:
    step = Step("limit", kind, seconds=10, limit_ms=5)
    session = SessionState("S", [StepState("active", s=2, attempt=attempt)], step=0)
    assert step_progress_text(session, step) == said


@pytest.mark.parametrize(
    ("kind", "moments", "said"),
    [
        ("kill", {}, "second 25 of 80, kill after 20 s"),
        ("power-cut", {"operation": 20.2}, "second 25 of 80, power cut at second 20, waits for the server"),
        ("ddl", {"operation": 20.2}, "second 25 of 80, ddl at second 20, under way"),
        (
            "restart",
            {"operation": 20.2, "answers": 24.4},
            "second 25 of 80, restart at second 20, the server answered 4.20 s later",
        ),
    ],
)
def test_an_operation_says_what_is_under_way(kind: str, moments: dict[str, float], said: str) -> None:
    step = Step("own", kind, figure="time", unit="s", after=20, seconds=60)
    session = SessionState("S", [StepState("active", s=24)], step=0, at_hand=0)
    for name, second in moments.items():
        session.take(MomentEvent(seq=1, t=second, at=second, name=name, step=0, value=second))
    assert step_progress_text(session, step) == said


def test_a_step_with_roles_is_one_step() -> None:
    reader = Step(name="qr", kind="drive", lua="a.lua", role="reader", warmup=2, coordinates={"threads": 1})
    writer = replace(reader, name="qr.writer", role="writer", beside=True, ends=True, events=20_000)
    after = Step(name="after", kind="drive", lua="a.lua", seconds=5)
    its_plan = plan(its_steps=[reader, writer, after])
    maker = Maker(its_plan).begin()
    progress = played(its_plan, maker)
    step_s = step_guesses(its_plan, its_plan.contenders[0])[0]
    assert step_s > 9 and progress.left_s == pytest.approx(SERVER_S + 2 + step_s + 5, abs=0.1)
    maker.start_step(0)
    maker.samples(0, range(-2, 3))
    progress = played(its_plan, maker)
    assert progress.line == "1/1 innodb-default-1  1/2 qr threads=1: second 3"
    assert [progress.length_s(maker.session, at) for at in (0, 1)] == [pytest.approx(2 + step_s), 0.0]
    maker.end_step(0)
    maker.add(StepEnded, step=1, outcome="completed", value=1.0)
    progress = played(its_plan, maker)
    assert progress.line == "1/1 innodb-default-1  1/2 qr threads=1: completed"
    assert progress.left_s == pytest.approx(5)
    entry = progress_entry(progress)
    assert (entry["step"], entry["step_number"], entry["steps"]) == ("qr", 1, 2)
    maker.start_step(2)
    maker.samples(2, range(1))
    assert played(its_plan, maker).line == "1/1 innodb-default-1  2/2 after: second 1 of 5"
