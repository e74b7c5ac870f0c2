"""The operation backup on real servers: what it takes, whether it restores, and what is left of it."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.installed import SERVER
from tests.integration.desktop import Desktop
from tests.integration.test_operations import LEDGER, READ, WRITER, began, ended, has_mark, operation
from tests.integration.test_stopping import at_work, slow_build
from tests.integration.test_studies import contender_of
from tests.sequences import CALM
from tests.waiting import wait_until

DUMP = 'tool = "dump"\n'
STARTS = 'case "$*" in *--version*) exit 0;; esac\n'  # before a start Dyno asks a command for it


def backup(more: str = "", *roles: str, **seconds: int) -> str:
    return operation("backup", *(roles or (WRITER,)), more=more, **{"after": 2, "seconds": 4, **seconds})


def calm(role: str) -> str:
    return f"{role}{CALM}\n"


@pytest.fixture
def ncurses_5(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that `mysql` of 5.6 needs and systems of today lack: its successor does."""
    (there,) = Path("/usr/lib").glob("*/libncurses.so.6")
    (tmp_path / "libncurses.so.5").symlink_to(there)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))


@pytest.mark.usefixtures("ncurses_5")
@pytest.mark.parametrize(
    ("build", "engine", "more", "tool"),
    [
        pytest.param("", "innodb", "", "mariadb-backup", id="innodb"),
        pytest.param("", "rocksdb", "", "mariadb-backup", id="rocksdb", marks=pytest.mark.full),
        pytest.param("", "aria", "", "mariadb-backup", id="aria", marks=pytest.mark.full),
        pytest.param("", "myisam", DUMP, "mariadb-dump", id="myisam-dump", marks=pytest.mark.full),
        pytest.param("", "innodb", DUMP, "mariadb-dump", id="innodb-dump", marks=pytest.mark.full),
        *(
            pytest.param(
                build, "innodb", "", tool, id=build, marks=[pytest.mark.build(build), pytest.mark.full]
            )
            for build, tool in (
                ("mysql-5.6-full", "mysqldump"),
                ("mysql-8.0", "clone"),
                ("mysql-9.7", "clone"),
            )
        ),
    ],
)
def test_a_backup_is_restored_and_has_the_same_rows(
    desktop: Desktop, build_path: Callable[[str], Path], build: str, engine: str, more: str, tool: str
) -> None:
    contender = contender_of(desktop, build_path, build, engine)
    step = backup(more, calm(WRITER), calm(LEDGER))
    _entry, _, ends = ended(desktop, began(desktop, step, READ, contender=contender))
    done, _writer, _ledger, read = ends
    assert {each.outcome for each in ends} == {"completed"}, [each.reason for each in ends]
    found = done.operation
    assert found is not None and done.value == found.seconds and found.seconds > 0
    assert (found.tool, found.restored, found.tables_counted, found.tables_summed) == (tool, True, 3, 1)
    assert found.backup_bytes > 10_000 and found.size_before > 100_000
    assert found.kept_pct is not None and found.missing == found.unsent == 0
    assert not list(desktop.target.glob("sessions/*/backup")) and read.rows["in_tables"] == 4000


@pytest.mark.full
def test_a_target_whose_path_has_a_space_and_a_quote(desktop: Desktop, tmp_path: Path) -> None:
    place = tmp_path / 'my target\'s "place"'
    desktop.dyno("target", "edit", "local", "--directory", str(place))
    running = began(desktop, backup())
    said, _ = running.communicate(timeout=240)
    assert running.returncode == 0, said
    (entry,) = desktop.sessions()
    assert desktop.json("session", "show", entry["id"])["steps"][2]["state"] == "completed"


def test_a_build_without_a_command_is_refused_before_the_start(desktop: Desktop, tmp_path: Path) -> None:
    name = slow_build(desktop, tmp_path / "bare")
    running = began(desktop, backup(), contender=f"{name}:innodb")
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 1, said
    told = " ".join(said.split())
    assert (
        f"{name} cannot back up: no mariadb-backup: {tmp_path / 'bare'} has neither mariadb-backup nor"
        in told
    )
    assert desktop.sessions() == []


def build_with(desktop: Desktop, base: Path, script: str) -> str:
    """A build whose mariadb-backup is this script."""
    name = slow_build(desktop, base)
    (base / "bin/mysqld").write_text(f'#!/bin/sh\nexec {SERVER} "$@"\n')
    program = base / "bin/mariadb-backup"
    program.write_text(f"#!/bin/sh\n{STARTS}{script}")
    program.chmod(0o755)
    return name


