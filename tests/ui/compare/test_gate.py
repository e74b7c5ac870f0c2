"""The gate in the window: the same answer as `dyno gate`, for the base and the chosen column."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.comparison.answers.gate import GateRequest, gate
from app.history.store.history import History
from tests.sliced import keep, plan
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.compare import ComparePage
from ui.pages.compare.gate_dialog import GateDialog

OpenGate = Callable[[float], tuple[GateDialog, list[str]]]


@pytest.fixture
def open_gate(qtbot: QtBot, context: WindowContext, page: ComparePage) -> OpenGate:
    """The dialog of a plan whose second contender has this share of the first one's rates."""

    def open_dialog(factor: float) -> tuple[GateDialog, list[str]]:
        with History(context.home) as history:
            ids = keep(history, plan(rounds=5), (1.0, factor))
        page.open(ShowPageRequest("compare", tuple(ids)))
        qtbot.waitUntil(page.commands.gate.isEnabled)
        page.commands.gate.trigger()
        (made,) = page.findChildren(GateDialog)
        qtbot.waitUntil(lambda: bool(made.sentence.text()))
        return made, list(ids)

    return open_dialog


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "not worse: "), (0.93, "worse: ")])
def test_it_answers_as_the_command_does(
    context: WindowContext, open_gate: OpenGate, factor: float, verdict: str
) -> None:
    dialog, ids = open_gate(factor)
    with History(context.home) as history:
        found = gate(history, ids[0], ids[1], GateRequest(3.0))
    assert dialog.sentence.text() == found["sentence"] and found["sentence"].startswith(verdict)
    assert dialog.remarks.text() == "\n".join(found["remarks"])
    assert dialog.table.model().rowCount() == len(found["steps"]) == 3


def test_another_limit_is_another_answer(qtbot: QtBot, open_gate: OpenGate) -> None:
    dialog, _ = open_gate(0.93)
    dialog.limit.setValue(20)
    qtbot.waitUntil(lambda: dialog.sentence.text().startswith("not worse: "))
    dialog.limit.setValue(3)
    dialog.what.setCurrentText("means of groups")
    qtbot.waitUntil(lambda: dialog.sentence.text().startswith("worse: "))
    assert "mean of" in dialog.table.model().index(0, 0).data()
    dialog.copy.click()
    assert dialog.sentence.text().split(":")[0] in QGuiApplication.clipboard().text()


def test_one_step_alone_is_judged(qtbot: QtBot, open_gate: OpenGate, page: ComparePage) -> None:
    dialog, _ = open_gate(0.93)
    dialog.close()
    page.body.table.setCurrentIndex(page.body.table.model().index(1, 1))
    page.commands.gate.trigger()
    again = page.findChildren(GateDialog)[-1]
    assert again.what.count() == 3
    again.what.setCurrentIndex(2)
    qtbot.waitUntil(lambda: again.table.model().rowCount() == 1)
    assert again.table.model().index(0, 0).data() == again.what.currentText()
