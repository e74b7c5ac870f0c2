"""The four places, in the order of the work; each is imported and made when it is first seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..context import Context
from .page import Page


@dataclass(frozen=True)
class Place:
    name: str  # as `Wanted` names it
    title: str
    tip: str
    make: Callable[[Context], Page]


def _bench(context: Context) -> Page:
    from .bench import BenchPage

    return BenchPage(context)


def _live(context: Context) -> Page:
    from .live import LivePage

    return LivePage(context)


def _history(context: Context) -> Page:
    from .history import HistoryPage

    return HistoryPage(context)


def _compare(context: Context) -> Page:
    from .compare import ComparePage

    return ComparePage(context)


PLACES = (
    Place("bench", "Bench", "Set up a plan and run it", _bench),
    Place("live", "Live", "Watch a session", _live),
    Place("history", "History", "Find sessions again", _history),
    Place("compare", "Compare", "Put sessions side by side", _compare),
)
