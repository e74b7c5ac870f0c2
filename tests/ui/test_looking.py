"""Plans that others start while the window is open: found when a person turns to it, not by a clock."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from pytestqt.qtbot import QtBot

from app.following.adoption import RemotePlan
from app.protocol.answers import Queue
from app.remote.target import LOCAL, Target
from app.targets.store import Targets
from app.targets.surveys import DatedSurvey
from tests.journals import plan, whole
from tests.plans import survey
from tests.ui.watched import WatchedPlans, keep
from ui.core import looking as core_looking
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.looking import RunningPlanFinder
from ui.pages.bench.targets.panel import TargetsPanel
from ui.shell.window import Window

ONE = plan()


@pytest.fixture
def target(context: WindowContext) -> Target:
    return Targets(context.home).get(LOCAL)


@pytest.fixture
def asked(context: WindowContext, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets that were asked for their plans; each can be asked again at once."""
    names: list[str] = []
    monkeypatch.setattr(context.plans, "adopt_from", lambda target: names.append(target.name))
    monkeypatch.setattr(core_looking, "SPARE_S", 0.0)
    return names


def look(context: WindowContext, qtbot: QtBot) -> None:
    """Until what it comes to is known."""
    read: list[None] = []
    context.looking.look()
    context.tasks.run(context.plans, lambda: time.sleep(0.2), read.append, lambda _: None)
    qtbot.waitUntil(lambda: bool(read))


def test_a_target_is_asked_once_it_has_answered(
    context: WindowContext, qtbot: QtBot, target: Target, asked: list[str]
) -> None:
    look(context, qtbot)
    assert asked == [], "nobody knows whether it is there"
    context.plans.looked.emit(target)
    look(context, qtbot)
    assert asked == [LOCAL]
    look(context, qtbot)
    assert asked == [LOCAL], "it did not answer"


def test_it_is_left_alone_for_a_while(
    context: WindowContext, qtbot: QtBot, target: Target, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_looking, "SPARE_S", 3600.0)
    context.plans.looked.emit(target)
    look(context, qtbot)
    context.looking.look_at(target)
    assert asked == []


def test_a_target_with_a_plan_that_is_followed_is_not_disturbed(
    plans: tuple[WindowContext, WatchedPlans], qtbot: QtBot, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, watched = plans
    asked: list[str] = []
    monkeypatch.setattr(watched, "adopt_from", lambda target: asked.append(target.name))
    monkeypatch.setattr(core_looking, "SPARE_S", 0.0)
    looking = RunningPlanFinder(context.home, context.tasks, context.bus, watched)
    followed = watched.watch(ONE)
    looking.look_at(target)
    assert asked == []
    followed.is_over = True
    looking.look_at(target)
    assert asked == [LOCAL]


def test_the_window_looks_when_somebody_turns_to_it(
    context: WindowContext, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    looked: list[str] = []
    monkeypatch.setattr(context.looking, "look", lambda: looked.append("once"))
    window = Window(context)
    qtbot.addWidget(window)
    window._has_begun = True
    QCoreApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    assert len(looked) == 1
    window.show_page("bench")
    assert len(looked) == 1
    for name in ("live", "history"):
        window.show_page(name)
    assert len(looked) == 3
    window.page("bench").targets.known.survey = lambda *_, **__: None  # type: ignore[attr-defined]
    window.page("bench").targets.survey_chosen()  # type: ignore[attr-defined]
    assert len(looked) == 4


@pytest.mark.parametrize("place", ["live", "history"])
def test_f5_looks_as_opening_the_page_does(
    context: WindowContext, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    looked: list[str] = []
    window = Window(context)
    qtbot.addWidget(window)
    window.show_page(place)
    with qtbot.waitExposed(window):
        window.show()
    monkeypatch.setattr(context.looking, "look", lambda: looked.append("once"))
    window.activateWindow()
    window.page(place).setFocus()
    with qtbot.waitSignal(context.bus.said) as said:
        qtbot.keyClick(window.page(place), Qt.Key.Key_F5)
    assert looked[-1:] == ["once"] and said.args == ["Looking for new sessions and plans"]


@pytest.mark.parametrize(
    ("age_s", "has_plan", "expected"), [(600, False, [LOCAL]), (60, False, []), (600, True, [])]
)
def test_an_old_survey_is_renewed_when_nobody_measures_there(
    plans: tuple[WindowContext, WatchedPlans], qtbot: QtBot, target: Target, monkeypatch: pytest.MonkeyPatch,
    age_s: float, has_plan: bool, expected: list[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    context, watched = plans
    panel = TargetsPanel(context)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.known.take(target, DatedSurvey(time.time() - age_s, survey()))
    asked: list[str] = []
    monkeypatch.setattr(panel.known, "survey", lambda name, is_asking: asked.append(name))
    if has_plan:
        watched.watch(ONE)
    watched.looked.emit(target)
    assert asked == expected
    panel.hide()
    watched.looked.emit(target)
    assert asked == expected, "nobody sees it"


def test_a_queue_with_an_unknown_plan_at_work_is_looked_into(
    context: WindowContext, target: Target, asked: list[str]
) -> None:
    context.queues.take(target, Queue([]))
    assert asked == []
    context.queues.take(target, Queue([], at_work="plan night (process 7)"))
    assert asked == [LOCAL]


def test_what_a_command_has_written_is_read(context: WindowContext, qtbot: QtBot) -> None:
    look(context, qtbot)
    with qtbot.assertNotEmitted(context.bus.changed):
        look(context, qtbot)
    keep(context, [whole(ONE)])
    with qtbot.waitSignal(context.bus.changed) as changed:
        look(context, qtbot)
    assert changed.args == [PartsToReload(sessions=True)]


def test_a_plan_that_was_followed_to_its_end_is_not_followed_again(
    plans: tuple[WindowContext, WatchedPlans], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its agent holds the directory for a moment longer."""
    _, watched = plans
    followed = watched.watch(ONE)
    again: list[str] = []
    monkeypatch.setattr(watched, "follow", lambda _target, _directory, plan, *_: again.append(plan))
    found = RemotePlan(followed.target, "/dyno", ONE.id, "x", "a" * 64, True, [])
    watched._on_found(followed.target, [found])
    assert again == [ONE.id]
    followed.link = replace(followed.link, state="ended")
    watched._on_found(followed.target, [found])
    assert again == [ONE.id]