@pytest.mark.full
def test_a_backup_that_lacks_rows_fails_its_step(desktop: Desktop, tmp_path: Path) -> None:
    """The planted command restores what it has copied, without a row that it deletes."""
    dump = tmp_path / "bare/bin/mariadb-dump"
    name = build_with(desktop, tmp_path / "bare", "exit 1\n")
    dump.write_text(
        f"#!/bin/sh\n{STARTS}"
        'for each; do case "$each" in --result-file=*) to=${each#*=};; esac; done\n'
        'mariadb-dump "$@" && echo "DELETE FROM sbtest2 WHERE id = 7;" >> "$to"\n'
    )
    dump.chmod(0o755)
    (tmp_path / "bare/bin/mariadb").symlink_to(shutil.which("mariadb") or "")
    running = began(desktop, backup(DUMP), READ, contender=f"{name}:innodb")
    _, _, (done, _, read) = ended(desktop, running, 1)
    assert (done.outcome, read.outcome) == ("failed", "completed")
    assert (
        done.reason == "the backup restores other rows: sbtest2 has 1,999 rows, and 2,000 rows in the server"
    )
    assert done.operation is not None and done.operation.restored is False


@pytest.mark.full
def test_a_command_that_fails_says_why_and_the_session_goes_on(desktop: Desktop, tmp_path: Path) -> None:
    name = build_with(desktop, tmp_path / "bare", "echo the disk is on strike >&2; exit 3\n")
    _, _, (done, _, read) = ended(desktop, began(desktop, backup(), READ, contender=f"{name}:innodb"), 1)
    assert (done.outcome, read.outcome) == ("failed", "completed")
    assert done.reason == "the backup failed: mariadb-backup: the disk is on strike"


@pytest.mark.full
def test_a_backup_that_takes_longer_than_its_roles_is_waited_for_up_to_its_cap(
    desktop: Desktop, tmp_path: Path
) -> None:
    script = 'case "$*" in *--backup*) sleep 6;; esac; exec mariadb-backup "$@"\n'
    name = build_with(desktop, tmp_path / "bare", script)
    late, capped = backup(), backup("cap_s = 5\n").replace('name = "backup"', 'name = "capped"', 1)
    _, _, ends = ended(desktop, began(desktop, late, capped, READ, contender=f"{name}:innodb"), 1)
    done, _, over, _, read = ends
    assert done.outcome == "completed" and done.operation.alone_s == pytest.approx(done.value - 4, abs=0.5)
    assert (over.outcome, read.outcome) == ("failed", "completed")
    assert over.reason == "the backup was not done 5 s after it began, and was ended"
    assert not at_work(desktop, "--backup")()


@pytest.mark.full
def test_what_an_agent_leaves_that_is_killed_in_a_backup_is_deleted(desktop: Desktop, tmp_path: Path) -> None:
    script = 'mkdir "${3#*=}"; echo > "${3#*=}/part"; sleep 1000\n'
    name = build_with(desktop, tmp_path / "bare", script)
    running = began(desktop, backup(seconds=300), contender=f"{name}:innodb")
    wait_until(has_mark(desktop, "operation"), "the backup has begun", 120)
    wait_until(at_work(desktop, "--backup"), "its command works", 20)
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    running.communicate(timeout=120)
    desktop.dyno("target", "clean", "local")
    wait_until(lambda: not at_work(desktop, "")(), "all of it is gone", 180)
    assert not list(desktop.target.glob("sessions/*/backup")) and not list(desktop.target.glob("trash/*"))


@pytest.mark.full
def test_a_stop_in_a_backup_ends_it_and_deletes_it(desktop: Desktop, tmp_path: Path) -> None:
    name = build_with(desktop, tmp_path / "bare", "sleep 1000\n")
    running = began(desktop, backup(seconds=300), contender=f"{name}:innodb")
    wait_until(at_work(desktop, "--backup"), "its command works", 120)
    desktop.dyno("stop", "--session")
    _, events, (done, _) = ended(desktop, running, 1)
    assert (done.outcome, events[-1].outcome) == ("stopped", "stopped")
    assert not at_work(desktop, "")() and not list(desktop.target.glob("sessions/*/backup"))
