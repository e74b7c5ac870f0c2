"""The queue of a target in the window: a plan put there, what waits, what can be done about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.agent.incoming import UploadedPlans
from app.agent.queued_plans import QueuedPlans
from app.agent.system.directory import MARKER, MarkedDirectory
from app.core.errors import TargetError
from app.protocol.answers import ADD, Queue, QueueChange, QueuedPlan
from app.remote.target import LOCAL, Ask, Target
from app.targets.store import Targets
from tests import plans as made_up
from tests.journals import Maker, plan
from tests.ui.watched import WatchedPlans
from ui.core import queues as core_queues
from ui.core.context import WindowContext
from ui.dialogs.queue import QueueDialog
from ui.pages.live.page import LivePage
from ui.pages.live.queue_line import QueuedNamesLabel, queue_texts_by_width
from ui.widgets.actions import text_without_mnemonic

ENTRY = QueuedPlan("A" * 26, "night", "0" * 64, "f", 4)
AGENT = "f" * 64


@pytest.fixture
def three_queued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QueuedPlans:
    """Three plans in a queue that is on this desktop; no process is started for it."""
    place = tmp_path / "dyno"
    place.mkdir(mode=0o700)
    (place / MARKER).touch()
    made = QueuedPlans(MarkedDirectory(str(place)))
    for name in "abc":
        content = json.dumps(replace(made_up.plan(), name=name).to_json()).encode()
        sha256 = hashlib.sha256(content).hexdigest()
        UploadedPlans(MarkedDirectory(str(place))).receive(sha256, content)
        made.carry_out(QueueChange(ADD, sha256), AGENT)

    def queue_of(_target: Target, _ask: Ask, change: QueueChange | None = None) -> Queue:
        made.carry_out(change or QueueChange(), AGENT)
        return made.answer()

    monkeypatch.setattr("app.targets.queue.queue_of", queue_of)
    monkeypatch.setattr(core_queues, "SOON_S", 3600.0)
    return made


def names(queued: QueuedPlans) -> list[str]:
    return [each.name for each in queued.read().plans]


@pytest.fixture
def queue_dialog(qtbot: QtBot, context: WindowContext, three_queued: QueuedPlans) -> QueueDialog:
    made = QueueDialog(context, Targets(context.home).get(LOCAL))
    qtbot.addWidget(made)
    made.begin()
    qtbot.waitUntil(lambda: made.list.topLevelItemCount() == 3)
    return made


@pytest.fixture
def press(qtbot: QtBot, queue_dialog: QueueDialog) -> Callable[[str], None]:
    """A button, and the answer of the target."""

    def press_(text: str) -> None:
        (button,) = (each for each in queue_dialog.findChildren(QPushButton) if each.text() == text)
        assert button.isEnabled()
        with qtbot.waitSignal(queue_dialog._context.queues.changed):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    return press_


def test_a_plan_is_moved_held_and_removed(
    queue_dialog: QueueDialog, three_queued: QueuedPlans, press: Callable[[str], None]
) -> None:
    assert (
        not queue_dialog.up.isEnabled()
        and not queue_dialog.remove.isEnabled()
        and queue_dialog.hold_all.isEnabled()
    )
    queue_dialog.list.topLevelItem(2).setSelected(True)
    press("Move up")
    assert names(three_queued) == ["a", "c", "b"]
    assert [each.text(1) for each in queue_dialog.list.selectedItems()] == ["c"]
    press("Hold")
    assert [bool(each.held) for each in three_queued.read().plans] == [False, True, False]
    press("Continue")
    press("Move down")
    press("Remove")
    assert names(three_queued) == ["a", "b"]
    assert not queue_dialog.hold.isEnabled()


def test_the_whole_queue_is_held_and_continued(
    queue_dialog: QueueDialog, three_queued: QueuedPlans, press: Callable[[str], None]
) -> None:
    press("Hold the queue")
    assert three_queued.read().held and queue_dialog.list.topLevelItem(0).text(3) == "held with the queue"
    assert "held: " in queue_dialog.said.text()
    press("Continue the queue")
    assert not three_queued.read().held


def test_what_went_wrong_is_shown(
    qtbot: QtBot, queue_dialog: QueueDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Queue:
        raise TargetError("local: the disk is full")

    monkeypatch.setattr("app.targets.queue.queue_of", fail)
    queue_dialog.hold_all.trigger()
    qtbot.waitUntil(queue_dialog.message.isVisible)
    assert queue_dialog.message.text == "local: the disk is full" and queue_dialog.list.isEnabled()


def test_live_shows_what_waits(
    drawn: Callable[[WindowContext], LivePage],
    plans: tuple[WindowContext, WatchedPlans],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context, watched = plans
    monkeypatch.setattr(core_queues, "SOON_S", 3600.0)
    its_plan = plan()
    target = watched.watch(its_plan).target
    watched.bring(Maker(its_plan, its_plan.turns[0].session).planned())
    page = drawn(context)
    line = page.body.queue
    assert not line.isVisible()
    context.queues.take(target, Queue([ENTRY, replace(ENTRY, plan="B" * 26, name="late", held="no build")]))
    assert line.isVisible()
    assert line.text.text() == "Queue of local: night, late (held: no build)"
    context.queues.take(target, Queue([ENTRY], waits_for="the plan slices in /d (process 7)"))
    assert line.text.text() == "Queue of local: night (waits for the plan slices in /d (process 7))"
    assert text_without_mnemonic(line.open) == "Queue…" and line.open in page.page_actions()
    context.queues.take(target, Queue([]))
    assert not line.isVisible()


def test_names_of_the_queue_give_way_to_their_number(qtbot: QtBot, dyno_home: Path) -> None:
    line = QueuedNamesLabel()
    qtbot.addWidget(line)
    line.show()
    target = Targets(dyno_home).get(LOCAL)
    entries = [replace(ENTRY, name=name) for name in ("night-run", "late-run", "last-of-all")]
    assert queue_texts_by_width(target, Queue(entries[:1])) == ["Queue of local: night-run"]
    lines = queue_texts_by_width(target, Queue(entries))
    shown = []
    line.show_lines(lines)
    for text in lines:
        line.resize(line.fontMetrics().horizontalAdvance(text), 20)
        shown.append(line._shown())
    assert shown == [
        "Queue of local: night-run, late-run, last-of-all",
        "Queue of local: night-run, late-run, 1 more",
        "Queue of local: night-run, 2 more",
        "Queue of local: 3 plans",
    ]
    assert line.toolTip() == lines[0]


def test_the_window_goes_along_with_what_the_target_begins(
    qtbot: QtBot, context: WindowContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks again once the next plan should have begun, and not while nothing begins by itself."""
    looked: list[str] = []
    monkeypatch.setattr(context.plans, "adopt_from", lambda target: looked.append(target.name))
    monkeypatch.setattr(core_queues, "SOON_S", 0.05)
    target = Targets(context.home).get(LOCAL)
    for queue in (Queue([]), Queue([ENTRY], "held"), Queue([replace(ENTRY, at=1000.0)], now=1.0)):
        context.queues.take(target, queue)
        context.queues._waiting.clear()
    qtbot.wait(150)
    assert looked == []
    context.queues.take(target, Queue([ENTRY]))
    qtbot.waitUntil(lambda: looked == [LOCAL])
