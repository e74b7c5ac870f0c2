"""`dyno session` as people read it: what is shown, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from app.history import edits
from app.history.history import History
from app.history.writing import Writer
from app.protocol.events import Fact, Mark
from tests import journals

PLAN = journals.plan()
ID = PLAN.turns[0].session


@pytest.fixture
def filled(dyno_home: Path) -> None:
    """A session with everything that can be said of one."""
    maker = journals.Maker(PLAN).begin()
    maker.add(Fact, name="disk", value={"model": None, "disks": ["sda", "sdb"], "parts": [{"n": 1}]})
    start = {"load": "snapshot 06e6, copied", "start": "snapshot", "pause_s": 3}
    maker.add(Fact, name="start_state", value=start)
    maker.add(Mark, name="crash", text="the server died by signal 9", value=None)
    for at in range(len(PLAN.steps)):
        maker.step(at, *(("failed", "error 1205") if at == 3 else ()))
    maker.events[-1].marks.append("after-a-crash")
    with History(dyno_home) as history:
        Writer(history).append(PLAN.id, ID, 0, maker.end().raw)
        edits.tag(history, ID, "quiet")
        edits.note(history, ID, "the window\nwas open \x1b[2J")


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that a command is refused with."""
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.startswith("dyno: ") and told.count("\n") == 1
    return told


@pytest.mark.usefixtures("filled")
def test_what_was_said_of_a_session_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "session", "show", "last")
    assert "start snapshot, load snapshot 06e6, copied, 3 s of pause before" in shown
    assert "tags: quiet" in shown
    assert "after-a-crash" in shown
    assert "crash the server died by signal 9" in shown
    assert "the window\n    was open ?[2J" in shown
    assert "\x1b" not in shown


@pytest.mark.usefixtures("filled")
def test_settings_are_a_line_for_each_value(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "session", "settings", "last")
    assert "innodb_buffer_pool_size = 1073741824" in shown
    assert "model = unknown\ndisks = sda sdb\nparts:\n  n = 1\n" in shown
    assert "cpu:\n  model = a CPU\n" in shown
    assert not any(python in shown for python in ("{'", "None", "['"))


@pytest.mark.usefixtures("filled")
def test_one_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "completed, 1 failed step " in said(capsys, "session", "list")
    assert "made anew from the kept journals: 1 session\n" in said(capsys, "doctor", "--rebuild")


@pytest.mark.parametrize("limit", ["0", "-1", "9" * 30, "x", "1_0", ""])
def test_a_limit_is_a_number_of_sessions(capsys: pytest.CaptureFixture[str], limit: str) -> None:
    assert "--limit" in refused(capsys, "session", "list", "--limit", limit)


@pytest.mark.parametrize(
    "words",
    [
        ("session", "show", "\udcff"),
        ("session", "list", "--tag", "\udcff"),
        ("session", "tag", "last", "\udcff"),
        ("import", "\udcff.zip"),
        ("run", "\udcff.toml"),
        ("note", "\udcff"),
    ],
)
def test_words_that_are_no_text_are_refused(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert "no UTF-8" in refused(capsys, *words)


@pytest.mark.usefixtures("filled")
def test_deleted_and_brought_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"dyno session undelete {ID}" in said(capsys, "session", "delete", "last")
    assert ID[-6:] not in said(capsys, "session", "list")
    assert "nothing" in refused(capsys, "session", "undelete", "nothing")
    assert f"{ID}: is back" in said(capsys, "session", "undelete", ID[-6:])
    assert ID[-6:] in said(capsys, "session", "list")


@pytest.mark.usefixtures("filled")
def test_a_file_without_a_name_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert "the name of the file is empty" in refused(capsys, "session", "export", "last", "")
    assert list((tmp_path / "here").iterdir()) == []


def test_what_was_typed_is_not_repeated_for_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(refused(capsys, "target", "add", "x", "--port", "9" * 5000)) < 600
