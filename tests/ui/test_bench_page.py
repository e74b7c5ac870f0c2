"""Setting up a plan with mouse and keyboard: what is chosen is in the plan, what is wrong is told."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPushButton,
    QTreeWidgetItem,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.catalog import Catalog
from app.core.errors import LinkError
from app.history.edits import delete
from app.history.history import History
from app.history.publishing import import_shipped
from app.history.sessions import find
from app.planner import ContenderRequest, PlanRequest
from app.planner.launch import Stage
from app.protocol.answers import INFO, PASS, WARN, Check, Reply, Survey
from app.remote.hostkeys import HostKey, HostKeyUnknownError, Offer
from app.remote.target import LOCAL, Target
from app.targets.store import Targets
from app.targets.surveys import Surveyed, Surveys
from tests import comparable
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB, VERSION, build, plan, survey, write
from ui.core.bus import Wanted
from ui.core.context import Context
from ui.dialogs.host_key import HostKeyDialog
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.queueing import QueueingDialog
from ui.pages.bench.plan.sweep import SweepDialog
from ui.pages.bench.presets.dialog import PresetDialog
from ui.widgets.message import Message

OLD = "mysql-5.6.24"
OpenPage = Callable[..., BenchPage]


def surveyed(home: Path, name: str = LOCAL, **changes: Any) -> None:
    """As if this target had been surveyed just now."""
    content = survey(clock_utc=time.time(), **changes)
    Surveys(home).keep(Targets(home).get(name), Surveyed(time.time(), content))


@pytest.fixture
def open_page(qtbot: QtBot, context: Context, dyno_home: Path) -> OpenPage:
    """Shows the page of a home whose target was surveyed, and waits for what it concludes."""

    def open_(width: int = 1248, height: int = 690, **changes: Any) -> BenchPage:
        if "nothing" not in changes:
            surveyed(dyno_home, **changes)
        page = BenchPage(context)
        qtbot.addWidget(page)
        page.resize(width, height)
        page.show()
        qtbot.waitExposed(page)
        settle(qtbot, page)
        return page

    return open_


@pytest.fixture
def page(open_page: OpenPage) -> BenchPage:
    return open_page()


def settle(qtbot: QtBot, page: BenchPage) -> None:
    """Until what is shown is about the draft as it is now."""

    def is_settled() -> bool:
        found = page._outcome
        return (
            found is not None
            and found.draft is page.controller.draft
            and bool(page.controller.choices.sequences)
        )

    qtbot.waitUntil(is_settled)


def request_of(page: BenchPage) -> PlanRequest:
    """What the plan file in the window says."""
    return PlanRequest.from_toml(page.run_panel.plan.text.toPlainText())


def reason(page: BenchPage) -> str:
    return page.run_panel.run_bar.reason.text()


def checks_of(page: BenchPage) -> str:
    found = page.run_panel.checks
    return "\n".join(found.item(row).text() for row in range(found.count()))


def cell(page: BenchPage, build_name: str, engine: str, preset: str = "default") -> Any:
    model = page.contenders.choices
    return next(
        index
        for row in range(model.rowCount())
        for column in range(model.columnCount())
        for index in [model.index(row, column)]
        if model.place(index) == (build_name, engine, preset)
    )


def click_cell(qtbot: QtBot, view: QAbstractItemView, index: Any, at: QPoint | None = None) -> None:
    view.scrollTo(index)
    place = at or view.visualRect(index).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def retype(qtbot: QtBot, edit: QLineEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, text) if text else qtbot.keyClick(edit, Qt.Key.Key_Delete)


def steps(page: BenchPage) -> dict[str, QTreeWidgetItem]:
    return {item.text(0).split(" ")[0]: item for item in page.sequence.steps.items()}


# the first start


def test_the_duel_is_ready_on_this_computer(page: BenchPage) -> None:
    assert page.run_panel.run_bar.run.isEnabled()
    assert [(c.build, c.engine) for c in request_of(page).contenders] == [
        (MARIADB, "innodb"),
        (MARIADB, "rocksdb"),
    ]
    assert page.sequence.box.currentText() == "duel"
    assert re.fullmatch(r"about \d min \d\d s, until \d\d:\d\d", page.run_panel.estimate.time.text())
    assert "of disk" in page.run_panel.estimate.disk.text()
    names = [page.contenders.contenders.index(row, 0).data() for row in range(2)]
    assert names == ["innodb", "rocksdb"]


def test_before_the_target_was_looked_at_nothing_can_be_run(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 10_000_000)
    page = open_page(nothing=True)
    assert not page.run_panel.run_bar.run.isEnabled()
    assert reason(page).startswith("survey the target first")
    assert page.run_panel.run_bar.run.toolTip() == reason(page)
    assert page.sequence.box.currentText() == "duel"
    checks, bad = page.run_panel.checks, page.context.theme.colour("bad")
    assert checks_of(page).startswith("Wait · plan: survey the target first")
    assert all(checks.item(row).foreground().color() != bad for row in range(checks.count()))
    labels = [each for each in page.findChildren(QLabel) if each.isVisible() and each.text()]
    assert [each.text() for each in labels if each.property("role") == "bad"] == []


def test_the_keyboard_stays_at_the_button_while_a_plan_starts(qtbot: QtBot, page: BenchPage) -> None:
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    bar = page.run_panel.run_bar
    for button in (bar.button, bar._rehearse_button):
        button.setFocus()
        bar.show_stage(Stage())
        assert bar._cancel_button.hasFocus()
        bar.show_stage(None)
        assert bar.button.hasFocus() and not bar._cancel_button.isVisible()


def test_the_first_survey_brings_the_duel(
    qtbot: QtBot, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 10_000_000)
    page = open_page(nothing=True)
    page.targets.known.take(page.targets.chosen, Surveyed(time.time(), survey(clock_utc=time.time())))
    qtbot.waitUntil(page.run_panel.run_bar.run.isEnabled)
    assert len(request_of(page).contenders) == 2


def test_what_was_set_up_last_is_there_again(qtbot: QtBot, page: BenchPage, open_page: OpenPage) -> None:
    retype(qtbot, page.sequence.fields.edits["rows"], "3x memory")
    click_cell(qtbot, page.contenders.grid, cell(page, OLD, "innodb"))
    settle(qtbot, page)
    again = open_page()
    assert request_of(again) == request_of(page)
    assert again.sequence.fields.edits["rows"].text() == "3x memory"


def test_a_contender_that_cannot_be_does_not_lose_the_rest(
    qtbot: QtBot, page: BenchPage, open_page: OpenPage
) -> None:
    retype(qtbot, page.sequence.fields.edits["rows"], "3x memory")
    page.contenders.edited.emit(0, "name", "no & name")
    settle(qtbot, page)
    assert "name must be" in reason(page)
    assert open_page().sequence.fields.edits["rows"].text() == "3x memory"


# contenders


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
    plan = page._outcome.plan if page._outcome else None
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


# presets


def test_a_preset_is_read_as_written_and_as_rendered(qtbot: QtBot, page: BenchPage) -> None:
    page.contenders.table.selectRow(1)
    page.contenders.look.trigger()
    view = page.run_panel.presets
    assert page.run_panel.tabs.currentWidget() is view
    assert view.preset.currentText() == "MyRocks · default"
    assert view.form.currentText() == f"rendered for {MARIADB}"
    assert "{" not in view.text.toPlainText()
    view.form.setCurrentIndex(0)
    assert view.text.toPlainText() == Catalog().preset("rocksdb", "default").text


def test_a_preset_in_slices_is_rendered_with_the_share_of_one(
    qtbot: QtBot, open_page: OpenPage, dyno_home: Path
) -> None:
    write(dyno_home / "presets/innodb/half.cnf", "[mysqld]\ninnodb_buffer_pool_size={ram*0.5}\n")
    page = open_page()
    page.contenders.preset_wanted.emit("innodb", "half", MARIADB)
    view, order = page.run_panel.presets, page.sequence.fields.boxes["order"]
    for value, size, words in (
        ("slices", 4, "one of 2 contenders"),
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
    page.controller.copy_preset("innodb", "default", "mine")
    qtbot.waitUntil(lambda: view.preset.currentData() == "innodb/mine")
    for text, is_kept in (("Cancel", True), ("Delete", False)):
        view.delete.trigger()
        (box,) = view.findChildren(QMessageBox)
        assert box.text() == "Delete the preset InnoDB mine?"
        (button,) = [each for each in box.findChildren(QPushButton) if each.text().strip("&") == text]
        button.click()
        qtbot.waitUntil(lambda: view.findChildren(QMessageBox) == [])
        qtbot.waitUntil(lambda kept=is_kept: (view.preset.findData("innodb/mine") >= 0) == kept)  # type: ignore[misc]
    assert "mine" not in Catalog().preset_names("innodb")


def test_a_name_that_is_taken_is_told_in_the_page(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.copy_preset("innodb", "default", "default")
    qtbot.waitUntil(lambda: "is shipped and read-only" in page.message.text)


# sequence and sizes


def test_estimate_and_plan_follow_every_keystroke(qtbot: QtBot, page: BenchPage) -> None:
    before = page.run_panel.estimate.time.text()
    retype(qtbot, page.sequence.fields.edits["seconds"], "600")
    qtbot.waitUntil(lambda: page.run_panel.estimate.time.text() != before)
    settle(qtbot, page)
    assert " h " in page.run_panel.estimate.time.text()
    assert request_of(page).seconds == 600


def test_a_wrong_field_is_marked_and_keeps_its_text(qtbot: QtBot, page: BenchPage) -> None:
    edit = page.sequence.fields.edits["rows"]
    retype(qtbot, edit, "lots")
    settle(qtbot, page)
    assert (edit.text(), edit.property("wrong")) == ("lots", True)
    assert reason(page).startswith("rows must be a whole number")
    assert edit.toolTip() == reason(page) == page.sequence.fields.reason.text()
    above = page.sequence.fields.reason
    qtbot.waitUntil(lambda: edit.y() - above.height() - 5 <= above.y() < edit.y())  # the form is laid out
    assert above.isVisible()
    assert not page.run_panel.run_bar.run.isEnabled()
    retype(qtbot, edit, "1k")
    settle(qtbot, page)
    assert (edit.property("wrong"), reason(page), request_of(page).rows) == (False, "", 1000)
    assert not page.sequence.fields.reason.isVisible()


def test_a_field_left_open_shows_what_the_sequence_says(qtbot: QtBot, page: BenchPage) -> None:
    fields = page.sequence.fields.edits
    assert fields["rows"].placeholderText() == "50,000"
    box = page.sequence.box
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    settle(qtbot, page)
    assert request_of(page).sequence == "quick"
    assert fields["rows"].placeholderText() == "1,000,000"


def test_sequences_stand_under_their_studies_with_a_sentence_each(qtbot: QtBot, page: BenchPage) -> None:
    box = page.sequence.box
    names = [box.itemText(at) for at in range(box.count())]
    assert names.index("Dyno") < names.index("duel") < names.index("Small-datum") < names.index("small-datum")
    assert all(box.itemData(at, Qt.ItemDataRole.ToolTipRole) for at in range(box.count()) if box.itemData(at))
    box.setFocus()
    for _ in range(names.index("small-datum") - names.index("duel") - 1):  # past the heading
        qtbot.keyClick(box, Qt.Key.Key_Down)
    settle(qtbot, page)
    assert request_of(page).sequence == box.currentText() == "small-datum"
    assert page.sequence.title.toolTip().endswith(".")


def test_steps_are_ticked_off_alone_and_by_group(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.change(page.controller.draft.said(steps=()))
    settle(qtbot, page)
    tree, found = page.sequence.steps, steps(page)
    tree.setFocus()
    tree.setCurrentItem(found["insert"])
    qtbot.keyClick(tree, Qt.Key.Key_Space)
    settle(qtbot, page)
    assert "insert" not in request_of(page).steps
    assert "read-write" in request_of(page).steps
    group = steps(page)["update-index"].parent()
    group.setCheckState(0, Qt.CheckState.Unchecked)
    settle(qtbot, page)
    left = request_of(page).steps
    assert left == ("load", "index", "point-query", "read-only", "read-write")
    found["load"].parent().setCheckState(0, Qt.CheckState.Unchecked)
    settle(qtbot, page)
    assert request_of(page).steps == left
    assert steps(page)["load"].checkState(0) == Qt.CheckState.Checked


def test_steps_are_ticked_all_none_or_one_alone(qtbot: QtBot, page: BenchPage) -> None:
    tree, (all_, none, only) = page.sequence.steps, page.sequence.ticks
    fixed = ("load", "index")
    none.trigger()
    settle(qtbot, page)
    assert page.controller.draft.request.steps == fixed
    all_.trigger()
    settle(qtbot, page)
    assert page.controller.draft.request.steps == ()
    assert not only.isEnabled()
    tree.setCurrentItem(steps(page)["read-only"])
    tree.setFocus()
    qtbot.keyClick(
        tree, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    settle(qtbot, page)
    assert page.controller.draft.request.steps == (*fixed, "read-only")


def test_space_ticks_all_that_the_filter_shows_and_ctrl_a_selects(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.change(page.controller.draft.said(steps=()))
    settle(qtbot, page)
    tree = page.sequence.steps
    qtbot.keyClicks(page.sequence.filter, "UPDATE")
    shown = [name for name, item in steps(page).items() if not item.isHidden()]
    assert shown == ["update-index", "update-nonindex"]
    tree.setFocus()
    for is_on in (False, True):
        qtbot.keyClick(tree, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClick(tree, Qt.Key.Key_Space)
        settle(qtbot, page)
        ticked = [name for name, item in steps(page).items() if item.checkState(0) == Qt.CheckState.Checked]
        assert set(shown).isdisjoint(ticked) != is_on and {"insert", "read-only"} < set(ticked)
    page.sequence.filter.clear()
    assert not any(item.isHidden() for item in steps(page).values())


def test_choices_beside_the_fields(qtbot: QtBot, page: BenchPage) -> None:
    boxes = page.sequence.fields.boxes
    for name, value in (("order", "grouped"), ("start", "restarted"), ("transport", "loopback")):
        boxes[name].setCurrentIndex(boxes[name].findData(value))
    bar = page.run_panel.run_bar
    for box in (bar.busy, bar.quiet, bar.repeat, bar.small_disk):
        box.click()
    settle(qtbot, page)
    request = page.controller.draft.request
    assert (request.order, request.start, request.transport) == ("grouped", "restarted", "loopback")
    assert request.allow_small_disk
    assert request.allow_busy and request.quiet_wait == 600 and request.repeat_if_disturbed
    assert "if others disturb all of it" in page.run_panel.estimate.parts.text()
    assert "repeat_if_disturbed = true" in page.run_panel.plan.text.toPlainText()


def test_slices_need_two_contenders_and_the_order_is_marked(qtbot: QtBot, page: BenchPage) -> None:
    order = page.sequence.fields.boxes["order"]
    assert [order.itemText(at) for at in range(order.count())] == ["interleaved", "slices", "grouped"]
    usual = order.toolTip()
    assert all(f"{word}:" in usual for word in ("Interleaved", "Slices", "Grouped"))
    order.setCurrentIndex(order.findData("slices"))
    settle(qtbot, page)
    assert (order.property("wrong"), reason(page)) == (False, "")
    assert "2 sessions at once" in page.run_panel.estimate.toolTip()
    place = order.pos()
    page.contenders.removed.emit([1])
    settle(qtbot, page)
    assert order.property("wrong") is True
    assert page.sequence.fields.reason.text() == reason(page) and order.pos() == place
    assert reason(page).startswith("the order slices needs 2 to 4 contenders, not 1: choose more")
    assert "needs 2 to 4 contenders" in order.toolTip()
    order.setCurrentIndex(order.findData("interleaved"))
    settle(qtbot, page)
    assert (order.property("wrong"), reason(page), order.toolTip()) == (False, "", usual)
    qtbot.wait(50)  # until the form is laid out
    assert order.pos() == place


def test_a_sweep_is_set_up_and_what_the_target_has_not_is_refused(qtbot: QtBot, open_page: OpenPage) -> None:
    page = open_page(topology=[[[0, 2], [1, 3]]])
    page.sequence.sweep.trigger()
    dialog = page.findChild(SweepDialog)
    assert dialog is not None and dialog.said.text() == "1 point of each step: 1 thread count"
    qtbot.keyClicks(dialog.threads, "1, 2, 4")
    qtbot.keyClicks(dialog.cores, "8")
    assert dialog.said.text().startswith("a server with 8 cores: the target has 2 with 4 CPUs")
    assert not dialog.accept_button.isEnabled()
    dialog.own_cpus.click()
    retype(qtbot, dialog.cores, "4, 2")
    qtbot.keyClicks(dialog.variable, "innodb_spin_wait_delay")
    assert not dialog.accept_button.isEnabled()
    qtbot.keyClicks(dialog.values, "6, 96")
    assert dialog.said.text() == (
        "12 points of each step: 3 thread counts x 2 core sets x 2 values\nthe server on CPUs 0-3, then 0-1"
    )
    dialog.accept_button.click()
    settle(qtbot, page)
    request = request_of(page)
    assert (request.threads, request.cores) == ((1, 2, 4), (4, 2))
    assert (request.vary, request.cpus) == ("innodb_spin_wait_delay=6, 96", "own")
    assert page.sequence.sweep.text() == "Sweep x4..."
    plan = page._outcome.plan if page._outcome else None
    assert plan and len([step for step in plan.steps if step.kind == "drive"]) == 4 * 12
    page.sequence.sequence_chosen.emit("oltp-read-only")
    settle(qtbot, page)
    page.sequence.sweep.trigger()
    dialog = page.findChildren(SweepDialog)[-1]
    dialog.cores.clear()  # those of the sequence
    assert dialog.said.text().startswith(  # of 32 to 4
        "6 points of each step: 3 thread counts x 1 core set x 2 values"
    )
    qtbot.waitUntil(lambda: dialog.variable.completer() is not None)
    retype(qtbot, dialog.variable, "spin")
    assert dialog.variable.completer().currentCompletion() == "innodb_spin_wait_delay"
    retype(qtbot, dialog.variable, "innodb_spin_wait_delay")
    retype(qtbot, dialog.threads, "1..64 x2")
    assert dialog.said.text().startswith("14 points of each step")
    retype(qtbot, dialog.threads, "64..1")
    assert dialog.said.text().startswith("threads 64..1: a range goes up")
    assert (dialog.threads.property("wrong"), dialog.cores.property("wrong")) == (True, False)


def test_a_variant_gets_a_name_and_is_gone_on_with(qtbot: QtBot, page: BenchPage) -> None:
    retype(qtbot, page.sequence.fields.edits["tables"], "7")
    qtbot.keyClicks(page.sequence.variant, "mine")
    qtbot.keyClick(page.sequence.variant, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.sequence.box.currentText() == "mine (yours)")
    settle(qtbot, page)
    assert Catalog().sequence("mine").tables == 7
    request = request_of(page)
    assert (request.sequence, request.tables) == ("mine", None)
    assert page.sequence.fields.edits["tables"].placeholderText() == "7"


# before a run


def test_the_worst_comes_first_and_says_what_to_do(open_page: OpenPage) -> None:
    page = open_page(sysbench=None, governor="powersave")
    texts = [page.run_panel.checks.item(row).text() for row in range(page.run_panel.checks.count())]
    assert texts[0].startswith("Fail · sysbench") and "→ install sysbench" in texts[0]
    assert texts[1].startswith("Warn · governor") and "→ set it to performance" in texts[1]
    assert texts[-1].startswith("Pass")
    assert not page.run_panel.run_bar.run.isEnabled()
    assert "sysbench is missing" in reason(page)


def test_a_refused_option_leads_to_its_line_in_the_preset(qtbot: QtBot, page: BenchPage) -> None:
    text = "unknown variable 'back_logg=7': did you mean back_log?"
    reply = Reply("rejected", "sync_binlog", text)
    page.run_panel.checks.show_checks([Check("options", "fail", text, "", "rocksdb", (reply,))])
    page.run_panel.checks.setCurrentRow(0)
    qtbot.keyClick(page.run_panel.checks, Qt.Key.Key_Return)
    (dialog,) = page.findChildren(PresetDialog)
    assert dialog.windowTitle() == "Preset MyRocks default"
    assert dialog.text.textCursor().block().text().startswith("sync_binlog=")
    dialog.reject()


def test_what_there_is_nothing_to_do_about_is_folded(qtbot: QtBot, page: BenchPage) -> None:
    found = page.run_panel.checks
    loose = Check("options", INFO, "mariadb ignores loose_ssl", "", "innodb")
    found.show_checks([loose, Check("disk", PASS, "enough"), Check("load", WARN, "busy", "wait")])
    assert checks_of(page).splitlines()[-1] == "▸ 1 for information, nothing to do"
    assert "loose_ssl" not in checks_of(page) and "Warn · load" in checks_of(page)
    last = found.item(found.count() - 1)
    qtbot.mouseClick(found.viewport(), Qt.MouseButton.LeftButton, pos=found.visualItemRect(last).center())
    assert checks_of(page).splitlines()[-1] == "Info · options: innodb: mariadb ignores loose_ssl"
    assert found.item(found.count() - 1).foreground().color() == page.context.theme.colour("muted")
    found.setFocus()
    qtbot.keyClick(found, Qt.Key.Key_Return)
    assert "loose_ssl" not in checks_of(page)


def test_lua_of_ones_own_is_read_and_approved(qtbot: QtBot, open_page: OpenPage, dyno_home: Path) -> None:
    write(
        dyno_home / "workloads/mine.toml",
        'name = "mine"\ntitle = "Mine"\nkind = "drive"\nlua = "mine.lua"\nneeds = ["tables"]\n',
    )
    write(dyno_home / "workloads/mine.lua", "-- all mine\n")
    steps_text = '[[step]]\nworkload = "load"\n[[step]]\nworkload = "mine"\n'
    write(dyno_home / "sequences/own.toml", f'name = "own"\ntitle = "Own"\n{steps_text}')
    page = open_page()
    page.sequence.sequence_chosen.emit("own")
    settle(qtbot, page)
    view = page.run_panel.approval
    assert page.run_panel.tabs.currentWidget() is view
    assert "-- all mine" in view.text.toPlainText()
    assert not page.run_panel.run_bar.run.isEnabled()
    view.approve.trigger()
    qtbot.waitUntil(page.run_panel.run_bar.run.isEnabled)
    assert not page.run_panel.tabs.isTabVisible(page.run_panel.tabs.indexOf(view))


def test_a_plan_is_saved_and_opened(qtbot: QtBot, page: BenchPage, tmp_path: Path) -> None:
    retype(qtbot, page.sequence.fields.edits["tables"], "9")
    settle(qtbot, page)
    saved: list[Path] = []
    page.context.bus.saved.connect(lambda path, _: saved.append(path))
    file = tmp_path / "plan.toml"
    page.run_panel.plan.save_wanted.emit(str(file))
    qtbot.waitUntil(lambda: saved == [file])
    assert PlanRequest.from_file(file) == request_of(page)
    write(file, file.read_text().replace("tables = 9", "tables = 5"))
    page.run_panel.plan.open_wanted.emit(str(file))
    qtbot.waitUntil(lambda: page.controller.draft.request.tables == 5)
    settle(qtbot, page)
    assert page.sequence.fields.edits["tables"].text() == "5"  # though it has the keyboard


def test_a_plan_for_another_target_goes_there(
    qtbot: QtBot, page: BenchPage, dyno_home: Path, tmp_path: Path
) -> None:
    Targets(dyno_home).add(Target("nuc", host="nuc.invalid", directories=["/data/dyno"]))
    surveyed(dyno_home, "nuc", builds=[build(OLD, "MySQL", "5.6.24", ["innodb"])])
    page.targets.reload()
    text = request_of(page).to_toml().replace('target = "local"', 'target = "nuc"')
    file = write(tmp_path / "plan.toml", text.replace(MARIADB, OLD))
    page.run_panel.plan.open_wanted.emit(str(file))
    qtbot.waitUntil(lambda: page.targets.chosen.name == "nuc")
    settle(qtbot, page)
    assert page.controller.draft.request.target == "nuc"
    assert "lacks the engine rocksdb" in reason(page)
    page.targets.choose(LOCAL)
    settle(qtbot, page)
    assert request_of(page).contenders[0].build == MARIADB


def test_sessions_are_set_up_again_in_turn(qtbot: QtBot, page: BenchPage, dyno_home: Path) -> None:
    ids = []
    for engine in ("innodb", "myisam"):
        before = plan(f"{MARIADB}:{engine}", rows=5000, repeats=4, name=f"only {engine}")
        ids += comparable.keep(dyno_home, before)
    page.open(Wanted("bench", tuple(ids)))
    qtbot.waitUntil(lambda: page.controller.draft.request.rows == 5000)
    settle(qtbot, page)
    asked = request_of(page)
    assert [each.engine for each in asked.contenders] == ["innodb", "myisam"]
    assert (asked.order, asked.repeats, asked.name) == ("interleaved", 4, "only innodb")
    page.open(Wanted("bench", (comparable.keep(dyno_home, comparable.plan(1))[0],)))
    qtbot.waitUntil(lambda: "there is no plan to repeat" in page.message.text)
    assert request_of(page) == asked


def test_sessions_of_an_unknown_target_are_set_up_here_and_what_is_lacking_is_named(
    qtbot: QtBot, page: BenchPage, dyno_home: Path
) -> None:
    foreign = plan(f"{MARIADB}:innodb", rows=5000, target="far")
    lacks = [replace(foreign.contenders[0], build="mysql-1.2.3", preset="theirs")]
    ids = comparable.keep(dyno_home, replace(foreign, contenders=lacks))
    page.open(Wanted("bench", ids, is_run=True))
    qtbot.waitUntil(lambda: page.controller.draft.request.rows == 5000)
    settle(qtbot, page)
    assert page.controller.draft.request.target == LOCAL
    assert page.message.text.startswith("There is no target far here: the plan is set up for local.")
    assert "there is no build mysql-1.2.3 on this target" in checks_of(page)
    assert "theirs" in checks_of(page), "the preset is named too"


def open_recent(qtbot: QtBot, page: BenchPage) -> QMenu:
    """As a person would, with its key."""
    page.targets.list.setFocus()
    qtbot.keyClick(
        page.targets.list, "O", Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    found = QApplication.activePopupWidget()
    assert isinstance(found, QMenu)
    return found


@pytest.mark.qt_log_ignore("^This plugin does not support")
def test_a_recent_plan_is_set_up_again(qtbot: QtBot, page: BenchPage, dyno_home: Path) -> None:
    both = plan(f"{MARIADB}:innodb", f"{MARIADB}:myisam", rows=5000, name="R&D " + "x" * 50)
    comparable.keep(dyno_home, both)
    comparable.keep(dyno_home, plan(f"{MARIADB}:innodb", rows=7000))
    menu = open_recent(qtbot, page)
    actions = {re.sub(r"[\d-]+ [\d:]+$", "DATE", each.text()): each for each in menu.actions()}
    long = f"R&&D {'x' * 35}…: innodb, myisam x 1\tlocal, DATE"
    assert sorted(actions) == [long, "duel: innodb x 1\tlocal, DATE"]
    menu.setActiveAction(actions[long])
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.controller.draft.request.rows == 5000)
    settle(qtbot, page)
    assert [each.engine for each in request_of(page).contenders] == ["innodb", "myisam"]
    assert page.message.isHidden() and reason(page) == ""


@pytest.mark.qt_log_ignore("^This plugin does not support")
def test_a_recent_plan_that_was_deleted_meanwhile_is_told(
    qtbot: QtBot, page: BenchPage, dyno_home: Path
) -> None:
    (id_,) = comparable.keep(dyno_home, plan(f"{MARIADB}:innodb", rows=5000))
    menu = open_recent(qtbot, page)
    with History(dyno_home) as history:
        delete(history, id_)
    menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: page.message.isVisible())
    assert "no session" in page.message.text
    menu.close()
    assert [each.text() for each in open_recent(qtbot, page).actions()] == ["No plans yet"]


def test_published_sessions_are_set_up_here_scaled_and_never_started(
    qtbot: QtBot, page: BenchPage, followed: list[Any], dyno_home: Path
) -> None:
    with History(dyno_home) as history:
        ids = [each.session for each in import_shipped(history)]
        names = ("innodb-5.6.35-default", "myrocks-5.6.35-default")
        wanted = tuple(find(history, name) for name in names)
    page.open(Wanted("bench", wanted, is_run=True))
    qtbot.waitUntil(lambda: page.controller.draft.request.rows == 80_000_000)
    settle(qtbot, page)
    assert page.message.text.splitlines() == [
        "Set up for local as published, but for:",
        "80,000,000 rows of each table for 16.0 GiB of memory, 40,000,000 there for 8.0 GiB",
        "build mysql-5.6.24 in place of mysql-5.6.35",
        f"build {MARIADB} in place of fb-mysql-5.6.35",
        "Review the checks, then press Run.",
    ]
    assert [each.build for each in request_of(page).contenders] == ["mysql-5.6.24", MARIADB]
    assert not followed
    page.open(Wanted("bench", tuple(ids)))
    qtbot.waitUntil(lambda: "choose sessions of one sequence" in page.message.text)


def test_published_sessions_wait_for_a_survey(qtbot: QtBot, open_page: OpenPage, dyno_home: Path) -> None:
    with History(dyno_home) as history:
        session = import_shipped(history)[0].session
    page = open_page(nothing=True)
    page.open(Wanted("bench", (session,)))
    qtbot.waitUntil(lambda: "survey local first" in page.message.text)


@pytest.mark.parametrize(
    ("text", "why"),
    [("tables = 0\n", "line 1: tables must lie between"), ('target = "gone"\n', "there is no target 'gone'")],
)
def test_a_plan_file_that_cannot_be_is_told(
    qtbot: QtBot, page: BenchPage, tmp_path: Path, text: str, why: str
) -> None:
    page.run_panel.plan.open_wanted.emit(str(write(tmp_path / "plan.toml", text)))
    qtbot.waitUntil(lambda: why in page.message.text)
    good = write(tmp_path / "good.toml", page.run_panel.plan.text.toPlainText())
    page.run_panel.plan.open_wanted.emit(str(good))
    assert not page.message.isVisible()


def test_the_command_line_is_taken_along(qtbot: QtBot, page: BenchPage) -> None:
    page.run_panel.plan.copy.trigger()
    assert QGuiApplication.clipboard().text() == (
        f"dyno run --contender {MARIADB}:innodb:default --contender {MARIADB}:rocksdb:default --sequence duel"
        " --steps point-query,read-only,update-index,insert --seconds 3 --repeats 5 --order slices"
        " --start-state snapshot"
    )


# run


@pytest.fixture
def reach(monkeypatch: pytest.MonkeyPatch) -> Callable[[ScriptedAgent], None]:
    """Run finds this agent."""

    def reach_(agent: ScriptedAgent) -> None:
        monkeypatch.setattr("ui.pages.bench.starting.reached", agent.reached)

    return reach_


@pytest.fixture
def followed(context: Context, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The plans that were to be followed."""
    found: list[tuple[Any, ...]] = []
    monkeypatch.setattr(context.plans, "follow", lambda *what: found.append(what))
    return found


