"""Packed parts of the history that were overwritten where SQLite does not see it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from app.core.errors import DynoError

REBUILD, CHECK = "rebuild it with `dyno doctor --rebuild`", "check it with `dyno doctor`"
_BEFORE_THE_WINDOW = {  # which has neither
    REBUILD: "to rebuild it, close Dyno and run `dyno doctor --rebuild` in a terminal",
    CHECK: "to check it, run `dyno doctor` in a terminal",
}
E = TypeVar("E", bound=DynoError)


class DamagedError(DynoError):
    """A stored value is damaged."""


def with_advice(kind: type[E], what: str, advice: str) -> E:
    """An error that says what to do about it, in a terminal and before the window."""
    return kind(f"{what}: {advice}", window_text=f"{what}: {_BEFORE_THE_WINDOW.get(advice, advice)}")


@contextmanager
def damage_as_error() -> Iterator[None]:
    try:
        yield
    except (zlib.error, ValueError, IndexError, TypeError, OverflowError, MemoryError, RecursionError):
        raise with_advice(DamagedError, "the history is damaged", REBUILD) from None


def read_json(text: str | bytes) -> Any:
    """The value of a column that holds JSON."""
    with damage_as_error():
        return json.loads(text)


def unpack_json(content: bytes) -> Any:
    """The value of a column that holds packed JSON."""
    with damage_as_error():
        return json.loads(zlib.decompress(content))
