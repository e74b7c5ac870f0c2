"""What a start asks of a target: one upload, one estimate, and each build once for its options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.installed import SERVER
from tests.integration.desktop import Desktop

ENGINES = ("innodb", "rocksdb")


@pytest.fixture
def heard(desktop: Desktop, tmp_path: Path) -> Path:
    """What the server programs and the agent of this target are called with, a line each."""
    log = tmp_path / "heard"
    program = tmp_path / "b" / "counted" / "bin" / "mariadbd"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\necho "server $*" >> {log}\nexec {SERVER} "$@"\n')
    program.chmod(0o755)
    (tmp_path / "b" / "counted" / "share").symlink_to("/usr/share")
    (tmp_path / "b" / "counted" / "lib").symlink_to("/usr/lib")
    desktop.dyno("target", "edit", "local", "--search-path", str(tmp_path / "b" / "*"))
    desktop.prepare_agent(
        f"import sys; open({str(log)!r}, 'a').write('agent ' + ' '.join(sys.argv[1:]) + chr(10))", tmp_path
    )
    return log


def questions(heard: Path) -> dict[str, int]:
    """How often each was asked."""
    lines = heard.read_text().splitlines()
    verbs = [found[1] for line in lines if (found := re.match(r"agent run \S+ (\S+)", line))]
    server = [line for line in lines if line.startswith("server ")]
    counts = {verb: verbs.count(verb) for verb in verbs}
    helped = [line for line in server if "--no-defaults" in line and "--verbose --help" in line]
    counts["all options"] = sum("--plugin-load-add" not in line for line in helped)
    counts["options of a plugin"] = len(helped) - counts["all options"]
    counts["a my.cnf"] = sum("--defaults-file" in line and "--verbose --help" in line for line in server)
    return counts


def test_a_duel_surveys_its_target_once(desktop: Desktop, heard: Path) -> None:
    desktop.dyno("run", "--duel", "--dry-run", "--start")
    asked = {"status": 1, "survey": 1, "queue": 1, "upload-plan": 1, "check": 3, "all options": 1}
    asked |= {"options of a plugin": 1, "a my.cnf": 2}
    assert questions(heard) == asked


@pytest.mark.full
def test_a_start_asks_everything_once(desktop: Desktop, heard: Path) -> None:
    build = next(each for each in desktop.json("build", "list") if "/counted" in each["base"])
    heard.write_text("")
    desktop.dyno("run", *desktop.plan(*(f"{build['name']}:{each}" for each in ENGINES)))
    assert questions(heard) == {
        "status": 1,
        "survey": 1,
        "queue": 1,
        "upload-plan": 1,
        "check": 3,  # the options of both, and each rehearsal
        "start": 1,
        "follow": 1,
        "all options": 1,  # by the survey; for checks, rehearsals and sessions too
        "options of a plugin": 1,
        "a my.cnf": 2,  # of each contender
    }
    assert not list((desktop.target / "incoming").iterdir())
