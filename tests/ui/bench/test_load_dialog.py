"""Load from other machines, chosen in the window; its plan asks each load target before it starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.errors import TargetError
from app.planner.request.plan_file import plan_file_text
from app.remote.target import Target
from app.targets.store import Targets
from tests.fakes import ScriptedAgent
from tests.ui.bench.set_up import OpenPage, now
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.run_dialogs import LoadTargetsDialog
from ui.widgets.actions import text_without_mnemonic


@pytest.fixture
def load_page(open_page: OpenPage, dyno_home: Path) -> BenchPage:
    for name in ("client-1", "client-2"):
        Targets(dyno_home).add(Target(name, host=f"{name}.invalid", directories=["/data/dyno"]))
    return open_page()


def opened(page: BenchPage) -> LoadTargetsDialog:
    page.run_panel.run_bar.load.trigger()
    (dialog,) = page.window().findChildren(LoadTargetsDialog)
    return dialog


def choose(qtbot: QtBot, dialog: LoadTargetsDialog, rows: tuple[int, ...], address: str) -> None:
    """With the keyboard."""
    for row in rows:
        dialog.list.setFocus()
        dialog.list.setCurrentRow(row)
        qtbot.keyClick(dialog.list, Qt.Key.Key_Space)
    dialog.form.line("address").clear()
    qtbot.keyClicks(dialog.form.line("address"), address)


def test_ticked_targets_and_the_address_are_part_of_the_plan(qtbot: QtBot, load_page: BenchPage) -> None:
    dialog = opened(load_page)
    assert dialog.list.ticked == [] and dialog.done_.isEnabled()
    choose(qtbot, dialog, (0, 1), "10.0.0.5:7700")
    qtbot.keyClick(dialog.form.line("address"), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not load_page.window().findChildren(LoadTargetsDialog))
    request = load_page.controller.draft.request
    assert (request.load, request.load_address) == (("client-1", "client-2"), "10.0.0.5:7700")
    assert text_without_mnemonic(load_page.run_panel.run_bar.load) == "Load from 2 targets…"
    assert "load = [" in plan_file_text(request)

    dialog = opened(load_page)
    assert dialog.list.ticked == ["client-1", "client-2"]
    choose(qtbot, dialog, (0, 1), "10.0.0.5")
    qtbot.mouseClick(dialog.done_, Qt.MouseButton.LeftButton)
    assert (
        load_page.controller.draft.request.load == ()
        and load_page.controller.draft.request.load_address == ""
    )
    assert text_without_mnemonic(load_page.run_panel.run_bar.load) == "Load from…"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("", "Name the address"),
        ("nuc", "must be the address of the server's machine"),
        ("8.8.8.8", "8.8.8.8 is no private address"),
        ("10.0.0.5:99999", "must be the address"),
    ],
)
def test_an_address_that_cannot_be_is_told_while_typing(
    qtbot: QtBot, load_page: BenchPage, address: str, reason: str
) -> None:
    dialog = opened(load_page)
    choose(qtbot, dialog, (0,), address)
    assert reason in dialog.reason.text() and not dialog.done_.isEnabled()
    dialog.reject()


def test_a_load_target_that_does_not_answer_starts_nothing(
    qtbot: QtBot, load_page: BenchPage, monkeypatch: pytest.MonkeyPatch, to_follow: list[Any]
) -> None:
    class Unreachable(ScriptedAgent):
        def status(self) -> Any:
            raise TargetError("client-1: no route to host")

    agents = {"local": ScriptedAgent(found=now()), "client-1": Unreachable(found=now())}
    for place in ("ui.pages.bench.starting", "app.planner.checks.load_targets"):
        monkeypatch.setattr(f"{place}.reached", lambda target, *_: agents[target.name].reached())
    dialog = opened(load_page)
    choose(qtbot, dialog, (0,), "127.0.0.1")
    qtbot.mouseClick(dialog.done_, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: load_page.run_panel.run_bar.run.isEnabled())
    load_page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: "no route to host" in load_page.message.text)
    assert not to_follow
