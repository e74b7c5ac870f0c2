"""Operations that meet what goes wrong beside them: each ends in one true line, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.protocol.events import MomentEvent, Sample, SeriesDeclared, SessionEnded
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.disks import fill
from tests.integration.test_backup import build_with
from tests.integration.test_operations import (
    LEDGER,
    READ,
    WRITER,
    began,
    connected,
    ended,
    has_mark,
    operation,
)
from tests.integration.test_power_cut import loop_mounts
from tests.integration.test_stopping import text
from tests.plans import write
from tests.waiting import wait_until

REBUILD = 'statement = "ALTER TABLE {table} FORCE"\n'
DATA = ("data", "disk.ext4", "backup", "tmp")


def at_work_below(place: Path) -> bool:
    """Whether a program runs that was given a file of a session there."""
    return any(f"{place}/sessions/" in text(path) for path in Path("/proc").glob("[0-9]*/cmdline"))


def check_that_nothing_is_left(desktop: Desktop, directory: Path | None = None) -> None:
    place = directory or desktop.target
    wait_until(lambda: not at_work_below(place), "all of it is gone", 180)
    loops = subprocess.run(["losetup", "-l"], check=True, capture_output=True, text=True).stdout
    assert str(place) not in loops and loop_mounts(place) == []
    assert [path for path in place.glob("sessions/*/*") if path.name in DATA] == []


@contextmanager
def used(desktop: Desktop) -> Iterator[int]:
    """A program of somebody else works in the data directory."""
    (data,) = desktop.target.glob("sessions/*/data")
    with subprocess.Popen(["sleep", "100"], cwd=data) as process:
        try:
            yield process.pid
        finally:
            process.kill()


# power cuts


@pytest.mark.full
@pytest.mark.root
def test_a_cut_that_fails_ends_the_session_with_its_reason(desktop: Desktop) -> None:
    running = began(desktop, operation("power-cut", LEDGER), READ)
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    with used(desktop) as pid:
        entry, events, (cut, ledger) = ended(desktop, running, 1)
    assert (cut.outcome, ledger.outcome, entry["state"]) == ("failed", "failed", "failed")
    assert cut.reason.startswith("the power-cut failed: ")
    assert cut.reason.endswith(f"data cannot be unmounted: sleep (process {pid}) is using it")
    assert isinstance(events[-1], SessionEnded) and events[-1].reason == f"power-cut threads=2: {cut.reason}"
    assert "crash" not in [each.name for each in events if isinstance(each, MomentEvent)]
    check_that_nothing_is_left(desktop)


@pytest.mark.full
@pytest.mark.root
def test_what_an_agent_leaves_that_is_killed_while_its_file_system_is_cut_off(desktop: Desktop) -> None:
    running = began(desktop, operation("power-cut", LEDGER), READ)
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    with used(desktop):
        wait_until(has_mark(desktop, "operation"), "the power is cut, and cannot come back", 180)
        os.kill(desktop.agent_pid(), signal.SIGKILL)
        running.communicate(timeout=120)
    desktop.dyno("target", "clean", "local")
    (entry,) = desktop.sessions()
    assert entry["state"] == "lost"
    check_that_nothing_is_left(desktop)


# a shutdown that does not end


@pytest.mark.full
def test_a_server_that_does_not_shut_down_is_killed_and_later_steps_have_one(desktop: Desktop) -> None:
    running = began(desktop, operation("restart", LEDGER, seconds=4), READ)
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    os.kill(desktop.server_pid(), signal.SIGSTOP)
    _, events, (restart, ledger, read) = ended(desktop, running, 1)
    assert restart.reason == "the server had not shut down 4 s after it was asked to, and was killed"
    assert (restart.outcome, ledger.outcome, read.outcome) == ("failed", "failed", "completed")
    assert "crash" not in [each.name for each in events if isinstance(each, MomentEvent)]


# full disks


@pytest.fixture
def on_small_disk(desktop: Desktop, small_disk: Path) -> Callable[[int], None]:
    """Leaves this many bytes of Dyno's disk free once the operation has begun."""
    desktop.dyno("target", "edit", "local", "--directory", str(small_disk))

    def fill_it(left: int) -> None:
        wait_until(has_mark(desktop, "operation", small_disk), "the operation has begun", 180)
        fill(small_disk.parent, left)

    return fill_it


@pytest.mark.full
@pytest.mark.root
def test_a_full_disk_in_the_recovery(desktop: Desktop, small_disk: Path, on_small_disk: Any) -> None:
    running = began(desktop, operation("kill", LEDGER), READ)
    on_small_disk(1 << 20)
    entry, _, ends = ended(desktop, running, 1)
    assert (
        entry["reason"] == f"the disk with {small_disk}/sessions/{entry['id']} is full: free some space there"
    )
    assert {(each.outcome, each.reason) for each in ends} == {("failed", entry["reason"])}
    check_that_nothing_is_left(desktop, small_disk)


