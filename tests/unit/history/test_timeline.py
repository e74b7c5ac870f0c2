"""A session along its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.following.progress import PlanProgress, stored_plan_progress, stored_progress
from app.history.recorded.writing import JournalStorer
from app.history.steps.figures import facts
from app.history.steps.series import series
from app.history.steps.timeline import ghosts, load_step_series, overview, timeline
from app.history.store.decoding import decode_events
from app.history.store.history import History
from app.protocol.events import Event, LogEvent, Sample, StepEnded, encode
from app.protocol.plan import Plan, Step
from tests.journals import SERIES, Maker, contender, plan, renamed, store, whole

QPS = "load.queries"
TWO = [contender(), contender("rocksdb")]


def raw_of(events: Sequence[Event]) -> bytes:
    return b"".join(encode(event) for event in events)


def running(its_plan: Plan, seconds: int = 3) -> Maker:
    """In the middle of its second step."""
    maker = Maker(its_plan).begin()
    maker.step(0)
    maker.start_step(1)
    maker.samples(1, range(-2, seconds))
    return maker


def test_all_steps_with_their_bounds_and_values(history: History) -> None:
    maker = whole(plan())
    store(history, maker)
    found = timeline(history, maker.session, [QPS, "server.cpu_pct"])
    assert found.state.seq == len(maker.events)
    assert found.state.sampled == tuple(each["name"] for each in SERIES)
    assert [each.name for each in found.stretches] == [step.name for step in maker.plan.steps]
    second = found.stretches[1]
    wanted = series(history, maker.session, "point-query", threads=1)["values"]
    assert [None if value != value else value for value in second.values[QPS].tolist()] == wanted
    began = [event.t for event in maker.events if event.kind == "step_started"]
    measured = [event.t for event in maker.events if event.kind == "mark"]
    assert [each.began_t for each in found.stretches] == pytest.approx(began)
    assert [each.measured_t for each in found.stretches] == [None, *measured]
    assert [(each.kind, each.text) for each in found.remarks if each.kind != "mark"] == [
        ("note", "the fan is loud"), ("log", "page cleaner took 4000ms"),
    ]  # fmt: skip


def test_a_running_step_is_read_from_the_staging(history: History) -> None:
    maker = running(plan())
    store(history, maker)
    found = timeline(history, maker.session, [QPS, "no such series"])
    step = found.stretches[-1]
    assert (step.position, step.ended_t, len(step.t)) == (1, None, 5)
    samples = [event for event in maker.events if event.kind == "sample" and event.step == 1]
    assert step.t.tolist() == [event.t for event in samples]
    assert list(step.values) == [QPS]
    assert found.overview.steps[1]["state"] == "active"


def test_the_base_is_of_the_same_repeat_or_the_one_that_is_named(history: History) -> None:
    its_plan, earlier = plan(TWO, repeats=2), whole(plan(number=2))
    first, second, third, fourth = (whole(its_plan, turn.session) for turn in its_plan.turns)
    store(history, earlier, first, second, third, fourth)
    assert overview(history, third.session).base is None
    for base, other in ((first, second), (third, fourth)):
        seen = overview(history, other.session)
        assert seen.base is not None
        assert seen.base["id"] == base.session
        assert len(seen.base_steps) == len(its_plan.steps)
    assert [each["id"] for each in seen.siblings] == [turn.session for turn in its_plan.turns]
    named = overview(history, second.session, earlier.session).base
    assert named is not None
    assert named["id"] == earlier.session


@pytest.mark.parametrize(("order", "place"), [("grouped", 1), ("slices", 0)])
def test_of_a_base_that_was_repeated_the_last_completed_attempt(
    history: History, order: str, place: int
) -> None:
    """In slices the one that took turns with the session."""
    its_plan = replace(plan(TWO, attempts=3), order=order)
    tries = [turn.session for turn in its_plan.turns if turn.contender == 0]
    other = next(turn.session for turn in its_plan.turns if turn.contender == 1)
    makers = [whole(its_plan, session) for session in (*tries[:2], other)]
    store(history, *makers, Maker(its_plan, tries[2]).begin())
    found = overview(history, other).base
    assert found is not None
    assert found["id"] == tries[place]


def test_ghosts_that_did_the_same_work_come_first(history: History) -> None:
    other_work = renamed(plan(number=3), rows=7)
    same, same_later, other, now, later = (
        whole(each) for each in (plan(number=1), plan(number=2), other_work, plan(number=4), plan(number=5))
    )
    store(history, same, same_later, other, now, later)
    found = [each["id"] for each in ghosts(history, now.session)]
    assert found == [same_later.session, same.session, other.session]
    assert ghosts(history, same.session) == []


def test_of_a_step_that_was_repeated_the_last_attempt_is_drawn(history: History) -> None:
    """However its journal came; the warm-up of the attempt at hand has no end yet."""
    maker = running(plan(), seconds=5)
    maker.repeat_step(1)
    maker.samples(1, range(-2, 0))
    for event in maker.events:
        JournalStorer(history).append(
            maker.plan.id, maker.session, len(raw_of(maker.events[: event.seq - 1])), encode(event)
        )
    (step,) = timeline(history, maker.session, [QPS]).stretches[1:]
    assert (len(step.t), step.measured_t, step.began_t) == (2, None, maker.events[-3].t)
    maker.samples(1, range(5))
    maker.end_step(1, marks=["second-attempt"])
    again = [event for event in maker.events if event.t >= step.began_t]
    JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.raw)
    (step,) = timeline(history, maker.session, [QPS]).stretches[1:]
    assert step.t.tolist() == [event.t for event in again if event.kind == "sample"]
    assert step.measured_t == next(event.t for event in again if getattr(event, "name", "") == "measured")
    assert series(history, maker.session, "point-query", threads=1)["s"] == [*range(-2, 5)]
    assert [each["value"] for each in facts(history, maker.session, "attempt")] == [{"attempt": 1}]


def every_kind() -> Maker:
    """A session with all that changes a state: a step skipped, one stopped with the session, series anew."""
    maker = Maker(plan(TWO)).begin()
    maker.step(0)
    maker.add(StepEnded, step=1, outcome="skipped", reason="no such engine")
    maker.start_step(2)
    maker.samples(2, range(-2, 5))
    maker.repeat_step(2)
    maker.samples(2, range(-2, 5))
    maker.end_step(2)
    maker.declare(SERIES[::-1])
    maker.add(Sample, step=-1, s=0, dt=1.0, values=[None] * len(SERIES))
    maker.add(LogEvent, source="agent", level="info", text="nothing")
    maker.step(3, "failed", "sysbench: FATAL: error 1205")
    maker.start_step(4)
    maker.samples(4, range(-2, 1))
    return maker.end("stopped", "asked for by a person")


def shown(progress: PlanProgress) -> tuple[object, ...]:
    """All that is shown of a plan but its latest seconds, and what its events go on from."""
    states = [
        replace(each, steps=[replace(step, progress=None) for step in each.steps])
        for each in progress.sessions.values()
    ]
    lengths = [progress.length_s(each.id, at) for each in states for at in range(len(each.steps))]
    figures = (progress.line, progress.qps_text, progress.left_s, progress.finish_at, progress.elapsed_s)
    return states, progress.plan, lengths, figures


@pytest.mark.parametrize("known", range(2, len(every_kind().events) + 1))
def test_stored_progress_is_what_the_events_tell(history: History, known: int) -> None:
    before, maker = whole(plan(TWO), plan(TWO).turns[1].session, failed=2), every_kind()
    events, raw = decode_events(maker.raw), raw_of(maker.events[:known])
    store(history, before)
    JournalStorer(history).append(maker.plan.id, maker.session, 0, raw)
    told = PlanProgress(maker.plan)
    told.take_all(before.session, decode_events(before.raw))
    told.take_all(maker.session, events[:known])
    stored, offsets = stored_plan_progress(history, maker.plan.id, [maker.session, before.session])
    assert offsets == {maker.session: len(raw), before.session: len(before.raw)}
    assert shown(stored) == shown(told)
    stored.take_all(maker.session, events)  # also those that it knows
    told.take_all(maker.session, events[known:])
    assert shown(stored) == shown(told)


@pytest.mark.parametrize("known", [5, 12, 17, 20, 33])
def test_the_latest_seconds_are_at_hand_where_they_were_left(history: History, known: int) -> None:
    maker = every_kind()
    JournalStorer(history).append(maker.plan.id, maker.session, 0, raw_of(maker.events[:known]))
    told = PlanProgress(maker.plan)
    told.take_all(maker.session, decode_events(raw_of(maker.events[:known])))
    stored = stored_progress(history, maker.plan)
    declared = max(at for at, event in enumerate(maker.events[:known]) if event.kind == "series_declared")
    since = sum(event.kind == "sample" for event in maker.events[declared:known])
    assert list(stored.recent_qps) == list(told.recent_qps)[len(told.recent_qps) - since :]


def test_without_its_journal_stored_progress_is_what_the_rows_tell(history: History) -> None:
    maker = running(plan())
    store(history, maker)
    with_journal = stored_progress(history, maker.plan)
    assert with_journal.recent_qps
    for damage in (lambda path: path.write_bytes(b"x" * path.stat().st_size), lambda path: path.unlink()):
        damage(history.journals / f"{maker.session}.jsonl")
        stored = stored_progress(history, maker.plan)
        assert (stored.line, stored.elapsed_s) == (with_journal.line, with_journal.elapsed_s)
        assert stored.left_s == with_journal.left_s
        assert stored.finish_at == pytest.approx(with_journal.finish_at, abs=0.1)
        assert not stored.recent_qps


def test_a_journal_that_is_ahead_of_the_history_is_not_taken_for_it(history: History) -> None:
    """As after a crash: what lies behind the stored offset is another's."""
    maker = running(plan())
    store(history, maker)
    with (history.journals / f"{maker.session}.jsonl").open("ab") as file:
        file.write(b'{"kind":"sample","seq":99,"t":9999.0,"at":9999.0,"step":1,"s":3,"dt":1,"values":[')
    assert stored_progress(history, maker.plan).elapsed_s == maker.t
    history.connection.execute("UPDATE journal SET seq = seq - 1")
    assert not stored_progress(history, maker.plan).recent_qps


