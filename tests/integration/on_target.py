"""The journals on a target, as a session writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from app.protocol.events import (
    Event,
    Sample,
    SessionEnded,
    decode,
)
from tests.integration.desktop import Desktop

Kind = TypeVar("Kind", Sample, SessionEnded)


def begun(desktop: Desktop, step: int, directory: Path | None = None) -> Callable[[], bool]:
    """Whether a step has begun on the target, and its first second is in the journal."""

    def has_begun() -> bool:
        newest = next(reversed(_lines(desktop, directory)), [])
        return any(event.step == step for event in _of_kind(Sample, newest))

    return has_begun


def journals(desktop: Desktop, directory: Path | None = None) -> list[list[Event]]:
    """The events of each journal on the target, the newest last."""
    return [[decode(line) for line in lines] for lines in _lines(desktop, directory)]


def on_target(desktop: Desktop, directory: Path | None = None) -> list[Event]:
    """The events of the newest journal on the target."""
    return next(reversed(journals(desktop, directory)), [])


def ended(desktop: Desktop, directory: Path | None = None) -> Callable[[], bool]:
    """Whether a session has ended: the next one may already be writing its journal."""
    return lambda: any(_of_kind(SessionEnded, lines) for lines in _lines(desktop, directory))


def _lines(desktop: Desktop, directory: Path | None) -> list[list[bytes]]:
    paths = (directory or desktop.target).glob("sessions/*/journal.jsonl")
    return [
        path.read_bytes().split(b"\n")[:-1] for path in sorted(paths, key=lambda each: each.stat().st_mtime)
    ]


def _of_kind(kind: type[Kind], lines: list[bytes]) -> list[Kind]:
    """Only these are decoded: the facts of a session are long, and it is looked at all the time."""
    found = [decode(line) for line in lines if f'"{kind.kind}"'.encode() in line]
    return [event for event in found if isinstance(event, kind)]
