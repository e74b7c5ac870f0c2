"""A detached process and its guardian, which cleans up if a signal ends the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.agent.server.server import start_ticks
from tests.processes import parent_of
from tests.waiting import wait_until

# a process of its own, as a fork takes along every thread of a test
SCRIPT = """
import sys, time
from app.agent.system.detaching import detach
folder, seconds = sys.argv[1], float(sys.argv[2])
def work():
    time.sleep(seconds)
    open(folder + "/done", "w").close()
print(detach(work, folder + "/log", lambda: open(folder + "/cleaned", "w").close()))
"""


def detached(folder: Path, seconds: float) -> int:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(seconds)], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_a_process_that_ends_by_itself_needs_no_guardian(tmp_path: Path) -> None:
    guardian = parent_of(detached(tmp_path, 0.5))
    wait_until(lambda: start_ticks(guardian) == "?", "the guardian has ended")
    assert (tmp_path / "done").exists() and not (tmp_path / "cleaned").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_after_one_that_was_killed_the_guardian_cleans_up(tmp_path: Path, number: signal.Signals) -> None:
    pid = detached(tmp_path, 60)
    guardian = parent_of(pid)
    os.kill(guardian, signal.SIGTERM)  # as a person who ends all that looks like it
    os.kill(pid, number)
    wait_until((tmp_path / "cleaned").exists, "the guardian has cleaned up")
    wait_until(lambda: start_ticks(guardian) == "?", "the guardian has ended")
    assert f"process {pid} was ended by signal {number.value}" in (tmp_path / "log").read_text()


def test_a_group_that_is_killed_is_not_that_of_the_guardian(tmp_path: Path) -> None:
    os.killpg(detached(tmp_path, 60), signal.SIGKILL)
    wait_until((tmp_path / "cleaned").exists, "the guardian has cleaned up")


def test_what_cannot_begin_is_told(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    with pytest.raises(AssertionError, match=rf"could not begin: is there room for {tmp_path}/log\?"):
        detached(tmp_path, 0)


GUARDED = """
import sys, time
from app.agent.system.detaching import cleanup_if_killed
with cleanup_if_killed(lambda: open(sys.argv[1] + "/cleaned", "w").close()):
    print("begun", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def begin_guarded(folder: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", GUARDED, str(folder), str(seconds)]
    begun = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert begun.stdout is not None and begun.stdout.readline() == "begun\n"
    return begun


def test_a_block_that_ends_by_itself_is_not_cleaned_up(tmp_path: Path) -> None:
    begun = begin_guarded(tmp_path, 0)
    begun.communicate(timeout=10)
    assert begun.returncode == 0
    assert not (tmp_path / "cleaned").exists()


def test_after_a_block_whose_group_was_killed_its_guardian_cleans_up(tmp_path: Path) -> None:
    begun = begin_guarded(tmp_path, 60)
    os.killpg(begun.pid, signal.SIGKILL)
    begun.communicate(timeout=10)  # the guardian holds no stream open
    wait_until((tmp_path / "cleaned").exists, "the guardian has cleaned up")


def test_a_block_outlives_its_guardian(tmp_path: Path) -> None:
    begun = begin_guarded(tmp_path, 0.5)
    (guardian,) = Path(f"/proc/{begun.pid}/task/{begun.pid}/children").read_text().split()
    os.kill(int(guardian), signal.SIGKILL)
    begun.communicate(timeout=10)
    assert begun.returncode == 0
