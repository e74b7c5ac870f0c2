"""The actions of all pages in a table, `actions.txt`: making a page only to list them would take too long.

`action_table` writes it from the pages; a test holds that both agree.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ui.widgets.actions import ListedAction

PATH = Path(__file__).with_name("actions.txt")


@cache
def actions_of_pages() -> dict[str, list[ListedAction]]:
    """By the name of the menu, in its order."""
    found: dict[str, list[ListedAction]] = {}
    for line in PATH.read_text(encoding="utf-8").splitlines():
        menu, name, key, tip = line.split("\t")
        of_menu = found.setdefault(menu, [])
        of_menu.append(ListedAction(menu, len(of_menu), name, key, tip))
    return found
