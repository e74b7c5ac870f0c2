"""Packed parts of the history that were overwritten where SQLite does not see it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app.core.errors import DynoError


class DamagedError(DynoError):
    """A stored value is damaged."""


@contextmanager
def damage_as_error() -> Iterator[None]:
    try:
        yield
    except (zlib.error, ValueError, IndexError, TypeError, OverflowError, MemoryError, RecursionError):
        text = "the history is damaged: rebuild it with `dyno doctor --rebuild`"
        raise DamagedError(text) from None


def read_json(text: str | bytes) -> Any:
    """The value of a column that holds JSON."""
    with damage_as_error():
        return json.loads(text)


def unpack_json(content: bytes) -> Any:
    """The value of a column that holds packed JSON."""
    with damage_as_error():
        return json.loads(zlib.decompress(content))
