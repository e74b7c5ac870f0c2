"""The History page as a person uses it: keys, clicks, files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QMenu, QPlainTextEdit, QPushButton, QTableView
from pytestqt.qtbot import QtBot

from app.history.history import History
from app.history.import_any import import_any
from app.history.publishing import import_shipped
from app.history.sessions import SessionEntry, sessions
from app.history.watching import keep_unlocked
from app.history.writing import Writer
from tests import journals
from ui.core.bus import Changes, Wanted
from ui.core.context import Context
from ui.models.session_columns import NAME
from ui.models.settings_in_force import SettingModel
from ui.pages.history import HistoryPage
from ui.pages.history.facets import FacetButton
from ui.pages.history.filter_bar import FilterLine
from ui.pages.history.reading import read_detail
from ui.pages.history.table import SessionTable
from ui.pages.history.tabs import DetailTabs
from ui.widgets.empty import EmptyPage
from ui.widgets.message import Message

# menus, where there is no real window system
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")

RELEASED = Path(__file__).parents[1] / "data" / "0.1.0" / "session.zip"
PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=2)
OTHER = replace(journals.plan(number=2, target="xeon"), sequence="quick")
IDS = [*(turn.session for turn in PLAN.turns), OTHER.turns[0].session]
FAILED, LOST = 1, 2


@pytest.fixture
def filled(dyno_home: Path) -> Path:
    """Five sessions: completed, with a failed step, lost, waiting; and one elsewhere."""
    lost = journals.Maker(PLAN, IDS[LOST]).begin()
    lost.step(0)
    makers = [journals.whole(PLAN, IDS[0]), journals.whole(PLAN, IDS[FAILED], failed=3), lost]
    with History(dyno_home) as history:
        for maker in [*makers, journals.Maker(PLAN, IDS[3]).planned(), journals.whole(OTHER)]:
            Writer(history).append(maker.plan.id, maker.session, 0, maker.raw)
        keep_unlocked(history, [IDS[LOST]])
    return dyno_home


class Hand:
    """A person before the page."""

    def __init__(self, page: HistoryPage, qtbot: QtBot) -> None:
        self.page, self.qtbot = page, qtbot
        self.table = page.findChild(SessionTable)
        self.line = page.findChild(FilterLine)
        self.message = page.findChild(Message)

    def shown_ids(self) -> list[str]:
        return list(self.table.model().rows.ids)

    def shown(self) -> list[int]:
        return [IDS.index(session) for session in self.shown_ids()]

    def wait_shown(self, expected: list[int]) -> None:
        self.qtbot.waitUntil(lambda: sorted(self.shown()) == expected)

    def select(self, *chosen: int) -> None:
        self.table.select([IDS[at] for at in chosen])
        assert sorted(self.table.selected) == sorted(IDS[at] for at in chosen)

    def press(self, text: str) -> None:
        self.action(text).trigger()

    def action(self, text: str) -> QAction:
        actions = (each for each in self.page.page_actions() if each is not None)
        return next(each for each in actions if each.text().replace("&", "").startswith(text))

    @property
    def tabs(self) -> DetailTabs:
        return self.page.findChild(DetailTabs)

    def look_at(self, at: int, tab: int) -> DetailTabs:
        self.select(at)
        self.qtbot.waitUntil(lambda: self.page.findChild(DetailTabs) is not None and self.tabs.isVisible())
        self.tabs.setCurrentIndex(tab)
        return self.tabs


def shown(context: Context, qtbot: QtBot) -> Hand:
    """The page with its list."""
    page = HistoryPage(context)
    qtbot.addWidget(page)
    page.resize(1264, 740)
    made = Hand(page, qtbot)
    with qtbot.waitSignal(page.counted):
        page.show()
    return made


@pytest.fixture
def hand(filled: Path, context: Context, qtbot: QtBot) -> Hand:
    """All sessions in one list: plans are in test_history_by_plan."""
    context.memory.keep("history/by plan", False)
    return shown(context, qtbot)


def entry(context: Context, at: int) -> SessionEntry:
    with History(context.home) as history:
        return sessions(history, ids=[IDS[at]])[0]


def kept(qtbot: QtBot, context: Context, holds: Callable[[list[SessionEntry]], bool]) -> None:
    """Wait until the history says so."""

    def look() -> bool:
        with History(context.home) as history:
            return holds(sessions(history))

    qtbot.waitUntil(look)


# finding


def test_all_sessions_the_newest_first(hand: Hand) -> None:
    assert hand.shown()[0] == 4 and sorted(hand.shown()) == [0, 1, 2, 3, 4]


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


def test_a_click_on_a_head_sorts(hand: Hand, context: Context) -> None:
    head = hand.table.horizontalHeader()
    at = head.sectionViewportPosition(NAME) + 20
    hand.qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at, 10))
    hand.qtbot.waitUntil(lambda: hand.shown() == [4, 0, 2, 1, 3])
    assert context.memory.value("history/order", "").startswith("name")


def test_the_selection_outlives_what_changes_around_it(hand: Hand, context: Context) -> None:
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


# looking


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
    hand.look_at(FAILED, 2)
    settings = hand.page.findChildren(QLineEdit)
    line = next(each for each in settings if each.accessibleName() == "Filter settings")
    hand.qtbot.keyClicks(line, "buffer_pool")
    model = hand.page.findChild(SettingModel)
    assert [str(model.index(0, at).data()) for at in range(3)] == [
        "variables loaded", "innodb_buffer_pool_size", "1073741824",
    ]  # fmt: skip
    hand.look_at(FAILED, 3)
    notes = {each.accessibleName(): each for each in hand.page.findChildren(QPlainTextEdit)}
    assert "the fan is loud" in notes["Notes"].toPlainText()
    hand.look_at(FAILED, 4)
    assert "page cleaner" in notes["Log"].toPlainText()


def test_several_selected_are_counted(hand: Hand) -> None:
    hand.select(0, 1, 4)
    texts = [label.text() for label in hand.page.findChildren(QLabel) if label.isVisible()]
    assert any("3 sessions" in text for text in texts)


def test_compare_and_live_are_asked_for(hand: Hand, context: Context) -> None:
    hand.select(0)
    assert not hand.action("Compare").isEnabled()
    with hand.qtbot.waitSignal(context.bus.wanted) as told:
        hand.press("Open in Live")
    assert told.args == [Wanted("live", (IDS[0],))]
    hand.select(0, 1)
    with hand.qtbot.waitSignal(context.bus.wanted) as told:
        hand.press("Compare")
    assert told.args == [Wanted("compare", (IDS[0], IDS[1]))]


def test_another_page_may_want_sessions_here(hand: Hand) -> None:
    hand.qtbot.keyClicks(hand.line, "xeon")
    hand.wait_shown([4])
    hand.page.open(Wanted("history", (IDS[1],)))
    hand.qtbot.waitUntil(lambda: hand.table.selected == (IDS[1],))


# changing


def test_a_session_is_renamed_in_its_line(hand: Hand, context: Context) -> None:
    hand.select(0)
    hand.press("Rename")
    editor = next(each for each in hand.table.findChildren(QLineEdit) if each.isVisible())
    editor.setText("the first")
    hand.qtbot.keyClick(editor, Qt.Key.Key_Return)
    kept(hand.qtbot, context, lambda all_: all_[0]["name"] == "the first")
    hand.qtbot.waitUntil(
        lambda: "the first" in [hand.table.model().index(row, NAME).data() for row in range(5)]
    )


def test_tags_for_several(hand: Hand, context: Context) -> None:
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


def test_tags_are_edited_in_the_detail(hand: Hand, context: Context) -> None:
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
    recorded: Path, context: Context, qtbot: QtBot
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


# files


def test_the_selected_lines_are_copied_as_a_table(hand: Hand, context: Context) -> None:
    hand.select(0, FAILED)
    with hand.qtbot.waitSignal(context.bus.said):
        hand.press("Copy")
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert [row[0] for row in rows] == ["Name", "rocksdb-default-1", "innodb-default-1"]
    at = rows[0].index("QPS write")
    assert rows[1][at].startswith("(1/2) ") and not rows[2][at].startswith("(")


def test_a_session_is_written_down_as_a_script(hand: Hand, context: Context, tmp_path: Path) -> None:
    drop(hand.page, [RELEASED])
    hand.qtbot.waitUntil(lambda: len(hand.shown_ids()) == 6)
    hand.qtbot.waitUntil(lambda: hand.action("Script...").isEnabled())
    (session,) = hand.table.selected
    with hand.qtbot.waitSignal(context.bus.saved) as saved:
        hand.page._exchange.write_script(session, tmp_path / "again")
    assert saved.args[0] == tmp_path / "again" / "run.sh"
    assert (tmp_path / "again" / "lua" / "dyno.lua").is_file()
    hand.page._exchange.write_script(session, tmp_path / "again")
    hand.qtbot.waitUntil(lambda: "exists already" in hand.message.text)


def test_sessions_go_out_and_come_back_by_a_drop(hand: Hand, context: Context, tmp_path: Path) -> None:
    hand.page._exchange.export_to([IDS[0], IDS[1]], tmp_path)
    hand.qtbot.waitUntil(lambda: len(list(tmp_path.glob("*.dyno.zip"))) == 2)
    hand.select(0, 1)
    hand.press("Delete")
    hand.wait_shown([2, 3, 4])
    (tmp_path / "other.zip").write_text("no session")
    drop(hand.page, sorted(tmp_path.glob("*.zip")))
    hand.wait_shown([0, 1, 2, 3, 4])
    hand.qtbot.waitUntil(lambda: set(hand.table.selected) == {IDS[0], IDS[1]})
    assert "other.zip is not imported" in hand.message.text


def drop(page: HistoryPage, files: list[Path]) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    page.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))


def test_a_folder_of_outputs_is_one_session_and_what_is_none_is_named(hand: Hand, tmp_path: Path) -> None:
    folder = tmp_path / "laptop"
    shutil.copytree(RELEASED.parents[1] / "sysbench", folder)
    for name in "abcdefgh":
        (folder / f"{name}.md").write_text("no output")
    hand.press("Import a folder")
    dialog = hand.page.findChild(QFileDialog)
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("laptop")
    dialog.accept()
    hand.qtbot.waitUntil(lambda: "a.md is not read" in hand.message.text)
    assert hand.message.text.splitlines()[0] == "1 session imported"
    assert hand.message.text.endswith("and 2 more")


def test_a_session_of_an_earlier_version_is_taken_in(hand: Hand, tmp_path: Path) -> None:
    file = Path(shutil.copy(RELEASED, tmp_path))
    (tmp_path / "other.zip").write_text("no session")
    drop(hand.page, [tmp_path / "other.zip"])
    hand.qtbot.waitUntil(lambda: "other.zip is not imported" in hand.message.text)
    drop(hand.page, [file])
    hand.qtbot.waitUntil(lambda: hand.table.model().rowCount() == 6)
    assert not hand.message.isVisible()


# states of the page


def test_an_empty_history_says_what_belongs_here(context: Context, qtbot: QtBot) -> None:
    page = HistoryPage(context)
    qtbot.addWidget(page)
    with qtbot.waitSignal(page.counted):
        page.show()
    (empty,) = page.findChildren(EmptyPage)
    assert empty.isVisible()
    with qtbot.waitSignal(context.bus.wanted) as told:
        empty.findChild(QPushButton).click()
    assert told.args == [Wanted("bench")]


def test_a_hidden_page_reads_when_it_is_seen_again(hand: Hand, context: Context) -> None:
    hand.page.hide()
    with hand.qtbot.assertNotEmitted(hand.page.counted, wait=50):
        context.bus.changed.emit(Changes(sessions=True))
    with hand.qtbot.waitSignal(hand.page.counted):
        hand.page.show()


def test_every_control_has_a_name(hand: Hand) -> None:
    hand.look_at(0, 0)
    for kind in (QLineEdit, QPlainTextEdit, SessionTable):
        for each in hand.page.findChildren(kind):
            assert each.accessibleName() or each.objectName().startswith("qt_"), each


def test_of_what_others_did_only_what_is_known_is_told(context: Context, tmp_path: Path) -> None:
    folder = tmp_path / "laptop"
    shutil.copytree(RELEASED.parents[1] / "sysbench", folder)
    with History(context.home) as history:
        published = import_shipped(history)[0].session
        (output,) = import_any(history, folder).sessions
        details = [read_detail(history, each) for each in (published, output.session)]
    told = [{name: text for name, text in (*each.what, *each.on) if text} for each in details]
    assert told[0]["Build"] == "mysql-5.0.96 (MySQL 5.0.96)" and told[0]["Target"] == "nuc-i3"
    assert told[0]["Published"].startswith("Mark Callaghan, 2017-11, InnoDB from")
    assert told[1].keys() == {"Contender", "Steps", "Target", "Date", "From"}
