"""Writing the journal of a session: one event, one line, one write; a full disk loses no event before it."""

from __future__ import annotations

import errno
import os
import time
from typing import Any

from app.protocol.events import LogEvent, ProtocolError, encode

RESERVE = 1 << 20  # bytes kept free for the last events of a session whose disk is full
LONGEST_TEXT = 1000  # characters of a line for people


class DiskFullError(Exception):
    """There is no room left for the journal: the session has to end."""


class Journal:
    """The append-only file of one session; it is made, and locked away from others, when it is planned."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.seq = 0
        self.began = time.monotonic()
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._end = 0
        self._reserve = path + ".reserve"

    @property
    def t(self) -> float:
        return time.monotonic() - self.began

    def begin(self) -> None:
        """Begin the session: t counts from here, and room for its end is reserved on the disk."""
        self.began = time.monotonic()
        _fill(self._reserve)

    def write(self, kind: Any, **fields: Any) -> None:
        """Append one event of the class `kind`."""
        event = kind(seq=self.seq + 1, t=round(self.t, 4), at=round(time.time(), 3), **fields)
        full = self._append(encode(event))
        self.seq += 1
        if full:
            raise DiskFullError("no space left next to {}".format(self.path))

    def log(self, text: str, level: str = "warning", source: str = "agent") -> None:
        """Append a line for people."""
        self.write(LogEvent, source=source, level=level, text=text[:LONGEST_TEXT])

    def write_fact(self, kind: Any, value: Any, **fields: Any) -> None:
        """Append a fact; one too large for a line is cut, and says so."""
        try:
            self.write(kind, value=value, **fields)
        except ProtocolError as error:
            self.write(kind, value={"left out": str(error)}, **fields)

    def _append(self, line: bytes) -> bool:
        """Write the line, if necessary into the reserved room; then return True."""
        try:
            self._write(line)
            return False
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT) or not os.path.exists(self._reserve):
                raise
        os.unlink(self._reserve)
        self._write(line)
        return True

    def _write(self, line: bytes) -> None:
        """Write the whole line or nothing: a short write is cut off again."""
        try:
            written = os.write(self._fd, line)
        except OSError:
            os.ftruncate(self._fd, self._end)
            raise
        if written < len(line):
            os.ftruncate(self._fd, self._end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._end += written

    def close(self) -> None:
        os.close(self._fd)
        if os.path.exists(self._reserve):
            os.unlink(self._reserve)


def _fill(path: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(fd, 0, RESERVE)
    finally:
        os.close(fd)
