"""Builds, engines and presets: ticked, written in the line, refused with the reason."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QLineEdit,
    QMessageBox,
    QPushButton,
)
from pytestqt.qtbot import QtBot

from app.catalog import Catalog
from app.planner.request.contender import ContenderRequest
from tests.plans import MARIADB, write
from tests.ui.bench.set_up import (
    OLD,
    OpenPage,
    cell,
    click_cell,
    dialogs,
    reason,
    request_of,
    retype,
    settle,
)
from ui.pages.bench import BenchPage
from ui.pages.bench.presets.dialog import PresetDialog


def test_a_click_anywhere_in_a_cell_ticks_and_takes_back(qtbot: QtBot, page: BenchPage) -> None:
    index = cell(page, OLD, "innodb")
    for wanted, at in ((3, None), (2, page.contenders.grid.visualRect(index).topLeft() + QPoint(12, 12))):
        click_cell(qtbot, page.contenders.grid, index, at)
        settle(qtbot, page)
        assert len(request_of(page).contenders) == wanted
        assert page.contenders.contenders.rowCount() == wanted


def test_the_keyboard_ticks_too(qtbot: QtBot, page: BenchPage) -> None:
    grid = page.contenders.grid
    grid.setFocus()
    grid.setCurrentIndex(cell(page, MARIADB, "innodb"))
    qtbot.keyClick(grid, Qt.Key.Key_Down)
    qtbot.keyClick(grid, Qt.Key.Key_Space)
    settle(qtbot, page)
    assert ContenderRequest(OLD, "innodb") in request_of(page).contenders


def test_what_cannot_be_had_says_why(qtbot: QtBot, page: BenchPage) -> None:
    index = cell(page, OLD, "rocksdb")
    assert index.data(Qt.ItemDataRole.CheckStateRole) is None
    assert "lacks the engine rocksdb" in index.data(Qt.ItemDataRole.ToolTipRole)
    click_cell(qtbot, page.contenders.grid, index)
    assert "lacks the engine rocksdb" in page.contenders.words.text()
    assert len(request_of(page).contenders) == 2
    assert "libaio" in cell(page, "mysql-8.0.40", "innodb").data(Qt.ItemDataRole.AccessibleTextRole)


def test_name_options_and_cores_are_written_in_the_line(qtbot: QtBot, page: BenchPage) -> None:
    table = page.contenders.table
    for column, text in ((0, "small"), (4, "ROW_FORMAT=DYNAMIC"), (5, "0-1"), (6, "jemalloc, 4G")):
        table.setFocus()
        table.setCurrentIndex(page.contenders.contenders.index(0, column))
        qtbot.keyClick(table, Qt.Key.Key_F2)
        (editor,) = table.viewport().findChildren(QLineEdit)
        retype(qtbot, editor, text)
        qtbot.keyClick(editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not table.viewport().findChildren(QLineEdit))
        settle(qtbot, page)
    first = request_of(page).contenders[0]
    assert (first.name, first.table_options, first.cores) == ("small", "ROW_FORMAT=DYNAMIC", "0-1")
    assert (first.allocator, first.memory_limit) == ("jemalloc", "4G")


def test_renaming_begins_with_the_name(qtbot: QtBot, page: BenchPage) -> None:
    table = page.contenders.table
    table.edit(page.contenders.contenders.index(0, 0))
    editor = table.findChild(QLineEdit)
    assert editor is not None and editor.text() == f"{MARIADB}-innodb"
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert request_of(page).contenders[0].name == "", "a name that stays as it was is none of a person"


def test_a_contender_is_called_by_its_build_whoever_else_is_ticked(qtbot: QtBot, page: BenchPage) -> None:
    model, names = page.contenders.contenders, [f"{MARIADB}-innodb", f"{MARIADB}-rocksdb"]
    assert [model.index(row, 0).data() for row in range(2)] == names
    click_cell(qtbot, page.contenders.grid, cell(page, MARIADB, "rocksdb"))
    settle(qtbot, page)
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == names[:1]


def test_the_preset_of_the_cell_with_the_keyboard_is_edited(qtbot: QtBot, page: BenchPage) -> None:
    click_cell(qtbot, page.contenders.grid, cell(page, OLD, "innodb", "baseline"))
    settle(qtbot, page)
    page.contenders.grid.setFocus()
    page.run_panel.presets.edit.trigger()
    (dialog,) = dialogs(PresetDialog)
    assert dialog.windowTitle() == "my.cnf InnoDB baseline"
    assert dialog.beside.build == OLD, "as the build of this cell gets it"
    dialog.reject()


def test_a_cell_says_what_is_wrong_while_it_is_typed(qtbot: QtBot, page: BenchPage) -> None:
    panel = page.contenders
    hint = panel.words.text()
    panel.table.edit(panel.contenders.index(1, 5))
    editor = panel.table.findChild(QLineEdit)
    assert editor is not None
    qtbot.keyClicks(editor, "3-0")
    assert panel.words.text() == "3-0: a range goes up, such as 1-8 or 1..64 x2"
    assert (panel.words.property("role"), editor.property("wrong")) == ("bad", True)
    editor.selectAll()
    qtbot.keyClicks(editor, "0-2:2")
    assert panel.words.text() == hint and not editor.property("wrong")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.controller.draft.request.contenders[1].cores == "0-2:2")
    settle(qtbot, page)
    plan = page.outcome.plan if page.outcome else None
    assert plan and plan.contenders[1].cores == "0,2"


def test_cores_that_the_target_lacks_are_marked(qtbot: QtBot, page: BenchPage) -> None:
    model = page.contenders.contenders
    model.setData(model.index(1, 5), "many")
    settle(qtbot, page)
    assert not page.run_panel.run_bar.run.isEnabled()
    assert "cores must be like 0-3" in reason(page)
    assert model.index(1, 5).data(Qt.ItemDataRole.ForegroundRole) == page.context.theme.colour("bad")
    assert "cores must be like" in page.run_panel.checks.item(0).text()


def test_memory_that_cannot_be_is_marked(qtbot: QtBot, page: BenchPage) -> None:
    model = page.contenders.contenders
    model.setData(model.index(1, 6), "jemalloc tcmalloc")
    settle(qtbot, page)
    assert "allocator must be system, jemalloc, tcmalloc or the path" in reason(page)
    assert model.index(1, 6).data(Qt.ItemDataRole.ForegroundRole) == page.context.theme.colour("bad")
    assert "allocator must be" in model.index(1, 6).data(Qt.ItemDataRole.ToolTipRole)
    assert model.index(1, 5).data(Qt.ItemDataRole.ForegroundRole) != page.context.theme.colour("bad")


def test_a_copy_differs_and_goes_with_the_delete_key(qtbot: QtBot, page: BenchPage) -> None:
    table, model = page.contenders.table, page.contenders.contenders
    table.selectRow(0)
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, page)
    assert "differ only in their names" in reason(page)
    assert page.contenders.chosen_rows() == [1]
    model.setData(model.index(1, 4), "ROW_FORMAT=COMPRESSED")
    settle(qtbot, page)
    assert reason(page) == ""
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    settle(qtbot, page)
    assert model.rowCount() == 2


def test_a_colour_is_chosen_and_kept(qtbot: QtBot, page: BenchPage) -> None:
    model, theme = page.contenders.contenders, page.context.theme
    swatch = Qt.ItemDataRole.DecorationRole
    assert model.index(0, 0).data(swatch) == theme.contender(0)
    page.contenders.colour_chosen.emit(0, 6)
    qtbot.waitUntil(lambda: model.index(0, 0).data(swatch) == theme.contender(6))


def test_a_preset_is_read_as_written_and_as_rendered(qtbot: QtBot, page: BenchPage) -> None:
    page.contenders.table.selectRow(1)
    page.contenders.look.trigger()
    view = page.run_panel.presets
    assert page.run_panel.tabs.currentWidget() is view
    assert view.preset.currentText() == "MyRocks · baseline"
    assert view.form.currentText() == f"rendered for {MARIADB}"
    assert "{" not in view.text.toPlainText()
    view.form.setCurrentIndex(0)
    assert view.text.toPlainText() == Catalog().preset("rocksdb", "baseline").text


def test_a_preset_in_slices_is_rendered_with_the_share_of_one(
    qtbot: QtBot, open_page: OpenPage, dyno_home: Path
) -> None:
    write(dyno_home / "presets/innodb/half.cnf", "[mysqld]\ninnodb_buffer_pool_size={ram*0.5}\n")
    page = open_page()
    page.contenders.preset_wanted.emit("innodb", "half", MARIADB)
    view, order = page.run_panel.presets, page.sequence.fields.boxes["order"]
    for value, size, words in (
        ("slices", 4, "one of 2 servers"),
        ("interleaved", 8, "no line is changed or left out"),
    ):
        order.setCurrentIndex(order.findData(value))
        settle(qtbot, page)
        assert f"innodb_buffer_pool_size={size << 30}" in view.text.toPlainText()
        assert view.words.text().endswith(words)


def test_a_preset_is_duplicated_and_stands_in_the_grid(qtbot: QtBot, page: BenchPage) -> None:
    page.contenders.look.trigger()
    view = page.run_panel.presets
    qtbot.keyClicks(view.name, "mine")
    with qtbot.waitSignal(page.context.bus.changed):
        qtbot.keyClick(view.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.preset.currentData() == "innodb/mine")
    (dialog,) = page.findChildren(PresetDialog)
    assert not dialog.text.isReadOnly() and "mine" in dialog.windowTitle()
    dialog.reject()
    assert view.name.text() == ""
    view.copy.trigger()
    qtbot.waitUntil(lambda: view.preset.currentData() == "innodb/mine-2")
    click_cell(qtbot, page.contenders.grid, cell(page, OLD, "innodb", "mine"))
    settle(qtbot, page)
    assert ContenderRequest(OLD, "innodb", "mine") in request_of(page).contenders


def test_a_preset_of_ones_own_is_deleted_after_a_question(qtbot: QtBot, page: BenchPage) -> None:
    view = page.run_panel.presets
    page.contenders.look.trigger()
    assert not view.delete.isEnabled()  # shipped ones stay
    page.controller.copy_preset("innodb", "baseline", "mine")
    qtbot.waitUntil(lambda: view.preset.currentData() == "innodb/mine")
    for text, is_kept in (("Cancel", True), ("Delete", False)):
        view.delete.trigger()
        (box,) = view.findChildren(QMessageBox)
        assert box.text() == "Delete the my.cnf InnoDB mine?"
        (button,) = [each for each in box.findChildren(QPushButton) if each.text().strip("&") == text]
        button.click()
        qtbot.waitUntil(lambda: view.findChildren(QMessageBox) == [])
        qtbot.waitUntil(lambda kept=is_kept: (view.preset.findData("innodb/mine") >= 0) == kept)  # type: ignore[misc]
    assert "mine" not in Catalog().preset_names("innodb")


def test_a_name_that_is_taken_is_told_in_the_page(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.copy_preset("innodb", "baseline", "baseline")
    qtbot.waitUntil(lambda: "comes with Dyno and is read-only" in page.message.text)


def test_presets_that_do_not_fit_are_in_a_menu_and_nothing_scrolls(qtbot: QtBot, page: BenchPage) -> None:
    page.resize(1264, 740)
    grid = page.contenders.grid
    settle(qtbot, page)
    hidden = [at for at in range(grid.model().columnCount()) if grid.isColumnHidden(at)]
    assert len(hidden) > 10 and not grid.horizontalScrollBar().isVisible()
    assert grid.more.text() == f"{len(hidden)} more my.cnf files"
    grid.more.menu().aboutToShow.emit()
    optimized = next(each for each in grid.more.menu().actions() if each.text().startswith("optimized  "))
    assert optimized.isCheckable() and not optimized.isChecked()
    optimized.trigger()
    index = cell(page, OLD, "innodb", "optimized")
    assert not grid.isColumnHidden(index.column()) and not grid.horizontalScrollBar().isVisible()
    click_cell(qtbot, grid, index)
    page.resize(900, 740)
    assert not grid.isColumnHidden(index.column())  # it is ticked