def now(**changes: Any) -> Survey:
    return survey(clock_utc=time.time(), **changes)


def test_run_starts_and_shows_it_live(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], followed: list[Any]
) -> None:
    agent = ScriptedAgent(found=now())
    reach(agent)
    page.setFocus()
    with qtbot.waitSignal(page.context.bus.wanted) as wanted:
        qtbot.keyClick(page, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert agent.asked[-2:] == ["start", "close"]
    ((target, directory, _plan, sha, sessions),) = followed
    assert (target.name, directory, sha) == (LOCAL, "/target", "f00")
    assert wanted.args == [Wanted("live", sessions)]
    assert len(sessions) == 10


def test_a_target_at_work_offers_its_queue(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], followed: list[Any]
) -> None:
    agent = ScriptedAgent(found=now(), taken="/target is in use by plan first (process 7)")
    reach(agent)
    assert not page.run_panel.run_bar.queue_button.isVisible()
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(page.message.isVisible)
    assert page.message.text == "Nothing was started: /target is in use by plan first (process 7)"
    assert agent.asked == ["reach", "close"] and page.run_panel.run_bar.queue_button.isVisible()
    qtbot.mouseClick(page.message.buttons[0], Qt.MouseButton.LeftButton)
    (dialog,) = page.findChildren(QueueingDialog)
    qtbot.mouseClick(dialog.later, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.context.queues.changed):
        qtbot.mouseClick(dialog.queue, Qt.MouseButton.LeftButton)
    assert agent.asked[2:] == ["reach", "upload", "queue", "close"]
    assert agent.change.in_s is not None and 0 < agent.change.in_s <= 24 * 3600
    assert "is number 1 in the queue of local" in page.message.text and not followed