def test_a_plan_that_is_not_in_the_history_begins_at_nothing(history: History) -> None:
    progress, offsets = stored_plan_progress(history, "nothing", ["0" * 26])
    assert (progress.plan, progress.line, offsets) == (None, "connecting", {"0" * 26: 0})


def test_a_session_that_is_not_there_has_no_stretches(history: History) -> None:
    assert load_step_series(history, "nobody", [QPS]) == []


def test_the_seconds_of_a_role_and_of_a_kind_of_events_are_its_own(history: History) -> None:
    """They are in the samples of the whole step; what has no series there is of all of it."""
    mix = Step("mix", "drive", "read", "reads", seconds=5, role="reader")
    buyer = replace(mix, name="mix.buyer", role="buyer", beside=True)
    payment = replace(buyer, name="mix.buyer/payment", event_kind="payment")
    named = [f"{QPS}{{{key}}}" for key in ("buyer", "buyer/payment")]
    declared = [*SERIES, *({**SERIES[0], "name": name} for name in named)]
    maker = Maker(replace(plan(), steps=[mix, buyer, payment])).begin(declared)
    maker.step(0)
    store(history, maker.end())
    first, second, third = (
        series(history, maker.session, "mix", name=name)["values"] for name in (QPS, *named)
    )
    assert len({str(each) for each in (first, second, third)}) == 3
    assert series(history, maker.session, "mix.buyer")["values"] == second
    assert series(history, maker.session, "mix.buyer/payment")["values"] == third
    cpu = [series(history, maker.session, step.name, name="server.cpu_pct") for step in (mix, payment)]
    assert cpu[0] == cpu[1]
