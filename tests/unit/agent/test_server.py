"""A server that is asked to end: in its own time, or killed where that is over or nobody waits for it."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.server.server import Server, runtime_dir
from app.agent.steps.running import RunningSession
from app.agent.system.control import StopRequested

ENDS = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done"
STAYS = "trap '' TERM; echo ready; while :; do sleep 0.01; done"


@pytest.fixture
def one_server(tmp_path: Path) -> Iterator[Server]:
    made = Server({"cnf": "", "server": ""}, str(tmp_path), {}, {})
    yield made
    made.kill()
    made.clean()


def begin(server: Server, script: str) -> None:
    """A shell in place of the server, once it knows what it does when it is asked to end."""
    server._process = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    assert server._process.stdout is not None
    with server._process.stdout as said:
        assert said.readline() == b"ready\n"


def test_a_shutdown_of_its_own_is_clean_and_one_that_lasts_is_ended(one_server: Server) -> None:
    begin(one_server, ENDS)
    assert one_server.stop(20)
    begin(one_server, STAYS)
    assert not one_server.stop(0.1)
    assert not one_server.is_alive()


def test_a_person_who_stops_the_session_does_not_wait_for_the_shutdown(one_server: Server) -> None:
    session: Any = RunningSession.__new__(RunningSession)
    looks: list[int] = []

    def look(index: int) -> None:
        looks.append(index)
        session.control.interrupts = ["", "skipped", "stopped"][len(looks) - 1]

    session.server, session.look, session.open_step = one_server, look, 4
    session.control = SimpleNamespace(interrupts="")
    begin(one_server, STAYS)
    began = time.monotonic()
    with pytest.raises(StopRequested):
        one_server.stop(60, session.wait)
    assert looks == [4, 4, 4]
    assert not one_server.is_alive()
    assert time.monotonic() - began < 10


def test_the_socket_lies_in_a_directory_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        assert runtime_dir() == folder
        monkeypatch.setattr(os, "geteuid", lambda: os.stat(folder).st_uid + 1)
        assert runtime_dir() == "/tmp"
    monkeypatch.setenv("XDG_RUNTIME_DIR", "relative")
    assert runtime_dir() == "/tmp"
