"""The sessions of a plan below its row: folded, unfolded, and what is done with all of them at once."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QCheckBox, QFileDialog, QInputDialog, QLabel
from pytestqt.qtbot import QtBot

from app.core.units import clock_text
from app.history.exchange.exporting import export
from app.history.exchange.import_any import import_any
from app.history.exchange.publishing import import_shipped
from app.history.lists import edits
from app.history.lists.plans import plans
from app.history.lists.sessions import sessions
from app.history.recorded.writing import JournalStorer
from app.history.steps.figures import notes
from app.history.store.history import History
from app.protocol.states import IN_PART
from tests import journals
from tests.decided import makers_of, until_decided
from tests.plans import MARIADB
from tests.ui.history.hand import Hand, kept, shown
from ui.core.bus import PartsToReload, ShowPageRequest
from ui.core.context import WindowContext
from ui.dialogs.report import ReportDialog
from ui.models.plan_cells import plan_text
from ui.models.session_columns import CONTENDER, NAME, REPEAT, STATE
from ui.pages.history import HistoryPage

# menus, where there is no real window system
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=2)
TWIN = replace(PLAN, id=f"{3:026d}", turns=journals.plan(PLAN.contenders, repeats=2, number=3).turns)
ALONE = journals.plan(number=2, target="xeon")
IDS = [turn.session for turn in PLAN.turns]
(ALONE_ID,) = (turn.session for turn in ALONE.turns)


def store(home: Path, *makers: journals.Maker) -> None:
    with History(home) as history:
        for maker in makers:
            JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.raw)


@pytest.fixture
def hand(context: WindowContext, qtbot: QtBot) -> Hand:
    """A plan of four sessions and one of a single session."""
    store(context.home, *(journals.whole(PLAN, id_) for id_ in IDS), journals.whole(ALONE))
    return shown(context, qtbot)


def changed(hand: Hand) -> None:
    """Somebody else has changed the history."""
    with hand.qtbot.waitSignal(hand.page.counted):
        hand.page.context.bus.changed.emit(PartsToReload(sessions=True))


def text(hand: Hand, id_: str, column: int = NAME) -> str:
    return str(hand.table.model().index(hand.table.model().rows.row(id_), column).data() or "")


def tip(hand: Hand, id_: str, column: int) -> str:
    place = hand.table.model().index(hand.table.model().rows.row(id_), column)
    return str(place.data(Qt.ItemDataRole.ToolTipRole))


def title(hand: Hand, plan: str) -> str:
    """Without when it began."""
    return re.sub(r", [^(]+", " ", text(hand, plan))


def go_to(hand: Hand, id_: str) -> None:
    hand.page.activateWindow()
    hand.table.setFocus()
    hand.table.selectRow(hand.table.model().rows.row(id_))


def press(hand: Hand, key: Qt.Key) -> None:
    hand.qtbot.keyClick(hand.table, key)


def unfolded(hand: Hand) -> Hand:
    go_to(hand, PLAN.id)
    press(hand, Qt.Key.Key_Right)
    assert hand.table.model().rows.is_unfolded(PLAN.id)
    return hand


def in_history(hand: Hand) -> Sequence[str]:
    with History(hand.page.context.home) as history:
        return sorted(entry["id"] for entry in sessions(history))


# looking


def test_a_plan_is_one_row_and_says_what_it_is(hand: Hand) -> None:
    assert hand.shown_ids() == [ALONE_ID, PLAN.id]
    assert title(hand, PLAN.id) == "a plan (4)"
    assert text(hand, PLAN.id, CONTENDER) == "innodb, rocksdb x 2"
    assert tip(hand, PLAN.id, CONTENDER) == f"{MARIADB}-innodb-default, {MARIADB}-rocksdb-default"
    assert text(hand, PLAN.id, STATE) == "completed"
    hand.table.model().toggle(PLAN.id)
    shown = hand.table.model().rows.shown_of(PLAN.id)
    hand.qtbot.waitUntil(lambda: [text(hand, id_, REPEAT) for id_ in shown] == ["2", "2", "1", "1"])


def test_plans_are_unfolded_and_folded_by_key(hand: Hand) -> None:
    go_to(hand, PLAN.id)
    press(hand, Qt.Key.Key_Left)
    assert len(hand.shown_ids()) == 2, "it is folded already"
    press(hand, Qt.Key.Key_Right)
    assert hand.shown_ids() == [ALONE_ID, PLAN.id, *reversed(IDS)]
    press(hand, Qt.Key.Key_Down)
    assert hand.table.selected == (IDS[3],)
    press(hand, Qt.Key.Key_Left)
    assert hand.table.selected_plan == PLAN.id and len(hand.shown_ids()) == 6, "from a session to its plan"
    press(hand, Qt.Key.Key_Left)
    assert hand.shown_ids() == [ALONE_ID, PLAN.id]
    with hand.qtbot.assertNotEmitted(hand.page.context.bus.wanted):
        press(hand, Qt.Key.Key_Return)
    assert len(hand.shown_ids()) == 6


def test_a_click_on_the_mark_unfolds(hand: Hand) -> None:
    table, model = hand.table, hand.table.model()
    cell = table.visualRect(model.index(model.rows.row(PLAN.id), NAME))

    def click(x: int) -> None:
        at = QPoint(cell.left() + x, cell.center().y())
        hand.qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)

    click(60)
    assert len(hand.shown_ids()) == 2, "a click on the name selects"
    click(10)
    assert len(hand.shown_ids()) == 6
    go_to(hand, IDS[1])
    click(10)
    assert len(hand.shown_ids()) == 2
    assert hand.table.selected_plan == PLAN.id, "nothing is selected that is not seen"


def test_enter_on_a_session_opens_it(hand: Hand) -> None:
    go_to(unfolded(hand), IDS[2])
    with hand.qtbot.waitSignal(hand.page.context.bus.wanted) as told:
        press(hand, Qt.Key.Key_Return)
    assert told.args == [ShowPageRequest("live", (IDS[2],))]


def test_one_list_of_all_sessions_is_a_choice_that_is_kept(hand: Hand, qtbot: QtBot) -> None:
    (box,) = [each for each in hand.page.findChildren(QCheckBox) if each.text() == "By plan"]
    go_to(hand, PLAN.id)
    box.click()
    qtbot.waitUntil(lambda: hand.shown_ids() == [ALONE_ID, *reversed(IDS)])
    assert sorted(hand.table.selected) == IDS
    page = HistoryPage(hand.page.context)
    qtbot.addWidget(page)
    again = Hand(page, qtbot)
    with qtbot.waitSignal(page.counted):
        page.show()
    assert len(again.shown_ids()) == 5
    hand.press("By plan")
    qtbot.waitUntil(lambda: len(hand.shown_ids()) == 2)
    assert box.isChecked() and hand.table.selected_plan == PLAN.id


def test_two_plans_of_one_name_are_two_rows(hand: Hand) -> None:
    store(hand.page.context.home, *(journals.whole(TWIN, turn.session) for turn in TWIN.turns))
    changed(hand)
    for plan in (PLAN, TWIN):
        began = clock_text(journals.Maker(plan, plan.turns[0].session).began_at, time.time())
        assert text(hand, plan.id) == f"a plan, {began} (4)"
    assert text(hand, PLAN.id) != text(hand, TWIN.id)
    go_to(hand, TWIN.id)
    assert set(hand.table.selected) == {turn.session for turn in TWIN.turns}


def test_what_was_not_needed_is_counted(hand: Hand) -> None:
    plan = replace(until_decided(), id=f"{4:026d}", turns=until_decided().turns)
    plan = replace(plan, turns=journals.plan(plan.contenders, repeats=8, number=4).turns)
    store(hand.page.context.home, *makers_of(plan, 3, IN_PART))
    changed(hand)
    hand.qtbot.waitUntil(lambda: title(hand, plan.id) == "a plan (16)")
    with History(hand.page.context.home) as history:
        about = plan_text(plans(history, [plan.id])[0], 16)
    why = "decided in part: 8 repeats would not decide the rest"
    assert f"16 sessions: 6 completed, 10 not needed ({why})" in about
    assert text(hand, plan.id, STATE) == "6 completed, 10 not needed"
    assert text(hand, plan.id, CONTENDER) == "innodb, myisam x up to 8"


def test_of_a_plan_that_is_partly_here_the_rest_is_named(hand: Hand, tmp_path: Path) -> None:
    with History(tmp_path / "other") as other:
        for turn in TWIN.turns[:3]:
            JournalStorer(other).append(TWIN.id, turn.session, 0, journals.whole(TWIN, turn.session).raw)
        files = [export(other, turn.session, tmp_path / f"{turn.ordinal}.zip") for turn in TWIN.turns[:3]]
    with History(hand.page.context.home) as history:
        for file in files:
            import_any(history, file)
    changed(hand)
    assert text(hand, TWIN.id, STATE) == "3 completed, 1 not here"


# the filter, and what changes meanwhile


def test_the_filter_leaves_only_some_of_a_plan_and_says_so(hand: Hand) -> None:
    go_to(hand, PLAN.id)
    hand.qtbot.keyClicks(hand.line, "rocksdb")
    hand.qtbot.waitUntil(lambda: hand.shown_ids() == [PLAN.id])
    assert title(hand, PLAN.id) == "a plan (2 of 4)"
    assert sorted(hand.table.selected) == [IDS[1], IDS[3]]
    labels = [label.text() for label in hand.page.findChildren(QLabel) if label.isVisible()]
    assert text(hand, PLAN.id) in labels and any("the filter hides 2" in label for label in labels)
    hand.press("Delete")
    hand.qtbot.waitUntil(lambda: hand.message.text == "2 sessions deleted")
    assert in_history(hand) == sorted([IDS[0], IDS[2], ALONE_ID])
    hand.line.clear()
    hand.qtbot.waitUntil(lambda: len(hand.shown_ids()) == 2)
    assert text(hand, PLAN.id, STATE) == "2 completed, 2 not here"


def test_an_unfolded_plan_is_unfolded_again_when_the_filter_lets_it_through(hand: Hand) -> None:
    unfolded(hand)
    hand.qtbot.keyClicks(hand.line, "xeon")
    hand.qtbot.waitUntil(lambda: hand.shown_ids() == [ALONE_ID])
    hand.line.clear()
    hand.qtbot.waitUntil(lambda: len(hand.shown_ids()) == 6)


def test_only_one_that_fits_stands_without_its_plan(hand: Hand) -> None:
    go_to(unfolded(hand), IDS[1])
    hand.qtbot.keyClicks(hand.line, f"{MARIADB}-rocksdb-default-1")
    hand.qtbot.waitUntil(lambda: hand.shown_ids() == [IDS[1]])
    assert hand.table.selected == (IDS[1],)
    hand.line.clear()
    hand.qtbot.waitUntil(lambda: hand.table.model().rowCount() > 1)
    assert hand.table.selected == (IDS[1],), "its plan is unfolded: it is seen"
    assert IDS[1] in hand.shown_ids()


def test_the_selection_stays_while_sessions_arrive(hand: Hand) -> None:
    """A plan under way: the selected plan has more sessions, the selected session stays the only one."""
    store(hand.page.context.home, *(journals.whole(TWIN, turn.session) for turn in TWIN.turns[:2]))
    changed(hand)
    go_to(hand, TWIN.id)
    store(hand.page.context.home, journals.Maker(TWIN, TWIN.turns[2].session).begin())
    changed(hand)
    assert hand.table.selected_plan == TWIN.id and len(hand.table.selected) == 3
    go_to(unfolded(hand), IDS[1])
    store(hand.page.context.home, journals.Maker(TWIN, TWIN.turns[3].session).planned())
    changed(hand)
    assert hand.table.selected == (IDS[1],) and title(hand, TWIN.id) == "a plan (4)"


def test_another_page_finds_its_sessions_in_folded_plans(hand: Hand) -> None:
    hand.page.open(ShowPageRequest("history", (IDS[2],)))
    hand.qtbot.waitUntil(lambda: hand.table.selected == (IDS[2],))
    assert len(hand.shown_ids()) == 6
    go_to(hand, PLAN.id)
    press(hand, Qt.Key.Key_Left)
    hand.page.open(ShowPageRequest("history", tuple(IDS)))
    hand.qtbot.waitUntil(lambda: hand.table.selected_plan == PLAN.id)
    assert len(hand.shown_ids()) == 2


# doing


def test_a_plan_is_compared(hand: Hand) -> None:
    go_to(hand, PLAN.id)
    assert not hand.action("Rename").isEnabled() and not hand.action("Open in Live").isEnabled()
    with hand.qtbot.waitSignal(hand.page.context.bus.wanted) as told:
        hand.press("Compare plan")
    assert told.args == [ShowPageRequest("compare", tuple(IDS))]
    go_to(hand, ALONE_ID)
    assert not hand.action("Compare").isEnabled()


@pytest.mark.parametrize(("text", "is_run"), [("Run again", True), ("Edit on Bench", False)])
def test_a_plan_is_measured_again(hand: Hand, text: str, is_run: bool) -> None:
    for id_, ids in ((PLAN.id, tuple(IDS)), (ALONE_ID, (ALONE_ID,))):
        go_to(hand, id_)
        with hand.qtbot.waitSignal(hand.page.context.bus.wanted) as told:
            hand.press(text)
        assert told.args == [ShowPageRequest("bench", ids, is_run)]


def names(hand: Hand) -> list[str]:
    model = hand.table.model()
    return [str(model.index(row, NAME).data() or "") for row in range(model.rowCount())]


def test_published_studies_are_folded_with_author_and_year(hand: Hand) -> None:
    with History(hand.page.context.home) as history:
        there = len(import_shipped(history))
    hand.page.context.bus.changed.emit(PartsToReload(sessions=True))
    hand.qtbot.waitUntil(lambda: sum(name.startswith("Mark Callaghan, 2017 (") for name in names(hand)) == 2)
    assert len(names(hand)) == 4, "two studies, a plan and a session"
    found = [name for name in names(hand) if name.startswith("Mark")]
    assert sum(int(re.findall(r"\((\d+)\)", name)[0]) for name in found) == there


def test_what_was_published_is_set_up_here(hand: Hand) -> None:
    with History(hand.page.context.home) as history:
        published = import_shipped(history)[0].session
    hand.page.context.bus.changed.emit(PartsToReload(sessions=True))
    study = "Mark Callaghan, 2017 (12): InnoDB from MySQL 5.0.96"
    hand.qtbot.waitUntil(lambda: any(name.startswith(study) for name in names(hand)))
    go_to(hand, hand.shown_ids()[next(at for at, name in enumerate(names(hand)) if name.startswith(study))])
    edit = hand.action("Set up the same here")
    assert edit.isEnabled() and not hand.action("Run again").isEnabled()
    press(hand, Qt.Key.Key_Right)
    go_to(hand, published)
    hand.qtbot.waitUntil(lambda: edit.text().endswith("&here"))
    assert not hand.action("Run again").isEnabled()
    with hand.qtbot.waitSignal(hand.page.context.bus.wanted) as told:
        hand.press("Set up the same here")
    assert told.args == [ShowPageRequest("bench", (published,))]
    go_to(hand, PLAN.id)
    assert hand.action("Edit on Bench").isEnabled() and hand.action("Run again").isEnabled()


def test_a_plan_is_reported(hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "plan.md"), ""))
    go_to(hand, PLAN.id)
    hand.press("Report")
    hand.qtbot.waitUntil(lambda: hand.page.findChild(ReportDialog) is not None)
    dialog = hand.page.findChild(ReportDialog)
    assert dialog.title == f"{MARIADB}-rocksdb-default against {MARIADB}-innodb-default"
    with hand.qtbot.waitSignal(hand.page.context.bus.saved):
        dialog.accept()
    assert "none of these is judged (fewer than 3 repeats)" in (tmp_path / "plan.md").read_text()


def test_a_note_and_a_tag_are_on_each_session_of_a_plan(hand: Hand) -> None:
    go_to(hand, PLAN.id)
    hand.press("Add note")
    dialog = hand.page.findChild(QInputDialog)
    assert dialog.labelText() == "Note on each of 4 sessions"
    dialog.setTextValue("the fan was loud")
    dialog.accept()
    hand.page.editing.tag(hand.table.selected, "quiet", True)
    kept(hand.qtbot, hand.page.context, lambda all_: sum(each["tags"] == ["quiet"] for each in all_) == 4)
    hand.qtbot.waitUntil(lambda: all(texts(hand, id_)[-1:] == ["the fan was loud"] for id_ in IDS))
    assert texts(hand, ALONE_ID) == ["the fan is loud"]


def texts(hand: Hand, session: str) -> list[str]:
    """Of its notes."""
    with History(hand.page.context.home) as history:
        return [each["text"] for each in notes(history, session)]


def test_a_plan_is_exported_into_a_folder(hand: Hand, tmp_path: Path) -> None:
    go_to(hand, PLAN.id)
    hand.press("Export")
    dialog = hand.page.findChild(QFileDialog)
    assert dialog.windowTitle() == "Export 4 sessions into"
    hand.page.exchange.export_to(hand.table.selected, tmp_path)
    hand.qtbot.waitUntil(lambda: len(list(tmp_path.glob("*.dyno.zip"))) == 4)


def test_a_plan_is_deleted_by_key_and_comes_back(hand: Hand) -> None:
    go_to(hand, PLAN.id)
    press(hand, Qt.Key.Key_Delete)
    hand.qtbot.waitUntil(lambda: hand.shown_ids() == [ALONE_ID])
    assert hand.message.text == "4 sessions deleted"
    hand.qtbot.keyClick(hand.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    hand.qtbot.waitUntil(lambda: hand.shown_ids() == [ALONE_ID, PLAN.id])
    assert in_history(hand) == sorted([*IDS, ALONE_ID])


def test_of_a_plan_under_way_only_what_has_ended_is_deleted(hand: Hand) -> None:
    """And comes back beside what has arrived meanwhile."""
    under_way = journals.Maker(TWIN, TWIN.turns[2].session).begin()
    waiting = journals.Maker(TWIN, TWIN.turns[3].session).planned()
    ended = [journals.whole(TWIN, turn.session) for turn in TWIN.turns[:2]]
    store(hand.page.context.home, *ended, under_way, waiting)
    changed(hand)
    go_to(hand, TWIN.id)
    press(hand, Qt.Key.Key_Delete)
    hand.qtbot.waitUntil(lambda: hand.message.text.startswith("2 sessions deleted; 2 are still running"))
    hand.qtbot.waitUntil(lambda: title(hand, TWIN.id) == "a plan (2)")
    assert text(hand, TWIN.id, STATE) == "1 active, 1 waiting, 2 not here"
    before = len(under_way.raw)
    for at in range(len(TWIN.steps)):
        under_way.step(at)
    raw = under_way.end().raw
    with History(hand.page.context.home) as history:
        JournalStorer(history).append(TWIN.id, under_way.session, before, raw[before:])
        JournalStorer(history).append(TWIN.id, ended[0].session, 0, ended[0].raw)  # it stays deleted
        assert not [each for each in sessions(history) if each["id"] == ended[0].session]
    hand.press("Undo")
    hand.qtbot.waitUntil(lambda: title(hand, TWIN.id) == "a plan (4)")
    hand.qtbot.waitUntil(lambda: text(hand, TWIN.id, STATE) == "1 waiting, 3 completed")


def test_a_tag_of_a_hidden_session_is_no_tag_of_the_plan(hand: Hand) -> None:
    with History(hand.page.context.home) as history:
        edits.tag(history, IDS[0], "first")
    changed(hand)
    columns = enumerate(hand.table.model().columns)
    tags = next(at for at, column in columns if column.order == "tags")
    assert text(hand, PLAN.id, tags) == ""
