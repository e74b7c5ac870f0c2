"""What others disturb is carried out again: a step that only reads at once, else its session; all is kept."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from app.protocol.events import (
    REPEATED,
    Event,
    Fact,
    MomentEvent,
    Sample,
    SessionEnded,
    StepEnded,
    StepStarted,
)
from app.protocol.others import ATTEMPT_MARKS, DISTURBED
from app.protocol.plan import ATTEMPTS
from tests.integration.desktop import READ, WRITE, Desktop
from tests.neighbours import NAME, burning, end
from tests.waiting import wait_until

REPEATING = "--repeat-if-disturbed"


@pytest.mark.full
def test_what_is_disturbed_all_the_time_is_carried_out_three_times(desktop: Desktop, tmp_path: Path) -> None:
    """Also those attempts come whose journals were not there yet when somebody began to follow."""
    with burning(tmp_path, 1):
        desktop.dyno("run", *desktop.plan(seconds=1, others_pct=1), REPEATING, "--detach")
        done = desktop.dyno("follow")
    found = desktop.sessions()
    first = found[0]["name"]
    assert [each["name"] for each in found] == [first, f"{first}-attempt-2", f"{first}-attempt-3"]
    assert {each["state"] for each in found} == {"completed"}
    for each in found:
        events = desktop.events(each["id"])
        assert attempts_of(events) == ATTEMPTS
        (ended,) = [each for each in events if isinstance(each, StepEnded) and each.step == READ]
        assert DISTURBED in ended.marks
        step = desktop.json("session", "show", each["id"])["steps"][READ]
        assert step["value"] == ended.value
        assert desktop.json("session", "series", each["id"], step["name"])["s"] == [-1, 0]
    assert done.stdout.count("attempt 2 of at most 3: the one before was disturbed") == 3
    shown = desktop.dyno("session", "show", "last").stdout
    shown = desktop.dyno("session", "show", "last").stdout
    assert "third-attempt: the two attempts before were disturbed" in shown
    assert "\nattempt 3: the two attempts before were disturbed\n" in shown
    check_follow(desktop)


def check_follow(desktop: Desktop) -> None:
    """Nothing is missing, and nothing is fetched again."""
    assert desktop.dyno("follow").stdout.startswith("everything of local is in the history")


def attempts_of(events: list[Event]) -> int:
    """How many the reading step took, by a journal that has all of each."""
    again = [each for each in events if isinstance(each, MomentEvent) and each.name == REPEATED]
    count = len(again) + 1
    assert [(each.step, each.value) for each in again] == [(READ, at) for at in range(2, count + 1)]
    assert [each.step for each in events if isinstance(each, StepStarted)].count(READ) == 1
    seconds = [each.s for each in events if isinstance(each, Sample) and each.step == READ]
    assert seconds.count(-1) == seconds.count(0) == count
    kept: list[Any] = [each.value for each in events if isinstance(each, Fact) and each.name == "attempt"]
    assert [each["attempt"] for each in kept] == [*range(1, count)]
    assert all(DISTURBED in each["marks"] and each["totals"]["events"] and each["value"] for each in kept)
    ended = [each.marks for each in events if isinstance(each, StepEnded) and each.step == READ]
    told = [mark for marks in ended for mark in marks if mark in ATTEMPT_MARKS.values()]
    assert told == ([ATTEMPT_MARKS[count]] if count > 1 else [])
    return count


@pytest.mark.full
def test_the_first_attempt_that_others_leave_alone_is_the_last(desktop: Desktop, tmp_path: Path) -> None:
    """Other tests take less CPU than these neighbours; but what they write disturbs as well."""
    with burning(tmp_path, 6 * (os.cpu_count() or 1)) as neighbours:
        running = desktop.begin("run", *desktop.plan(others_pct=65), REPEATING)
        wait_for_attempt(desktop)
        end(neighbours)
        running.communicate(timeout=100)
    found = desktop.sessions()
    events = desktop.events(found[0]["id"])
    (ended,) = [each for each in events if isinstance(each, StepEnded) and each.step == READ]
    assert NAME not in [each.name for each in ended.others.programs if each.cpu_pct > 65]
    assert (DISTURBED in ended.marks) == (attempts_of(events) == ATTEMPTS)
    loads = [each.marks for each in events if isinstance(each, StepEnded) and each.step in (0, 1, WRITE)]
    assert (len(found) > 1) == any(DISTURBED in marks for marks in loads)


@pytest.mark.full
def test_a_desktop_that_dies_and_a_stop_within_an_attempt(desktop: Desktop, tmp_path: Path) -> None:
    with burning(tmp_path, 1):
        running = desktop.begin("run", *desktop.plan(seconds=12, others_pct=1), REPEATING)
        wait_for_attempt(desktop)
        running.send_signal(signal.SIGKILL)
        desktop.dyno("stop")
        desktop.dyno("follow", code=1)
    (entry,) = desktop.sessions()
    assert entry["state"] == "stopped"
    step = desktop.json("session", "show", entry["id"])["steps"][READ]
    assert step["state"] == "stopped" and step["value"] is None
    events = desktop.events(entry["id"])
    assert isinstance(events[-1], SessionEnded)
    assert [each.value["value"] > 0 for each in events if isinstance(each, Fact) and each.name == "attempt"]
    check_follow(desktop)


def wait_for_attempt(desktop: Desktop) -> None:
    """The second one of the reading step."""
    journals = desktop.target.glob
    wait_until(
        lambda: any('"name":"repeated"' in each.read_text() for each in journals("sessions/*/journal.jsonl")),
        "the second attempt", 100,
    )  # fmt: skip
