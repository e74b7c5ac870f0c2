"""Files that a person asks for, written as they are; what fails is said in one line."""

from __future__ import annotations

from pathlib import Path

from .errors import InputError


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file, in place of one that is there; a text keeps its line ends."""
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
