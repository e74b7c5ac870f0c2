"""Where Dyno keeps its things on this computer; alone, as the completion of a shell waits for it."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import InputError


def home() -> Path:
    """DYNO_HOME, or where this system keeps the data of its users; raises InputError where it cannot be."""
    given = os.environ.get("DYNO_HOME")
    if given is not None:
        return _checked(Path(os.path.expanduser(given)), f"DYNO_HOME {given!r}")  # noqa: PTH111 - never raises
    import platformdirs

    path = Path(platformdirs.user_data_dir("dyno", appauthor=False))
    return _checked(path, f"Dyno's folder {path}")


def _checked(path: Path, what: str) -> Path:
    """The path, if it is a directory or can become one."""
    if not path.is_absolute():
        raise InputError(f"{what} is not absolute: start it with /, or leave DYNO_HOME unset")
    there = next(each for each in (path, *path.parents) if os.path.lexists(each))
    if not there.is_dir():
        raise InputError(f"{what} cannot be a directory: {there} is a file; name another in DYNO_HOME")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{what}: {there} may not be written to by this user; name another in DYNO_HOME")
    return path
