"""Checks that a display is available: without one Qt would end the process."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

_DISPLAY = re.compile(r"(?P<host>[^:]*):(?P<number>\d+)(\.\d+)?")
X_PORT = 6000


def has_display() -> bool:
    """Whether there is a display; a QT_QPA_PLATFORM that is set is trusted."""
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return _answers_wayland() or _answers_x(os.environ.get("DISPLAY", ""))


def _answers_wayland() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY", "")
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    return bool(name) and _answers(str(Path(folder, name)))


def _answers_x(display: str) -> bool:
    found = _DISPLAY.fullmatch(display)
    if not found:
        return False
    number = int(found["number"])
    if found["host"] in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108 - where every X server has its socket
        return any(_answers(name) for name in (path, f"\0{path}"))
    return _answers((found["host"], X_PORT + number))


def _answers(address: str | tuple[str, int]) -> bool:
    import socket

    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as asked:
        asked.settimeout(2)
        try:
            asked.connect(address)
        except OSError:
            return False
    return True


if __name__ == "__main__":  # for the Makefile
    sys.exit(not has_display())
