"""The agent's connection to the server under test, where no server is."""

from __future__ import annotations

import gc
import os
import socket
from pathlib import Path

import pytest

from app.agent.server.mysql import Client, QueryError


def test_a_server_that_is_not_there_leaves_no_descriptor_behind(tmp_path: Path) -> None:
    gc.collect()
    gc.disable()
    try:
        before = os.listdir("/proc/self/fd")
        for _ in range(3):
            with pytest.raises(QueryError, match="No such file or directory for SELECT 1"):
                Client(str(tmp_path / "mysql.sock")).query("SELECT 1")
        assert os.listdir("/proc/self/fd") == before
    finally:
        gc.enable()


def test_a_server_that_stays_silent_is_told_with_the_seconds(tmp_path: Path) -> None:
    path = str(tmp_path / "mysql.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        with pytest.raises(QueryError, match=r"^the server did not answer within 0\.2 s for SELECT 1$"):
            Client(path, 0.2).query("SELECT 1")


def test_a_statement_of_hours_waits_no_longer_for_the_greeting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.agent.server.mysql.GREETING_S", 0.3)
    path = str(tmp_path / "mysql.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        for limit_s in (3600, None):
            with pytest.raises(QueryError, match=r"^the server did not answer within 0\.3 s for SELECT 1$"):
                Client(path, limit_s).query("SELECT 1")