@pytest.mark.full
@pytest.mark.root
def test_a_disk_that_a_rebuild_fills(desktop: Desktop, small_disk: Path, on_small_disk: Any) -> None:
    slow_writer = f"{WRITER}rate = 100\n"  # the open transaction keeps all undo
    running = began(desktop, operation("ddl", slow_writer, more=REBUILD, after=8, seconds=8), READ)
    wait_until(has_mark(desktop, "measured", small_disk), "the step has begun", 180)
    with connected(desktop, small_disk) as connection:
        connection.cursor().execute("BEGIN")
        connection.cursor().execute("SELECT * FROM dyno.sbtest1 LIMIT 1")
        on_small_disk(60 << 20)
        _, _, (ddl, _, read) = ended(desktop, running, 1)
    assert (ddl.outcome, read.outcome) == ("failed", "completed")
    assert "was nearly full: the ddl was ended after " in ddl.reason, ddl.reason
    check_that_nothing_is_left(desktop, small_disk)


@pytest.mark.full
@pytest.mark.root
def test_a_disk_that_a_backup_fills(
    desktop: Desktop, small_disk: Path, on_small_disk: Any, tmp_path: Path
) -> None:
    name = build_with(desktop, tmp_path / "bare", "sleep 1000\n")
    running = began(
        desktop, operation("backup", f"{WRITER}rate = 100\n", seconds=8), READ, contender=f"{name}:innodb"
    )
    on_small_disk(60 << 20)
    entry, _, ends = ended(desktop, running, 1)
    assert len(ends) == 3, (entry["reason"], [each.reason for each in ends])
    backup, _, read = ends
    assert (backup.outcome, read.outcome) == ("failed", "completed")
    assert "was nearly full: the backup was ended after " in backup.reason, backup.reason
    check_that_nothing_is_left(desktop, small_disk)


# a kill in a checkpoint, a clock that steps


@pytest.mark.full
def test_a_kill_in_the_middle_of_a_forced_checkpoint(desktop: Desktop) -> None:
    """The redo log is so small that pages are written all the time, to make room in it."""
    cnf = "[mysqld]\ninnodb_log_file_size=4M\ninnodb_flush_log_at_trx_commit=2\n"
    write(desktop.home / "presets/innodb/tiny-log.cnf", cnf)
    step = operation("kill", WRITER.replace("threads = 3", "threads = 8"), LEDGER, after=6)
    running = began(desktop, step, READ, contender=f"{MARIADB}:innodb:tiny-log", rows=100_000)
    _, events, (kill, *_) = ended(desktop, running)
    found = kill.operation
    assert (kill.outcome, found.promised, found.missing, found.returned) == ("completed", True, 0, 0)
    (age, limit), *_ = ages_before(events, found.at_s)
    assert age > 0.8 * limit


def ages_before(events: Sequence[Any], at_s: float) -> list[tuple[float, float]]:
    """Age of the checkpoint, and at which one pages must be written: by second, the last of the step first.

    Without the second at whose end the server is killed: its last sample may come too late.
    """
    declared = [each for each in events if isinstance(each, SeriesDeclared)][-1]
    names = [each.name for each in declared.series]
    places = [names.index(f"innodb.checkpoint_{name}_mb") for name in ("age", "limit")]
    samples = [each for each in events if isinstance(each, Sample) and each.step == 2 and each.s < at_s - 1.5]
    return [(each.values[places[0]], each.values[places[1]]) for each in reversed(samples)]


STEPPING = """\
import time

true, still = time.time, time.monotonic
time.time = lambda: true() + 3600 * (int(still() * 5) % 3 - 1)
"""


@pytest.mark.full
def test_a_wall_clock_that_steps_an_hour_to_and_fro(desktop: Desktop, tmp_path: Path) -> None:
    """Five times a second, in the agent's Python: no figure of an operation comes from it."""
    desktop.prepare_agent(STEPPING, tmp_path)
    running = began(desktop, operation("kill", WRITER, LEDGER), READ)
    _, events, (kill, writer, *_) = ended(desktop, running)
    found = kill.operation
    ats = [each.at for each in events]
    assert max(ats) - min(ats) > 3600
    assert kill.outcome == "completed" and 0 < kill.value < 20
    assert 4 <= found.at_s < 5 and found.before > 0 and kill.value - 1 < found.stall_s < 20
    assert all(0 <= each <= kill.value for each in found.phases.values())
    assert all(each is None or 0 < each < 20 for each in found.back_s.values())
    assert writer.seconds == pytest.approx(24, abs=1)
