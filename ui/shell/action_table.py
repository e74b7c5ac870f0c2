"""Makes `actions.txt` from the pages: `make words`, after an action has changed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from ui.pages import PLACES
from ui.widgets.actions import listed_actions, plain_name

from .actions import PATH
from .application import close_context, make_application, make_window_context
from .window import Window


def action_table_text(window: Window) -> str:
    """The table of the actions of all pages of a new window."""
    menus = [plain_name(place.menu) for place in PLACES if window.page(place.name)]
    found = (each for menu in menus for each in listed_actions(menu, window.menus()[menu]))
    return "".join(f"{each.menu}\t{each.name}\t{each.key}\t{each.tip}\n" for each in found)


def write_action_table() -> None:
    """Renew the table: `make words`."""
    application = make_application()
    with TemporaryDirectory(prefix="dyno-") as home:
        context = make_window_context(Path(home))
        PATH.write_text(action_table_text(Window(context)), encoding="utf-8")
        close_context(context)
    del application
