"""One plan on several targets, in the window: ticked, all checked, then started and followed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import TargetError
from app.protocol.answers import ADD
from app.remote.target import LOCAL, Target
from app.targets.store import Targets
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB, build
from tests.ui.bench.set_up import OpenPage, now
from tests.ui.find import find
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.run_dialogs import SeveralTargetsDialog
from ui.widgets.actions import text_without_mnemonic

Opened = tuple[BenchPage, SeveralTargetsDialog]
OpenDialog = Callable[..., Opened]


@pytest.fixture
def open_several(
    qtbot: QtBot, open_page: OpenPage, dyno_home: Path, monkeypatch: pytest.MonkeyPatch
) -> OpenDialog:
    """The dialog of a page with two targets, by agents that stand for them."""
    Targets(dyno_home).add(Target("nuc", host="nuc.invalid", directories=["/data/dyno"]))
    page = open_page()

    def open_(**agents: ScriptedAgent) -> Opened:
        monkeypatch.setattr(
            "ui.pages.bench.starting.reached", lambda target, *_: agents[target.name].reached()
        )
        assert find(page.sequence, QPushButton, "Several targets…").isVisibleTo(page.sequence.folded)
        page.run_panel.run_bar.several.trigger()
        dialog = page.window().findChild(SeveralTargetsDialog)
        assert dialog is not None
        return page, dialog

    return open_


def tick(qtbot: QtBot, dialog: SeveralTargetsDialog, row: int) -> None:
    """With the keyboard."""
    dialog.list.setFocus()
    dialog.list.setCurrentRow(row)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Space)


def texts(dialog: SeveralTargetsDialog) -> list[str]:
    return [each.text() for each in dialog.list.rows()]


def test_each_ticked_target_is_started_and_followed(
    qtbot: QtBot, open_several: OpenDialog, to_follow: list[Any]
) -> None:
    page, dialog = open_several(local=ScriptedAgent(found=now()), nuc=ScriptedAgent(found=now()))
    assert dialog.list.ticked == [LOCAL]
    tick(qtbot, dialog, 1)
    assert dialog.list.ticked == [LOCAL, "nuc"]
    with qtbot.waitSignal(page.context.bus.wanted) as told:
        qtbot.mouseClick(dialog.run, Qt.MouseButton.LeftButton)
    assert [each[0].name for each in to_follow] == [LOCAL, "nuc"]
    assert told.args[0].sessions == to_follow[0][-1] and to_follow[0][-1] != to_follow[1][-1]
    qtbot.waitUntil(lambda: not page.window().findChildren(SeveralTargetsDialog))


def test_where_one_cannot_none_starts(qtbot: QtBot, open_several: OpenDialog, to_follow: list[Any]) -> None:
    local, old = ScriptedAgent(found=now()), [build("old", "MySQL", "5.6.9", ["innodb"])]
    _, dialog = open_several(local=local, nuc=ScriptedAgent(found=now(builds=old)))
    tick(qtbot, dialog, 1)
    dialog.run.click()
    qtbot.waitUntil(dialog.message.isVisible)
    assert dialog.message.text.startswith("Nothing was started on any target: nuc: there is no build")
    assert texts(dialog) == ["local: ready", "nuc: cannot start"]
    assert not to_follow and "start" not in local.asked
    tick(qtbot, dialog, 1)
    dialog.run.click()
    qtbot.waitUntil(lambda: len(to_follow) == 1)


def test_one_that_fails_at_its_start_leaves_the_others(
    qtbot: QtBot, open_several: OpenDialog, to_follow: list[Any]
) -> None:
    def refuse(what: str) -> None:
        if what == "start":
            raise TargetError("another plan has begun")

    _, dialog = open_several(
        local=ScriptedAgent(found=now(), meanwhile=refuse), nuc=ScriptedAgent(found=now())
    )
    tick(qtbot, dialog, 1)
    dialog.run.click()
    qtbot.waitUntil(dialog.message.isVisible)
    assert dialog.message.text == "Not all targets took their plan: local: another plan has begun"
    assert texts(dialog) == ["local: cannot start", "nuc: started"]
    assert [each[0].name for each in to_follow] == ["nuc"] and dialog.list.ticked == [LOCAL]


def test_a_plan_is_queued_on_each_target(
    qtbot: QtBot, open_several: OpenDialog, to_follow: list[Any]
) -> None:
    """One is at work, the other is free; the queue of the target on Bench is shown at once."""
    local, nuc = ScriptedAgent(found=now(), taken="in use by plan other"), ScriptedAgent(found=now())
    page, dialog = open_several(local=local, nuc=nuc)
    tick(qtbot, dialog, 1)
    dialog.run.click()
    qtbot.waitUntil(dialog.message.isVisible)
    assert texts(dialog)[0] == "local: cannot start" and not to_follow
    dialog.queue.click()
    qtbot.waitUntil(lambda: not page.window().findChildren(SeveralTargetsDialog))
    for agent in (local, nuc):
        assert agent.change and agent.change.do == ADD and "start" not in agent.asked
    heard = page.context.queues.of(page.targets.chosen)
    assert heard and len(heard[1].plans) == 1 and not to_follow


def test_it_can_be_given_up_while_it_checks(
    qtbot: QtBot, open_several: OpenDialog, to_follow: list[Any]
) -> None:
    there, go_on = threading.Event(), threading.Event()

    def wait(what: str) -> None:
        if what == "rehearse innodb":
            there.set()
            go_on.wait(30)

    agent = ScriptedAgent(found=now(), meanwhile=wait)
    page, dialog = open_several(local=agent, nuc=ScriptedAgent())
    tick(qtbot, dialog, 0)
    assert not dialog.run.isEnabled(), "nothing is ticked"
    tick(qtbot, dialog, 0)
    dialog.run.click()
    qtbot.waitUntil(lambda: texts(dialog) == [f"local: starting {MARIADB}-innodb once", "nuc"])
    assert there.is_set() and not dialog.run.isEnabled() and not dialog.list.isEnabled()
    dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Cancel).click()
    go_on.set()
    page.context.tasks.close()
    assert "start" not in agent.asked and not to_follow


def test_one_target_alone_offers_nothing(open_page: OpenPage) -> None:
    page = open_page()
    bar = page.run_panel.run_bar
    assert (
        not find(page.sequence, QPushButton, "Several targets…").isVisibleTo(page.sequence.folded)
        and text_without_mnemonic(bar.several) == "Several targets…"
    )
