"""Changes of servers whose agent was killed: whoever cleans up calls `unmake`, until it has ended well."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.desktop import Desktop
from tests.integration.test_existing_servers import add, begun, given_password, with_account
from tests.processes import parent_of
from tests.team_server import Database
from tests.waiting import wait_until

__all__ = ["given_password"]

PROGRAM = """#!/bin/sh
[ $1 = unmake ] && [ -e {folder}/refuses ] && {{ echo "no way" >&2; exit 3; }}
[ $1 = make ] && [ -e {folder}/lasts ] && touch {folder}/begun && sleep 6
echo "$1" >> {folder}/calls
"""
PLAN = """
sequence = "tiny"
tables = 1
rows = 1000
threads = 1
seconds = {seconds}
repeats = 1

[[contender]]
server = "prod"
change_by = "{program}"
"""


@pytest.fixture(scope="module")
def changed_server() -> Iterator[Database]:
    """Plans are killed there, and what they have made in its schema stays."""
    with with_account("") as database:
        yield database


class ChangingProgram:
    """A program of a person, and a plan with it."""

    def __init__(self, folder: Path, seconds: int = 60) -> None:
        self.path, self.plan, self._calls = folder / "flush-2", folder / "changed.toml", folder / "calls"
        self.refuses, self.lasts = folder / "refuses", folder / "lasts"  # files that make it so
        self.path.write_text(PROGRAM.format(folder=folder))
        self.path.chmod(0o700)
        self.plan.write_text(PLAN.format(program=self.path, seconds=seconds))

    @property
    def calls(self) -> list[str]:
        return self._calls.read_text().split() if self._calls.exists() else []

    @property
    def removed(self) -> str:
        return f"removed the change that {self.path} made"


def add_unused(desktop: Desktop, database: Database) -> None:
    """Add the server, without what a killed plan has left there."""
    database.query("DROP TABLE IF EXISTS bench.dyno_marker, bench.sbtest1")
    add(desktop, database)


def records(desktop: Desktop) -> list[Path]:
    return list(desktop.target.glob("sessions/*/change.json"))


def test_the_guardian_unmakes_the_change_of_a_killed_agent(
    desktop: Desktop, changed_server: Database, tmp_path: Path
) -> None:
    add_unused(desktop, changed_server)
    program = ChangingProgram(tmp_path)
    running = desktop.begin("run", str(program.plan), "--allow-busy")
    wait_until(begun(desktop, 2), "it drives", 300)
    (record,) = records(desktop)
    assert record.stat().st_mode & 0o777 == 0o600 and program.calls == ["make"]
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    running.communicate(timeout=180)
    wait_until(lambda: not desktop.agent_pid(), "its guardian is done", 180)
    assert program.calls == ["make", "unmake"] and not records(desktop)
    assert program.removed in "".join(log.read_text() for log in desktop.target.glob("plans/*/agent.log"))
    assert desktop.dyno("target", "clean", "local").stdout == f"nothing is left in {desktop.target}\n"
    assert program.calls == ["make", "unmake"]


@pytest.mark.full
def test_a_change_stays_recorded_until_its_unmake_succeeds(
    desktop: Desktop, changed_server: Database, tmp_path: Path
) -> None:
    """As after a reboot: agent and guardian are gone, while the program was at work."""
    add_unused(desktop, changed_server)
    program = ChangingProgram(tmp_path, seconds=1)
    program.lasts.touch()
    running = desktop.begin("run", str(program.plan), "--allow-busy")
    wait_until((tmp_path / "begun").exists, "the change is being made", 300)
    agent = desktop.agent_pid()
    os.kill(parent_of(agent), signal.SIGKILL)
    os.kill(agent, signal.SIGKILL)
    running.communicate(timeout=180)
    program.refuses.touch()
    said = desktop.refused("target", "clean", "local", code=1)
    assert f"{program.path} unmake: it ended with exit code 3: no way: its change of a server may be" in said
    assert program.calls == ["make"]  # its end was waited for
    refused = desktop.refused("run", str(program.plan), "--allow-busy", "--quiet", code=1)
    assert "no way" in refused and "dyno target clean" in refused
    program.refuses.unlink()
    program.lasts.unlink()
    assert desktop.dyno("target", "clean", "local").stdout == f"{program.removed}\n"
    assert program.calls == ["make", "unmake"] and not records(desktop)
    desktop.dyno("run", str(program.plan), "--allow-busy", limit_s=300)
    assert program.calls == ["make", "unmake"] * 2


@pytest.mark.full
def test_the_next_plan_unmakes_the_change_first(
    desktop: Desktop, changed_server: Database, tmp_path: Path
) -> None:
    add_unused(desktop, changed_server)
    program = ChangingProgram(tmp_path, seconds=1)
    program.refuses.touch()
    desktop.dyno("run", str(program.plan), "--allow-busy", code=None, limit_s=300)
    assert program.calls == ["make"] and len(records(desktop)) == 1
    program.refuses.unlink()
    desktop.dyno("run", str(program.plan), "--allow-busy", limit_s=300)
    assert program.calls == ["make", "unmake"] * 2 and not records(desktop)
