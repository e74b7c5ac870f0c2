"""The four places, in the order of the work; each is imported and made when it is first seen.

Only the shell calls them. Pages never import each other: one asks for another place by the bus
(`wanted`). A place is a folder whose `page` has a subclass of `ui.core.page.Page`; Bench has folders of
its own.
Start with `PLACES`, then `ui.core.page`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from ui.core.context import Context
from ui.core.page import Page


@dataclass(frozen=True)
class Place:
    name: str  # as `Wanted` names it
    title: str
    menu: str  # its title, with a mnemonic that File, View and Help do not use
    tip: str
    make: Callable[[Context, QWidget], Page]  # what is taken over later would be styled twice


def _bench(context: Context, parent: QWidget) -> Page:
    from .bench import BenchPage

    return BenchPage(context, parent)


def _live(context: Context, parent: QWidget) -> Page:
    from .live import LivePage

    return LivePage(context, parent)


def _history(context: Context, parent: QWidget) -> Page:
    from .history import HistoryPage

    return HistoryPage(context, parent)


def _compare(context: Context, parent: QWidget) -> Page:
    from .compare import ComparePage

    return ComparePage(context, parent)


PLACES = (
    Place("bench", "Bench", "&Bench", "Set up a plan and run it", _bench),
    Place("live", "Live", "&Live", "Watch a session", _live),
    Place("history", "History", "Hi&story", "Find, compare and export sessions", _history),
    Place("compare", "Compare", "&Compare", "Compare sessions side by side", _compare),
)
