"""A machine that is not quiet: who disturbs a session is said, and what a small server comes to before it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.protocol.events import Fact, LogEvent
from tests.integration.desktop import Desktop
from tests.memory_hog import swapping
from tests.neighbours import NAME, burning


@pytest.fixture
def neighbours(tmp_path: Path) -> Iterator[None]:
    with burning(tmp_path, 2):
        yield


@pytest.mark.full
@pytest.mark.usefixtures("neighbours")
def test_who_disturbs_a_session_is_said_everywhere(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.planner.kinds.canary.LONG_S", 0)
    plan = desktop.plan(seconds=3, quiet_wait=1)
    desktop.dyno("run", *plan)
    (entry,) = desktop.sessions()
    events = desktop.events(entry["id"])
    (canary,) = [each.value for each in events if isinstance(each, Fact) and each.name == "canary"]
    assert canary["reads"] > 1 and canary["commits"] > 1  # in memory a commit costs no more than a read
    assert len(canary["reads_by_second"]) == len(canary["commits_by_second"]) == 5
    said = [each.text for each in events if isinstance(each, LogEvent) and each.source == "agent"]
    assert any(text.startswith("the session starts although the machine is not quiet: ") for text in said)
    assert any(text.startswith("disturbed: other programs took ") and NAME in text for text in said)
    check_figures(desktop, entry["id"])


def check_figures(desktop: Desktop, session: str) -> None:
    shown: Any = desktop.json("session", "show", session)
    step = next(each for each in shown["steps"] if each["name"] == "update-index")
    assert step["marks"].count("disturbed") == 1
    assert NAME in [each["name"] for each in step["others"]["programs"]]
    costs = step["per_query"]
    assert costs["server_written_kb"] is not None  # nothing, where its files lie in memory
    assert costs["cpu_user_us"] + costs["cpu_system_us"] == pytest.approx(costs["cpu_us"], rel=0.01)
    assert costs["voluntary_switches"] > 0
    assert 100_000 < step["data_bytes"] < step["size_bytes"]
    text = desktop.dyno("session", "show", session).stdout
    assert "update-index threads=2: other programs took " in text
    assert NAME in text


@pytest.mark.root
@pytest.mark.full
def test_a_machine_that_swaps_is_said(desktop: Desktop) -> None:
    """A file of swap on a disk: the files of tests may lie in memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="dyno-test-") as folder, swapping(Path(folder)):
        desktop.dyno("run", *desktop.plan(seconds=3))
    (entry,) = desktop.sessions()
    shown: Any = desktop.json("session", "show", entry["id"])
    for step in shown["steps"]:
        if step["name"] in ("point-query", "update-index"):
            assert "disturbed" in step["marks"] and step["others"]["swap_kb"] > 1024
            assert "swap" in step["others"]["causes"]
    text = desktop.dyno("session", "show", entry["id"]).stdout
    assert re.search(r"update-index threads=2: .*the machine swapped [\d.]+ MiB", text)
