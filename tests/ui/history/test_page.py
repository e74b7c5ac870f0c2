"""The History page as a person uses it: keys, clicks, menus."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QPlainTextEdit, QPushButton, QTableView
from pytestqt.qtbot import QtBot

from tests import journals
from tests.ui.history.hand import FAILED, IDS, Hand, kept
from ui.core.bus import PartsToReload, ShowPageRequest
from ui.core.context import WindowContext
from ui.models.session_columns import NAME
from ui.models.settings_in_force import SettingModel
from ui.pages.history import HistoryPage
from ui.pages.history.facets import FacetButton
from ui.pages.history.table import SessionTable
from ui.pages.history.tabs import StepTable
from ui.widgets.empty import EmptyPage

# menus, where there is no real window system
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def test_all_sessions_the_newest_first(hand: Hand) -> None:
    assert hand.shown()[0] == 4 and sorted(hand.shown()) == [0, 1, 2, 3, 4]


def test_nothing_scrolls_sideways_until_a_person_chooses_columns(hand: Hand) -> None:
    tabs = hand.look_at(0, 1)
    results = next(each for each in tabs.findChildren(StepTable) if each.isVisible())
    shown = {}
    for width in (1900, 1280):
        hand.page.resize(width, 800)
        for table in (hand.table, results):
            hand.qtbot.waitUntil(lambda table=table: table.horizontalScrollBar().maximum() == 0)
            shown[width, table] = [at for at in range(30) if not table.isColumnHidden(at)]
    for table in (hand.table, results):
        assert set(shown[1280, table]) < set(shown[1900, table])
        left_out = min(set(shown[1900, table]) - set(shown[1280, table]))
        table._show_column(left_out, True)
        hand.page.resize(1300, 800)
        assert not table.isColumnHidden(left_out)


def test_a_long_name_does_not_make_the_window_wider(hand: Hand) -> None:
    hand.select(0)
    hand.page._frame.show_selected("the small server studies, " * 8)
    assert hand.page.minimumSizeHint().width() < 1200


def test_the_list_is_filtered_with_every_key(hand: Hand) -> None:
    hand.qtbot.keyClicks(hand.line, "rocks")
    hand.wait_shown([1, 3])
    hand.qtbot.keyClicks(hand.line, "db nothing")
    hand.wait_shown([])
    (nothing,) = hand.page.findChildren(EmptyPage)
    assert nothing.isVisible()
    hand.qtbot.keyClick(hand.line, Qt.Key.Key_Escape)
    hand.wait_shown([0, 1, 2, 3, 4])


def test_a_facet_is_ticked_in_a_menu_that_stays_open(hand: Hand) -> None:
    button = next(each for each in hand.page.findChildren(FacetButton) if each.name == "state")
    menu = button.menu()
    menu.popup(button.mapToGlobal(QPoint(0, 30)))
    entries = {action.data(): action for action in menu.actions() if action.isCheckable()}
    assert [action.text() for action in entries.values()] == ["waiting\t1", "completed\t3", "lost\t1"]
    hand.qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entries["lost"]).center())
    assert menu.isVisible()
    menu.setActiveAction(entries["waiting"])
    hand.qtbot.keyClick(menu, Qt.Key.Key_Space)
    menu.close()
    hand.wait_shown([2, 3])
    assert button.chosen == ("lost", "waiting") and "2" in button.text()
    menu.popup(button.mapToGlobal(QPoint(0, 30)))
    menu.actions()[-1].trigger()
    menu.close()
    hand.wait_shown([0, 1, 2, 3, 4])


def test_a_click_on_a_head_sorts(hand: Hand, context: WindowContext) -> None:
    head = hand.table.horizontalHeader()
    at = head.sectionViewportPosition(NAME) + 20
    hand.qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at, 10))
    hand.qtbot.waitUntil(lambda: hand.shown() == [4, 0, 2, 1, 3])
    assert context.memory.value("history/order", "").startswith("name")


def test_the_selection_outlives_what_changes_around_it(hand: Hand, context: WindowContext) -> None:
    hand.select(0, 1)
    hand.qtbot.keyClicks(hand.line, "duel")
    hand.wait_shown([0, 1, 2, 3])
    assert set(hand.table.selected) == {IDS[0], IDS[1]}
    hand.qtbot.keyClicks(hand.line, " rocksdb")
    hand.wait_shown([1, 3])
    hand.qtbot.waitUntil(lambda: hand.table.selected == (IDS[1],))
    hand.qtbot.keyClicks(hand.line, " nothing")
    hand.wait_shown([])
    hand.qtbot.waitUntil(lambda: hand.table.selected == ())


def test_down_goes_from_the_filter_to_the_list(hand: Hand) -> None:
    hand.page.activateWindow()
    hand.qtbot.keyClick(hand.line, Qt.Key.Key_Down)
    assert hand.table.selected == (IDS[hand.shown()[0]],)


def test_a_session_says_what_was_carried_out_on_what(hand: Hand) -> None:
    tabs = hand.look_at(FAILED, 0)
    labels = [label.text() for label in tabs.findChildren(QLabel)]
    made = journals.contender()
    assert f"{made.build} ({made.family} {made.version})" in labels
    assert any("update-index failed: sysbench: FATAL: error 1205" in text for text in labels)
    assert any("4 of 5 steps completed" in text for text in labels)


def test_its_results_settings_notes_and_log(hand: Hand) -> None:
    tabs = hand.look_at(FAILED, 1)
    results = tabs.currentWidget().findChild(QTableView).model()
    assert results.rowCount() == 5
    assert any("1205" in str(results.index(3, at).data()) for at in range(results.columnCount()))
    hand.look_at(FAILED, 3)
    settings = hand.page.findChildren(QLineEdit)
    line = next(each for each in settings if each.accessibleName() == "Filter settings")
    hand.qtbot.keyClicks(line, "buffer_pool")
    model = hand.page.findChild(SettingModel)
    assert [str(model.index(0, at).data()) for at in range(3)] == [
        "variables loaded", "innodb_buffer_pool_size", "1073741824",
    ]  # fmt: skip
    hand.look_at(FAILED, 4)
    notes = {each.accessibleName(): each for each in hand.page.findChildren(QPlainTextEdit)}
    assert "the fan is loud" in notes["Notes"].toPlainText()
    hand.look_at(FAILED, 5)
    assert "page cleaner" in notes["Log"].toPlainText()


def test_several_selected_are_counted(hand: Hand) -> None:
    hand.select(0, 1, 4)
    texts = [label.text() for label in hand.page.findChildren(QLabel) if label.isVisible()]
    assert any("3 sessions" in text for text in texts)


def test_compare_and_live_are_asked_for(hand: Hand, context: WindowContext) -> None:
    hand.select(0)
    assert not hand.action("Compare").isEnabled()
    with hand.qtbot.waitSignal(context.bus.wanted) as told:
        hand.press("Open in Live")
    assert told.args == [ShowPageRequest("live", (IDS[0],))]
    hand.select(0, 1)
    with hand.qtbot.waitSignal(context.bus.wanted) as told:
        hand.press("Compare")
    assert told.args == [ShowPageRequest("compare", (IDS[0], IDS[1]))]


def test_another_page_may_want_sessions_here(hand: Hand) -> None:
    hand.qtbot.keyClicks(hand.line, "xeon")
    hand.wait_shown([4])
    hand.page.open(ShowPageRequest("history", (IDS[1],)))
    hand.qtbot.waitUntil(lambda: hand.table.selected == (IDS[1],))


def test_a_session_is_renamed_in_its_line(hand: Hand, context: WindowContext) -> None:
    hand.select(0)
    hand.press("Rename")
    editor = next(each for each in hand.table.findChildren(QLineEdit) if each.isVisible())
    editor.setText("the first")
    hand.qtbot.keyClick(editor, Qt.Key.Key_Return)
    kept(hand.qtbot, context, lambda all_: all_[0]["name"] == "the first")
    hand.qtbot.waitUntil(
        lambda: "the first" in [hand.table.model().index(row, NAME).data() for row in range(5)]
    )


def test_tags_for_several(hand: Hand, context: WindowContext) -> None:
    hand.select(0, 1)
    for name in ("quiet", "quiet"):
        hand.press("Tag")
        hand.qtbot.waitUntil(lambda: any(menu.isVisible() for menu in hand.page.findChildren(QMenu)))
        menu = next(menu for menu in hand.page.findChildren(QMenu) if menu.isVisible())
        ticked = [action for action in menu.actions() if action.isCheckable()]
        if ticked:
            assert ticked[0].isChecked()
            ticked[0].trigger()
            menu.close()
            kept(hand.qtbot, context, lambda all_: not any(each["tags"] for each in all_))
        else:
            line = menu.findChild(QLineEdit)
            hand.qtbot.keyClicks(line, name)
            hand.qtbot.keyClick(line, Qt.Key.Key_Return)
            kept(hand.qtbot, context, lambda all_: sum(each["tags"] == ["quiet"] for each in all_) == 2)
        hand.qtbot.waitUntil(lambda: not any(menu.isVisible() for menu in hand.page.findChildren(QMenu)))


def test_tags_are_edited_in_the_detail(hand: Hand, context: WindowContext) -> None:
    tabs = hand.look_at(0, 0)
    line = next(each for each in tabs.findChildren(QLineEdit) if each.accessibleName() == "Tags")
    line.setText("b, a,,a")
    hand.qtbot.keyClick(line, Qt.Key.Key_Return)
    kept(hand.qtbot, context, lambda all_: all_[0]["tags"] == ["a", "b"])


def test_a_note_is_added(hand: Hand) -> None:
    tabs = hand.look_at(0, 0)
    hand.press("Add note")
    line = next(each for each in tabs.findChildren(QLineEdit) if each.accessibleName() == "New note")
    hand.qtbot.keyClicks(line, "the window was open")
    hand.qtbot.keyClick(line, Qt.Key.Key_Return)
    notes = next(each for each in tabs.findChildren(QPlainTextEdit) if each.accessibleName() == "Notes")
    hand.qtbot.waitUntil(lambda: "the window was open" in notes.toPlainText())


def test_delete_is_undone(hand: Hand) -> None:
    hand.select(0, FAILED)
    hand.press("Delete")
    hand.wait_shown([2, 3, 4])
    assert "2 sessions deleted" in hand.message.text
    hand.press("Undo")
    hand.wait_shown([0, 1, 2, 3, 4])
    assert not hand.action("Undo").isEnabled() and not hand.message.isVisible()
    assert sorted(hand.table.selected) == sorted((IDS[0], IDS[FAILED]))


def test_after_delete_nothing_reads_what_is_gone(hand: Hand) -> None:
    hand.look_at(0, 0)
    with hand.qtbot.waitSignal(hand.page.counted):
        hand.press("Delete")
    hand.wait_shown([1, 2, 3, 4])
    hand.qtbot.waitUntil(lambda: not hand.tabs.isVisible())
    assert not any("dyno " in label.text() for label in hand.page.findChildren(QLabel))


def test_the_last_session_comes_back_with_the_keyboard_too(
    released: Path, context: WindowContext, qtbot: QtBot
) -> None:
    page = HistoryPage(context)
    qtbot.addWidget(page)
    with qtbot.waitSignal(page.counted):
        page.show()
    hand = Hand(page, qtbot)
    hand.table.selectAll()
    hand.press("Delete")
    qtbot.waitUntil(lambda: not hand.table.isVisible() and page.findChild(EmptyPage) is not None)
    qtbot.keyClick(page, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: hand.table.isVisible() and hand.table.model().rowCount() == 1)


def test_what_is_carried_out_is_not_deleted_and_says_why(hand: Hand) -> None:
    hand.select(0, 3)
    hand.press("Delete")
    hand.wait_shown([1, 2, 3, 4])
    assert hand.message.text.startswith("1 session deleted; 1 is still running")


def test_an_empty_history_says_what_belongs_here(context: WindowContext, qtbot: QtBot) -> None:
    page = HistoryPage(context)
    qtbot.addWidget(page)
    with qtbot.waitSignal(page.counted):
        page.show()
    (empty,) = page.findChildren(EmptyPage)
    assert empty.isVisible()
    with qtbot.waitSignal(context.bus.wanted) as told:
        empty.findChild(QPushButton).click()
    assert told.args == [ShowPageRequest("bench")]


def test_a_hidden_page_reads_when_it_is_seen_again(hand: Hand, context: WindowContext) -> None:
    hand.page.hide()
    with hand.qtbot.assertNotEmitted(hand.page.counted, wait=50):
        context.bus.changed.emit(PartsToReload(sessions=True))
    with hand.qtbot.waitSignal(hand.page.counted):
        hand.page.show()


def test_every_control_of_history_has_a_name(hand: Hand) -> None:
    hand.look_at(0, 0)
    for kind in (QLineEdit, QPlainTextEdit, SessionTable):
        for each in hand.page.findChildren(kind):
            assert each.accessibleName() or each.objectName().startswith("qt_"), each
