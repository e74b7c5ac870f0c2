"""A Bench page, and agents that its Run finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.remote.secrets import forget_secrets
from tests.fakes import ScriptedAgent
from tests.ui.bench.set_up import (
    OpenPage,
    settle,
    surveyed,
)
from ui.core.context import WindowContext
from ui.pages.bench import BenchPage


@pytest.fixture
def open_page(qtbot: QtBot, context: WindowContext, dyno_home: Path) -> OpenPage:
    """Shows the page of a home whose target was surveyed, and waits for what it concludes."""

    def open_(width: int = 1248, height: int = 690, **changes: Any) -> BenchPage:
        if "nothing" not in changes:
            surveyed(dyno_home, **changes)
        page = BenchPage(context)
        qtbot.addWidget(page)
        page.resize(width, height)
        page.show()
        qtbot.waitExposed(page)
        settle(qtbot, page)
        return page

    return open_


@pytest.fixture
def page(open_page: OpenPage) -> BenchPage:
    return open_page()


@pytest.fixture
def reach(monkeypatch: pytest.MonkeyPatch) -> Callable[[ScriptedAgent], None]:
    """Run finds this agent."""

    def reach_(agent: ScriptedAgent) -> None:
        monkeypatch.setattr("ui.pages.bench.starting.reached", agent.reached)

    return reach_


@pytest.fixture
def to_follow(context: WindowContext, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The plans that were to be followed."""
    found: list[tuple[Any, ...]] = []
    monkeypatch.setattr(context.plans, "follow", lambda *what: found.append(what))
    return found


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedAgent]:
    """The agent of any target, from which one server is seen; this system has no keyring."""
    agent = ScriptedAgent()
    monkeypatch.setattr("app.targets.server_actions.reached", agent.reached)
    for module in ("app.targets.server_login", "app.remote.secrets"):
        monkeypatch.setattr(f"{module}.system_keyring", lambda: None)
    forget_secrets()
    yield agent
    forget_secrets()
