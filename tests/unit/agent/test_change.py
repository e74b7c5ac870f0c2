"""The program that changes a server that runs already for the turns of a contender."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

from app.agent.existing.change import MAKE, UNMAKE, ServerChange, call_change_program
from app.agent.system.errors import AgentError
from app.protocol.plan import Plan, Replica
from tests import journals


def program(folder: Path, text: str) -> str:
    path = folder / "change"
    path.write_text(text)
    path.chmod(0o700)
    return str(path)


def refused(path: str, limit_s: float = 10) -> str:
    with pytest.raises(AgentError) as caught:
        call_change_program(path, MAKE, limit_s)
    return str(caught.value).replace(path, "PROGRAM")


def test_it_gets_one_word_and_no_shell(tmp_path: Path) -> None:
    path = program(tmp_path, f'#!/bin/sh\necho "$# $1" >> {tmp_path}/calls\n')
    call_change_program(path, MAKE)
    call_change_program(path, UNMAKE)
    assert (tmp_path / "calls").read_text() == "1 make\n1 unmake\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo first; echo no way >&2; exit 3", "it ended with exit code 3: no way"),
        ("exit 1", "it ended with exit code 1: without a word"),
        ("printf 'a\\033[2Jb\\007\\n\\n'; exit 1", "it ended with exit code 1: a?[2Jb?"),
        ("head -c 100000 /dev/zero | tr '\\0' x; exit 1", f"it ended with exit code 1: {'x' * 300}"),
        ("kill -9 $$", "signal 9 ended it: without a word"),
    ],
)
def test_why_it_failed_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    assert refused(program(tmp_path, f"#!/bin/sh\n{text}\n")) == f"PROGRAM make: {said}"


def test_one_that_cannot_start_and_one_that_does_not_end(tmp_path: Path) -> None:
    assert "neither a program for this machine nor a script" in refused(program(tmp_path, "no script"))
    began = time.monotonic()
    slow = refused(program(tmp_path, "#!/bin/sh\nsleep 60\n"), 0.6)
    assert slow == "PROGRAM make: it did not end within 1 s" and time.monotonic() < began + 10


def test_what_it_starts_goes_on(tmp_path: Path) -> None:
    """Such as a server that it starts anew."""
    path = program(tmp_path, f"#!/bin/sh\nsleep 60 &\necho $! > {tmp_path}/pid\n")
    began = time.monotonic()
    call_change_program(path, MAKE)
    pid = int((tmp_path / "pid").read_text())
    os.kill(pid, signal.SIGKILL)  # it is there
    assert time.monotonic() < began + 10


# what is recorded of a change

EXISTING = replace(journals.contender(), host="db.example", port=3306)
LOGS = "#!/bin/sh\necho $1 >> {0}/calls\n[ $1 = make ] || sleep 0.3\n[ ! -e {0}/refuses ]\n"


def made(folder: Path) -> ServerChange:
    change = ServerChange(str(folder))
    change.make(replace(EXISTING, change_by=program(folder, LOGS.format(folder))))
    return change


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().split()


def plan_on(host: str, port: int = 3306, **more: object) -> Plan:
    return replace(journals.plan(), contenders=[replace(EXISTING, host=host, port=port, **more)])


def test_a_change_is_recorded_until_its_unmake_ended_well(tmp_path: Path) -> None:
    change = made(tmp_path)
    assert change.is_recorded and (tmp_path / "change.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "refuses").touch()
    with pytest.raises(AgentError, match="change unmake: it ended with exit code 1: without a word"):
        change.unmake()
    assert change.is_recorded
    (tmp_path / "refuses").unlink()
    with ThreadPool(3) as pool:  # a cleanup, while the call of a killed agent goes on
        pool.map(lambda _: change.unmake(), range(3))
    assert not change.is_recorded and calls(tmp_path) == ["make", "unmake", "unmake"]


def test_a_make_that_fails_is_unmade_too(tmp_path: Path) -> None:
    (tmp_path / "refuses").touch()
    with pytest.raises(AgentError, match="change make: it ended with exit code 1"):
        made(tmp_path)
    assert ServerChange(str(tmp_path)).is_recorded


@pytest.mark.parametrize("how", ["open to others", "a link", "no record"])
def test_a_record_that_this_user_has_not_written_is_not_obeyed(how: str, tmp_path: Path) -> None:
    change, record = made(tmp_path), tmp_path / "change.json"
    if how == "open to others":
        record.chmod(0o644)
    elif how == "a link":
        record.rename(tmp_path / "other")
        record.symlink_to(tmp_path / "other")
    else:
        record.write_text('{"program": 7}')
    with pytest.raises(AgentError, match=r"change.json is no record of a change: unmake the change yourself"):
        change.unmake()
    assert change.is_recorded and calls(tmp_path) == ["make"]


def test_the_plans_of_a_changed_server(tmp_path: Path) -> None:
    change = made(tmp_path)
    assert change.is_of(plan_on("DB.example")) and not change.is_of(plan_on("db.example", 3307))
    assert not change.is_of(journals.plan())
    replica = Replica("replica1", "db.example", 3306, "user")
    assert change.is_of(plan_on("primary.example", replicas=[replica], is_replica=True))
