"""Following: frames however they are cut, journals stored, links that break and come back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from app.core.errors import LinkError, TargetError
from app.following.follower import Follower, FollowerLinkState, JournalStreamReader
from app.following.frames import Beat
from app.history.lists import edits
from app.history.lists.sessions import sessions
from app.history.recorded.writing import JournalStorer, record_unlocked_journals
from app.history.store.history import History
from tests.unit.following.scripted import (
    FIRST,
    PLAN,
    SECOND,
    STREAM,
    WHOLES,
    ScriptedStream,
    ScriptedTarget,
    beat,
    follow,
    piece,
    read_from,
    rest,
    states,
)


def test_pump_stores_and_returns_what_is_new(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        pump = JournalStreamReader(PLAN.id, WHOLES, JournalStorer(history))
        pumped = pump.pump(read_from([STREAM]))
        assert {s: list(e) for s, e in pumped.events.items()} == {s: m.events for s, m in WHOLES.items()}
        assert pumped.ended and pumped.beat == Beat(5000.0, False)


def test_pump_says_when_nothing_comes_and_when_it_is_over(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        pump = JournalStreamReader(PLAN.id, WHOLES, JournalStorer(history))
        with pytest.raises(TimeoutError):
            pump.pump(read_from([]))
        with pytest.raises(EOFError):
            pump.pump(read_from([b""]))


def test_a_journal_that_is_none_leaves_the_others_alone(tmp_path: Path) -> None:
    broken = WHOLES[FIRST].raw.splitlines(keepends=True)
    del broken[5]
    stream = piece(FIRST, b"".join(broken)) + piece(SECOND, WHOLES[SECOND].raw)
    with History(tmp_path) as history:
        pump = JournalStreamReader(PLAN.id, WHOLES, JournalStorer(history))
        pumped = pump.pump(read_from([stream]))
        assert "lacks event 6" in pumped.refused[FIRST]
        assert dict(history.query("SELECT id, state FROM session")) == {FIRST: "active", SECOND: "completed"}
        assert (history.journals / f"{FIRST}.jsonl").read_bytes() == b"".join(broken)


@pytest.mark.parametrize("damage", [b"\xff", b"\xed\xa0\x80", b"{" * 2000])
def test_a_damaged_line_is_told_once_and_what_follows_is_kept(tmp_path: Path, damage: bytes) -> None:
    """A byte that is not UTF-8 once ended `dyno follow`, each time again."""
    lines = WHOLES[FIRST].raw.splitlines(keepends=True)
    bad, rest = damage + lines[20], b"".join(lines[21:])
    raw = b"".join(lines[:20]) + bad + rest
    with History(tmp_path) as history:
        pump = JournalStreamReader(PLAN.id, WHOLES, JournalStorer(history))
        first = piece(FIRST, raw[: len(raw) - len(rest)])
        pumped = [pump.pump(read_from([each])) for each in (first, piece(FIRST, rest, len(raw) - len(rest)))]
        assert "cannot be read from event 21 on" in pumped[0].refused[FIRST] and not pumped[1].refused
        assert list(pumped[0].events[FIRST]) == WHOLES[FIRST].events[:20]
        assert (history.journals / f"{FIRST}.jsonl").read_bytes() == raw
        record_unlocked_journals(history, [FIRST])
        (entry,) = sessions(history)
        assert entry["state"] == "lost" and "cannot be read from event 21 on" in entry["reason"]


def test_a_newer_protocol_is_said_once_and_its_bytes_are_kept(tmp_path: Path) -> None:
    raw = b'{"kind":"session_planned","seq":1,"protocol":"2.1"}\n'
    with History(tmp_path) as history:
        pump = JournalStreamReader(PLAN.id, WHOLES, JournalStorer(history))
        pumped = pump.pump(read_from([piece(FIRST, raw)]))
        assert "2.1" in pumped.refused[FIRST] and "update Dyno" in pumped.refused[FIRST]
        pumped = pump.pump(read_from([piece(FIRST, b'{"strange":1}\n', len(raw))]))
        assert pumped.refused == {}
        assert (history.journals / f"{FIRST}.jsonl").read_bytes() == raw + b'{"strange":1}\n'


def test_follows_to_the_end(tmp_path: Path) -> None:
    published = follow(tmp_path, ScriptedTarget(rest))
    assert states(tmp_path) == ["completed", "completed"]
    assert published.events(FIRST) == WHOLES[FIRST].events
    assert published.links[0].state == "connecting"
    assert published.links[-1] == FollowerLinkState("ended", locked=False, clock_offset_s=3600.0)


def test_what_was_deleted_meanwhile_is_not_asked_for(tmp_path: Path) -> None:
    target = ScriptedTarget(rest, rest)
    follow(tmp_path, target)
    with History(tmp_path) as history:
        edits.delete(history, FIRST)
    follow(tmp_path, target)
    assert [list(offsets) for offsets in target.offsets] == [[FIRST, SECOND], [SECOND]]
    with History(tmp_path) as history:
        assert [each["id"] for each in sessions(history)] == [SECOND]


def test_the_clock_of_the_target_is_measured_at_each_connect(tmp_path: Path) -> None:
    follow(tmp_path, ScriptedTarget(rest))
    with History(tmp_path) as history:
        rows = history.connection.execute("SELECT plan, offset_s FROM clock_offset").fetchall()
    assert rows == [(PLAN.id, 3600.0)]


def test_a_link_that_breaks_is_taken_up_where_it_broke(tmp_path: Path) -> None:
    """Every second is there, none twice."""

    def broken(most: int) -> Callable[[Mapping[str, int]], ScriptedStream]:
        return lambda offsets: rest(offsets, most)

    target = ScriptedTarget(broken(7000), broken(9000), broken(3000), rest)
    published = follow(tmp_path, target)
    for session, maker in WHOLES.items():
        assert published.events(session) == maker.events
        assert (tmp_path / "journals" / f"{session}.jsonl").read_bytes() == maker.raw
    assert target.connects == 4
    assert target.offsets[1][FIRST] > 0


def test_backs_off_longer_and_longer_until_something_is_heard(tmp_path: Path) -> None:
    def fail(offsets: Mapping[str, int]) -> ScriptedStream:
        raise LinkError("dyno target trust far", window_text="accept it on the Bench page")

    def breaks(offsets: Mapping[str, int]) -> ScriptedStream:
        return ScriptedStream([beat(1), LinkError("connection reset")])

    target = ScriptedTarget(*[fail] * 7, breaks, fail, rest)
    published = follow(tmp_path, target)
    waits = [(link.text, link.retry_s) for link in published.links if link.state == "down"]
    assert [wait for _, wait in waits] == [1, 2, 4, 8, 16, 30, 30, 1, 2]
    assert waits[7][0] == "connection reset"
    assert {link.window_text for link in published.links if link.text == "dyno target trust far"} == {
        "accept it on the Bench page"
    }


def test_silence_of_ten_seconds_is_a_dead_link(tmp_path: Path) -> None:
    def silent(offsets: Mapping[str, int]) -> ScriptedStream:
        return ScriptedStream([beat(1), *[None] * 9, beat(2), *[None] * 10])

    published = follow(tmp_path, ScriptedTarget(silent, rest))
    down = [link for link in published.links if link.state == "down"]
    assert [link.text for link in down] == ["nothing was heard for 10 s"]


def test_an_agent_file_that_cannot_run_is_no_link_error(tmp_path: Path) -> None:
    def missing(offsets: Mapping[str, int]) -> ScriptedStream:
        stream = ScriptedStream([], returncode=127)
        stream.stderr = b"python3: command not found\n"
        return stream

    with pytest.raises(TargetError, match="command not found"):
        follow(tmp_path, ScriptedTarget(missing))


def test_stop_lets_it_return(tmp_path: Path) -> None:
    def endless(offsets: Mapping[str, int]) -> ScriptedStream:
        return ScriptedStream([beat(number) for number in range(100_000)])

    heard = threading.Event()
    target = ScriptedTarget(endless)
    follower = Follower(tmp_path, PLAN.id, list(WHOLES), target.connect, lambda update: heard.set())
    thread = threading.Thread(target=follower.run)
    thread.start()
    assert heard.wait(5)
    follower.stop()
    thread.join(5)
    assert not thread.is_alive()
