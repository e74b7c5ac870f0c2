"""The signals between parts of the window; pages never know each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from app.following.follower import FollowerNews


@dataclass(frozen=True)
class PartsToReload:
    """What must be read again."""

    sessions: bool = False
    targets: bool = False
    presets: bool = False
    sequences: bool = False
    settings: bool = False


@dataclass(frozen=True)
class PlanNewEvents:
    """New events from the follower of a plan."""

    plan: str
    update: FollowerNews


@dataclass(frozen=True)
class ShowPageRequest:
    """A page to show, with its sessions."""

    page: str  # bench live history compare
    sessions: tuple[str, ...] = ()
    is_run: bool = False  # on Bench: they are started again, if nothing prevents it
    is_of_start: bool = False  # on Live: they have just started; nobody is taken away from what they read
    steps: tuple[str, ...] = ()  # on Bench: only these of their tests; none: all
    is_count: bool = False  # on Bench: their contenders are set up to be counted, in the workload of `steps`
    step: tuple[str, str] | None = None  # on Live: look at this one, by its `step_key`


class Bus(QObject):
    changed = Signal(object)  # Changes
    arrived = Signal(object)  # Arrival
    wanted = Signal(object)  # Wanted
    seen = Signal(object)  # ids of the sessions that a person has turned to on Compare
    said = Signal(str)  # one line, for a moment
    saved = Signal(object, str)  # Path of a file or folder, one line about it
