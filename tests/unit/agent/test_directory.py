"""Dyno deletes only what lies under its marker; one plan at a time holds the lock."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from pathlib import Path

import pytest

from app.agent.system.directory import REHEARSING, MarkedDirectory, open_lock, write_holder
from app.agent.system.errors import AgentError


def test_a_folder_without_marker_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(AgentError, match="is not a Dyno directory"):
        MarkedDirectory(str(tmp_path))


def test_a_folder_open_to_others_is_refused(directory: MarkedDirectory) -> None:
    os.chmod(directory.path, 0o755)
    with pytest.raises(AgentError, match="chmod 700"):
        MarkedDirectory(directory.path)


@pytest.mark.parametrize("path", ["/etc/hostname", "{}/../precious", "{}/sessions/../../precious", "{}"])
def test_nothing_outside_is_deleted(directory: MarkedDirectory, path: str) -> None:
    precious = Path(directory.path).parent / "precious"
    precious.mkdir()
    with pytest.raises(AgentError, match="not deleted"):
        directory.remove(path.format(directory.path))
    assert precious.exists()
    assert os.path.exists("/etc/hostname")


def test_a_link_is_taken_away_and_what_it_points_to_stays(directory: MarkedDirectory) -> None:
    precious = Path(directory.path).parent / "precious"
    precious.mkdir()
    (precious / "file").touch()
    link = directory.at("sessions", "link")
    os.symlink(precious, link)
    directory.remove(link)
    assert not os.path.lexists(link)
    assert (precious / "file").exists()


def test_a_link_in_the_way_leads_nowhere(directory: MarkedDirectory) -> None:
    precious = Path(directory.path).parent / "precious"
    (precious / "data").mkdir(parents=True)
    os.symlink(precious, directory.at("sessions", "abc"))
    with pytest.raises(AgentError, match="not deleted"):
        directory.remove(directory.at("sessions", "abc", "data"))
    assert (precious / "data").exists()


def test_the_lock_has_one_holder_and_names_it(directory: MarkedDirectory) -> None:
    assert directory.holder() == {}
    held = directory.lock({"plan": "P", "pid": 1})
    assert held is not None
    assert directory.lock({"plan": "Q", "pid": 2}) is None
    assert directory.holder() == {"plan": "P", "pid": 1}
    assert directory.held_by() == "plan P (process 1)"
    os.close(held)
    assert directory.holder() == {} and directory.held_by() == ""
    held = directory.lock({"verb": "upload", "pid": 3})
    assert held is not None and directory.held_by() == "upload (process 3)"
    os.close(held)


def let_go(lock: int | None, after_s: float) -> threading.Timer:
    timer = threading.Timer(after_s, os.close, [lock])
    timer.start()
    return timer


def test_a_rehearsal_is_waited_for_and_a_plan_is_not(directory: MarkedDirectory) -> None:
    held = directory.lock({"verb": REHEARSING, "pid": 1})
    assert not directory.is_taken() and directory.holder()
    began = time.monotonic()
    assert directory.lock({"plan": "P", "pid": 2}) is None
    assert directory.lock({"plan": "P", "pid": 2}, 1.0) is None
    assert 1.0 <= time.monotonic() - began < 2.0
    timer = let_go(held, 0.5)
    mine = directory.lock({"plan": "P", "pid": 2}, 30.0)
    timer.join()
    assert mine is not None and directory.held_by() == "plan P (process 2)" and directory.is_taken()
    began = time.monotonic()
    assert directory.lock({"verb": REHEARSING, "pid": 3}, 30.0) is None
    assert time.monotonic() - began < 2.0
    os.close(mine)


def test_a_plan_that_comes_while_a_rehearsal_is_waited_for_ends_the_wait(directory: MarkedDirectory) -> None:
    held = directory.lock({"verb": REHEARSING, "pid": 1})
    assert held is not None
    timer = threading.Timer(0.4, write_holder, [held, {"plan": "P", "pid": 2}])
    timer.start()
    began = time.monotonic()
    assert directory.lock({"plan": "Q", "pid": 3}, 30.0) is None
    assert 0.4 < time.monotonic() - began < 3.0
    os.close(held)


def test_who_asks_for_the_holder_keeps_nobody_from_the_lock(directory: MarkedDirectory) -> None:
    asking = open_lock(directory.at("lock"))
    fcntl.flock(asking, fcntl.LOCK_SH)  # as `holder` does for a moment
    timer = let_go(asking, 0.1)
    held = directory.lock({"plan": "P", "pid": 1})
    timer.join()
    assert held is not None
    os.close(held)


@pytest.mark.parametrize("name", ["../x", "a/b", "", "."])
def test_an_id_is_no_path(directory: MarkedDirectory, name: str) -> None:
    with pytest.raises(AgentError, match="is not an id"):
        directory.session(name)
