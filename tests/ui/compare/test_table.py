"""The table of the Compare page: groups, base, tints, what is missing, how it looks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QListView, QPushButton, QSplitter
from pytestqt.qtbot import QtBot

from app.comparison.cells.palette import VERDICTS
from tests import comparable
from tests.plans import MARIADB
from tests.ui.compare.seen import FAILED, Open, button, choose, columns_of, ids_of, texts
from tests.ui.find import find
from tests.unit.comparison.cells import cells
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.models.comparison import AROUND, COLUMN, FIXED
from ui.pages.compare import ComparePage
from ui.pages.compare.figures import SIGN, needed_width
from ui.pages.compare.header import two_lines


def test_an_empty_page_offers_the_next_step(qtbot: QtBot, context: WindowContext, page: ComparePage) -> None:
    assert not page.commands.turn.isEnabled()
    ids = comparable.keep(context.home, comparable.plan())
    shown = next(
        each for each in page.findChildren(QPushButton) if each.isVisible() and "columns" in each.text()
    )
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton)
    assert page.chooser.isVisible()
    model = page.chooser.findChild(QListView).model()
    qtbot.waitUntil(lambda: model.rowCount() == 2)
    for row in range(2):
        model.setData(model.index(row, 0), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    assert set(ids_of(page)) == set(ids)


def test_a_warning_does_not_touch_its_figure(opened: Open, page: ComparePage) -> None:
    opened()
    table = page.body.table
    model, first = table.figures, len(FIXED)
    loud = replace(model.cell(1, first), text="1,450,116,000", beside="! n=1", is_warning=True)
    assert needed_width(table.font(), [replace(loud, is_warning=False)]) == 0
    needed = needed_width(table.font(), [loud])
    assert needed > table.fontMetrics().horizontalAdvance("1,450,116,000") + SIGN
    model.cell = lambda row, at: loud if at == first else type(model).cell(model, row, at)  # type: ignore[method-assign]
    table.refresh()
    assert table.columnWidth(first) >= needed > table.columnWidth(first + 1)


def test_steps_stand_under_their_groups(opened: Open, page: ComparePage) -> None:
    opened()
    shown = texts(page)
    headings = [shown[row][0] for row in page.body.table.figures.headings]
    assert headings == ["load", "point-query", "write-heavy", "scan-heavy"]
    point = shown.index(["point-query", "", "", "", ""])
    steps = [(row[0], row[1]) for row in shown[point + 1 : point + 5]]
    assert steps == [
        ("point-query.pre", "1"),
        ("point-query.pre", "4"),
        ("point-query", "1"),
        ("point-query", "4"),
    ]
    assert shown[point + 1][2] == "queries/s"


def test_the_base_is_absolute_the_others_are_relative(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    assert page.body.comparison
    row = page.body.comparison.rows[0]
    first = next(each for each in texts(page) if each[0] == "load" and each[2])
    assert first[3:] == [f"{row.cells[0].value:,.0f}", f"{row.cells[1].relative:.2f}"]
    qtbot.mouseClick(button(page, "Absolute"), Qt.MouseButton.LeftButton)
    first = next(each for each in texts(page) if each[0] == "load" and each[2])
    assert first[4] == f"{row.cells[1].value:,.0f}"


def test_a_missing_cell_is_empty_and_says_why(opened: Open, page: ComparePage) -> None:
    opened(failed=FAILED)
    model = page.body.table.figures
    row = next(at for at in range(model.rowCount()) if (r := model.row_at(at)) and r.workload == "read-only")
    index = model.index(row, len(FIXED) + 1)
    assert index.data() == ""
    assert "failed: sysbench: FATAL: error 1205" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert index.data(Qt.ItemDataRole.BackgroundRole) is None
    assert model.cell(row, len(FIXED) + 1).beside == "! failed"


def test_a_figure_without_one_of_the_base_stands_as_it_is(opened: Open, page: ComparePage) -> None:
    opened(failed={(0, "read-only")})
    model = page.body.table.figures
    row = next(at for at in range(model.rowCount()) if (r := model.row_at(at)) and r.workload == "read-only")
    found = model.row_at(row)
    assert found and cells(found, "value")[1] is not None
    assert model.cell(row, len(FIXED)).text == ""
    cell = model.cell(row, len(FIXED) + 1)
    assert cell.is_quiet and cell.text == f"{found.cells[1].value:,.0f}"
    tip = model.index(row, len(FIXED) + 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "the base has no result here" in tip


def test_the_first_driven_step_is_chosen(opened: Open, page: ComparePage) -> None:
    opened()
    assert page.body.table.chosen_step and page.body.table.chosen_step.workload == "point-query.pre"


def test_loads_are_tinted_and_settling_is_not(opened: Open, page: ComparePage) -> None:
    opened(repeats=5)
    model = page.body.table.figures
    tints = {}
    for at in range(model.rowCount()):
        if row := model.row_at(at):
            tints[row.workload] = model.index(at, len(FIXED) + 1).data(Qt.ItemDataRole.BackgroundRole)
    worse = QColor(VERDICTS[False]["worse"]).rgb()
    assert tints["load"].rgb() & 0xFFFFFF == worse & 0xFFFFFF  # fewer rows a second
    assert tints["settle"] is None  # nobody compares how long servers took to settle


def test_tints_are_painted_also_in_the_chosen_line(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(repeats=5)
    choose(page, "load", 0)
    table = page.body.table
    index = table.figures.index(table.currentIndex().row(), len(FIXED) + 1)
    rect: QRect = table.visualRect(index)
    image = table.viewport().grab().toImage()
    colour = image.pixelColor(rect.left() + 3, rect.center().y())
    tint, base = index.data(Qt.ItemDataRole.BackgroundRole), page.context.theme.colour("base")
    expected = round(tint.red() * tint.alphaF() + base.red() * (1 - tint.alphaF()))
    assert abs(colour.red() - expected) <= 2 and colour.red() > colour.green()


def test_repeats_share_a_column_that_says_how_many(opened: Open, page: ComparePage) -> None:
    opened(2, repeats=3)
    head = page.body.table.figures.headerData(
        len(FIXED), Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    )
    assert "n = 3" in head and "3 repeats" in head


# how it looks


@pytest.mark.parametrize("appearance", ["light", "dark"])
def test_every_control_of_compare_has_a_name(opened: Open, page: ComparePage, appearance: str) -> None:
    opened()
    page.context.theme.set_appearance(appearance)
    for kind in (QPushButton, QLineEdit, QComboBox):
        for control in page.findChildren(kind):
            named = control.accessibleName() or getattr(control, "text", lambda: "")()
            assert named or not control.isVisibleTo(page), control
    for action in page.page_actions():
        assert action is None or (action.text() and action.shortcut().toString() and action.statusTip())


@pytest.mark.parametrize(
    ("size", "columns", "is_below"),
    [((1280, 720), 8, True), ((1280, 720), 2, False), ((1600, 900), 2, False)],
)
def test_charts_stand_where_there_is_room(
    qtbot: QtBot, opened: Open, page: ComparePage, size: tuple[int, int], columns: int, is_below: bool
) -> None:
    page.resize(*size)
    opened(columns)
    orientation = find(page.body, QSplitter).orientation()
    assert (orientation == Qt.Orientation.Vertical) == is_below
    table = page.body.table
    assert table.horizontalScrollBar().maximum() == 0


def test_longer_names_of_steps_get_their_width(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    page.resize(1600, 900)
    opened(2)
    longer = [replace(each, name=f"{each.name}-with-the-second-set") for each in comparable.steps()]
    opened(2, number=2, its_steps=longer)
    qtbot.waitUntil(lambda: any("second-set" in row[0] for row in texts(page)))
    assert page.body.table.horizontalScrollBar().maximum() == 0


def test_long_names_take_two_lines(page: ComparePage) -> None:
    metrics = QFontMetrics(page.font())
    width = metrics.horizontalAdvance("rocksdb-default-")
    assert two_lines("rocksdb-default-1", metrics, width) == ["rocksdb-", "default-1"]
    assert two_lines("short", metrics, width) == ["short"]
    first, second = two_lines(f"{MARIADB}-innodb-with-a-very-long-name-indeed", metrics, width)
    assert first.startswith("mariadb-") and "…" in second
    assert max(metrics.horizontalAdvance(each) for each in (first, second)) <= width


def test_steps_that_not_all_columns_have_are_hidden(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(3, failed=FAILED)
    before, box = texts(page), find(page.limits, QCheckBox, "Only steps of all columns")
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(texts(page)) < len(before))
    assert [row for row in before if row[0] != "read-only"] == texts(page) or "read-only" not in {
        row[0] for row in texts(page)
    }
    assert page.context.memory.value("compare/common", False)
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: texts(page) == before)


def test_heads_show_what_differs_and_once_what_does_not(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    names = [f"duel-mysql-8.0.{at}-innodb" for at in range(8)]
    page.open(ShowPageRequest("compare", comparable.keep(context.home, comparable.plan(8, names=names))))
    qtbot.waitUntil(lambda: columns_of(page) == 8)
    model, across = page.body.table.figures, Qt.Orientation.Horizontal
    shown = [model.headerData(len(FIXED) + at, across, COLUMN) for at in range(8)]
    assert [each.short for each in shown] == [f"8.0.{at}" for at in range(8)]
    assert shown[0].name == "duel-mysql-8.0.0-innodb-1"
    assert model.headerData(0, across, AROUND) == "duel-mysql-…-innodb-1"
