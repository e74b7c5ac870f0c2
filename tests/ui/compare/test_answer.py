"""What a comparison comes to on the Compare page, and the order in which its steps are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.cli import main
from app.history.store.history import History
from tests import sliced
from tests.sliced import Odd
from tests.ui.compare.seen import Open, choose, columns_of, texts
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.models.comparison import COLUMN, FIXED
from ui.pages.compare import ComparePage

BUSY = Odd(["disturbed"], others={"cpus": 2, "cpu_pct": 70.0, "steal_pct": 0.0, "causes": ["cpu"]})


def keep_disturbed(home: Path) -> list[str]:
    """Five rounds in slices; in the last step of the second contender something else ran."""
    with History(home) as history:
        odd = {(1, repeat, 2): BUSY for repeat in range(1, 6)}
        return sliced.keep(history, sliced.plan(rounds=5), (1.0, 0.9), odd)


def steps_seen(page: ComparePage) -> list[str]:
    """The steps whose lines are seen, from above."""
    table = page.body.table
    rows = [(at, table.figures.row_at(at)) for at in range(table.figures.rowCount())]
    return [row.workload for at, row in rows if row and not table.isRowHidden(at)]


def test_the_sentences_are_those_of_the_command_line(
    qtbot: QtBot, context: WindowContext, page: ComparePage, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = keep_disturbed(context.home)
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    assert main(["compare", "--verdict", *ids]) in (0, None)
    printed = " ".join(capsys.readouterr().out.split())
    lines = page.verdict.text().splitlines()
    assert 1 <= len(lines) <= 6
    assert [line for line in lines if " ".join(line.split()) not in printed] == []
    assert "other programs took 70% of 200% CPU in" in page.warning.text
    assert "--" not in page.warning.text


def test_the_sentences_are_above_everything_else(opened: Open, page: ComparePage) -> None:
    opened(1)
    assert "One column: nothing to compare it with" in page.verdict.text()
    assert page.verdict.y() < page.limits.y() < page.body.y()


def test_steps_are_sorted_by_effect(opened: Open, page: ComparePage) -> None:
    opened(2, repeats=5)
    by_step = steps_seen(page)
    page.commands.by_effect.trigger()
    assert sorted(steps_seen(page)) == sorted(by_step) and steps_seen(page) != by_step
    model = page.body.table.figures
    rows = [model.row_at(at) for at in range(model.rowCount())]
    ratios = [row.cells[1].relative for row in rows if row and row.cells[1].verdict in ("better", "worse")]
    far = [max(each, 1 / each) for each in ratios if each]
    assert far == sorted(far, reverse=True) and None not in rows
    page.commands.by_effect.trigger()
    assert steps_seen(page) == by_step


def test_a_step_is_hidden_and_comes_back(opened: Open, page: ComparePage) -> None:
    opened(2)
    before = steps_seen(page)
    choose(page, "read-only")
    page.commands.hide.trigger()
    page.commands.hide.trigger()
    assert len(steps_seen(page)) == len(before) - 2
    assert page.body.table.chosen_step is not None
    assert page.commands.unhide.text().replace("&", "") == "Show 2 hidden steps"
    page.limits.turned.emit()
    assert len(steps_seen(page)) == len(before) - 2, "another view hides the same"
    page.commands.unhide.trigger()
    assert steps_seen(page) == before and not page.commands.unhide.isEnabled()


def test_a_group_without_steps_has_no_heading(opened: Open, page: ComparePage) -> None:
    opened(2)
    table = page.body.table
    choose(page, "read-only")
    for _ in range(2):  # the next one is chosen then
        page.commands.hide.trigger()
    hidden = [line[0] for at, line in enumerate(texts(page)) if table.isRowHidden(at)]
    assert "scan-heavy" in hidden and "point-query" not in hidden


def test_a_cell_has_a_menu(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(2)
    choose(page, "update-index", 1)
    table = page.body.table
    table.customContextMenuRequested.emit(table.visualRect(table.currentIndex()).center())
    menu = next(each for each in table.findChildren(QMenu) if each.isVisible())
    there = [each.text().replace("&", "") for each in menu.actions() if not each.isSeparator()]
    assert there == [
        "Why", "Seconds", "Flame graph…", "Explain…", "Open in Live", "Copy step", "Hide step",
        "Show hidden steps",
    ]  # fmt: skip
    next(each for each in menu.actions() if "opy" in each.text()).trigger()
    assert "update-index" in QGuiApplication.clipboard().text()
    next(each for each in menu.actions() if each.text().replace("&", "") == "Seconds").trigger()
    assert page.body.panel.title == "Seconds"
    menu.close()


def test_heads_show_the_version_below_the_name(opened: Open, page: ComparePage) -> None:
    opened(2)
    model = page.body.table.figures
    shown = model.head(len(FIXED), COLUMN)
    assert page.body.comparison
    assert shown.version.endswith(page.body.comparison.columns[0].contender["version"])
    assert shown.version not in shown.short


def test_only_what_is_disturbed_is_repeated(qtbot: QtBot, context: WindowContext, page: ComparePage) -> None:
    ids = keep_disturbed(context.home)
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    repeat = next(each for each in page.warning.buttons if each.text() == "Repeat only what is disturbed")
    with qtbot.waitSignal(context.bus.wanted) as wanted:
        repeat.click()
    (asked,) = wanted.args
    assert page.body.comparison
    last = page.body.comparison.rows[-1].workload
    assert (asked.page, asked.steps, asked.is_run) == ("bench", (last,), True)
    assert sorted(asked.sessions) == sorted(ids)


def test_the_contenders_of_all_columns_are_counted_in_the_chosen_step(
    qtbot: QtBot, context: WindowContext, opened: Open, page: ComparePage
) -> None:
    opened(2)
    choose(page, "update-index", 1)
    assert "work, not speed" in page.commands.count.toolTip()
    with qtbot.waitSignal(context.bus.wanted) as wanted:
        page.commands.count.trigger()
    (asked,) = wanted.args
    assert page.body.comparison
    ids = [id_ for column in page.body.comparison.columns for id_ in column.ids]
    assert (asked.page, asked.is_count, asked.is_run) == ("bench", True, False)
    assert asked.steps[0].startswith("update-index") and list(asked.sessions) == ids


def test_what_is_calm_cannot_be_repeated(opened: Open, page: ComparePage) -> None:
    opened(2, repeats=3)
    assert not page.commands.repeat.isEnabled()


def test_the_order_is_remembered(
    qtbot: QtBot, context: WindowContext, opened: Open, page: ComparePage
) -> None:
    opened(2)
    page.commands.by_effect.trigger()
    other = ComparePage(context)
    qtbot.addWidget(other)
    assert other.commands.by_effect.isChecked()
