"""Sending journals: every byte of every session once, in whole lines, whichever of them is growing."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.agent.follow import MOST, PlanJournalReader, parse_offsets
from app.agent.system.directory import MARKER, MarkedDirectory
from app.following.frames import Beat, FollowStreamSplitter, Piece, PlanStreamEnd

SESSIONS = ["A", "B", "C"]
PLAN = "P"


@pytest.fixture
def directory_of_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MarkedDirectory:
    monkeypatch.setattr("app.agent.follow.BEAT_S", 0.1)
    monkeypatch.setattr("app.agent.follow.LOOK_S", 0.01)
    home = tmp_path / "dyno"
    home.mkdir(mode=0o700)
    (home / MARKER).touch()
    made = MarkedDirectory(str(home))
    for session in SESSIONS:
        os.mkdir(made.session(session))
    return made


def lines(first: int, last: int) -> bytes:
    return b"".join(json.dumps({"seq": number}).encode() + b"\n" for number in range(first, last))


def append(directory: MarkedDirectory, session: str, data: bytes) -> None:
    with open(directory.journal(session), "ab") as journal:
        journal.write(data)


def frames(output: bytes) -> Iterator[object]:
    return FollowStreamSplitter().feed(output)


def content(output: bytes) -> dict[str, bytes]:
    found = dict.fromkeys(SESSIONS, b"")
    for frame in frames(output):
        if isinstance(frame, Piece):
            found[frame.session] += frame.raw
    return found


def follow(directory: MarkedDirectory, *offsets: str) -> None:
    PlanJournalReader(directory, PLAN, parse_offsets(list(offsets or SESSIONS))).run()


def test_a_plan_that_is_over_is_sent_whole(
    directory_of_sessions: MarkedDirectory, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    wanted = {"A": lines(0, 3), "B": lines(0, 2 * MOST // 12), "C": b""}
    for session, data in wanted.items():
        append(directory_of_sessions, session, data)
    follow(directory_of_sessions)
    output = capsysbinary.readouterr().out
    assert content(output) == wanted
    assert isinstance(list(frames(output))[-1], PlanStreamEnd)


def test_only_what_lies_behind_the_offset_and_is_whole(
    directory_of_sessions: MarkedDirectory, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    append(directory_of_sessions, "A", lines(0, 5) + b'{"seq": 5')
    follow(directory_of_sessions, f"A:{len(lines(0, 3))}")
    assert content(capsysbinary.readouterr().out)["A"] == lines(3, 5)


def test_one_session_after_another_while_the_plan_is_carried_out(
    directory_of_sessions: MarkedDirectory, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    lock = directory_of_sessions.lock({"plan": PLAN, "pid": os.getpid()})
    assert lock is not None
    following = threading.Thread(target=follow, args=(directory_of_sessions,))
    following.start()
    for session in SESSIONS:
        for number in range(4):
            append(directory_of_sessions, session, lines(number, number + 1))
            time.sleep(0.02)  # the pace of an agent, not a condition
    os.close(lock)
    following.join(10)
    output = capsysbinary.readouterr().out
    assert content(output) == dict.fromkeys(SESSIONS, lines(0, 4))
    locked = [frame.locked for frame in frames(output) if isinstance(frame, Beat)]
    assert locked == sorted(locked, reverse=True)
    assert not following.is_alive()
