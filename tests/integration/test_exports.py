"""A real session leaves one desktop as a file and arrives at another one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.integration.desktop import Desktop


def test_a_session_travels_as_one_file(
    recorded: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded.dyno("session", "rename", "last", "the good one")
    recorded.dyno("session", "tag", "last", "keep")
    recorded.dyno("session", "note", "last", "door was open")
    file = tmp_path / "session.zip"
    recorded.dyno("session", "export", "last", str(file))
    other = Desktop(tmp_path / "other-home")
    monkeypatch.setenv("DYNO_HOME", str(other.home))
    other.dyno("import", str(file))
    (mine,), (theirs,) = recorded.sessions(), other.sessions()
    changing = {"imported", "colour"}
    assert {k: v for k, v in mine.items() if k not in changing} == {
        k: v for k, v in theirs.items() if k not in changing
    }
    assert "already" in other.dyno("import", str(file)).stdout
    assert len(other.sessions()) == 1
    assert other.json("session", "show", "last")["steps"] == recorded.json("session", "show", "last")["steps"]


def test_a_file_that_was_tampered_with_is_refused_and_nothing_is_left(
    recorded: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, changed = tmp_path / "session.zip", tmp_path / "changed.zip"
    recorded.dyno("session", "export", "last", str(file))
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b'"value":', b'"value":1'))
    other = Desktop(tmp_path / "other-home")
    assert "cannot import" in other_refuses(other, monkeypatch, changed)
    assert other.sessions() == []
    assert not list((other.home / "journals").glob("*"))


def other_refuses(other: Desktop, monkeypatch: pytest.MonkeyPatch, file: Path) -> str:
    monkeypatch.setenv("DYNO_HOME", str(other.home))
    return other.refused("import", str(file))


def test_a_history_is_made_anew_from_its_journals(recorded: Desktop) -> None:
    recorded.dyno("session", "rename", "last", "mine")
    before = recorded.json("session", "show", "last")
    recorded.dyno("doctor")
    assert ": 1 session\n" in recorded.dyno("doctor", "--rebuild").stdout
    assert recorded.json("session", "show", "last") == before


def test_a_deleted_session_is_not_fetched_again(recorded: Desktop) -> None:
    (entry,) = recorded.sessions()
    recorded.dyno("session", "delete", "last")
    assert "everything of local is in the history" in recorded.dyno("follow").stdout
    assert (
        "is deleted here; to restore it: dyno session undelete"
        in recorded.dyno("follow", entry["plan"]).stdout
    )
    assert recorded.sessions() == []
    recorded.dyno("session", "undelete", entry["id"][-6:])
    assert recorded.sessions() == [entry]


def test_nothing_to_steer_is_no_wrong_input(desktop: Desktop) -> None:
    for words in (["stop"], ["skip"], ["note", "the fan came on"]):
        assert "no plan runs" in desktop.refused(*words, code=1)
    assert "4000 characters" in desktop.refused("note", "x" * 4001)
