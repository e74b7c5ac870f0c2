"""Plans that wait for their turn on a target, and begin there without a desktop."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from app.agent.system.directory import MarkedDirectory
from tests.integration.desktop import Desktop
from tests.waiting import wait_until


def at_work(desktop: Desktop, name: str) -> Callable[[], bool]:
    return lambda: MarkedDirectory(str(desktop.target)).holder().get("name") == name


def named(desktop: Desktop, name: str, **options: object) -> list[str]:
    return [*desktop.plan(**options), "--name", name]


@pytest.mark.full
def test_plans_begin_in_their_turn(desktop: Desktop) -> None:
    """A stopped plan holds the queue; after an agent that was killed the next look goes on."""
    desktop.dyno("run", *named(desktop, "first", seconds=60), "--detach")
    for name, seconds in (("second", 1), ("third", 60)):
        words = ("run", *named(desktop, name, seconds=seconds), "--queue")
        assert f"plan {name} is number" in desktop.dyno(*words).stdout
    desktop.dyno("queue", "move", "third", "1")
    assert not list(desktop.target.glob("incoming/*"))

    desktop.dyno("stop")
    wait_until(lambda: not desktop.agent_pid(), "the first plan has ended", 180)
    found = desktop.json("queue", "list")
    assert [each["name"] for each in found["plans"]] == ["third", "second"]
    assert found["held"] == "plan first was stopped"

    desktop.dyno("queue", "resume")
    wait_until(at_work(desktop, "third"), "the third plan has begun", 180)
    assert "in use by plan third (process" in desktop.dyno("queue", "list").stdout
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    wait_until(lambda: not desktop.agent_pid(), "its lock is free", 180)
    desktop.dyno("queue", "list")  # the look
    wait_until(at_work(desktop, "second"), "a look begins the second plan", 180)
    wait_until(lambda: not desktop.agent_pid(), "the second plan is over", 180)
    assert desktop.json("queue", "list")["plans"] == []
    desktop.dyno("follow", code=None)
    states = {each["name"].rpartition("-")[0]: each["state"] for each in desktop.sessions()}
    assert states.get("second") == "completed", states
