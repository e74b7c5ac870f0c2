"""Files for this user alone."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from .errors import DynoError


def private(path: str, flags: int) -> int:
    """An opener for files that nobody else can read, whatever the umask and the folder."""
    return os.open(path, flags, 0o600)


def write_private(path: Path, content: bytes) -> None:
    """Write a private file, whole or not at all; creates its folder."""
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
