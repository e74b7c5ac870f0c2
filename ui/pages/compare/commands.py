"""The menu of the page: every action with its shortcut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from ui.widgets.actions import action

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison

    from .body import Body
    from .columns import Columns
    from .published import Published
    from .sharing import Sharing

_MEASURE, _SET_UP = "Measure a&gain…", "Set &up the same here…"
_AGAIN = "Set up the contenders of these columns on Bench, to measure them in turn on one machine"
_FLAME = "Show where the server spent its time in the chosen step, if it was profiled"
_EXPLAIN = "Find out by measuring which setting makes this column differ from the base"
_PUBLISHED = "Open published results of others: InnoDB from MySQL 5.0 to 8.0"


@dataclass(frozen=True)
class Commands:
    choose: QAction
    published: QAction
    column: Sequence[QAction]  # what is done to the column where the keyboard is
    again: QAction
    explain: QAction
    turn: QAction
    why: QAction
    flame: QAction
    copying: Sequence[QAction]
    saving: Sequence[QAction]
    report: QAction

    def menu(self) -> list[QAction | None]:
        return [
            self.choose,
            self.published,
            None,
            *self.column,
            None,
            self.turn,
            self.why,
            self.flame,
            self.again,
            self.explain,
            None,
            *self.copying,
            None,
            *self.saving,
            None,
            self.report,
        ]

    def show(self, comparison: Comparison | None) -> None:
        """Enable commands; others' sessions cannot be measured again."""
        self._set_enabled(comparison is not None)
        columns = comparison.columns if comparison else []
        is_published = any(each.source for each in columns if comparison and each.id == comparison.base_id)
        self.again.setText(_SET_UP if is_published else _MEASURE)
        self.explain.setEnabled(len(columns) > 1 and not is_published)

    def _set_enabled(self, is_enabled: bool) -> None:
        for each in (
            *self.column,
            self.turn,
            self.why,
            self.flame,
            self.again,
            self.explain,
            *self.copying,
            *self.saving,
            self.report,
        ):
            each.setEnabled(is_enabled)


class Acting(Protocol):
    """The functions of the commands: those of the page and its parts."""

    body: Body
    columns: Columns
    sharing: Sharing
    published: Published

    def toggle_chooser(self) -> None: ...
    def turn(self) -> None: ...
    def show_flame(self) -> None: ...
    def explain(self) -> None: ...


def make_commands(owner: QWidget, page: Acting) -> Commands:
    """All commands, as actions of their owner."""

    def made(text: str, shortcut: str, tip: str, what: Callable[..., object], *given: object) -> QAction:
        return action(owner, text, shortcut, tip, lambda: what(*given))

    choose = made("Choose &columns…", "add", "Add or remove columns", page.toggle_chooser)
    published = made("&Published results", "published", _PUBLISHED, page.published.take)
    turn = made(
        "Relati&ve or absolute", "relative", "Switch between relative and absolute results", page.turn
    )
    why = made("Wh&y", "why", "Show what a query costs in the chosen step", page.body.show_why)
    again = made(_MEASURE, "set up", _AGAIN, page.columns.measure_again)
    flame = made("&Flame graph…", "flame graph", _FLAME, page.show_flame)
    explain = made("E&xplain…", "explain", _EXPLAIN, page.explain)
    on = page.columns
    column = [
        made("Make &base", "base", "Compare the other columns with this one", on.make_base),
        made("Move &left", "move left", "Move this column one place to the left", on.move, -1),
        made("Move &right", "move right", "Move this column one place to the right", on.move, 1),
        made("&Remove column", "remove", "Remove this column; its sessions stay in the history", on.remove),
    ]
    share = page.sharing
    copying = [
        made("Copy as &text", "copy as text", "Copy the table as plain text", share.copy, "text"),
        made(
            "Copy as &Markdown",
            "copy as Markdown",
            "Copy the table for a forum or an issue",
            share.copy,
            "Markdown",
        ),
        made("Copy as CS&V", "copy as CSV", "Copy the table for a spreadsheet", share.copy, "CSV"),
    ]
    saving = [
        made("&Save table as image…", "save", "Save the whole table as PNG or SVG", share.save_table),
        made(
            "Save c&hart…",
            "save chart",
            "Save the chart as PNG or SVG, or its numbers as CSV",
            share.save_chart,
        ),
        made("Copy chart as &image", "copy chart", "Copy the chart as a picture", share.copy_chart),
    ]
    report = made("R&eport…", "report", "Save the comparison as one file for other people", share.save_report)
    return Commands(choose, published, column, again, explain, turn, why, flame, copying, saving, report)
