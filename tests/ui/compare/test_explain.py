"""Which setting did it, in the window: the dialog measures plan after plan and shows the shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.catalog import Catalog
from app.history.store.history import History
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.planner.starting.launch import STARTED, LaunchStage
from app.protocol.answers import FAIL, Check
from tests.plans import survey
from tests.unit.explaining.pairs import COMMIT, explaining, measure, next_plan, only
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.compare import ComparePage
from ui.pages.compare.explain_dialog import DifferenceSearchDialog


@dataclass
class Measured:
    """A launch whose plan has ended as soon as it is followed."""

    context: WindowContext
    request: PlanRequest

    def stages(self) -> Iterator[LaunchStage]:
        plan = resolve(self.request, survey(), Catalog())
        with History(self.context.home) as history:
            measure(history, explaining(), plan, only([COMMIT], 1.5))
        yield LaunchStage(STARTED, "", plan=plan)


@pytest.fixture
def explain_dialog(
    qtbot: QtBot, context: WindowContext, page: ComparePage, monkeypatch: pytest.MonkeyPatch
) -> DifferenceSearchDialog:
    """Of A and B of the first plan of an explanation, on a target that is looked at without a machine."""
    with History(context.home) as history:
        found = explaining()
        first = next_plan(found, found.state(history))
        measure(history, found, first, only([COMMIT], 1.5))
    monkeypatch.setattr(
        "ui.pages.compare.explainer._settled",
        lambda _target, _ask, asked: explaining(
            replace(asked, step="update-index", minutes=1_000_000, pair=explaining().asked.pair)
        ),
    )
    monkeypatch.setattr(context.plans, "follow", lambda _t, _d, plan, *_: context.plans.ended.emit(plan))
    page.open(ShowPageRequest("compare", tuple(turn.session for turn in first.turns)))
    qtbot.waitUntil(page.commands.explain.isEnabled)
    page.commands.explain.trigger()
    (made,) = page.findChildren(DifferenceSearchDialog)
    return made


def test_it_measures_until_all_is_decided(
    qtbot: QtBot,
    context: WindowContext,
    explain_dialog: DifferenceSearchDialog,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launched: list[PlanRequest] = []

    def launch(_target: object, request: PlanRequest, _context: WindowContext) -> Measured:
        launched.append(request)
        return Measured(context, request)

    monkeypatch.setattr("ui.pages.compare.explainer._launch_of", launch)
    explain_dialog.steps.setCurrentText("update-index threads=2")
    explain_dialog.measure.click()
    assert not explain_dialog.measure.isEnabled()
    qtbot.waitUntil(lambda: "Decided: " in explain_dialog.words.text(), timeout=20_000)
    qtbot.waitUntil(explain_dialog.measure.isEnabled)
    assert launched and not explain_dialog.stop.isEnabled() and not explain_dialog.message.text
    model = explain_dialog.table.model()
    cells = [
        [model.index(row, at).data() for at in range(model.columnCount())] for row in range(model.rowCount())
    ]
    assert cells[0][:4] == [COMMIT, "1", "2", "did it"]
    assert f"{COMMIT} did it: from 1 to 2" in explain_dialog.words.text()


def test_a_refusal_ends_it_and_says_why(
    qtbot: QtBot, explain_dialog: DifferenceSearchDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = LaunchStage(checks=(Check("busy", FAIL, "a plan runs here", "wait for it"),))

    class Refused:
        def stages(self) -> Iterator[LaunchStage]:
            yield busy

    monkeypatch.setattr("ui.pages.compare.explainer._launch_of", lambda *_: Refused())
    explain_dialog.measure.click()
    qtbot.waitUntil(lambda: "a plan runs here (wait for it)" in explain_dialog.message.text, timeout=20_000)
    assert explain_dialog.measure.isEnabled()


def test_it_stops_after_the_plan_that_runs(
    qtbot: QtBot,
    context: WindowContext,
    explain_dialog: DifferenceSearchDialog,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launched: list[PlanRequest] = []

    def launch(_target: object, request: PlanRequest, _context: WindowContext) -> Measured:
        launched.append(request)
        explain_dialog.searcher.stop()
        return Measured(context, request)

    monkeypatch.setattr("ui.pages.compare.explainer._launch_of", launch)
    explain_dialog.measure.click()
    qtbot.waitUntil(
        lambda: "Not decided yet" in explain_dialog.words.text() and bool(launched), timeout=20_000
    )
    qtbot.waitUntil(explain_dialog.measure.isEnabled)
    assert len(launched) == 1


def test_return_measures_the_explanation(
    explain_dialog: DifferenceSearchDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressed: list[str] = []
    monkeypatch.setattr(explain_dialog.searcher, "start", lambda _: None)
    explain_dialog.measure.clicked.connect(lambda: pressed.append("measure"))
    QTest.keyClick(explain_dialog.steps, Qt.Key.Key_Return)
    assert pressed == ["measure"]
