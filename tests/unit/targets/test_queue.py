"""What a queue comes to in words, and the times and names that people write."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from app.core.errors import InputError
from app.core.units import date_text
from app.protocol.answers import Queue, QueuedPlan
from app.protocol.reading import YEAR_1, YEAR_9999
from app.targets import queue as queues
from app.targets.queue import begins_text, plan_in, row_of, seconds_until, state_text

NOW = datetime(2026, 11, 23, 22, 0, 30)
FIRST = QueuedPlan("01M8574T62A8KD1ZYD6TE6M4B6", "first", "0" * 64, "f0", 2)
LATER = QueuedPlan("01M8574T62A8KD1ZYD6TE6M4B7", "later", "0" * 64, "f0", 2, at=1060.0)
HELD = QueuedPlan("01M8574T62A8KD1ZYD6TE6M4B8", "later", "0" * 64, "f0", 2, held="there is no build x")
QUEUE = Queue([FIRST, LATER, HELD], at_work="plan zero (process 7)", now=1000.0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("22:01", 30), ("22:00", 24 * 3600 - 30), ("6:30", 30570), ("2026-11-24 22:00", 24 * 3600 - 30),
     ("2026-11-23T22:01", 30)],
)  # fmt: skip
def test_a_time_is_the_next_one_that_the_clock_shows(text: str, seconds: int) -> None:
    assert seconds_until(text, NOW) == seconds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("25:00", "must be a time"),
        ("tomorrow", "must be a time"),
        ("", "must be a time"),
        ("2026-02-30 10:00", "must be a time"),
        ("2026-11-23 21:00", "has passed"),
        ("2028-01-01 00:00", "more than a year away"),
    ],
)
def test_a_time_that_cannot_be_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        seconds_until(text, NOW)


def test_each_plan_says_when_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues.time, "time", lambda: 5000.0)
    later = f"not before {date_text(5060.0)}"
    assert row_of(QUEUE, 0) == ["1", "E6M4B6", "first", "2", "when its turn comes"]
    assert [row_of(QUEUE, at)[4] for at in (1, 2)] == [later, "held: there is no build x"]
    stopped = Queue(QUEUE.plans, "the plan zero was stopped", now=1000.0)
    assert begins_text(stopped, FIRST) == "held with the queue"
    assert begins_text(stopped, LATER) == f"held with the queue, {later}"


def test_a_target_may_name_any_moment() -> None:
    far = QueuedPlan("P", "far", "0" * 64, "f0", 2, at=YEAR_9999)
    assert begins_text(Queue([far], now=YEAR_1), far).startswith("not before ")


def test_what_is_at_work_and_what_holds_the_queue() -> None:
    assert state_text(QUEUE) == "in use by plan zero (process 7), 3 plans in the queue"
    assert state_text(Queue([])) == "no plan at work, the queue is empty"
    assert state_text(Queue([FIRST], "why")) == "no plan at work, 1 plan in the queue, held: why"


def test_who_waits_for_a_plan_of_another_directory_names_it() -> None:
    kept = replace(QUEUE, at_work="", waits_for="the plan slices in /d (process 7)")
    assert state_text(kept) == "waits for the plan slices in /d (process 7), 3 plans in the queue"
    assert row_of(kept, 0)[4] == "waits for the plan slices in /d (process 7)"
    assert begins_text(kept, replace(FIRST, plan="behind")) == "when its turn comes"


def test_a_plan_is_named_by_its_id_the_end_of_it_or_its_name() -> None:
    for named in (FIRST.plan, "E6M4B6", "e6m4b6", "first"):
        assert plan_in(QUEUE, named) is FIRST
    with pytest.raises(InputError, match="no plan of the queue is named 'M4B6'"):
        plan_in(QUEUE, "M4B6")
    with pytest.raises(InputError, match="2 plans of the queue are named 'later'"):
        plan_in(QUEUE, "later")
