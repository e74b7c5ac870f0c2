"""The menu of the page: every action with its shortcut; the page carries them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.comparison.answers.disturbed_steps import disturbed_steps
from app.core.units import count_text
from ui.widgets.actions import action

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison

_MEASURE, _SET_UP = "Measure a&gain…", "Set &up the same here…"


class CompareActions:
    def __init__(self, page: QWidget) -> None:
        self.choose = action(page, "Choose &columns…", "add", "Add or remove columns")
        tip = "Open published results of others: InnoDB from MySQL 5.0 to 8.0"
        self.published = action(page, "&Published results", "published", tip)
        tip = "Compare the other columns with this one"
        self.make_base = action(page, "Make &base", "base", tip)
        tip = "Move this column one place to the left"
        self.move_left = action(page, "Move &left", "move left", tip)
        tip = "Move this column one place to the right"
        self.move_right = action(page, "Move &right", "move right", tip)
        tip = "Remove this column; its sessions stay in the history"
        self.remove = action(page, "&Remove column", "remove", tip)
        tip = "Switch between relative and absolute results"
        self.turn = action(page, "Relati&ve or absolute", "relative", tip)
        self.why = action(page, "Wh&y", "why", "Show what a query costs in the chosen step")
        tip = "Show where the server spent its time in the chosen step, if it was profiled"
        self.flame = action(page, "&Flame graph…", "flame graph", tip)
        tip = "Set up the contenders of these columns on Bench, to measure them in turn on one machine"
        self.again = action(page, _MEASURE, "set up", tip)
        tip = "Show the chosen step second by second"
        self.seconds = action(page, "Secon&ds", "show seconds", tip)
        tip = "Hide this step in the table; no result changes"
        self.hide = action(page, "&Hide step", "hide step", tip)
        self.unhide = action(page, "S&how hidden steps", "show steps", "Show all steps in the table again")
        tip = "Show the steps that changed most first, or by group in their order"
        self.by_effect = action(page, "Sort b&y effect", "by effect", tip, checkable=True)
        tip = "Set up on Bench only the steps that other programs disturbed, and start them"
        self.repeat = action(page, "Repeat only what is dist&urbed", "repeat disturbed", tip)
        tip = "Set up on Bench a count of what these contenders do in the chosen step: work, not speed"
        self.count = action(page, "Cou&nt the work", "count work", tip)
        tip = "Show the curves of the chosen result, or of what runs now of its plan"
        self.live = action(page, "Open in &Live", "open in live", tip)
        tip = "Copy the line of the chosen step"
        self.copy_step = action(page, "Copy ste&p", "copy step", tip)
        tip = "Find out by measuring which setting makes this column differ from the base"
        self.explain = action(page, "E&xplain…", "explain", tip)
        tip = "Find the installed build that made the chosen step faster or slower"
        self.bisect = action(page, "Bisect buil&ds…", "bisect", tip)
        tip = "Check whether this column is worse than the base by more than you accept"
        self.gate = action(page, "G&ate…", "gate", tip)
        self.copy_text = action(page, "Copy as &text", "copy as text", "Copy the table as plain text")
        tip = "Copy the table for a forum or an issue"
        self.copy_markdown = action(page, "Copy as &Markdown", "copy as Markdown", tip)
        self.copy_csv = action(page, "Copy as CS&V", "copy as CSV", "Copy the table for a spreadsheet")
        tip = "Save the whole table as PNG or SVG"
        self.save_table = action(page, "&Save table as image…", "save", tip)
        tip = "Save the chart as PNG or SVG, or its numbers as CSV"
        self.save_chart = action(page, "Save c&hart…", "save chart", tip)
        self.copy_chart = action(page, "Copy chart as &image", "copy chart", "Copy the chart as a picture")
        tip = "Save the comparison as one file for other people"
        self.report = action(page, "R&eport…", "report", tip)
        # what is done to the column where the keyboard is
        self.column = (self.make_base, self.move_left, self.move_right, self.remove)
        self.copying = (self.copy_text, self.copy_markdown, self.copy_csv, self.copy_step)
        self.saving = (self.save_table, self.save_chart, self.copy_chart)
        self._rows = (self.by_effect, self.hide)
        self._step = (
            self.turn, self.why, self.seconds, self.flame, self.live, self.again, self.count, self.explain,
            self.bisect, self.gate,
        )  # fmt: skip
        self.cell: tuple[QAction | None, ...] = (
            self.why, self.seconds, self.flame, self.explain, self.live, None, self.copy_step, self.hide,
            self.unhide,
        )  # fmt: skip
        self.show_hidden(0)
        self.show(None)

    def menu(self) -> list[QAction | None]:
        first = [self.choose, self.published, None, *self.column, None, *self._step, self.repeat]
        first += [None, *self._rows, self.unhide]
        return [*first, None, *self.copying, None, *self.saving, None, self.report]

    def show(self, comparison: Comparison | None) -> None:
        """Enable commands; others' sessions cannot be measured again."""
        for each in (
            *self.column,
            *self._step,
            *self._rows,
            *self.copying,
            *self.saving,
            self.copy_step,
            self.report,
        ):
            each.setEnabled(comparison is not None)
        columns = comparison.columns if comparison else []
        is_published = any(each.source for each in columns if comparison and each.id == comparison.base_id)
        self.again.setText(_SET_UP if is_published else _MEASURE)
        for each in (self.explain, self.bisect):
            each.setEnabled(len(columns) > 1 and not is_published)
        self.gate.setEnabled(len(columns) > 1)
        for each in (self.live, self.count):
            each.setEnabled(bool(columns) and not is_published)
        self.repeat.setEnabled(comparison is not None and disturbed_steps(comparison) is not None)

    def show_hidden(self, count: int) -> None:
        """Say how many steps are hidden."""
        self.unhide.setText(f"S&how {count_text(count, 'hidden step')}" if count else "S&how hidden steps")
        self.unhide.setEnabled(count > 0)
