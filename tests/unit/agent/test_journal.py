"""The journal keeps every event whole, numbers them without gaps, and survives a full disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from app.agent.system import journal as module
from app.agent.system.journal import DiskFullError, Journal
from app.protocol.events import LogEvent, Note, decode


def test_events_are_lines_numbered_without_gaps(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(str(path))
    for text in ("one", "two\nlines", "ünï"):
        journal.write(Note, text=text)
    journal.close()
    events = [decode(line) for line in path.read_bytes().splitlines()]
    assert [event.seq for event in events] == [1, 2, 3]
    assert [event.text for event in events if isinstance(event, Note)] == ["one", "two\nlines", "ünï"]
    assert path.stat().st_mode & 0o077 == 0


def test_a_journal_is_never_overwritten(tmp_path: Path) -> None:
    Journal(str(tmp_path / "journal.jsonl")).close()
    with pytest.raises(FileExistsError):
        Journal(str(tmp_path / "journal.jsonl"))


def test_a_line_for_people_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(str(path)).log("long " * 1000)
    event = decode(path.read_bytes())
    assert isinstance(event, LogEvent)
    assert (event.source, event.level, len(event.text)) == ("agent", "warning", 1000)


def test_a_full_disk_still_takes_the_event_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(str(path))
    journal.begin()
    real = os.write

    def short_write(fd: int, data: bytes) -> int:
        """A disk with room for five bytes, until the reserve is given up."""
        if (tmp_path / "journal.jsonl.reserve").exists():
            return real(fd, data[:5])
        return real(fd, data)

    monkeypatch.setattr(module.os, "write", short_write)
    with pytest.raises(DiskFullError):
        journal.write(Note, text="the last straw")
    journal.log("and its reason", "error")
    lines = path.read_bytes().splitlines()
    assert [decode(line).seq for line in lines] == [1, 2]


def test_a_full_disk_without_reserve_leaves_no_torn_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(str(path))
    journal.write(Note, text="whole")
    real = os.write
    monkeypatch.setattr(module.os, "write", lambda fd, data: real(fd, data[:7]))
    with pytest.raises(OSError) as raised:
        journal.write(Note, text="torn")
    assert raised.value.errno == errno.ENOSPC
    assert path.read_bytes().count(b"\n") == 1
