"""Copies errors and warnings from the error log to the journal."""

from __future__ import annotations

import os
import re
from typing import List

from app.agent.system.journal import Journal

from .server import Server

_LOOSE = re.compile(r"unknown (?:variable|option) '-*loose[-_]")  # which a preset lets be ignored
LOGGED = 300  # lines of the error log kept in a journal


class LoggedErrors:
    """Copies the lines of one error log, each once."""

    def __init__(self, journal: Journal, whose: str = "") -> None:
        self._journal = journal
        self._whose = whose  # before each line; '' for the server of the contender
        self._read = 0  # bytes of the error log
        self._logged = 0

    def write_last(self, server: Server) -> None:
        """Copy the last lines of any level: the server did not start, or is gone."""
        for line in server.log_lines()[-30:]:
            self._write(line)

    def write_new(self, server: Server) -> None:
        """Copy errors and warnings since the last call."""
        path = server.error_log
        size = os.stat(path).st_size if os.path.exists(path) else 0
        if size <= self._read or self._logged >= LOGGED:
            return
        for line in self._new_lines(path):
            if _level(line) != "info" and self._logged < LOGGED:
                self._logged += 1
                self._write(line)

    def _write(self, line: str) -> None:
        self._journal.log(self._whose + line, _level(line), "server")

    def _new_lines(self, path: str) -> List[str]:
        with open(path, "rb") as file:
            file.seek(self._read)
            whole = file.read(1 << 18).rpartition(b"\n")[0]
        self._read += len(whole) + 1 if whole else 0
        return whole.decode(errors="replace").splitlines()


def _level(line: str) -> str:
    if "[ERROR]" in line:
        return "error"
    return "warning" if "[Warning]" in line and not _LOOSE.search(line) else "info"