def test_what_is_run_again_starts_once_it_is_checked(
    qtbot: QtBot,
    page: BenchPage,
    reach: Callable[[ScriptedAgent], None],
    followed: list[Any],
    dyno_home: Path,
) -> None:
    reach(ScriptedAgent(found=now()))
    ids = comparable.keep(dyno_home, plan(f"{MARIADB}:innodb", rows=5000, name="before"))
    with qtbot.waitSignal(page.context.bus.wanted) as wanted:
        page.open(Wanted("bench", ids, is_run=True))
    ((*_, sessions),) = followed
    assert wanted.args == [Wanted("live", sessions)] and len(sessions) == 1
    page.open(Wanted("bench", ids))
    settle(qtbot, page)
    assert len(followed) == 1, "to be edited it is only set up"


def test_what_cannot_be_run_again_says_why(
    qtbot: QtBot, page: BenchPage, followed: list[Any], dyno_home: Path
) -> None:
    before = plan(f"{MARIADB}:innodb", rows=5000)
    gone = [replace(before.contenders[0], build="mysql-1.2.3")]
    page.open(Wanted("bench", comparable.keep(dyno_home, replace(before, contenders=gone)), is_run=True))
    qtbot.waitUntil(lambda: page.message.text.startswith("Not started: there is no build mysql-1.2.3"))
    assert not followed


