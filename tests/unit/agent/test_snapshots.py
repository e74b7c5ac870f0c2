"""Data sets that are kept: found again only as they were, named by what shapes them, never half there."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from app.agent.cleanup import clean
from app.agent.snapshots import copying
from app.agent.snapshots.snapshots import Snapshots
from app.agent.system.directory import MarkedDirectory
from app.agent.system.errors import AgentError

KEY = "0123456789abcdef"
ABOUT = {"rows_by_driver": {"inserted": 40, "deleted": 2}, "tables": 2, "rows": 20, "session": "S"}


def look(_: int) -> None:
    """Nothing is to be told to anybody."""


@pytest.fixture
def session_data(directory: MarkedDirectory) -> Path:
    """Of a session, as its server has left it."""
    folder = Path(directory.session("S")) / "data"
    (folder / "dyno").mkdir(parents=True)
    (folder / "ibdata1").write_bytes(b"shared" * 1000)
    (folder / "dyno" / "sbtest1.ibd").write_bytes(b"rows" * 5000)
    (folder / "mysqld-bin.000001").write_bytes(b"binary log")
    (folder / "mysqld-bin.index").write_bytes(b"/of/another/session/mysqld-bin.000001\n")
    return folder


@pytest.fixture
def snapshots(directory: MarkedDirectory, session_data: Path) -> Snapshots:
    """With one that was kept of it."""
    found = Snapshots(directory)
    found.keep(KEY, str(session_data), ABOUT, look)
    return found


def kept(directory: MarkedDirectory, *parts: str) -> Path:
    return Path(directory.at("snapshots", KEY, *parts))


def test_what_is_kept_is_laid_again(snapshots: Snapshots, session_data: Path, tmp_path: Path) -> None:
    snapshot = snapshots.find(KEY)
    assert snapshots.lay(snapshot, str(tmp_path / "laid"), False, look) == "copied"
    for folder in (session_data, tmp_path / "laid"):
        names = sorted(path.name for path in folder.rglob("*") if path.is_file())
        assert names == ["ibdata1", "sbtest1.ibd"]  # an index of the binary log names where it once lay
        assert (folder / "ibdata1").read_bytes() == b"shared" * 1000
    assert snapshot.rows == {"inserted": 40, "deleted": 2}


def test_blocks_are_asked_to_be_shared_file_by_file(
    snapshots: Snapshots, directory: MarkedDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file systems of most machines cannot: here the kernel's part of it is played."""
    asked = []

    def ioctl(target: int, request: int, source: int) -> None:
        asked.append(request)
        os.sendfile(target, source, 0, os.fstat(source).st_size)

    monkeypatch.setattr(copying.fcntl, "ioctl", ioctl)
    laid = tmp_path / "laid"
    assert snapshots.lay(snapshots.find(KEY), str(laid), True, look) == "shared"
    assert (laid / "dyno" / "sbtest1.ibd").read_bytes() == b"rows" * 5000
    assert set(asked) == {copying.FICLONE}
    assert (laid / "ibdata1").stat().st_nlink == 1
    assert sorted(os.listdir(directory.at("snapshots"))) == [KEY]  # nothing is left of trying it out


def test_it_is_listed_with_size_and_age(snapshots: Snapshots) -> None:
    (listed,) = snapshots.list()
    assert (listed.key, listed.problem, listed.tables, listed.session) == (KEY, "", 2, "S")
    assert (listed.size_bytes or 0) >= 26_000
    assert (listed.made_at or 0) > 1_700_000_000


def test_a_file_that_was_changed_is_refused(snapshots: Snapshots, directory: MarkedDirectory) -> None:
    os.utime(kept(directory, "data", "ibdata1"))
    with pytest.raises(AgentError, match="has changed since it was stored: ibdata1 was changed"):
        snapshots.find(KEY)
    assert "ibdata1 was changed" in snapshots.list()[0].problem


def test_a_file_that_is_gone_or_new_is_refused(snapshots: Snapshots, directory: MarkedDirectory) -> None:
    path = kept(directory, "data", "dyno", "sbtest1.ibd")
    path.rename(path.with_name("other.ibd"))
    with pytest.raises(AgentError, match=r"dyno/other\.ibd is new"):
        snapshots.find(KEY)
    path.with_name("other.ibd").unlink()
    with pytest.raises(AgentError, match=r"dyno/sbtest1\.ibd is gone"):
        snapshots.find(KEY)


def test_one_of_another_format_is_refused(snapshots: Snapshots, directory: MarkedDirectory) -> None:
    about = json.loads(kept(directory, "snapshot.json").read_text())
    kept(directory, "snapshot.json").write_text(json.dumps({**about, "format": 0}))
    with pytest.raises(AgentError, match="was stored by another version of Dyno"):
        snapshots.find(KEY)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}'])
def test_one_that_does_not_say_what_it_is_is_refused(
    snapshots: Snapshots, directory: MarkedDirectory, text: str
) -> None:
    kept(directory, "snapshot.json").write_text(text)
    with pytest.raises(AgentError, match="has no description"):
        snapshots.find(KEY)
    assert snapshots.list()[0].key == KEY


def test_content_that_is_damaged_is_found_while_it_is_laid(
    snapshots: Snapshots, directory: MarkedDirectory, tmp_path: Path
) -> None:
    """A disk that forgets leaves name, length and time alone."""
    path = kept(directory, "data", "ibdata1")
    times = path.stat()
    path.write_bytes(b"Shared" * 1000)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    snapshot = snapshots.find(KEY)
    with pytest.raises(AgentError, match="is damaged in ibdata1 and was deleted"):
        snapshots.lay(snapshot, str(tmp_path / "laid"), False, look)
    assert not snapshots.has(KEY)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_half_of_one_is_none_and_the_session_has_its_data_back(
    directory: MarkedDirectory, session_data: Path, error: BaseException
) -> None:
    def full(_: int) -> None:
        raise error

    before = {path.name: path.stat().st_ino for path in session_data.rglob("*.ibd")}
    with pytest.raises(type(error)):
        Snapshots(directory).keep(KEY, str(session_data), ABOUT, full)
    assert {path.name: path.stat().st_ino for path in session_data.rglob("*.ibd")} == before
    assert os.listdir(directory.at("snapshots")) == []
    assert os.listdir(directory.at("trash")) == []


def test_a_snapshot_that_a_killed_agent_left_is_taken_away_at_the_next_start(
    directory: MarkedDirectory,
) -> None:
    Path(directory.at("snapshots", f"{KEY}.half", "data")).mkdir(parents=True)
    clean(directory)
    assert os.listdir(directory.at("snapshots")) == []


def test_a_newer_one_takes_the_place_of_the_one_before(
    snapshots: Snapshots, session_data: Path, directory: MarkedDirectory
) -> None:
    first = snapshots.find(KEY).about["made_at"]
    (session_data / "ibdata1").write_bytes(b"newer")
    snapshots.keep(KEY, str(session_data), ABOUT, look)
    assert snapshots.find(KEY).about["made_at"] > first
    assert kept(directory, "data", "ibdata1").read_bytes() == b"newer"


def test_one_is_deleted_and_nothing_else(snapshots: Snapshots, directory: MarkedDirectory) -> None:
    for key in ("../agents", "ffff", "", f"{KEY}/data"):
        with pytest.raises(AgentError, match="no snapshot"):
            snapshots.delete(key)
    snapshots.delete(KEY)
    assert snapshots.list() == []
    assert os.path.isdir(directory.at("agents"))
