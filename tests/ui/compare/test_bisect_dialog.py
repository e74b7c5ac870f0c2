"""Bisect in the window: it compares two builds at a time until it names the one that did it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.catalog import Catalog
from app.core.errors import TargetError
from app.explaining.bisecting import BisectionBuilds, BisectionRequest
from app.explaining.starting_builds import BuildStarts
from app.history.store.history import History
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.planner.starting.launch import STARTED, LaunchStage
from app.remote.target import Target
from tests import sliced
from tests.plans import build, survey
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.compare import ComparePage
from ui.pages.compare.bisect_dialog import BisectDialog
from ui.pages.compare.bisector import SettledSearch

NUMBERS = range(1, 9)
SURVEY = survey(builds=[build(f"mysql-9.{at}", "MySQL", f"9.{at}", ["innodb"]) for at in NUMBERS])
CULPRIT, LOSS = "mysql-9.4", 0.8
WORK = PlanRequest().with_options(sequence="duel", rows=1000, tables=1, seconds=60, threads=[2], repeats=5)


def speed(name: str) -> float:
    return LOSS if name >= CULPRIT else 1.0


@dataclass
class MeasuredBuilds:
    """A launch whose plan has ended as soon as it is followed; builds from the culprit on are slower."""

    context: WindowContext
    request: PlanRequest

    def stages(self) -> Iterator[LaunchStage]:
        plan = resolve(self.request, SURVEY, Catalog())
        with History(self.context.home) as history:
            sliced.keep(history, plan, [speed(each.build) for each in plan.contenders])
        yield LaunchStage(STARTED, "", plan=plan)


class AllButOne(BuildStarts):
    """Of these builds one does not start."""

    dead = "mysql-9.6"

    def do_start(self, search: BisectionBuilds, pair: tuple[int, int], tell: Callable[[str], None]) -> bool:
        names = [search.builds[at] for at in pair]
        self.broken |= {each for each in names if each == self.dead}
        if self.dead in (search.builds[0], search.builds[-1]):
            raise TargetError(f"{self.dead} does not start: choose builds of which both ends start")
        return self.dead not in names


def settled(_target: object, ask: Any, asked: BisectionRequest) -> SettledSearch:
    search = BisectionBuilds.of(asked, SURVEY, Catalog())
    return SettledSearch(search, AllButOne(Target("local"), ask, SURVEY))


@pytest.fixture
def bisect_dialog(
    qtbot: QtBot, context: WindowContext, page: ComparePage, monkeypatch: pytest.MonkeyPatch
) -> BisectDialog:
    """Of the oldest and the newest build, which were compared before."""
    names = tuple(replace(each, build=f"mysql-9.{at}") for at, each in zip((1, 8), contenders(), strict=True))
    ends = resolve(replace(WORK, contenders=names), SURVEY, Catalog())
    with History(context.home) as history:
        ids = sliced.keep(history, ends, [speed(each.build) for each in ends.contenders])
    monkeypatch.setattr("ui.pages.compare.bisector._settled", settled)
    monkeypatch.setattr(
        "ui.pages.compare.explainer._launch_of", lambda _target, request, _: MeasuredBuilds(context, request)
    )
    monkeypatch.setattr(context.plans, "follow", lambda _t, _d, plan, *_: context.plans.ended.emit(plan))
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(page.commands.bisect.isEnabled)
    page.commands.bisect.trigger()
    (made,) = page.findChildren(BisectDialog)
    return made


def contenders() -> tuple[Any, Any]:
    from tests.plans import contenders as of_texts

    first, second = of_texts("mysql-9.1:innodb", "mysql-9.8:innodb")
    return first, second


def test_it_names_the_build(qtbot: QtBot, bisect_dialog: BisectDialog) -> None:
    assert bisect_dialog.builds.text() == "mysql-*" and bisect_dialog.contender.text() == "innodb:baseline"
    bisect_dialog.steps.setCurrentText("update-index threads=2")
    bisect_dialog.measure.click()
    assert not bisect_dialog.measure.isEnabled()
    qtbot.waitUntil(lambda: f"with {CULPRIT}" in bisect_dialog.words.text(), timeout=60_000)
    qtbot.waitUntil(bisect_dialog.measure.isEnabled)
    assert "mysql-9.3 is as before" in bisect_dialog.words.text() and not bisect_dialog.message.text
    model = bisect_dialog.table.model()
    assert model.rowCount() >= 3 and model.index(0, 0).data() == "mysql-9.8"


def test_an_end_that_does_not_start_is_told(qtbot: QtBot, bisect_dialog: BisectDialog) -> None:
    bisect_dialog.builds.setText("mysql-9.[1-6]")
    bisect_dialog.measure.click()
    qtbot.waitUntil(lambda: "both ends start" in bisect_dialog.message.text, timeout=30_000)
    assert bisect_dialog.measure.isEnabled()


def test_a_pattern_of_one_build_is_refused(qtbot: QtBot, bisect_dialog: BisectDialog) -> None:
    bisect_dialog.builds.setText("mysql-9.1")
    bisect_dialog.measure.click()
    qtbot.waitUntil(lambda: "a search needs 2 to" in bisect_dialog.message.text, timeout=30_000)
    assert bisect_dialog.builds.isEnabled() and not bisect_dialog.now.text()


def test_return_measures(qtbot: QtBot, bisect_dialog: BisectDialog) -> None:
    bisect_dialog.builds.setText("mysql-9.1")
    QTest.keyClick(bisect_dialog.builds, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "a search needs 2 to" in bisect_dialog.message.text, timeout=5_000)


def test_instructions_are_counted_in_the_workload_of_the_step(
    context: WindowContext, bisect_dialog: BisectDialog
) -> None:
    assert not bisect_dialog.count.isChecked() and "work, not speed" in bisect_dialog.count.toolTip()
    bisect_dialog.count.click()
    assert bisect_dialog.by.value() == 0.5
    bisect_dialog.steps.setCurrentText("point-query threads=2")
    with History(context.home) as history:
        asked = bisect_dialog.search()(history).asked
        assert (asked.request.sequence, asked.step, asked.by) == ("work.point-query", "point-query", 0.005)
        assert BisectionBuilds.of(asked, SURVEY, Catalog()).is_counted
        bisect_dialog.steps.setCurrentText("update-index threads=2")
        assert bisect_dialog.search()(history).asked.request.sequence == "work.update-index"