def test_a_start_can_be_given_up(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], followed: list[Any]
) -> None:
    there, go_on = threading.Event(), threading.Event()

    def wait(what: str) -> None:
        if what == "rehearse innodb":
            there.set()
            go_on.wait(30)

    agent = ScriptedAgent(meanwhile=wait, found=now())
    reach(agent)
    bar = page.run_panel.run_bar
    qtbot.mouseClick(bar.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bar.reason.text() == "rehearsing innodb…")
    assert there.is_set() and bar.progress.isVisible() and not bar.run.isEnabled()
    bar.cancel.trigger()
    assert page.message.text == "Cancelled: nothing was started."
    assert not bar.progress.isVisible() and bar.run.isEnabled()
    go_on.set()
    page.context.tasks.close()
    assert "start" not in agent.asked and not followed


def test_a_rehearsal_that_fails_says_what(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], followed: list[Any]
) -> None:
    reach(ScriptedAgent(wrong=["rehearse rocksdb"], found=now()))
    page.run_panel.run_bar.rehearse.trigger()
    qtbot.waitUntil(lambda: "it does not start" in page.message.text)
    assert page.run_panel.checks.item(0).text().startswith("Fail · rehearsal")
    retype(qtbot, page.sequence.fields.edits["rows"], "7k")  # the contender is the same
    settle(qtbot, page)
    assert page.run_panel.checks.item(0).text().startswith("Fail · rehearsal: rocksdb")
    assert page.run_panel.run_bar.run.isEnabled()
    page.controller.change(page.controller.draft.with_contender(1, table_options="ROW_FORMAT=DYNAMIC"))
    settle(qtbot, page)
    assert "Fail" not in checks_of(page)
    page.controller.change(page.controller.draft.with_contender(1, table_options=""))
    settle(qtbot, page)
    assert page.run_panel.checks.item(0).text().startswith("Fail · rehearsal: rocksdb")
    reach(ScriptedAgent(found=now()))
    page.run_panel.run_bar.rehearse.trigger()
    qtbot.waitUntil(lambda: page.message.text.startswith("The rehearsal passed"))
    assert not followed


