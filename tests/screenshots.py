"""`make screenshots`: the pictures of docs/, of real sessions that are carried out for them on this computer.

A home and a screen of its own; about twenty minutes. Nobody else should be at work meanwhile.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from app.planner.kinds.duel import ROUNDS
from tests.installed import DYNO
from tests.ui.screen import Person, Screen, person_before, screen_of

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCREEN = (1320, 880)  # the window with its frame
LIMIT_S = 300.0
STEP = "insert"  # of the second round of the duel: by then there is much to be seen
ENGINES = ("innodb", "rocksdb", "myisam")
REPEATS = 5  # so that there are verdicts to be seen


def main() -> None:
    with TemporaryDirectory(prefix="dyno-") as folder, screen_of(*SCREEN) as screen:
        home = Path(folder) / "dyno"
        prepare(home)
        take_light(screen, home, Path(folder))
        (home / "settings.toml").write_text('appearance = "dark"\n', encoding="utf-8")
        take_dark(screen, home, Path(folder))


def prepare(home: Path) -> None:
    """Three engines in turn, again and again, without the window: something to be found in the history."""
    build = _dyno(home, "build", "list").splitlines()[1].split()[0]
    words = [word for engine in ENGINES for word in ("--contender", f"{build}:{engine}")]
    often = ("--repeats", str(REPEATS))
    _dyno(home, "run", *words, "--sequence", "duel", "--name", "engines", *often)
    _dyno(home, "session", "tag", "last", "no transactions")


def take_light(screen: Screen, home: Path, folder: Path) -> None:
    with person_before(screen, home, folder) as person:
        person.wait_to_see("Surveyed just now", 60)
        person.wait_to_see("of disk")
        take(person, "bench")
        person.press("ctrl+r")
        person.wait_to_see("duel on local", 60)
        person.wait_to_see("round 2 of", LIMIT_S)
        person.wait_to_see(f"8/8 {STEP} threads=2: second 2", LIMIT_S)
        take(person, "live")
        person.wait_to_see("has ended", LIMIT_S)
        person.click("Dismiss")
        person.press("ctrl+3")
        person.wait_for(lambda: len(person.rows("Sessions")) == 2, "both plans are listed")
        person.click_at(person.table("Sessions")[0][0]["rect"])
        person.press("Right")
        person.wait_for(
            lambda: len(person.rows("Sessions")) == 2 + ROUNDS * 2, "the sessions of one are seen"
        )
        person.press("Down")
        person.wait_to_see("steps completed")
        take(person, "history")
        person.press("ctrl+f")
        person.type("engines")
        person.wait_for(lambda: len(person.rows("Sessions")) == 1, "the plan of three engines")
        person.press("Down", "ctrl+a", "ctrl+k")
        person.wait_for(lambda: len(person.rows("Comparison")) > 5, "they are compared")
        take(person, "compare")
        person.leave()


def take_dark(screen: Screen, home: Path, folder: Path) -> None:
    with person_before(screen, home, folder) as person:
        person.press("ctrl+2")
        person.wait_to_see("completed")
        take(person, "live-dark")
        person.leave()


def take(person: Person, name: str) -> None:
    """The window without the frame that this desktop puts around it."""
    person.ask(picture=str(DOCS / f"{name}.png"))
    print(DOCS / f"{name}.png")


def _dyno(home: Path, *words: str) -> str:
    done = subprocess.run(
        [*DYNO, *words],
        cwd=ROOT, env={**os.environ, "DYNO_HOME": str(home)}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return done.stdout


if __name__ == "__main__":
    main()
