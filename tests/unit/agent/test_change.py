"""The program that changes a server that runs already for the turns of a contender."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from app.agent.existing.change import MAKE, UNMAKE, call_change_program
from app.agent.system.errors import AgentError


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
