"""Plans on two targets over SSH; the window is closed in their middle, killed, and opened again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.desktop import Desktop
from tests.integration.netns import FarTarget
from tests.ui.screen import Person, Screen, person_before, screen_of

ENDED_S = 180.0
SECONDS = 20  # of a step: the plans outlast two windows, also on a slow machine


@pytest.fixture
def two_running(desktop: Desktop, two_targets: tuple[FarTarget, FarTarget]) -> list[str]:
    """Both known and trusted; each carries out a plan that nobody follows."""
    names = []
    for number, far in enumerate(two_targets):
        names.append(far.sshd.add_target(f"far{number}").name)
        plan = desktop.plan(target=names[-1], seconds=SECONDS, name=f"plan {number}")
        desktop.dyno("run", *plan, "--detach", "--allow-busy")
    return names


@pytest.mark.root
@pytest.mark.full
@pytest.mark.timeout(420)
def test_closed_in_the_middle_and_opened_again(
    desktop: Desktop, two_running: list[str], tmp_path: Path
) -> None:
    with screen_of() as screen:
        close_in_the_middle(screen, desktop, tmp_path)
        kill_in_the_middle(screen, desktop, tmp_path)
        with person_before(screen, desktop.home, tmp_path) as person:
            both_are_seen(person)
            person.wait_for(lambda: have_ended(desktop), "both plans have ended", ENDED_S)
            person.press("ctrl+1")  # Live lists plans that are over too
            person.wait_for(lambda: not lines(person), "nothing is followed any more")
            person.press("ctrl+3")
            person.wait_for(lambda: len(person.rows("Sessions")) == 2, "both are in the history")
            person.leave()
    for session in desktop.sessions():
        assert (session["state"], session["failed_steps"]) == ("completed", 0)
        seconds = desktop.json("session", "series", session["id"], "update-index")
        assert seconds["s"] == list(range(-1, SECONDS))


def both_are_seen(person: Person) -> None:
    """In the status bar, which every page has."""
    person.wait_to_see("plan 0 on far0")
    person.wait_to_see("plan 1 on far1")


def lines(person: Person) -> list[str]:
    """Of plans that are being carried out, in the status bar."""
    return [text for text in person.texts() if text.startswith("Plan plan ")]


def close_in_the_middle(screen: Screen, desktop: Desktop, folder: Path) -> None:
    with person_before(screen, desktop.home, folder) as person:
        both_are_seen(person)
        person.press("ctrl+q")
        person.wait_to_see("The plans continue without the window")
        person.press("Escape")
        person.wait_for(lambda: not person.sees("The plans continue without the window"), "the window stays")
        person.press("ctrl+q")
        person.wait_to_see("The plans continue without the window")
        person.press("Return")
        person.wait_for_end()


def kill_in_the_middle(screen: Screen, desktop: Desktop, folder: Path) -> None:
    with person_before(screen, desktop.home, folder) as person:
        both_are_seen(person)
        person.process.kill()
        person.process.wait(10)


def have_ended(desktop: Desktop) -> bool:
    found = desktop.sessions()
    return len(found) == 2 and all(each["state"] not in ("waiting", "active") for each in found)
