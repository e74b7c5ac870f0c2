"""From the first start to the comparison, in a real window with mouse and keyboard, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.screen import Person, Screen, person_before, screen_of

STEP = "point-query"
START_S = 180.0  # each server starts once before
COUNT_S = 480.0  # half a minute on a machine at rest
DUEL_S = 480.0  # all of it takes about four minutes; machines of tests are slow


@pytest.fixture
def screen() -> Iterator[Screen]:
    with screen_of() as made:
        yield made


@pytest.mark.full
@pytest.mark.timeout(660)
@pytest.mark.parametrize("seconds", ["1", pytest.param("", marks=pytest.mark.alone, id="as-it-is")])
def test_from_the_first_start_to_the_comparison(
    screen: Screen, dyno_home: Path, tmp_path: Path, seconds: str
) -> None:
    with person_before(screen, dyno_home, tmp_path) as person:
        play_the_duel(person, seconds)
        find_it_in_the_history(person, 2 if seconds else 10)
        copied = compare(person)
        person.leave()
    for word in ("point-query", "innodb", "rocksdb", "n = 1"):
        assert word in copied
    assert not person.output(), "the window is silent in the terminal"


def play_the_duel(person: Person, seconds: str) -> None:
    """One click, without choosing anything but perhaps one round of shorter steps."""
    person.wait_to_see("of disk")
    if seconds:
        set_field(person, "Repeats", "1")
        person.press("ctrl+m")
        set_field(person, "Seconds", seconds)
        person.wait_for(lambda: person.sees("about 1 min"), "the estimate follows")
    person.click("Run")
    person.wait_to_see("duel on local", 60)
    person.wait_to_see("has ended", DUEL_S)
    assert not person.sees("sessions failed")


def set_field(person: Person, name: str, text: str) -> None:
    field = next(each for each in person.ask(find=name) if each["text"] != name)  # not its label
    person.click_at(field["rect"])
    person.press("ctrl+a")
    person.type(text)
    person.press("Tab")


def find_it_in_the_history(person: Person, sessions: int) -> None:
    person.press("ctrl+3")
    person.wait_for(lambda: len(person.rows("Sessions")) == 1, "the plan is listed")
    name, state, *_ = person.rows("Sessions")[0]
    assert name.endswith(f"({sessions})") and state == "completed"
    person.click_at(person.table("Sessions")[0][0]["rect"])
    person.press("ctrl+k")


def compare(person: Person) -> str:
    """What a forum would get."""
    person.wait_for(lambda: len(person.rows("Comparison")) > 5, "to compare the steps by")
    person.press("ctrl+shift+c")
    person.wait_for(lambda: "point-query" in person.clipboard(), "the table is copied")
    return person.clipboard()


@pytest.mark.full
@pytest.mark.timeout(1300)
def test_the_work_is_counted_from_bench_and_from_compare(
    screen: Screen, dyno_home: Path, tmp_path: Path
) -> None:
    """A step once for each engine, under valgrind; the functions that make the difference have names."""
    with person_before(screen, dyno_home, tmp_path) as person:
        person.wait_to_see("of disk", START_S)
        person.click("Count the work")
        person.wait_to_see("Counting is set up")
        tick_only(person, STEP)
        start_count(person, "work on local")
        find_it_in_the_history(person, 2)
        person.wait_for(lambda: point_query(person)[2] == "instructions", "the count is compared")
        person.click_at([row for row in person.table("Comparison") if row[0]["text"] == STEP][-1][-1]["rect"])
        person.press("ctrl+shift+y")
        person.wait_for(lambda: any("rocksdb" in row[0] for row in person.rows("Costs")), "functions")
        person.press("ctrl+alt+u")
        person.wait_to_see("The work of point-query, counted")
        start_count(person, "work.point-query on local")
        person.leave()
    assert not person.output(), "the window is silent in the terminal"


def tick_only(person: Person, step: str) -> None:
    person.press("ctrl+m")
    person.click("Tick")
    person.press("Down", "Down", "Return")  # Tick none
    person.click("Filter of the steps")
    person.type(step)
    person.click("Tick")
    person.press("Down", "Return")  # Tick all that is shown
    person.wait_to_see("some steps left out")


def start_count(person: Person, plan: str) -> None:
    set_field(person, "Repeats", "1")
    person.wait_to_see("1 repeat")
    person.click("Allow a busy target")  # a count is the same there
    person.wait_to_see("a busy target is allowed")
    person.click("Run")
    person.wait_to_see(plan, START_S)
    person.wait_to_see(f"{plan} has ended", COUNT_S)
    assert not person.sees("sessions failed")


def point_query(person: Person) -> list[str]:
    """The line of the step; the line of its group has the same name."""
    found = [row for row in person.rows("Comparison") if row[0] == STEP]
    return found[-1] if found else ["", "", ""]
