"""Following: frames however they are cut, journals stored, links that break and come back."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.watch import Watch
from app.core.errors import LinkError, TargetError
from app.following.follower import Follower, Link, Pump, Update
from app.following.frames import Beat, End, Frames, Piece
from app.following.progress import PlanProgress, stored_plan
from app.history import edits
from app.history.decoding import decode_lines
from app.history.history import History
from app.history.sessions import sessions
from app.history.watching import keep_unlocked
from app.history.writing import Writer
from app.protocol.events import MAX_LINE
from tests import journals

PLAN = journals.plan(contenders=[journals.contender("innodb"), journals.contender("rocksdb")])
WHOLES = {turn.session: journals.whole(PLAN, turn.session) for turn in PLAN.turns}
FIRST, SECOND = WHOLES


def beat(number: int, locked: bool = True, at: float = 5000.0) -> bytes:
    return json.dumps({"beat": number, "at": at, "locked": locked}).encode() + b"\n"


def piece(session: str, raw: bytes, offset: int = 0) -> bytes:
    return json.dumps({"session": session, "offset": offset, "bytes": len(raw)}).encode() + b"\n" + raw


END = b'{"end": true}\n'
STREAM = beat(1) + b"".join(piece(s, m.raw) for s, m in WHOLES.items()) + beat(2, False) + END


def read_from(parts: Sequence[bytes]) -> Callable[[float], bytes]:
    """Reads that give one part each; then the stream is silent."""
    left = list(parts)

    def read(timeout_s: float) -> bytes:
        if not left:
            raise TimeoutError
        return left.pop(0)

    return read


class ScriptedStream:
    """Gives parts of a stream; an exception among them is raised, None is silence."""

    def __init__(self, parts: Sequence[bytes | Exception | None], returncode: int | None = None) -> None:
        self._parts = list(parts)
        self.returncode = returncode
        self.stderr = b""
        self.closed = False

    def read(self, timeout_s: float) -> bytes:
        if not self._parts:
            return b""
        part = self._parts.pop(0)
        if part is None:
            raise TimeoutError
        if isinstance(part, Exception):
            raise part
        return part

    def close(self) -> None:
        self.closed = True


class ScriptedTarget:
    """A target whose journals are whole; each connect gives what its script makes of them."""

    def __init__(self, *scripts: Callable[[Mapping[str, int]], ScriptedStream]) -> None:
        self._scripts = list(scripts)
        self.connects = 0
        self.offsets: list[dict[str, int]] = []
        self.connection = self

    def connect(self) -> ScriptedTarget:
        self.connects += 1
        return self

    def follow(self, plan: str, offsets: Mapping[str, int]) -> ScriptedStream:
        self.offsets.append(dict(offsets))
        return self._scripts.pop(0)(offsets)

    def close(self) -> None:
        pass


def rest(offsets: Mapping[str, int], most: int = 1 << 30, end: bool = True) -> ScriptedStream:
    """The journals from these offsets on; at most so many bytes of the stream."""
    data = beat(1) + b"".join(piece(s, WHOLES[s].raw[o:], o) for s, o in offsets.items() if WHOLES[s].raw[o:])
    data += (beat(2, False) + END) if end else b""
    return ScriptedStream([data[at : at + 1000] for at in range(0, min(len(data), most), 1000)])


class Published:
    """Remembers what a follower has published; does not wait between tries."""

    def __init__(self) -> None:
        self.updates: list[Update] = []

    def __call__(self, update: Update) -> None:
        self.updates.append(update)

    @property
    def links(self) -> list[Link]:
        return [update.link for update in self.updates]

    def events(self, session: str) -> list[object]:
        return [e for update in self.updates for e in update.events.get(session, ())]


class Impatient(threading.Event):
    """An event that never waits: the back-off is said, not slept."""

    def wait(self, timeout: float | None = None) -> bool:
        return self.is_set()


def follow(home: Path, target: ScriptedTarget) -> Published:
    published = Published()
    sessions, impatient = list(WHOLES), Impatient()
    Follower(
        home, PLAN.id, sessions, target.connect, published, clock=lambda: 1400.0, stopping=impatient
    ).run()
    return published


def states(home: Path) -> list[str]:
    with History(home) as history:
        rows = history.connection.execute("SELECT state FROM session ORDER BY id").fetchall()
        return [row[0] for row in rows]


@given(cuts=st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_frames_are_the_same_however_the_stream_is_cut(cuts: list[int]) -> None:
    frames, found = Frames(), []
    ends = [0, *sorted(cuts), len(STREAM)]
    for begin, end in pairwise(ends):
        found += list(frames.feed(STREAM[begin:end]))
    raws = dict.fromkeys(WHOLES, b"")
    for frame in found:
        if isinstance(frame, Piece):
            assert frame.offset == len(raws[frame.session])
            assert frame.raw.endswith(b"\n")
            raws[frame.session] += frame.raw
    assert raws == {session: maker.raw for session, maker in WHOLES.items()}
    assert [f for f in found if not isinstance(f, Piece)] == [Beat(5000.0, True), Beat(5000.0, False), End()]


def test_what_a_login_script_prints_is_passed_over() -> None:
    found = list(Frames().feed(b"Welcome to nuc!\nYou have mail.\n" + beat(1)))
    assert found == [Beat(5000.0, True)]


@pytest.mark.parametrize(
    "data",
    [
        beat(1) + b"garbage\n", b"x" * 5000, b'{"session": 3}\n', b"{]\n", b"{}\n",
        b'{"a":' + b"[" * 3000 + b"\n",
        b"Welcome!\n" * 20_000, b'{"beat": 1, "at": 1e999}\n', b'{"beat": 1, "at": NaN}\n', b'{"beat": []}\n',
        b'{"session": "S", "offset": -1, "bytes": 5}\n', b'{"session": "S", "offset": 0, "bytes": -5}\n',
        b'{"session": "S", "offset": 0, "bytes": 1e300}\n', b'{"session": "S", "bytes": 99999999}\n',
        b'{"session": "S", "offset": %s}\n' % (b"9" * 400), b'{"session": "\xff", "offset": 0}\n',
        b'{"session": "S", "offset": 0, "bytes": 3}\nabc',
    ],
)  # fmt: skip
def test_what_is_no_protocol_ends_following(data: bytes) -> None:
    """Another connect would bring the same."""
    with pytest.raises(TargetError, match=r"no protocol|torn line"):
        list(Frames().feed(data))


def test_a_line_without_end_is_not_waited_for() -> None:
    frames, fed = Frames(), 0
    list(frames.feed(b'{"session": "S", "offset": 0, "bytes": %d}\n' % MAX_LINE))
    with pytest.raises(TargetError, match="torn line"):
        while fed < 3 * MAX_LINE:
            list(frames.feed(b"x" * 65536))
            fed += 65536
    assert fed <= MAX_LINE


def test_a_refusal_of_the_agent_is_passed_on() -> None:
    with pytest.raises(TargetError, match="no plan of that name"):
        list(Frames().feed(b'{"error": "no plan of that name"}\n'))


def test_pump_stores_and_returns_what_is_new(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        pump = Pump(PLAN.id, WHOLES, Writer(history))
        pumped = pump.pump(read_from([STREAM]))
        assert {s: list(e) for s, e in pumped.events.items()} == {s: m.events for s, m in WHOLES.items()}
        assert pumped.ended and pumped.beat == Beat(5000.0, False)


def test_pump_says_when_nothing_comes_and_when_it_is_over(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        pump = Pump(PLAN.id, WHOLES, Writer(history))
        with pytest.raises(TimeoutError):
            pump.pump(read_from([]))
        with pytest.raises(EOFError):
            pump.pump(read_from([b""]))


def test_a_journal_that_is_none_leaves_the_others_alone(tmp_path: Path) -> None:
    broken = WHOLES[FIRST].raw.splitlines(keepends=True)
    del broken[5]
    stream = piece(FIRST, b"".join(broken)) + piece(SECOND, WHOLES[SECOND].raw)
    with History(tmp_path) as history:
        pump = Pump(PLAN.id, WHOLES, Writer(history))
        pumped = pump.pump(read_from([stream]))
        assert "event 6 is missing" in pumped.refused[FIRST]
        assert dict(history.query("SELECT id, state FROM session")) == {FIRST: "active", SECOND: "completed"}
        assert (history.journals / f"{FIRST}.jsonl").read_bytes() == b"".join(broken)


@pytest.mark.parametrize("damage", [b"\xff", b"\xed\xa0\x80", b"{" * 2000])
def test_a_damaged_line_is_told_once_and_what_follows_is_kept(tmp_path: Path, damage: bytes) -> None:
    """A byte that is not UTF-8 once ended `dyno follow`, each time again."""
    lines = WHOLES[FIRST].raw.splitlines(keepends=True)
    bad, rest = damage + lines[20], b"".join(lines[21:])
    raw = b"".join(lines[:20]) + bad + rest
    with History(tmp_path) as history:
        pump = Pump(PLAN.id, WHOLES, Writer(history))
        first = piece(FIRST, raw[: len(raw) - len(rest)])
        pumped = [pump.pump(read_from([each])) for each in (first, piece(FIRST, rest, len(raw) - len(rest)))]
        assert "is refused at event 21" in pumped[0].refused[FIRST] and not pumped[1].refused
        assert list(pumped[0].events[FIRST]) == WHOLES[FIRST].events[:20]
        assert (history.journals / f"{FIRST}.jsonl").read_bytes() == raw
        keep_unlocked(history, [FIRST])
        (entry,) = sessions(history)
        assert entry["state"] == "lost" and "is refused at event 21" in entry["reason"]


def test_a_newer_protocol_is_said_once_and_its_bytes_are_kept(tmp_path: Path) -> None:
    raw = b'{"kind":"session_planned","seq":1,"protocol":"2.1"}\n'
    with History(tmp_path) as history:
        pump = Pump(PLAN.id, WHOLES, Writer(history))
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
    assert published.links[-1] == Link("ended", locked=False, clock_offset_s=3600.0)


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
        raise LinkError("no route to host")

    def breaks(offsets: Mapping[str, int]) -> ScriptedStream:
        return ScriptedStream([beat(1), LinkError("connection reset")])

    target = ScriptedTarget(*[fail] * 7, breaks, fail, rest)
    published = follow(tmp_path, target)
    waits = [(link.text, link.retry_s) for link in published.links if link.state == "down"]
    assert [wait for _, wait in waits] == [1, 2, 4, 8, 16, 30, 30, 1, 2]
    assert waits[7][0] == "connection reset"


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


@pytest.fixture
def torn(tmp_path: Path) -> Iterator[Path]:
    """A desktop that was killed between writing the bytes and storing them."""
    with History(tmp_path) as history:
        half = WHOLES[FIRST].raw[:4000]
        half = half[: half.rfind(b"\n") + 1]
        Writer(history).append(PLAN.id, FIRST, 0, half)
    with (tmp_path / "journals" / f"{FIRST}.jsonl").open("ab") as file:
        file.write(WHOLES[FIRST].raw[len(half) : len(half) + 100])
    yield tmp_path


def test_on_start_the_kept_journal_is_cut_back(torn: Path) -> None:
    follow(torn, ScriptedTarget(rest))
    assert (torn / "journals" / f"{FIRST}.jsonl").read_bytes() == WHOLES[FIRST].raw
    assert states(torn) == ["completed", "completed"]


def test_two_followers_of_one_home_each_tell_every_event(tmp_path: Path) -> None:
    """One of them stores: what it has stored while the other was on its way is published by that one too."""
    published = [Published(), Published()]

    class Slow(ScriptedTarget):
        def follow(self, plan: str, offsets: Mapping[str, int]) -> ScriptedStream:
            assert set(offsets.values()) == {0}
            Follower(tmp_path, PLAN.id, list(WHOLES), fast.connect, published[0], stopping=Impatient()).run()
            return rest(offsets)

    fast, slow = ScriptedTarget(rest), Slow()
    Follower(tmp_path, PLAN.id, list(WHOLES), slow.connect, published[1], stopping=Impatient()).run()
    for session, whole in WHOLES.items():
        assert published[0].events(session) == published[1].events(session)
        assert [event.seq for event in published[1].events(session)] == [event.seq for event in whole.events]  # type: ignore[attr-defined]


def follow_from_stored(
    home: Path, meanwhile: Callable[[], None] = lambda: None
) -> tuple[PlanProgress, Published]:
    """As the window does: it goes on from what is stored, and `meanwhile` something else happens."""
    found: list[PlanProgress] = []
    published = Published()

    def stored(history: History) -> Mapping[str, int]:
        progress, offsets = stored_plan(history, PLAN.id, list(WHOLES))
        found.append(progress)
        meanwhile()
        return offsets

    Follower(home, PLAN.id, list(WHOLES), ScriptedTarget(rest).connect, published, stored=stored).run()
    (progress,) = found
    for update in published.updates:
        progress.take_update(update)
    return progress, published


def assert_is_whole(progress: PlanProgress) -> None:
    """What all events tell, however they came."""
    whole = PlanProgress(PLAN)
    for session, maker in WHOLES.items():
        whole.take_all(session, decode_lines(maker.raw))
    assert progress.sessions == whole.sessions
    assert (progress.line, progress.elapsed_s, progress.left_s) == (whole.line, whole.elapsed_s, whole.left_s)


def half_of(session: str) -> bytes:
    lines = WHOLES[session].raw.splitlines(keepends=True)
    return b"".join(lines[: len(lines) // 2])


def keep_half(home: Path, session: str = FIRST) -> int:
    """The first half of a journal is stored; returns its bytes."""
    with History(home) as history:
        Writer(history).append(PLAN.id, session, 0, half_of(session))
    return len(half_of(session))


def test_it_goes_on_from_what_is_stored_without_telling_it_again(tmp_path: Path) -> None:
    keep_half(tmp_path)
    progress, published = follow_from_stored(tmp_path)
    half = half_of(FIRST).count(b"\n")
    assert published.events(FIRST) == WHOLES[FIRST].events[half:]
    assert_is_whole(progress)


def test_what_another_window_stores_meanwhile_is_told_all_the_same(tmp_path: Path) -> None:
    offset = keep_half(tmp_path)

    def store_more() -> None:
        with History(tmp_path) as history:
            Writer(history).append(PLAN.id, FIRST, offset, WHOLES[FIRST].raw[offset:])

    progress, published = follow_from_stored(tmp_path, store_more)
    assert published.events(FIRST) == WHOLES[FIRST].events[half_of(FIRST).count(b"\n") :]
    assert_is_whole(progress)


@pytest.mark.parametrize("what", ["emptied", "behind", "ahead", "torn", "damaged", "no journal"])
def test_where_journal_and_history_disagree_all_is_right_in_the_end(tmp_path: Path, what: str) -> None:
    offset = keep_half(tmp_path)
    journal = tmp_path / "journals" / f"{FIRST}.jsonl"
    match what:
        case "emptied":
            for path in tmp_path.glob("history.sqlite*"):
                path.unlink()
        case "behind":  # a power cut took the last transactions of the history
            journal.write_bytes(WHOLES[FIRST].raw)
        case "ahead":  # or the last pages of the journal
            journal.write_bytes(half_of(FIRST)[: offset // 3])
        case "torn":
            with journal.open("ab") as file:
                file.write(WHOLES[FIRST].raw[offset : offset + 20])
        case "damaged":
            raw = bytearray(half_of(FIRST))
            raw[-40:-20] = b"\x00" * 20
            journal.write_bytes(raw)
        case _:
            journal.unlink()
    progress, _ = follow_from_stored(tmp_path)
    assert states(tmp_path) == ["completed", "completed"]
    assert_is_whole(progress)


@pytest.fixture
def other_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """It writes into the history too; nobody waits for it for long."""
    monkeypatch.setattr("app.history.history.BUSY_S", 0.05)
    with History(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / "history.sqlite", isolation_level=None)) as connection:
        yield connection


def test_a_history_that_is_locked_from_the_start_is_waited_for(
    tmp_path: Path, other_process: sqlite3.Connection
) -> None:
    other_process.execute("BEGIN IMMEDIATE")

    class Freed(Impatient):
        def wait(self, timeout: float | None = None) -> bool:
            other_process.execute("ROLLBACK")
            return super().wait(timeout)

    published = Published()
    Follower(tmp_path, PLAN.id, list(WHOLES), ScriptedTarget(rest).connect, published, stopping=Freed()).run()
    assert [link.state for link in published.links][:2] == ["busy", "connecting"]
    assert states(tmp_path) == ["completed", "completed"]


def test_a_history_that_another_process_has_locked_is_no_lost_link(
    tmp_path: Path, other_process: sqlite3.Connection
) -> None:

    def locked(offsets: Mapping[str, int]) -> ScriptedStream:
        other_process.execute("BEGIN IMMEDIATE")
        return rest(offsets)

    def free(offsets: Mapping[str, int]) -> ScriptedStream:
        other_process.execute("ROLLBACK")
        return rest(offsets)

    published = follow(tmp_path, ScriptedTarget(locked, free))
    (busy,) = (link for link in published.links if link.state not in ("connecting", "up", "ended"))
    assert busy == Link("busy", f"{tmp_path}/history.sqlite: another process is writing, try again", 1.0)
    assert states(tmp_path) == ["completed", "completed"]
    said: list[str] = []
    watch = Watch(said.append)
    for link in published.links:
        watch.take(Update(link))
    assert said == [
        f"the history is locked: {busy.text}; the plan continues there; connecting again",
        "the history is unlocked again",
    ]
