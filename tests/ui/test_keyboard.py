"""The whole way without a mouse, in a real window, on a real server: set up, run, look, find, compare."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.ui.screen import Person, person_before, screen_of

RUN_S = 180.0
MOST_TABS = 60
SHORT = {"Rows per table": "2000", "Warm-up s": "0", "Repeats": "1", "Seconds": "1", "Name": "by keyboard"}
BEGAN = re.compile(r", (\w{3} )?\d\d:\d\d ")


@pytest.mark.timeout(420)
def test_everything_by_keyboard(dyno_home: Path, tmp_path: Path) -> None:
    with screen_of() as screen, person_before(screen, dyno_home, tmp_path) as person:
        set_up(person)
        run(person)
        look_at_steps(person)
        find_again(person)
        compare(person)
        person.leave()


def tab_to(person: Person, name: str) -> None:
    for _ in range(MOST_TABS):
        if any(each["focus"] for each in person.ask(find=name)):
            return
        person.press("Tab")
    raise AssertionError(f"Tab does not come to {name!r}; there is: {person.texts()}")


def set_up(person: Person) -> None:
    """One round, shorter steps, and a name of its own."""
    person.wait_to_see("of disk")
    assert person.find("Targets")["focus"], "the keyboard begins where the work begins"
    person.press("ctrl+m")
    for field, text in SHORT.items():
        tab_to(person, field)
        person.press("ctrl+a")
        person.type(text)
    person.wait_for(lambda: person.sees("1 repeat, 2 x 2,000 rows"), "the estimate follows")


def run(person: Person) -> None:
    person.press("ctrl+r")
    person.wait_to_see("by keyboard on local", 60)
    person.wait_to_see("has ended", RUN_S)
    assert not person.sees("sessions failed")


def look_at_steps(person: Person) -> None:
    """Enter on a step of the results shows it in the charts."""
    person.press("ctrl+2")
    tab_to(person, "Results, step by step")
    assert [row[0] for row in person.rows("Results, step by step")][-1] == "insert"
    person.press("End", "Return")
    person.wait_for(lambda: not person.find("Follow")["checked"], "the step is looked at")
    tab_to(person, "Follow")
    person.press("space")
    person.wait_for(lambda: person.find("Follow")["checked"], "the running step is followed")


def find_again(person: Person) -> None:
    person.press("ctrl+3")
    person.wait_for(lambda: _names(person) == ["by keyboard (2)"], "the plan is listed")
    person.press("ctrl+f")
    person.type("rocksdb")
    person.wait_for(lambda: "rocksdb" in _names(person)[0], "one of its sessions fits")
    person.press("Escape")
    person.wait_for(lambda: _names(person) == ["by keyboard (2)"], "the plan is listed again")
    person.press("Down", "Right")
    person.wait_for(lambda: len(_names(person)) == 3, "its sessions are seen")
    person.press("Left")
    person.wait_for(lambda: len(_names(person)) == 1, "it is folded")
    person.press("ctrl+k")


def _names(person: Person) -> list[str]:
    """Names in the list, without when a plan began."""
    return [BEGAN.sub(" ", row[0]) for row in person.rows("Sessions")]


def compare(person: Person) -> None:
    person.wait_for(lambda: len(person.rows("Comparison")) > 5, "to compare the steps by")
    assert person.find("Comparison")["focus"]
    tab_to(person, "Measure")
    person.press("Down")
    tab_to(person, "Comparison")
    person.press("ctrl+shift+c")
    person.wait_for(lambda: "point-query" in person.clipboard(), "the table is copied")