def test_repeats_are_chosen_or_typed(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.change(page.controller.draft.with_sequence("quick"))
    settle(qtbot, page)
    fields, card = page.sequence.fields, page.run_panel.estimate
    repeats, limit = fields.edits["repeats"], fields.edits["time_limit"]
    assert (repeats.text(), request_of(page).repeats, limit.isVisible()) == (
        "until decided",
        "until decided",
        True,
    )
    assert " to " in card.time.text() and re.match(
        r"until (\w{3} )?\d\d:\d\d at most, about", card.disk.text()
    )
    assert card.work.text().startswith("6 to 16 sessions of ")
    retype(qtbot, limit, "900")
    settle(qtbot, page)
    assert request_of(page).time_limit == 900
    retype(qtbot, repeats, "1")
    settle(qtbot, page)
    assert (request_of(page).repeats, request_of(page).time_limit, limit.isVisible()) == (1, 0, False)
    assert "one repeat: no verdict" in card.work.text() and "1 of each gives no verdict" in checks_of(page)
    retype(qtbot, repeats, "until")
    settle(qtbot, page)
    assert fields.repeats.property("wrong") and 'or "until decided"' in reason(page)
    qtbot.keyClicks(repeats, " decided")
    settle(qtbot, page)
    assert request_of(page).repeats == "until decided" and not fields.repeats.property("wrong")
    fields.repeats.setCurrentIndex(2)
    fields.repeats.activated.emit(2)
    settle(qtbot, page)
    assert (request_of(page).repeats, repeats.text()) == (3, "3")


@pytest.mark.parametrize("height", [560, 690])
def test_all_fields_can_be_read_in_a_small_window(open_page: OpenPage, qtbot: QtBot, height: int) -> None:
    page = open_page(height=height)
    page.controller.change(page.controller.draft.with_sequence("quick"))
    settle(qtbot, page)
    fields = page.sequence.fields
    shown = [*fields.edits.values(), *fields.boxes.values(), fields.name, fields.repeats]
    for widget in shown:
        place = widget.mapTo(fields, QPoint(0, widget.height()))
        assert widget.isVisible() and place.y() <= fields.height()
    assert len({fields.mapFromGlobal(each.mapToGlobal(QPoint())).y() for each in shown}) >= 5


def test_the_check_of_repeats_goes_by_the_calibration_to_the_start(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.history.calibration.noise_of", lambda _history, _machine: 0.123)
    reach(ScriptedAgent(found=now()))
    retype(qtbot, page.sequence.fields.edits["repeats"], "4")
    settle(qtbot, page)
    assert "sessions vary by 12.3%, as measured here" in checks_of(page)
    page.run_panel.run_bar.rehearse.trigger()
    qtbot.waitUntil(lambda: page.message.text.startswith("The rehearsal passed"))
    assert "sessions vary by 12.3%, as measured here" in checks_of(page)


def test_what_servers_have_in_force_is_compared_after_the_rehearsal(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None]
) -> None:
    agent = ScriptedAgent(found=now())
    agent.in_force = {
        "innodb": {"gtid_mode": "ON", "table_open_cache": "1"},
        "rocksdb": {"gtid_mode": "OFF", "table_open_cache": "2"},
    }
    reach(agent)
    page.run_panel.run_bar.rehearse.trigger()
    qtbot.waitUntil(lambda: page.message.text.startswith("The rehearsal passed"))
    items = [page.run_panel.checks.item(row) for row in range(page.run_panel.checks.count())]
    (gtid,) = (each for each in items if "GTID: innodb: on; rocksdb: off (each transaction" in each.text())
    assert gtid.text().startswith("Warn · parity") and "→ set gtid_mode" in gtid.text()


def test_a_target_that_cannot_be_reached_is_told(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise LinkError("nobody answers")

    monkeypatch.setattr("app.remote.reach.connect", fail)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: page.message.text == "nobody answers")
    assert page.run_panel.run_bar.run.isEnabled()


def test_a_host_key_that_is_met_at_run_is_looked_at(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = HostKeyUnknownError(Offer("local", "far.invalid", 22, HostKey("ssh-ed25519", b"key")))

    def fail(*_: Any) -> Any:
        raise refused

    monkeypatch.setattr("app.remote.reach.connect", fail)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: bool(dialogs(HostKeyDialog)))
    assert "press Run again" in page.message.text and "dyno target" not in page.targets.view.message.text
    dialogs(HostKeyDialog)[0].reject()
    assert page.run_panel.run_bar.run.isEnabled() and "is unknown" in page.targets.view.message.text


def test_what_a_lost_link_may_have_started_is_looked_for(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(page.context.plans, "adopt_from", lambda target: looked.append(target.name))

    def fail(*_: Any) -> Any:
        raise LinkError("the link is lost")

    monkeypatch.setattr("app.remote.reach.connect", fail)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: looked == [LOCAL])


def dialogs(kind: type[QWidget]) -> list[Any]:
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()]


