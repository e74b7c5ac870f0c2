"""Sequence, steps and sizes: chosen or typed, with what is wrong beside the field."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from pytestqt.qtbot import QtBot

from app.catalog import Catalog
from tests.sequences import TOGETHER, keep_own
from tests.ui.bench.set_up import (
    OpenPage,
    reason,
    request_of,
    retype,
    settle,
    steps,
)
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.sweep import SweepDialog

SETTLED_MS = 100  # until everything is laid out


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
    assert reason(page).startswith("rows must be a number such as")
    below = page.sequence.fields.reason_of("rows")
    assert edit.toolTip() == reason(page) == below.text()
    assert below.isVisible() and 0 <= below.y() - edit.geometry().bottom() < 8, "it covers no label"
    assert not page.run_panel.run_bar.run.isEnabled()
    retype(qtbot, edit, "1k")
    settle(qtbot, page)
    assert (edit.property("wrong"), reason(page), request_of(page).rows) == (False, "", 1000)
    assert page.sequence.fields.reason_of("rows").text() == ""


def test_a_field_left_open_shows_what_the_sequence_says(qtbot: QtBot, page: BenchPage) -> None:
    fields = page.sequence.fields.edits
    assert fields["rows"].placeholderText() == "50,000"
    box = page.sequence.box
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    settle(qtbot, page)
    assert request_of(page).sequence == "limit"
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
    page.controller.change(page.controller.draft.with_options(steps=()))
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


def test_selected_steps_are_profiled_and_no_more(qtbot: QtBot, page: BenchPage) -> None:
    tree = page.sequence.steps
    assert not page.sequence.profile.isEnabled()
    tree.setCurrentItem(steps(page)["read-only"])
    page.sequence.profile.trigger()
    settle(qtbot, page)
    assert request_of(page).profile == ("read-only",)
    assert steps(page)["read-only"].text(0).endswith("profiled")
    page.sequence.profile.trigger()
    settle(qtbot, page)
    assert request_of(page).profile == ()
    assert not steps(page)["read-only"].text(0).endswith("profiled")


def test_space_ticks_all_that_the_filter_shows_and_ctrl_a_selects(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.change(page.controller.draft.with_options(steps=()))
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
    for box in bar.ticks.values():
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
    assert page.sequence.fields.reason_of("order").text() == reason(page) and order.pos() == place
    assert page.sequence.differing.text() == reason(page), "it is said while the field is folded too"
    assert reason(page).startswith("the order slices needs 2 to 4 servers, not 1: choose more")
    assert "needs 2 to 4 servers" in order.toolTip()
    order.setCurrentIndex(order.findData("interleaved"))
    settle(qtbot, page)
    assert (order.property("wrong"), reason(page), order.toolTip()) == (False, "", usual)
    qtbot.wait(50)  # until the form is laid out
    assert order.pos() == place


def test_what_is_folded_names_what_differs(qtbot: QtBot, page: BenchPage) -> None:
    panel = page.sequence
    assert not panel.folded.isVisible()
    assert (
        panel.differing.text()
        == "some steps left out, 4 s a step, servers take turns, from a copy of the data"
    )
    panel.sequence_chosen.emit("quick")
    settle(qtbot, page)
    assert panel.differing.text() == "all else as usual"
    grid, height = page.contenders.grid, page.contenders.height()
    panel.more.trigger()
    assert panel.folded.isVisible() and panel.more.text() == "▾ More"
    qtbot.waitUntil(lambda: page.contenders.height() < height)
    for box in page.run_panel.run_bar.ticks.values():
        assert box.isVisible()
    panel.more.trigger()
    qtbot.waitUntil(lambda: page.contenders.height() == height)
    assert grid.isVisible()


def places(page: BenchPage) -> list[QRect]:
    """Where tables and controls are, and the columns of the grid."""
    panel, grid = page.sequence, page.contenders.grid
    parts = [grid, page.contenders.table, panel, panel.box, panel.fields, panel.fields.edits["rows"]]
    columns = range(page.contenders.choices.columnCount())
    return [*(each.geometry() for each in parts), *(QRect(0, 0, grid.columnWidth(at), 1) for at in columns)]


@pytest.mark.parametrize("height", [690, 800])
def test_after_folding_the_page_looks_as_before(qtbot: QtBot, open_page: OpenPage, height: int) -> None:
    page = open_page(1280, height)
    qtbot.wait(SETTLED_MS)
    before = places(page)
    page.sequence.more.trigger()
    qtbot.wait(SETTLED_MS)  # what is laid out is remembered: only then is the size of before in the way
    assert places(page) != before
    page.sequence.more.trigger()
    qtbot.waitUntil(lambda: places(page) == before)


def test_the_fold_is_as_it_was_left(open_page: OpenPage) -> None:
    open_page().sequence.more.trigger()
    assert open_page().sequence.folded.isVisible()


def test_a_sequence_brings_its_own_order_start_and_sweep(qtbot: QtBot, page: BenchPage) -> None:
    retype(qtbot, page.sequence.fields.edits["rows"], "7k")
    page.controller.change(page.controller.draft.with_options(cores=(2,), rate=(500,)))
    page.sequence.sequence_chosen.emit("small-datum")
    settle(qtbot, page)
    request = request_of(page)
    assert (request.order, request.start, request.cores, request.rate) == (
        "interleaved",
        "loaded",
        None,
        None,
    )
    assert (request.rows, request.repeats) == (7000, "until decided")


def test_how_long_is_chosen_with_the_slider(qtbot: QtBot, page: BenchPage) -> None:
    page.sequence.sequence_chosen.emit("quick")
    settle(qtbot, page)
    length, seconds = page.sequence.fields.length, page.sequence.fields.edits["seconds"]
    length.slider.setFocus()
    qtbot.keyClick(length.slider, Qt.Key.Key_Right)
    settle(qtbot, page)
    assert length.edit.text() == "15 min" and request_of(page).time_limit == 900
    chosen = page.sequence.fields.reason_of("time_limit").text()
    assert chosen.startswith("Dyno chose ") and "of 15 min" in chosen
    assert page.controller.draft.request.seconds is None and request_of(page).seconds
    assert seconds.placeholderText() == str(request_of(page).seconds) and seconds.text() == ""
    assert "s a step" in page.sequence.differing.text()
    qtbot.keyClick(length.slider, Qt.Key.Key_Left)
    settle(qtbot, page)
    assert (length.edit.text(), request_of(page).time_limit, request_of(page).seconds) == ("", 0, None)
    assert page.sequence.fields.reason_of("time_limit").text() == ""


def test_how_long_may_be_a_time_of_day(qtbot: QtBot, page: BenchPage, open_page: OpenPage) -> None:
    page.sequence.sequence_chosen.emit("quick")
    settle(qtbot, page)
    edit = page.sequence.fields.length.edit
    retype(qtbot, edit, "07:00")
    settle(qtbot, page)
    assert edit.text() == "07:00" and 0 < request_of(page).time_limit <= 86_400
    again = open_page()
    assert again.sequence.fields.length.edit.text() == "07:00" and again.controller.draft.by == "07:00"
    retype(qtbot, edit, "7:99")
    settle(qtbot, page)
    assert edit.property("wrong") and "must be a time of day" in reason(page)


def test_a_sweep_is_set_up_and_what_the_target_has_not_is_refused(qtbot: QtBot, open_page: OpenPage) -> None:
    page = open_page(topology=[[[0, 2], [1, 3]]])
    page.sequence.sweep.trigger()
    dialog = page.findChild(SweepDialog)
    assert dialog is not None and dialog.said.text() == "1 point of each step: 1 thread count"
    qtbot.keyClicks(dialog.form.line("threads"), "1, 2, 4")
    qtbot.keyClicks(dialog.form.line("cores"), "8")
    assert dialog.said.text().startswith("a server with 8 cores: the target has 2 with 4 CPUs")
    assert not dialog.accept_button.isEnabled()
    retype(qtbot, dialog.form.line("cores"), "0-3")
    assert dialog.said.text() == "cores must be between 1 and 4,096, not 0; CPUs go into brackets: [0-3]"
    assert dialog.form.line("cores").property("wrong")
    retype(qtbot, dialog.form.line("cores"), "4, [2-9]")
    assert dialog.said.text().startswith("a server on CPUs 2-9: the target has 0-3")
    retype(qtbot, dialog.form.line("cores"), "4, [1,3]")
    assert dialog.said.text().endswith("the server on CPUs 0-3, then 1,3")
    dialog.form.inputs["own_cpus"].click()
    retype(qtbot, dialog.form.line("cores"), "4, 2")
    qtbot.keyClicks(dialog.form.line("variable"), "innodb_spin_wait_delay")
    assert not dialog.accept_button.isEnabled()
    qtbot.keyClicks(dialog.form.line("vary"), "6, 96")
    assert dialog.said.text() == (
        "12 points of each step: 3 thread counts x 2 core counts x 2 values\nthe server on CPUs 0-3, then 0-1"
    )
    dialog.accept_button.click()
    settle(qtbot, page)
    request = request_of(page)
    assert (request.threads, request.cores) == ((1, 2, 4), (4, 2))
    assert (request.vary, request.cpus) == ("innodb_spin_wait_delay=6, 96", "own")
    assert page.sequence.sweep.text() == "Sweep x4…"
    plan = page.outcome.plan if page.outcome else None
    assert plan and len([step for step in plan.steps if step.kind == "drive"]) == 4 * 12
    page.sequence.sequence_chosen.emit("oltp-read-only")
    swept = page.controller.draft.typed("threads", "1, 2, 4").with_options(
        vary="innodb_spin_wait_delay=6, 96"
    )
    page.controller.change(swept)
    settle(qtbot, page)
    page.sequence.sweep.trigger()
    dialog = page.findChildren(SweepDialog)[-1]
    variable, rates = dialog.form.line("variable"), dialog.form.line("rate")
    dialog.form.line("cores").clear()  # those of the sequence
    assert dialog.said.text().startswith(  # of 32 to 4
        "6 points of each step: 3 thread counts x 1 core count x 2 values"
    )
    qtbot.waitUntil(lambda: variable.completer() is not None)
    retype(qtbot, variable, "spin")
    assert variable.completer().currentCompletion() == "innodb_spin_wait_delay"
    retype(qtbot, variable, "innodb_spin_wait_delay")
    retype(qtbot, dialog.form.line("threads"), "1..64 x2")
    assert dialog.said.text().startswith("14 points of each step")
    qtbot.keyClicks(rates, "100..400 x2")
    assert dialog.said.text().startswith("42 points of each step: 7 thread counts x 1 core count x 3 rates")
    dialog.form.inputs["arrivals"].set_value("even")
    assert (dialog.draft.request.rate, dialog.draft.request.arrivals) == ((100, 200, 400), "even")
    retype(qtbot, rates, "fast")
    assert rates.property("wrong") and not dialog.accept_button.isEnabled()
    rates.clear()
    retype(qtbot, dialog.form.line("threads"), "64..1")
    assert dialog.said.text().startswith("threads 64..1: a range goes up")
    assert (dialog.form.line("threads").property("wrong"), dialog.form.line("cores").property("wrong")) == (
        True,
        False,
    )


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


def test_a_step_with_roles_is_one_line(qtbot: QtBot, open_page: OpenPage, dyno_home: Path) -> None:
    keep_own(dyno_home, TOGETHER)
    page = open_page()
    page.sequence.sequence_chosen.emit("own")
    settle(qtbot, page)
    item = steps(page)["together"]
    assert item.text(0) == "together · reader, writer (3 threads, 10 events/s)"
    assert item.toolTip(0).startswith("reader (point-query), writer (update-index)")
    assert page.run_panel.estimate.work.text().startswith("3 steps, ")
    page.controller.change(page.controller.draft.with_options(order="slices"))
    settle(qtbot, page)
    assert reason(page) == (
        "step together has roles, which the order slices cannot cut: choose the order interleaved"
    )
