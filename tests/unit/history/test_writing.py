"""Storing journals: the same history whatever way the bytes come, nothing from what is no journal."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.history.recorded.recording import JournalError
from app.history.recorded.writing import JournalStorer
from app.history.store import journals as kept
from app.history.store.history import History
from app.history.store.schema import DERIVED_TABLES
from app.protocol.events import UnknownEvent, encode
from tests import journals

PLAN = journals.plan()
WHOLE = journals.whole(PLAN, failed=3)


def content(history: History) -> dict[str, list[tuple[object, ...]]]:
    """Everything derived, without the numbers of rows."""
    found = {}
    for table in (*DERIVED_TABLES, "colour"):
        rows = history.connection.execute(f"SELECT * FROM {table}").fetchall()
        found[table] = sorted(rows, key=repr)
    return found


def store(history: History, raw: bytes, cuts: list[int], session: str = WHOLE.session) -> None:
    """The bytes as they come in pieces; what is torn waits for its rest."""
    writer, sent = JournalStorer(history), 0
    for end in [*sorted(cuts), len(raw)]:
        piece = kept.whole_lines(raw[sent:end])
        if piece:
            writer.append(PLAN.id, session, sent, piece)
            sent += len(piece)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[object, ...]]]:
    with History(tmp_path_factory.mktemp("whole")) as history:
        store(history, WHOLE.raw, [])
        return content(history)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, len(WHOLE.raw)), max_size=30))
def test_every_split_gives_the_same_history(
    tmp_path_factory: pytest.TempPathFactory,
    expected: dict[str, list[tuple[object, ...]]],
    cuts: list[int],
) -> None:
    with History(tmp_path_factory.mktemp("split")) as history:
        store(history, WHOLE.raw, cuts)
        assert content(history) == expected
        assert (history.journals / f"{WHOLE.session}.jsonl").read_bytes() == WHOLE.raw


def test_event_by_event(history: History, expected: dict[str, list[tuple[object, ...]]]) -> None:
    ends = [at + 1 for at, byte in enumerate(WHOLE.raw) if byte == 10]
    store(history, WHOLE.raw, ends)
    assert content(history) == expected


def test_reading_twice_changes_nothing(history: History) -> None:
    store(history, WHOLE.raw, [])
    before = content(history)
    writer = JournalStorer(history)
    assert len(writer.append(PLAN.id, WHOLE.session, 0, WHOLE.raw)) == 0
    half = kept.whole_lines(WHOLE.raw[: len(WHOLE.raw) // 2])
    assert len(writer.append(PLAN.id, WHOLE.session, 0, half)) == 0
    assert content(history) == before


def test_overlap_stores_only_what_is_new(history: History) -> None:
    writer = JournalStorer(history)
    half = kept.whole_lines(WHOLE.raw[: len(WHOLE.raw) // 2])
    first = writer.append(PLAN.id, WHOLE.session, 0, half)
    rest = writer.append(PLAN.id, WHOLE.session, 0, WHOLE.raw)
    assert [*first, *rest] == WHOLE.events


def test_events_that_repeat_within_the_journal_are_left_out(history: History) -> None:
    lines = WHOLE.raw.splitlines(keepends=True)
    raw = b"".join([*lines[:20], *lines[10:20], *lines[20:]])
    events = JournalStorer(history).append(PLAN.id, WHOLE.session, 0, raw)
    assert list(events) == WHOLE.events


def test_what_follows_a_gap_is_kept_and_not_read(history: History) -> None:
    lines = WHOLE.raw.splitlines(keepends=True)
    writer = JournalStorer(history)
    raw = b"".join([*lines[:10], *lines[11:]])
    assert list(writer.append(PLAN.id, WHOLE.session, 0, raw)) == WHOLE.events[:10]
    assert "lacks event 11, 12 follows" in writer.refusal(WHOLE.session)
    assert (history.journals / f"{WHOLE.session}.jsonl").read_bytes() == raw
    assert writer.offset(WHOLE.session) == len(raw)
    assert history.connection.execute("SELECT state FROM session").fetchone() == ("active",)


def test_bytes_that_do_not_continue_are_refused(history: History) -> None:
    with pytest.raises(JournalError, match="has a gap"):
        JournalStorer(history).append(PLAN.id, WHOLE.session, 7, WHOLE.raw)
    assert content(history)["journal"] == []


def test_two_writers_of_one_journal_agree(
    tmp_path: Path, expected: dict[str, list[tuple[object, ...]]]
) -> None:
    lines = WHOLE.raw.splitlines(keepends=True)
    with History(tmp_path) as one, History(tmp_path) as other:
        writers = [JournalStorer(one), JournalStorer(other)]
        for at in range(0, len(lines), 3):
            raw = b"".join(lines[: at + 3])
            writers[at % 2].append(PLAN.id, WHOLE.session, 0, raw)
            writers[1 - at % 2].append(PLAN.id, WHOLE.session, 0, raw)
        assert content(one) == expected


def test_unknown_kinds_of_a_newer_minor_are_kept(history: History) -> None:
    maker = journals.Maker(PLAN).planned("1.7")
    maker.events.append(
        UnknownEvent(2, 0.5, 1.0, {"kind": "weather", "seq": 2, "t": 0.5, "at": 1.0, "sky": "grey"})
    )
    maker.end()
    raw = b"".join(encode(event) for event in maker.events)
    events = JournalStorer(history).append(PLAN.id, maker.session, 0, raw)
    assert isinstance(events[1], UnknownEvent)
    row = history.connection.execute("SELECT kind, content FROM unknown").fetchone()
    assert row[0] == "weather" and json.loads(row[1])["sky"] == "grey"


def test_a_newer_major_is_refused_and_its_bytes_kept(history: History) -> None:
    raw = b'{"kind":"session_planned","seq":1,"protocol":"2.0","new":true}\n{"kind":"other"}\n'
    writer = JournalStorer(history)
    assert len(writer.append(PLAN.id, WHOLE.session, 0, raw[:-5])) == 0
    assert "journal of protocol 2.0, this Dyno reads 1.4: update Dyno" in writer.refusal(WHOLE.session)
    writer.append(PLAN.id, WHOLE.session, len(raw) - 5, raw[-5:])
    assert (history.journals / f"{WHOLE.session}.jsonl").read_bytes() == raw
    assert content(history)["session"] == []


def test_a_refused_journal_is_read_by_a_dyno_that_can(
    history: History, expected: dict[str, list[tuple[object, ...]]]
) -> None:
    writer = JournalStorer(history)
    store(history, WHOLE.raw, [])
    history.connection.execute("DELETE FROM session")
    history.connection.execute("UPDATE journal SET refused = 'too new', seq = 0")
    writer.recover(PLAN.id, WHOLE.session)
    assert content(history) == expected


def test_a_kept_journal_longer_than_stored_is_cut(history: History) -> None:
    store(history, WHOLE.raw, [])
    path = history.journals / f"{WHOLE.session}.jsonl"
    with path.open("ab") as file:
        file.write(b'{"kind":"note","seq":')
    JournalStorer(history).recover(PLAN.id, WHOLE.session)
    assert path.read_bytes() == WHOLE.raw


def test_a_kept_journal_shorter_than_stored_is_read_again(history: History) -> None:
    """After a power cut the file may have lost what SQLite has kept."""
    store(history, WHOLE.raw, [])
    path = history.journals / f"{WHOLE.session}.jsonl"
    path.write_bytes(WHOLE.raw[:3000])
    writer = JournalStorer(history)
    writer.recover(PLAN.id, WHOLE.session)
    there = len(kept.whole_lines(WHOLE.raw[:3000]))
    assert writer.offset(WHOLE.session) == there == path.stat().st_size
    writer.append(PLAN.id, WHOLE.session, there, WHOLE.raw[there:])
    assert history.connection.execute("SELECT state FROM session").fetchone() == ("completed",)


def test_a_kept_journal_that_is_not_stored_is_taken_up(
    history: History, expected: dict[str, list[tuple[object, ...]]]
) -> None:
    """The history file was lost, the journals were not."""
    history.journals.mkdir()
    path = history.journals / f"{WHOLE.session}.jsonl"
    path.write_bytes(WHOLE.raw + b'{"torn')
    JournalStorer(history).recover(PLAN.id, WHOLE.session)
    assert content(history) == expected
    assert path.read_bytes() == WHOLE.raw


def test_nothing_kept_is_nothing_to_recover(history: History) -> None:
    JournalStorer(history).recover(PLAN.id, WHOLE.session)
    assert content(history)["journal"] == []


def changed(at: int, **fields: object) -> bytes:
    """The whole journal with one event changed."""
    lines = WHOLE.raw.splitlines(keepends=True)
    event = {**json.loads(lines[at]), **fields}
    lines[at] = json.dumps(event, separators=(",", ":")).encode() + b"\n"
    return b"".join(lines)


SAMPLE = next(at for at, event in enumerate(WHOLE.events) if event.kind == "sample")


@pytest.mark.parametrize(
    ("at", "fields", "said"),
    [
        (0, {"session": "another-session"}, "belongs to session another"),
        (0, {"plan": {}}, "it lacks `id`"),
        (1, {"kind": "session_planned", "protocol": "1.0", "session": "x", "plan": {}}, "it lacks `id`"),
        (SAMPLE, {"values": [1.0]}, "1 values, 5 are declared"),
        (SAMPLE, {"values": [1.0, "2", 3, 4, 5]}, "values[1] is no number"),
        (SAMPLE, {"step": 4}, "not active"),
        (SAMPLE, {"s": "x"}, "s is no whole number"),
        (SAMPLE - 1, {"step": 99}, "no step 99"),
        (SAMPLE, {"seq": 10**12}, "lacks event"),
        (SAMPLE, {"seq": 10**30}, "64 bits"),
        (SAMPLE, {"s": 2**62}, "s is out of bounds"),
        (SAMPLE, {"values": [float("nan"), 1, 2, 3, 4]}, "not JSON"),
        (SAMPLE, {"values": [1e308, 1, 2, 3, 4]}, "values[0] is out of bounds"),
        (SAMPLE - 1, {"step": 2**70}, "64 bits"),
        (-1, {"outcome": "splendid"}, "outcome"),
    ],
)
def test_what_is_no_event_is_refused_with_all_that_follows(
    history: History, at: int, fields: dict[str, object], said: str
) -> None:
    writer, raw = JournalStorer(history), changed(at, **fields)
    events = writer.append(PLAN.id, WHOLE.session, 0, raw)
    refusal = writer.refusal(WHOLE.session)
    assert said in refusal and "\n" not in refusal
    assert list(events) == WHOLE.events[:at]
    assert (history.journals / f"{WHOLE.session}.jsonl").read_bytes() == raw


def test_two_sessions_of_one_plan_have_the_same_turns(history: History) -> None:
    """Else whoever shows the plan would miss the other one."""
    both = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")])
    other = both.turns[1].session
    alone = replace(both, turns=[replace(both.turns[0], session="0" * 25 + "X"), both.turns[1]])
    writer = JournalStorer(history)
    writer.append(both.id, both.turns[0].session, 0, journals.whole(both).raw)
    assert len(writer.append(both.id, other, 0, journals.whole(alone, other).raw)) == 0
    assert "with different content" in writer.refusal(other)


def test_a_lone_surrogate_is_stored_as_a_question_mark(history: History) -> None:
    maker = journals.Maker(PLAN).begin()
    raw = maker.raw + b'{"kind":"note","seq":6,"t":1.0,"at":1.0,"text":"\\ud800 hot"}\n'
    JournalStorer(history).append(PLAN.id, maker.session, 0, raw)
    assert history.connection.execute("SELECT text FROM note").fetchone() == ("? hot",)


def test_series_declared_again_in_the_middle_of_a_step(history: History) -> None:
    """A series keeps its number; what is not sampled any more, or not yet, is missing."""
    maker = journals.Maker(PLAN).begin(journals.SERIES[:3])
    maker.step(0)
    maker.start_step(1)
    maker.samples(1, range(-2, 2))
    maker.declare([journals.SERIES[4], journals.SERIES[0]])
    maker.samples(1, range(2, 5))
    maker.end_step(1)
    rows = {}
    for cuts in ([], [len(maker.raw) // 2]):
        history.connection.execute("DELETE FROM session")
        history.connection.execute("DELETE FROM journal")
        store(history, maker.raw, cuts)
        rows[len(cuts)] = history.connection.execute(
            "SELECT series, content FROM block JOIN step ON step = step.number WHERE position = 1"
        ).fetchall()
    assert rows[0] == rows[1]
    assert dict(rows[0]).keys() == {0, 1, 2, 3}


def test_a_second_stored_live_touches_the_staging_only(history: History) -> None:
    maker = journals.Maker(PLAN).begin()
    maker.start_step(1)
    maker.samples(1, range(3))
    store(history, maker.raw, [])
    assert len(content(history)["staging"]) == 3
    assert content(history)["block"] == []


def test_an_id_that_is_a_path_is_refused(history: History) -> None:
    from app.core.errors import InputError

    with pytest.raises(InputError):
        JournalStorer(history).append(PLAN.id, "../../etc/passwd", 0, b"x\n")


def test_disk_errors_are_told_in_one_line(history: History) -> None:
    history.connection.execute("PRAGMA query_only = ON")
    from app.history.store.history import HistoryError

    with pytest.raises(HistoryError, match="doctor"):
        JournalStorer(history).append(PLAN.id, WHOLE.session, 0, WHOLE.raw)
    assert isinstance(history.connection, sqlite3.Connection)
