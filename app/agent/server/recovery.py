"""The error log of a server that starts: its lines with their moments, and the phases that they tell of."""

from __future__ import annotations

import os
import re
from typing import Dict, List, Sequence, Tuple

from app.engines.engine import Phases

Lines = Sequence[Tuple[float, str]]  # seconds, and the line
_MOST_LINES = 20_000
_MOST_BYTES = 1 << 20  # of one look


class LogTail:
    """Reads what an error log has got, with the moment: older servers write only full seconds."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._at = os.path.getsize(path) if os.path.exists(path) else 0
        self._rest = b""
        self.lines: List[Tuple[float, str]] = []

    def look(self, now: float) -> None:
        try:
            with open(self._path, "rb") as file:
                file.seek(self._at)
                new = file.read(_MOST_BYTES)
        except OSError:
            return
        self._at += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        self._rest = self._rest[-_MOST_BYTES:]
        room = _MOST_LINES - len(self.lines)
        self.lines += [(now, line[:1000].decode(errors="replace")) for line in lines[:room]]


def phases_of(rules: Phases, lines: Lines) -> Dict[str, float]:
    """Seconds of each phase that began and ended, in the order in which they began."""
    found = []
    for name, begin, end in rules:
        began = next((at for at, line in lines if re.search(begin, line)), None)
        ended = [at for at, line in lines if re.search(end, line)]
        if began is not None and ended and ended[-1] >= began:
            found.append((began, name, round(ended[-1] - began, 3)))
    return {name: seconds for _, name, seconds in sorted(found)}
