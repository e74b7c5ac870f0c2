"""Texts that a program reads as a file and that touch no disk."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator


@contextlib.contextmanager
def readable(text: str) -> Iterator[int]:
    """The end of a pipe with a short text; `path_of` names it as a file."""
    reader, writer = os.pipe()
    try:
        os.write(writer, text.encode())
        os.close(writer)
        yield reader
    finally:
        os.close(reader)


def path_of(reader: int) -> str:
    return "/proc/self/fd/{}".format(reader)
