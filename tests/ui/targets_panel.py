"""The targets of the Bench page, as tests use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.remote.target import Target
from ui.core.context import WindowContext
from ui.pages.bench.targets.list import TargetState
from ui.pages.bench.targets.panel import TargetsPanel

WAIT_MS = 30_000


@pytest.fixture
def open_panel(qtbot: QtBot, context: WindowContext) -> Callable[[], TargetsPanel]:
    """Shows the panel as it finds the home by then."""

    def open_() -> TargetsPanel:
        panel = TargetsPanel(context)
        qtbot.addWidget(panel)
        panel.resize(360, 900)
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    return open_


def dialog_of(qtbot: QtBot, kind: type[QDialog], number: int = 1) -> Any:
    """The dialog of this kind, once it is shown."""

    def find() -> list[QDialog]:
        return [
            each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()
        ]

    qtbot.waitUntil(lambda: len(find()) >= number, timeout=WAIT_MS)
    return find()[0]


def click(qtbot: QtBot, button: QWidget) -> None:
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def wait_for(qtbot: QtBot, panel: TargetsPanel, name: str, link: str) -> TargetState:
    """The state of a target, once its link is this."""

    def has_come() -> bool:
        state = panel.known.state_of(name)
        return state is not None and state.link == link

    qtbot.waitUntil(has_come, timeout=WAIT_MS)
    state = panel.known.state_of(name)
    assert state is not None
    return state


def type_in(qtbot: QtBot, panel: TargetsPanel, target: Target) -> None:
    form = panel.editor.form
    for field in ("name", "host", "user", "identity", "python"):
        form.line(field).clear()
        qtbot.keyClicks(form.line(field), getattr(target, field))
    form.line("port").setText(str(target.port))
    form.inputs["directories"].set_value(target.directories)
