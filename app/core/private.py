"""Files for this user alone."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from .errors import DynoError


def private(path: str, flags: int) -> int:
    """The opener of a file that nobody else may read, whatever the umask and the folder are."""
    return os.open(path, flags, 0o600)


def write_private(path: Path, content: bytes) -> None:
    """There as a whole or not at all, readable by nobody else; its folder is made where it is missing."""
    try:
        _write(path, content)
    except OSError as error:
        raise DynoError(f"{path} cannot be written: {error.strerror or error}") from None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd, temporary = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
