"""Dyno deletes only what lies under its marker; one plan at a time holds the lock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.agent.system.directory import Directory
from app.agent.system.errors import AgentError


def test_a_folder_without_marker_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(AgentError, match="is not a Dyno directory"):
        Directory(str(tmp_path))


def test_a_folder_open_to_others_is_refused(directory: Directory) -> None:
    os.chmod(directory.path, 0o755)
    with pytest.raises(AgentError, match="chmod 700"):
        Directory(directory.path)


@pytest.mark.parametrize("path", ["/etc/hostname", "{}/../precious", "{}/sessions/../../precious", "{}"])
def test_nothing_outside_is_deleted(directory: Directory, path: str) -> None:
    precious = Path(directory.path).parent / "precious"
    precious.mkdir()
    with pytest.raises(AgentError, match="not deleted"):
        directory.remove(path.format(directory.path))
    assert precious.exists()
    assert os.path.exists("/etc/hostname")


def test_a_link_is_taken_away_and_what_it_points_to_stays(directory: Directory) -> None:
    precious = Path(directory.path).parent / "precious"
    precious.mkdir()
    (precious / "file").touch()
    link = directory.at("sessions", "link")
    os.symlink(precious, link)
    directory.remove(link)
    assert not os.path.lexists(link)
    assert (precious / "file").exists()


def test_a_link_in_the_way_leads_nowhere(directory: Directory) -> None:
    precious = Path(directory.path).parent / "precious"
    (precious / "data").mkdir(parents=True)
    os.symlink(precious, directory.at("sessions", "abc"))
    with pytest.raises(AgentError, match="not deleted"):
        directory.remove(directory.at("sessions", "abc", "data"))
    assert (precious / "data").exists()


def test_the_lock_has_one_holder_and_names_it(directory: Directory) -> None:
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


@pytest.mark.parametrize("name", ["../x", "a/b", "", "."])
def test_an_id_is_no_path(directory: Directory, name: str) -> None:
    with pytest.raises(AgentError, match="is not an id"):
        directory.session(name)
