"""Two people at one target at the same moment: nobody is refused because another one only looks."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.agent.system.directory import REHEARSING
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.waiting import wait_until

ONE = f"{MARIADB}:innodb"
LOOK_S = 0.5

REHEARSAL = f"""
import os, sys
from app.agent.system.directory import MarkedDirectory
lock = MarkedDirectory(sys.argv[1]).lock({{"verb": {REHEARSING!r}, "pid": os.getpid()}})
print(lock, flush=True)
sys.stdin.read()
"""


@contextmanager
def rehearsing(desktop: Desktop) -> Iterator[int]:
    """Another plan is rehearsed there, by this process."""
    desktop.dyno("target", "survey", "local")  # makes the directory
    command = [sys.executable, "-c", REHEARSAL, str(desktop.target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline().strip().isdigit()
        try:
            yield other.pid
        finally:
            other.stdin.close()


@pytest.mark.full
def test_two_plans_at_once_are_one_that_runs_and_one_that_is_refused_by_it(desktop: Desktop) -> None:
    words = [*desktop.plan(ONE, seconds=20), "--detach", "--allow-busy"]
    dry = ["run", *desktop.plan(ONE), "--dry-run", "--allow-busy"]
    desktop.dyno(*dry)
    runs = [desktop.begin("run", *words, "--name", name, rehearses=True) for name in ("first", "second")]
    looks = 0
    while any(each.poll() is None for each in runs) and not desktop.agent_pid():
        assert "a rehearsal" not in desktop.dyno(*dry, code=None).stderr
        looks += 1
        time.sleep(LOOK_S)
    texts = [each.communicate(timeout=180)[0] for each in runs]
    assert sorted(each.returncode for each in runs) == [0, 1], texts
    refused = next(text for each, text in zip(runs, texts, strict=True) if each.returncode)
    assert "in use by plan" in refused.splitlines()[-1] and looks, texts
    desktop.dyno("stop")


@pytest.mark.full
def test_a_rehearsal_waits_for_another_one_and_says_so(desktop: Desktop) -> None:
    with rehearsing(desktop) as pid:
        desktop.dyno("run", *desktop.plan(), "--dry-run", "--allow-busy")  # a check waits for nobody
        run = desktop.begin("run", *desktop.plan(), "--dry-run", "--start", "--allow-busy", rehearses=True)
        assert run.stdout is not None
        waiting = f"info  busy: waiting for a rehearsal (process {pid}), 60 s at most\n"
        assert waiting in iter(run.stdout.readline, "")
    said = run.communicate(timeout=120)[0]
    assert run.returncode == 0 and "the server starts" in said, said


@pytest.mark.full
def test_a_queue_takes_plans_during_a_rehearsal_and_begins_them_after_it(desktop: Desktop) -> None:
    with rehearsing(desktop):
        said = desktop.dyno("run", *desktop.plan(), "--queue", "--allow-busy").stdout
        assert "plan tiny is number 1" in said, said
        assert not list(desktop.target.glob("plans/*"))
    wait_until(lambda: not desktop.json("queue", "list")["plans"], "the plan begins", 90)
    desktop.dyno("follow", code=None)
    assert [each["state"] for each in desktop.sessions()] == ["completed"]
