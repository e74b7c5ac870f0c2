"""The list of sessions as Qt sees it: pages read off the GUI thread, order, filter, names."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.history.exchange.publishing import import_shipped
from app.history.lists import edits
from app.history.lists.browsing import Filter, Order, StepGroupQps
from app.history.store.history import History
from tests.bench.many_sessions import fill
from ui.core.context import WindowContext
from ui.models.session_columns import NAME, headline_text, headline_tip, history_list_columns
from ui.models.session_lines import PAGE
from ui.models.sessions import SessionModel

SESSIONS, STEPS = 3 * PAGE, 4


@pytest.fixture
def model(context: WindowContext, qtbot: QtBot) -> SessionModel:
    """Of more sessions than are read at once."""
    fill(context.home, SESSIONS, STEPS)
    made = SessionModel(context.tasks, context.theme, context.home, context.bus)
    asked(qtbot, made, lambda: made.group_by_plan(False))
    return made


def asked(qtbot: QtBot, model: SessionModel, ask: Callable[[], object]) -> None:
    with qtbot.waitSignal(model.found):
        ask()


def text(model: SessionModel, row: int, title: str) -> str:
    at = next(at for at, column in enumerate(model.columns) if column.title == title)
    return str(model.index(row, at).data() or "")


def test_it_is_a_sound_model(model: SessionModel, qtmodeltester: ModelTester, qtbot: QtBot) -> None:
    qtmodeltester.check(model)
    asked(qtbot, model, lambda: model.ask(Filter("rocksdb")))
    asked(qtbot, model, lambda: model.ask(Filter("no such session")))
    assert model.rowCount() == 0
    asked(qtbot, model, lambda: model.ask(Filter()))
    assert model.rowCount() == SESSIONS


def test_the_first_page_is_there_at_once_and_others_when_they_are_looked_at(
    model: SessionModel, qtbot: QtBot
) -> None:
    assert text(model, 0, "Name") and text(model, PAGE - 1, "Name")
    with qtbot.waitSignal(model.dataChanged) as told:
        assert text(model, 2 * PAGE, "Name") == ""
    first, last = told.args[:2]
    assert (first.row(), last.row()) == (2 * PAGE, 3 * PAGE - 1)
    assert text(model, 2 * PAGE, "Name")


def test_what_was_published_is_marked(context: WindowContext, qtbot: QtBot) -> None:
    with History(context.home) as history:
        import_shipped(history)
    shown = SessionModel(context.tasks, context.theme, context.home, context.bus)
    asked(qtbot, shown, shown.reload)
    assert {text(shown, row, "State") for row in range(2)} == {"published"}, "the rows of two studies"


def test_a_group_has_a_column_with_its_qps(model: SessionModel) -> None:
    titles = [column.title for column in model.columns]
    assert titles[-4:] == ["QPS point-query", "QPS scan-heavy", "QPS text", "QPS write-heavy"]
    assert (
        model.index(0, len(titles) - 1).data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    )


def test_it_is_sorted_by_what_the_column_shows(model: SessionModel, qtbot: QtBot) -> None:
    asked(qtbot, model, lambda: model.sort(NAME))
    names = [text(model, row, "Name") for row in range(PAGE)]
    assert names == sorted(names, key=str.casefold)
    asked(qtbot, model, lambda: model.sort(len(model.columns) - 1, Qt.SortOrder.DescendingOrder))
    assert model.order == Order("qps write-heavy", True)


def test_a_name_is_shown_when_the_history_has_taken_it(
    model: SessionModel, qtbot: QtBot, context: WindowContext
) -> None:
    index, session = model.index(1, NAME), model.rows.ids[1]
    assert Qt.ItemFlag.ItemIsEditable in model.flags(index)
    with qtbot.waitSignal(model.renamed) as told:
        model.setData(index, " mine ")
    assert told.args == [session, "mine"]
    assert index.data() != "mine"
    with History(context.home) as history:
        edits.rename(history, session, "mine")
    asked(qtbot, model, model.reload)
    assert model.index(1, NAME).data() == "mine"


def test_nothing_is_reset_where_the_same_sessions_fit(model: SessionModel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        asked(qtbot, model, model.reload)


def test_what_fails_is_told(model: SessionModel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(model.failed) as told:
        model.ask(Filter("", {"mood": ("good",)}))
    assert "mood" in str(told.args[0])


def test_no_index_no_data(model: SessionModel) -> None:
    assert model.data(QModelIndex()) is None


@pytest.mark.parametrize(
    ("headline", "shown", "told"),
    [
        (None, "", "No step"),
        (StepGroupQps(12345.6, 4, 4), "12,346", "Geometric mean of the QPS of the 4 steps"),
        (StepGroupQps(12345.6, 1, 1), "12,346", "one step"),
        (StepGroupQps(12345.6, 3, 4), "(3/4) 12,346", "3 of the 4 steps of read: 1 has no result"),
        (StepGroupQps(None, 0, 2), "(0/2)", "None of the 2 steps"),
    ],
)
def test_a_headline_says_what_it_is_of(headline: StepGroupQps | None, shown: str, told: str) -> None:
    assert headline_text(headline) == shown
    assert told in headline_tip("read", headline)


def test_columns_without_any_group() -> None:
    assert [column.order for column in history_list_columns(())][NAME] == "name"
