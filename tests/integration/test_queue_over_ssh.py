"""The queue of a target that is reached over SSH, and what is left of it when its machine restarts."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.integration.desktop import Desktop
from tests.integration.sshd import Sshd
from tests.waiting import wait_until

SHORT = {"steps": "point-query", "seconds": 1, "warmup": 0}
LONG = {**SHORT, "seconds": 60}  # it is stopped while it runs
FAR = ("--target", "far")


def listed(desktop: Desktop) -> dict[str, Any]:
    found: dict[str, Any] = desktop.json("queue", "list", *FAR)
    return found


def queue(desktop: Desktop, name: str, work: dict[str, Any]) -> None:
    done = desktop.dyno("run", *desktop.plan(target="far", **work), "--name", name, "--queue")
    assert f"plan {name} is number" in done.stdout


def restart_machine(desktop: Desktop, sshd: Sshd) -> None:
    """Nothing of what ran is left; the machine answers again."""
    directory = Path(sshd.directory)
    pids = desktop.agent_pid(directory), desktop.server_pid(directory)
    sshd.stop()
    for pid in filter(None, pids):
        os.kill(pid, signal.SIGKILL)
    sshd.start()


@pytest.mark.full  # test_queue.py does the same without SSH
def test_a_restart_of_the_machine_keeps_the_queue_its_order_and_what_is_held(
    desktop: Desktop, sshd: Sshd
) -> None:
    sshd.add_target("far", sshd.directory)
    desktop.dyno("run", *desktop.plan(target="far", seconds=60), "--name", "first", "--detach")
    queue(desktop, "second", LONG)
    queue(desktop, "third", SHORT)
    desktop.dyno("queue", "move", "third", "1", *FAR)
    desktop.dyno("queue", "hold", "second", *FAR)

    restart_machine(desktop, sshd)
    wait_until(lambda: "plan third (" in listed(desktop)["at_work"], "a look begins the third plan", 180)
    sshd.stop()  # nobody looks meanwhile
    wait_until(lambda: not desktop.agent_pid(Path(sshd.directory)), "the third plan is over", 180)
    sshd.start()
    left = listed(desktop)["plans"]
    assert [(each["name"], bool(each["held"])) for each in left] == [("second", True)]

    desktop.dyno("queue", "resume", "second", *FAR)
    wait_until(lambda: "plan second (" in listed(desktop)["at_work"], "the second plan has begun", 180)
    desktop.dyno("stop", *FAR)
    desktop.dyno("follow", *FAR, code=None)
    states = {each["name"].rpartition("-")[0]: each["state"] for each in desktop.sessions()}
    assert states == {"first": "lost", "third": "completed", "second": "stopped"}
