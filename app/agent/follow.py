"""Sending journals from a byte offset on, as they grow, with a heartbeat each second.

Standard output carries protocol lines only: a header, the journal's own lines as they are, beats.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Dict, Iterable, List, Tuple

from .system.directory import MarkedDirectory

LOOK_S = 0.1
BEAT_S = 1.0
MOST = 1 << 20  # bytes of a journal in one piece; a line is never longer


class PlanJournalReader:
    """Follows the journals of a plan over one connection."""

    def __init__(self, directory: MarkedDirectory, plan: str, offsets: Dict[str, int]) -> None:
        self._directory = directory
        self._plan = plan
        self._offsets = offsets
        self._paths = {session: directory.journal(session) for session in offsets}
        self._beat = 0

    def run(self) -> None:
        """Send until the plan has ended and everything is sent."""
        next_beat = time.monotonic()
        moving: List[str] = []  # the journals that grew last: the others are looked at with each beat only
        while True:
            if time.monotonic() < next_beat:
                sent = self._send_from(moving)
            else:
                next_beat += BEAT_S
                if not self._send_beat():
                    return self._send_rest()
                sent = self._send_from(self._offsets)
            moving = sent or moving
            if not sent:
                time.sleep(max(0.0, min(LOOK_S, next_beat - time.monotonic())))

    def _send_beat(self) -> bool:
        """Send a heartbeat; returns whether the plan still runs."""
        locked = self._directory.holder().get("plan") == self._plan
        self._beat += 1
        beat = {"beat": self._beat, "at": round(time.time(), 3), "locked": locked}
        _write([json.dumps(beat).encode() + b"\n"])
        return locked

    def _send_rest(self) -> None:
        while self._send_from(self._offsets):
            pass
        _write([json.dumps({"end": True}).encode() + b"\n"])

    def _send_from(self, sessions: Iterable[str]) -> List[str]:
        """Send what is new; returns the sessions that had something new."""
        return [session for session in sessions if self._send_new(session)]

    def _send_new(self, session: str) -> bool:
        """Send the new whole lines of a journal; True if there were any."""
        path, offset = self._paths[session], self._offsets[session]
        try:
            if os.stat(path).st_size <= offset:
                return False
        except OSError:
            return False
        with open(path, "rb") as file:
            file.seek(offset)
            whole = file.read(MOST).rpartition(b"\n")[0]
        if not whole:
            return False
        lines = whole + b"\n"
        header = {"session": session, "offset": offset, "bytes": len(lines)}
        _write([json.dumps(header).encode() + b"\n", lines])
        self._offsets[session] = offset + len(lines)
        return True


def _write(parts: List[bytes]) -> None:
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


def parse_offsets(words: List[str]) -> Dict[str, int]:
    """`SESSION:OFFSET` words, as the desktop gives them."""
    pairs: List[Tuple[str, str, str]] = [word.partition(":") for word in words]
    return {session: int(offset or 0) for session, _, offset in pairs}
