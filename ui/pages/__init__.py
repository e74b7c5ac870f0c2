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

from ui.core.context import WindowContext
from ui.core.page import Page


@dataclass(frozen=True)
class WindowPageEntry:
    name: str  # as `Wanted` names it
    title: str
    menu: str  # its title, with a mnemonic that File, View and Help do not use
    tip: str
    make: Callable[[WindowContext, QWidget], Page]  # what is taken over later would be styled twice


def _bench(context: WindowContext, parent: QWidget) -> Page:
    from .bench import BenchPage

    return BenchPage(context, parent)


def _live(context: WindowContext, parent: QWidget) -> Page:
    from .live import LivePage

    return LivePage(context, parent)


def _history(context: WindowContext, parent: QWidget) -> Page:
    from .history import HistoryPage

    return HistoryPage(context, parent)


def _compare(context: WindowContext, parent: QWidget) -> Page:
    from .compare import ComparePage

    return ComparePage(context, parent)


PLACES = (
    WindowPageEntry("bench", "Bench", "&Bench", "Set up a plan and run it", _bench),
    WindowPageEntry("live", "Live", "&Live", "Watch a session", _live),
    WindowPageEntry("history", "History", "Hi&story", "Find, compare and export sessions", _history),
    WindowPageEntry("compare", "Compare", "&Compare", "Compare sessions side by side", _compare),
)
