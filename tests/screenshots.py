"""`make screenshots`: the pictures of docs/, of the sessions of docs/story and of a plan that runs for them.

A home and a screen of its own; about five minutes. Nobody else should be at work meanwhile.
`python -m tests.screenshots versions` makes `work.png` anew: nine builds, three counts each, half an hour.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.installed import DYNO, MARIADB
from tests.running.builds import fetch
from tests.story import BUILDS, SESSIONS, at
from tests.ui.screen import Person, Screen, person_before, screen_of

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCREEN = (1320, 880)  # the window with its frame
LIMIT_S = 300.0
DRAWING = (sys.executable, "-c", "import sys; from ui.main import main; sys.exit(main())")  # with Qt
VERSIONS = (
    *("mysql-5.5", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-9.7"),
    *("mariadb-10.2", MARIADB, "mariadb-11.4", "mariadb-11.8"),
)
STEP = "read-write.range100"  # of the first session: by then there is much to be seen
TERMINAL = ("xterm", "-geometry", "82x39+0+0", "-fa", "DejaVu Sans Mono", "-fs", "11", "-hold", "-e")
PAINTED_S = 3.0
CURVES_S = 15.0  # until there are curves to see
_GRAB = "from PySide6.QtGui import QGuiApplication as A; import sys; A([]); \
A.primaryScreen().grabWindow(int(sys.argv[1])).save(sys.argv[2])"


def main() -> None:
    with TemporaryDirectory(prefix="dyno-") as folder, screen_of(*SCREEN) as screen:
        home = Path(folder) / "dyno"
        prepare(home)
        take_terminal(screen, home, Path(folder))
        take_light(screen, home, Path(folder))
        (home / "settings.toml").write_text('appearance = "dark"\n', encoding="utf-8")
        take_dark(screen, home, Path(folder), plan=1)  # the stopped one is above it


def take_versions() -> None:
    """The work of queries over versions: no screen is needed, and others may be at work."""
    with TemporaryDirectory(prefix="dyno-") as folder:
        carry_out = at(Path(folder) / "dyno")
        for build in set(VERSIONS) - {MARIADB}:
            carry_out(f"build install {fetch(build)} --there")
        carry_out(f"work {' '.join(VERSIONS)} --allow-busy")
        picture = DOCS / "work.png"
        picture.unlink(missing_ok=True)
        at(Path(folder) / "dyno", DRAWING)(f"chart versions last --out {picture}")
    print(picture)


def prepare(home: Path) -> None:
    carry_out = at(home)
    for build in BUILDS:
        carry_out(f"build install {fetch(build)} --there")
    carry_out(f"import {SESSIONS}")


def take_light(screen: Screen, home: Path, folder: Path) -> None:
    with person_before(screen, home, folder) as person:
        person.wait_to_see("Surveyed just now", 60)
        choose_plan(person)
        person.press("Right", "Down")
        person.wait_to_see("steps completed")
        take(person, "history")
        person.press("Up", "ctrl+k")
        person.wait_for(lambda: len(person.rows("Comparison")) > 5, "they are compared")
        take(person, "compare")
        choose_plan(person)
        person.click("Edit on Bench")
        person.wait_to_see("mysql-9.7.4-innodb: ", 60)  # its data and cache: the plan is checked
        take(person, "bench")
        person.press("ctrl+r")
        person.wait_to_see(f"{STEP} threads=2: second ", LIMIT_S)
        time.sleep(CURVES_S)
        take(person, "live")
        at(home)("stop")
        person.wait_to_see("was stopped", 60)
        person.leave()


def choose_plan(person: Person, plan: int = 0) -> None:
    """The plan in this line of the history."""
    person.press("ctrl+3")
    person.wait_for(lambda: len(person.rows("Sessions")) > plan, "the plan is listed")
    person.click_at(person.table("Sessions")[plan][0]["rect"])


def take_dark(screen: Screen, home: Path, folder: Path, plan: int) -> None:
    with person_before(screen, home, folder) as person:
        choose_plan(person, plan)
        person.press("Right", "Down", "ctrl+l")
        person.wait_to_see("completed")
        take(person, "live-dark")
        person.leave()


def take_terminal(screen: Screen, home: Path, folder: Path) -> None:
    """A real one, after the command has ended."""
    words, ended = ("compare", "quick"), folder / "ended"
    typed = f"echo '$ dyno {' '.join(words)}'; {shlex.join([*DYNO, *words])}; touch {shlex.quote(str(ended))}"
    environment = screen.environment(DYNO_HOME=str(home))
    with subprocess.Popen([*TERMINAL, "sh", "-c", typed], cwd=ROOT, env=environment) as terminal:
        while not ended.exists():
            time.sleep(0.1)
        time.sleep(PAINTED_S)
        search = ["xdotool", "search", "--class", "xterm"]
        window = subprocess.run(search, env=environment, check=True, capture_output=True, text=True).stdout
        picture = str(DOCS / "terminal.png")
        subprocess.run(
            [sys.executable, "-c", _GRAB, window.split()[-1], picture], env=environment, check=True
        )
        terminal.terminate()
    print(picture)


def take(person: Person, name: str) -> None:
    """The window without the frame that this desktop puts around it."""
    person.ask(picture=str(DOCS / f"{name}.png"))
    print(DOCS / f"{name}.png")


if __name__ == "__main__":
    take_versions() if sys.argv[1:] == ["versions"] else main()
