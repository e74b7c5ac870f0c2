"""A flame graph in the window: zoom, search, keyboard, views, a picture; opened from Compare and History."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.comparison.stacks.flame import flame_of, layout
from app.comparison.stacks.stacks import merge_profiles
from app.comparison.texts.flame_views import FlameGraphWithTable
from app.comparison.texts.stacks_text import function_changes_table, functions_table
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from app.protocol.plan import COUNT
from app.protocol.stacks import Stacks, pack
from tests import journals
from tests.ui.find import find
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.theme import Theme
from ui.dialogs.flame import FlameDialog
from ui.models.steps import StepModel
from ui.pages.compare.page import ComparePage
from ui.pages.history import HistoryPage
from ui.pages.history.tabs import DetailTabs, StepTable
from ui.widgets.message import MessageBar

BASE = {"mysqld;main;read": 60, "mysqld;main;write": 40}
OTHER = {"mysqld;main;read": 30, "mysqld;main;write": 60, "mysqld;main;write;sync_[k]": 10}
LABEL = "point-query threads=1"


def stacks(folded: dict[str, int]) -> Stacks:
    return Stacks("perf", "cpu-clock", on_cpu=pack(folded)[0], on_samples=sum(folded.values()))


def views() -> list[FlameGraphWithTable]:
    base, other = merge_profiles([stacks(BASE)]), merge_profiles([stacks(OTHER)])
    table = function_changes_table(base, other, ("a", "b"), LABEL)
    return [
        FlameGraphWithTable("b against a", layout(OTHER, BASE), table),
        FlameGraphWithTable("a, on the CPU", layout(BASE), functions_table(base, LABEL), base.remarks),
    ]


def opened(qtbot: QtBot, theme: Theme) -> FlameDialog:
    dialog = FlameDialog(LABEL, views(), theme, None)  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def names(dialog: FlameDialog) -> dict[str, int]:
    flame = dialog._views[dialog.view.currentIndex()].flame
    return {frame.name: at for at, frame in enumerate(flame.frames)}


def test_a_click_zooms_and_back_returns(qtbot: QtBot, theme: Theme) -> None:
    dialog = opened(qtbot, theme)
    chart, at = dialog.chart, names(dialog)
    point = chart.centre_of(at["write"])
    qtbot.mouseMove(chart, point.toPoint())
    assert "write: 70 of 100 samples, 70.0%" in dialog.pointed.text()
    assert "in the base 40.0%: +30.0 points" in dialog.pointed.text()
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert chart.root == at["write"]
    assert chart.frame_at(chart.centre_of(at["read"])) != at["read"]  # it is not seen any more
    dialog.back.trigger()
    assert chart.root == 0


def test_the_keyboard_goes_from_frame_to_frame(qtbot: QtBot, theme: Theme) -> None:
    dialog = opened(qtbot, theme)
    chart, at = dialog.chart, names(dialog)
    for key, name in (
        (Qt.Key.Key_Up, "all"), (Qt.Key.Key_Up, "mysqld"), (Qt.Key.Key_Up, "main"), (Qt.Key.Key_Up, "write"),
        (Qt.Key.Key_Left, "read"), (Qt.Key.Key_Right, "write"), (Qt.Key.Key_Down, "main"),
    ):  # fmt: skip
        qtbot.keyClick(chart, key)
        assert chart.current == at[name]
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    assert chart.root == at["main"]
    qtbot.keyClick(chart, Qt.Key.Key_Backspace)
    assert chart.root == 0


def test_a_search_tells_its_share(qtbot: QtBot, theme: Theme) -> None:
    dialog = opened(qtbot, theme)
    dialog.search.setText("WRI")
    assert dialog.share.text() == "70.0% of the samples"
    dialog.search.clear()
    assert dialog.share.text() == ""


def test_another_view_has_its_own_table_and_legend(qtbot: QtBot, theme: Theme) -> None:
    dialog = opened(qtbot, theme)
    assert dialog.table.model().index(0, 0).data() == "read"  # what changed most
    assert dialog.legend.entries()[0][1] == "a smaller share than in the base"
    dialog.view.setCurrentIndex(1)
    assert dialog.table.model().index(0, 2).data() == "60.0%"
    theme.set_appearance("dark")
    dialog.grab()


def test_it_is_saved_as_a_picture(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    dialog = opened(qtbot, theme)
    dialog.write_svg(tmp_path / "flame.svg")
    assert "sync_[k]" in (tmp_path / "flame.svg").read_text()
    dialog.write_svg(tmp_path / "no/flame.svg")
    assert "cannot be written" in find(dialog, MessageBar).text


def kept(context: WindowContext, is_counted: bool = False) -> list[str]:
    """Two sessions of a plan; the stacks of each are of its first driven step."""
    steps = [
        replace(each, profile=not is_counted, **({"kind": COUNT, "events": 10} if is_counted else {}))
        if each.label == LABEL
        else each
        for each in journals.steps(threads=(1,))
    ]
    plan = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], its_steps=steps)
    with History(context.home) as history:
        for turn, folded in zip(plan.turns, (BASE, OTHER), strict=True):
            maker = journals.Maker(plan, turn.session).begin()
            found = replace(stacks(folded), events=10 if is_counted else 0)
            maker.add(Fact, name="stacks", value=found.to_json(), when=LABEL)
            for step in range(len(plan.steps)):
                is_profiled = plan.steps[step].label == LABEL and not is_counted
                maker.step(step, marks=["profiled"] if is_profiled else [])
            maker.end()
            JournalStorer(history).append(plan.id, turn.session, 0, maker.raw)
    return [turn.session for turn in plan.turns]


def shown(qtbot: QtBot, page: Any) -> FlameDialog:
    qtbot.waitUntil(lambda: page.flames.dialog is not None)
    dialog: FlameDialog = page.flames.dialog
    return dialog


def test_compare_shows_the_chosen_column_against_the_base(qtbot: QtBot, context: WindowContext) -> None:
    ids = kept(context)
    page = ComparePage(context)
    qtbot.addWidget(page)
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(lambda: page.body.comparison is not None)
    rows = page.body.table.figures
    row = next(
        at for at in range(rows.rowCount()) if (each := rows.row_at(at)) and each.workload == "point-query"
    )
    page.body.table.choose(row, 4)
    page.commands.flame.trigger()
    dialog = shown(qtbot, page)
    assert dialog.view.count() == 3 and " against " in dialog.view.itemText(0)
    dialog.reject()


@pytest.mark.parametrize(("is_counted", "title"), [(False, "on the CPU"), (True, "counted")])
def test_history_shows_the_stacks_of_a_step(
    qtbot: QtBot, context: WindowContext, is_counted: bool, title: str
) -> None:
    ids = kept(context, is_counted)
    page = HistoryPage(context)
    qtbot.addWidget(page)
    page.show()
    page.open(ShowPageRequest("history", (ids[0],)))
    qtbot.waitUntil(lambda: page.findChild(DetailTabs) is not None)
    tabs = page.findChild(DetailTabs)
    assert tabs is not None
    tabs.setCurrentIndex(1)
    results = find(tabs, StepTable)
    steps = results.model()
    assert isinstance(steps, StepModel)
    rows = [steps.step(at) for at in range(steps.rowCount())]
    for at, step in enumerate(rows):
        results.selectRow(at)
        assert tabs.show_stacks.isEnabled() == (step is not None and step["name"] == "point-query")
    results.selectRow(next(at for at, step in enumerate(rows) if step and step["name"] == "point-query"))
    tabs.show_stacks.trigger()
    dialog = shown(qtbot, page)
    assert dialog.view.count() == 1 and dialog.view.currentText().endswith(title)
    dialog.reject()


def test_a_counted_step_says_instructions_and_never_samples(qtbot: QtBot, theme: Theme) -> None:
    counted = [
        merge_profiles([Stacks("callgrind", "instructions", on_cpu=pack(each)[0], on_samples=100, events=10)])
        for each in (BASE, OTHER)
    ]
    table = function_changes_table(counted[0], counted[1], ("a", "b"), LABEL)
    view = FlameGraphWithTable("b against a", flame_of(counted[1], counted[0]), table, table.remarks)
    dialog = FlameDialog(LABEL, [view], theme, None)  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.mouseMove(dialog.chart, dialog.chart.centre_of(names(dialog)["write"]).toPoint())
    dialog.search.setText("write")
    shown = [dialog.pointed.text(), dialog.share.text(), *(words for _, words in dialog.legend.entries())]
    assert "write: 7 of 10 instructions for an event, 70.0%" in shown[0]
    assert shown[1] == "70.0% of the instructions"
    assert shown[2] == "fewer instructions of its own than in the base"
    assert not any("sample" in text for text in [*shown, *view.remarks])
