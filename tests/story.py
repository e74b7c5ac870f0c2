"""`make story`: measures what docs/story tells, keeps the sessions in docs/story, writes its tables anew.

An hour with nobody else at work. What follows from the figures was written by hand: read the page afterwards.
`python -m tests.story` writes the tables anew from the sessions that are there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.installed import DYNO
from tests.running.builds import fetch

ROOT = Path(__file__).parents[1]
SESSIONS = ROOT / "docs/story"
PAGE = SESSIONS / "README.md"
BUILDS = ("mysql-5.6", "mysql-8.0", "mysql-9.7")
_RUNS = re.compile(r"^    dyno (run .*)$", re.MULTILINE)
_SHOWN = re.compile(r"^\$ dyno (compare quick.*)\n((?:(?!```).*\n)*)", re.MULTILINE)

CarryOut = Callable[[str], str]


def main(measuring: bool) -> None:
    with TemporaryDirectory(prefix="dyno-") as folder:
        if measuring:
            _measure(at(Path(folder) / "measured"))
        carry_out = at(Path(folder) / "read")
        carry_out(f"import {SESSIONS}")
        PAGE.write_text(with_tables(PAGE.read_text(), carry_out))


def with_tables(page: str, carry_out: CarryOut) -> str:
    """The page with what its commands print, in place of what they printed before."""
    return _SHOWN.sub(lambda found: f"$ dyno {found[1]}\n{carry_out(found[1])}", page)


def _measure(carry_out: CarryOut) -> None:
    for build in BUILDS:
        carry_out(f"build install {fetch(build)} --there")
    for command in _RUNS.findall(PAGE.read_text()):
        carry_out(command)
    for before in SESSIONS.glob("*.zip"):
        before.unlink()
    for line in carry_out("session list --state completed --wide").splitlines()[1:]:
        carry_out(f"session export {line.split()[0]} {SESSIONS}")


def at(home: Path, dyno: Sequence[str] = DYNO) -> CarryOut:
    """Carries out what is typed after `dyno`, in a terminal of 80 columns; reports lie beside the home."""
    here = {"DYNO_HOME": str(home), "COLUMNS": "80", "NO_COLOR": "1", "PYTHONPATH": str(ROOT)}

    def carry_out(words: str) -> str:
        done = subprocess.run(
            [*dyno, *words.split()],
            cwd=home.parent,
            env={**os.environ, **here},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    return carry_out


if __name__ == "__main__":
    main(sys.argv[1:] == ["measure"])
