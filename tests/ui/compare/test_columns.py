"""The columns of the Compare page: added, taken away, moved, made the base, remembered."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListView
from pytestqt.qtbot import QtBot

from app.history.lists import edits
from app.history.lists.sessions import sessions
from app.history.store.history import History
from tests import comparable, journals
from tests.ui.compare.seen import Open, base_of, choose, click_head, columns_of, ids_of
from tests.ui.watched import keep
from ui.core.bus import PartsToReload, ShowPageRequest
from ui.core.context import WindowContext
from ui.models.comparison import COLUMN, FIXED
from ui.pages.compare import ComparePage
from ui.widgets.actions import text_without_mnemonic
from ui.widgets.empty import EmptyPage


def test_a_click_on_a_head_makes_it_the_base(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    ids = opened(3)
    click_head(qtbot, page, 2)
    qtbot.waitUntil(lambda: base_of(page) == ids[2])
    assert ids_of(page) == list(ids)


def test_the_base_by_keyboard(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    ids = opened(2)
    choose(page, "load", 1)
    page.body.table.setFocus()
    qtbot.keyClick(page.body.table, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: base_of(page) == ids[1])
    assert page.body.table.chosen_step and page.body.table.chosen_step.workload == "load"


def test_columns_move(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    first, second, third = opened(3)
    head = page.body.table.horizontalHeader()
    head.moveSection(len(FIXED), len(FIXED) + 2)
    qtbot.waitUntil(lambda: ids_of(page) == [second, third, first])
    assert base_of(page) == first
    assert [head.visualIndex(at) for at in range(head.count())] == list(range(head.count()))
    choose(page, "load", 1)
    page.columns.move(-1)
    qtbot.waitUntil(lambda: ids_of(page) == [third, second, first])


def test_the_columns_before_the_figures_stay(opened: Open, page: ComparePage) -> None:
    opened(2)
    head = page.body.table.horizontalHeader()
    head.moveSection(0, 2)
    assert [head.visualIndex(at) for at in range(head.count())] == list(range(head.count()))


def test_a_column_is_taken_away(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    ids = opened(3)
    choose(page, "load", 0)
    page.columns.remove()
    qtbot.waitUntil(lambda: ids_of(page) == list(ids[1:]))
    assert base_of(page) == ids[1]


def test_attempts_that_are_left_out_go_and_move_with_their_column(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    names = ("innodb", "rocksdb", "myisam")
    its_plan = journals.plan([journals.contender(each) for each in names], attempts=2)
    ids = [each.session for each in its_plan.turns if 1 in (each.attempt, each.ordinal)]
    again, *others = ids[1:]
    keep(context, [journals.whole(its_plan, session) for session in ids])
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(lambda: ids_of(page) == [again, *others])
    assert "is left out (disturbed)" in page.warning.text
    choose(page, "load", 0)
    page.columns.move(1)
    qtbot.waitUntil(lambda: ids_of(page) == [others[0], again, others[1]])
    assert "is left out" in page.warning.text
    page.columns.remove()
    qtbot.waitUntil(lambda: ids_of(page) == others)


def test_one_column_asks_for_another(qtbot: QtBot, context: WindowContext, page: ComparePage) -> None:
    (only,) = comparable.keep(context.home, comparable.plan(1))
    page.open(ShowPageRequest("compare", (only,)))
    qtbot.waitUntil(lambda: columns_of(page) == 1)
    assert "Only one column" in page.message.text


def test_more_than_eight_columns_are_left_out(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    ids = comparable.keep(context.home, comparable.plan(8))
    ids += comparable.keep(context.home, comparable.plan(2, number=2, names=("one", "other")))
    with History(context.home) as history:
        assert len({row[0] for row in history.query("SELECT contender_key FROM session")}) == 8
    machine = comparable.journals.renamed(comparable.plan(1, number=3), machine_key="x" * 64)
    ids += comparable.keep(context.home, machine)
    page.open(ShowPageRequest("compare", ids))
    qtbot.waitUntil(lambda: columns_of(page) == 8)
    assert "Compare shows at most 8 columns: 1 left out" in page.message.text


def test_a_session_that_is_gone_leaves_the_comparison(
    qtbot: QtBot, context: WindowContext, opened: Open, page: ComparePage
) -> None:
    ids = opened(3)
    with History(context.home) as history:
        edits.delete(history, ids[0])
    context.bus.changed.emit(PartsToReload(sessions=True))
    qtbot.waitUntil(lambda: ids_of(page) == list(ids[1:]))
    assert "not in the history any more" in page.message.text


def test_the_chooser_finds_and_ticks(
    qtbot: QtBot, context: WindowContext, opened: Open, page: ComparePage
) -> None:
    ids = opened(2)
    other = comparable.keep(context.home, comparable.plan(1, number=2, names=("quite-other",)))
    page.toggle_chooser()
    view, field = page.chooser.findChild(QListView), page.chooser.findChild(QLineEdit)
    qtbot.waitUntil(lambda: view.model().rowCount() == 3)
    qtbot.keyClicks(field, "quite")
    qtbot.waitUntil(lambda: view.model().rowCount() == 1)
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: set(page.columns.chosen.ids) == {*ids, *other})
    qtbot.keyClick(view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: ids_of(page) == list(ids))
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert not page.chooser.isVisible()


def test_the_last_comparison_is_remembered(
    qtbot: QtBot, context: WindowContext, opened: Open, page: ComparePage
) -> None:
    ids = opened(2)
    page.columns.make_base()
    again = ComparePage(context)
    qtbot.addWidget(again)
    again.show()
    qtbot.waitUntil(lambda: columns_of(again) == 2)
    assert ids_of(again) == list(ids)


def test_different_work_is_said_first_and_once(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    ids = comparable.keep(context.home, comparable.plan(1))
    other = comparable.plan(1, number=2, its_steps=comparable.steps(threads=(1,)))
    ids += comparable.keep(context.home, other)
    page.open(ShowPageRequest("compare", ids))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    assert "Not judged (different work: " in page.verdict.text() and page.verdict.isVisible()
    assert "different work" not in page.warning.text


def test_a_new_persons_page_shows_what_was_published(qtbot: QtBot, context: WindowContext) -> None:
    """The versions of MySQL on one machine, each marked with its source; once gone it does not come back."""
    page = ComparePage(context)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: columns_of(page) == 6)
    shown = page.body.table.model().headerData(4, Qt.Orientation.Horizontal, COLUMN)
    assert shown.n == "published"
    tip = page.body.table.model().headerData(4, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "published: Mark Callaghan, 2017-11, InnoDB from MySQL 5.0.96 to 8.0.3" in tip
    with History(context.home) as history:
        for entry in sessions(history):
            edits.delete(history, entry["id"])
    context.bus.changed.emit(PartsToReload(sessions=True))
    qtbot.waitUntil(page.findChild(EmptyPage).isVisible)
    page.reload()
    qtbot.wait(200)
    with History(context.home) as history:
        assert sessions(history) == []


def test_published_results_are_one_click_away(qtbot: QtBot, page: ComparePage) -> None:
    """The versions of MySQL on one machine, as they were printed; again it brings nothing twice."""
    page.commands.published.trigger()
    qtbot.waitUntil(lambda: columns_of(page) == 6)
    shown = page.body.comparison
    assert shown is not None
    names = [column.name for column in shown.columns]
    assert names[0] == "innodb-5.0.96-i3" and names[-1] == "innodb-8.0.3-i3"
    inlist = next(row for row in shown.rows if row.workload == "update-inlist")
    assert inlist.cells[0].value == 211
    with qtbot.waitSignal(page.context.bus.wanted) as told:
        next(
            each
            for each in page.page_actions()
            if each and text_without_mnemonic(each) == "Set up the same here…"
        ).trigger()
    assert told.args[0].page == "bench" and set(told.args[0].sessions) == {each.id for each in shown.columns}
    page.commands.published.trigger()
    qtbot.wait(200)
    with History(page.context.home) as history:
        assert len(sessions(history)) == 21


def test_published_results_do_not_replace_a_comparison(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    """They are listed to tick from; a word typed finds all others."""
    ids = opened(2)
    page.commands.published.trigger()
    view, field = page.chooser.findChild(QListView), page.chooser.findChild(QLineEdit)
    qtbot.waitUntil(lambda: view.isVisible() and view.model().rowCount() == 21)
    assert page.columns.chosen.ids == ids and ids_of(page) == list(ids)
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: columns_of(page) == 3)
    assert page.columns.chosen.ids[:2] == ids
    qtbot.keyClicks(field, "preset")
    qtbot.waitUntil(lambda: view.model().rowCount() == 2)


def test_back_and_forward(qtbot: QtBot, context: WindowContext, opened: Open, page: ComparePage) -> None:
    first = opened(3)
    assert not page.columns.trail.back.isEnabled()
    click_head(qtbot, page, 2)
    qtbot.waitUntil(lambda: base_of(page) == first[2])
    second = comparable.keep(context.home, comparable.plan(2, number=2, names=("one", "other")))
    page.open(ShowPageRequest("compare", second))
    qtbot.waitUntil(lambda: ids_of(page) == list(second))
    for key, ids, base in (("Left", first, first[2]), ("Left", first, first[0]), ("Right", first, first[2])):
        QTest.keyClick(page, Qt.Key[f"Key_{key}"], Qt.KeyboardModifier.AltModifier)
        qtbot.waitUntil(lambda ids=ids, base=base: (ids_of(page), base_of(page)) == (list(ids), base))  # type: ignore[misc]
    choose(page, "load", 0)
    page.columns.remove()
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    assert page.columns.trail.back.isEnabled() and not page.columns.trail.forward.isEnabled()
    page.columns.trail.back.trigger()
    qtbot.waitUntil(lambda: ids_of(page) == list(first))
