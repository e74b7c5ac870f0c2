"""Files for this user alone."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from .errors import DynoError, InputError


def private(path: str, flags: int) -> int:
    """An opener for files that nobody else can read, whatever the umask and the folder."""
    return os.open(path, flags, 0o600)


def read_private(path: Path, what: str, most: int) -> bytes:
    """Read a file of at most that many bytes; raises InputError where it is not this user's alone."""
    try:
        if not path.is_file():  # a pipe would be waited for
            raise InputError(f"{what}: it is not a file")
        with path.open("rb") as file:
            _check_alone(file, what)
            content = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{what}: it cannot be read: {error.strerror or error}") from None
    if len(content) > most:
        raise InputError(f"{what}: it has more than {most:,} bytes")
    return content


def _check_alone(file: BinaryIO, what: str) -> None:
    found = os.fstat(file.fileno())
    with tempfile.TemporaryFile() as own:  # os.geteuid is not on every system
        if found.st_uid != os.fstat(own.fileno()).st_uid:
            raise InputError(f"{what}: it belongs to another user: use a file of your own")
    if found.st_mode & 0o077:
        raise InputError(f"{what}: others may read or change it: chmod 600 it")


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
