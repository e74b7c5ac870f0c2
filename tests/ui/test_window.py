"""The window as a whole: when it begins to work."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.watched import watched
from ui.core.context import Context
from ui.shell.window import Window


def test_plans_are_followed_in_a_window_that_is_not_painted(
    context: Context, dyno_home: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    monkeypatch.setattr("ui.shell.window.UNSEEN_MS", 50)
    changed, plans = watched(context)
    adopted: list[bool] = []
    monkeypatch.setattr(plans, "adopt", lambda: adopted.append(True))
    window = Window(changed)
    qtbot.addWidget(window)
    window.setUpdatesEnabled(False)  # as one that opens minimised, or on another desk
    window.show()
    qtbot.waitUntil(lambda: bool(adopted))
    assert list(window._pages) == ["bench"]
    window.setUpdatesEnabled(True)
    qtbot.wait(100)
    assert adopted == [True], "it begins once"
