"""Counting under callgrind: what vgdb says and callgrind writes, read by thread."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.agent.server.callgrind import InstructionCounter
from app.agent.system.errors import AgentError

# says what vgdb and callgrind 3.19 say: the table of threads, and a file for each with its total
VGDB = """#!/bin/sh
case "$*" in
*off*scheduler*dump*) [ {code} = 0 ] || {{ echo "{wrong}" >&2; exit {code}; }}
    printf 'Thread 1: status = VgTs_WaitSys syscall 7 (lwpid 4029)\\n==1==    at 0x1\\n'
    printf 'Thread 32: status = VgTs_Runnable (lwpid 4619)\\nThread 33: status = VgTs_Empty (lwpid 0)\\n'
    printf 'thread: 1\\nfn=(1) x\\ntotals: 200\\n' >{folder}/counts.1-01
    printf 'thread: 32\\nsummary: 7\\ntotals: 74364\\n' >{folder}/counts.1-32
    printf 'totals: 5\\n' >{folder}/counts.1-44 ;;
esac
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def write(folder: Path, code: int = 0) -> None:
    (folder / "vgdb").write_text(VGDB.format(folder=folder, wrong="no such process", code=code))
    (folder / "vgdb").chmod(0o755)


def test_instructions_are_those_of_each_thread_that_is_there(fake: Path) -> None:
    write(fake)
    counter = InstructionCounter(str(fake), {})
    counter.begin(4029)
    assert counter.end(4029) == {4029: 200, 4619: 74_364}
    assert not list(fake.glob("counts*")), "no file stays"


def test_a_server_that_is_gone_is_an_error_in_a_line(fake: Path) -> None:
    write(fake, code=1)
    with pytest.raises(AgentError, match="callgrind does not answer"):
        InstructionCounter(str(fake), {}).end(4029)


def test_the_command_counts_nothing_yet_and_keeps_its_pipes_private(fake: Path) -> None:
    counter = InstructionCounter(str(fake), {"loose_innodb_use_native_aio": "0"})
    words = counter.command(["/opt/mysqld", "--defaults-file=x"])
    assert "--instr-atstart=no" in words and f"--vgdb-prefix={fake}/vgdb" in words
    assert words[-3:] == ["/opt/mysqld", "--defaults-file=x", "--loose-innodb-use-native-aio=0"]


def test_reading_from_a_connection_is_left_out_and_all_else_counted(fake: Path) -> None:
    words = InstructionCounter(str(fake), {}).command(["/opt/mysqld"])
    toggles = [at for at, word in enumerate(words) if word.startswith("--toggle-collect=vio_read")]
    assert len(toggles) == 2 and words.index("--collect-atstart=yes") > max(toggles), (
        "callgrind collects nothing outside of a function that it is told to toggle, unless told so after it"
    )
