"""From the first start to the comparison, in a real window with mouse and keyboard, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.screen import Person, Screen, person_before, screen_of

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