# for everybody


def test_every_control_has_a_name_and_every_action_its_words(page: BenchPage) -> None:
    kinds = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit)
    for kind in kinds:
        for control in page.findChildren(kind):
            if control.focusPolicy() != Qt.FocusPolicy.NoFocus and _is_own(control):
                found = QAccessible.queryAccessibleInterface(control)
                assert found.text(QAccessible.Text.Name), f"{control} has no name"
    actions = [each for each in page.page_actions() if each is not None]
    shortcuts = [each.shortcut().toString() for each in actions if each.shortcut().toString()]
    assert len(shortcuts) == len(set(shortcuts))
    assert all(each.text() and each.toolTip() and each.statusTip() for each in actions)


def _is_own(widget: QWidget) -> bool:
    """Not a part that Qt put into another control, nor of a message that is not there."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QComboBox | Message):
            return False
        above = above.parentWidget()
    return not widget.objectName().startswith("qt_")


@pytest.mark.parametrize("appearance", ["light", "dark"])
@pytest.mark.parametrize("size", [(1248, 690), (1888, 970)])
def test_eight_contenders_with_long_names_fit(
    qtbot: QtBot, open_page: OpenPage, context: Context, size: tuple[int, int], appearance: str
) -> None:
    context.theme.set_appearance(appearance)
    long = "percona-server-8.0.36-28-built-with-everything"
    builds = [
        build(MARIADB, "MariaDB", VERSION, ["innodb", "rocksdb", "myisam"]),
        build(long, "Percona", "8.0.36", ["innodb", "rocksdb", "myisam"]),
        *(build(f"mysql-8.4.{at}", "MySQL", f"8.4.{at}", ["innodb", "myisam"]) for at in range(6)),
    ]
    page = open_page(*size, builds=builds)
    for at in range(6):
        page.controller.change(page.controller.draft.tick(f"mysql-8.4.{at}", "innodb", "default", True))
    page.controller.change(
        page.controller.draft.with_contender(0, name="a name of nearly sixty letters, as long as it may be")
    )
    settle(qtbot, page)
    assert page.contenders.contenders.rowCount() == 8
    assert (page.width(), page.height()) == size
    for widget in page.findChildren(QWidget):
        if widget.isVisible() and widget.parentWidget() and isinstance(widget, QAbstractButton | QLineEdit):
            assert widget.parentWidget().rect().contains(widget.geometry()), widget
    assert page.contenders.table.height() >= 4 * 26
