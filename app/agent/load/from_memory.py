"""Texts that a program reads as a file and that touch no disk."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator


@contextlib.contextmanager
def text_as_pipe(text: str) -> Iterator[int]:
    """The end of a pipe with a short text; `open_fd_path` names it as a file."""
    reader, writer = os.pipe()
    try:
        os.write(writer, text.encode())
        os.close(writer)
        yield reader
    finally:
        os.close(reader)


def open_fd_path(reader: int) -> str:
    return "/proc/self/fd/{}".format(reader)
