"""The journals on a target, as a session writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.protocol.events import (
    Event,
    Sample,
    SessionEnded,
    decode,
)
from tests.integration.desktop import Desktop


def begun(desktop: Desktop, step: int, directory: Path | None = None) -> Callable[[], bool]:
    """Whether a step has begun on the target, and its first second is in the journal."""

    def has_begun() -> bool:
        return any(
            isinstance(event, Sample) and event.step == step for event in on_target(desktop, directory)
        )

    return has_begun


def journals(desktop: Desktop, directory: Path | None = None) -> list[list[Event]]:
    """The events of each journal on the target, the newest last."""
    paths = (directory or desktop.target).glob("sessions/*/journal.jsonl")
    whole = [path.read_bytes().split(b"\n")[:-1] for path in sorted(paths, key=lambda p: p.stat().st_mtime)]
    return [[decode(line) for line in lines] for lines in whole]


def on_target(desktop: Desktop, directory: Path | None = None) -> list[Event]:
    """The events of the newest journal on the target."""
    return next(reversed(journals(desktop, directory)), [])


def ended(desktop: Desktop, directory: Path | None = None) -> Callable[[], bool]:
    """Whether a session has ended: the next one may already be writing its journal."""
    return lambda: any(
        isinstance(event, SessionEnded) for events in journals(desktop, directory) for event in events
    )
