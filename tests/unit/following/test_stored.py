"""What is stored already: kept journals that are torn, other windows, locked histories."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from app.cli.watch import PlanEventPrinter
from app.following.follower import Follower, FollowerLinkState, FollowerNews
from app.following.progress import PlanProgress, stored_plan_progress
from app.history.recorded.writing import JournalStorer
from app.history.store.decoding import decode_events
from app.history.store.history import History
from tests.unit.following.scripted import (
    FIRST,
    PLAN,
    WHOLES,
    Impatient,
    Published,
    ScriptedStream,
    ScriptedTarget,
    follow,
    rest,
    states,
)


@pytest.fixture
def torn(tmp_path: Path) -> Iterator[Path]:
    """A desktop that was killed between writing the bytes and storing them."""
    with History(tmp_path) as history:
        half = WHOLES[FIRST].raw[:4000]
        half = half[: half.rfind(b"\n") + 1]
        JournalStorer(history).append(PLAN.id, FIRST, 0, half)
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
        progress, offsets = stored_plan_progress(history, PLAN.id, list(WHOLES))
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
        whole.take_all(session, decode_events(maker.raw))
    assert progress.sessions == whole.sessions
    assert (progress.line, progress.elapsed_s, progress.left_s) == (whole.line, whole.elapsed_s, whole.left_s)


def half_of(session: str) -> bytes:
    lines = WHOLES[session].raw.splitlines(keepends=True)
    return b"".join(lines[: len(lines) // 2])


def keep_half(home: Path, session: str = FIRST) -> int:
    """The first half of a journal is stored; returns its bytes."""
    with History(home) as history:
        JournalStorer(history).append(PLAN.id, session, 0, half_of(session))
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
            JournalStorer(history).append(PLAN.id, FIRST, offset, WHOLES[FIRST].raw[offset:])

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
    monkeypatch.setattr("app.history.store.history.BUSY_S", 0.05)
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
    assert busy == FollowerLinkState(
        "busy", f"{tmp_path}/history.sqlite: another process is writing to it, try again", 1.0
    )
    assert states(tmp_path) == ["completed", "completed"]
    said: list[str] = []
    watch = PlanEventPrinter(said.append)
    for link in published.links:
        watch.take(FollowerNews(link))
    assert said == [
        f"the history is locked: {busy.text}; the plan continues there; connecting again",
        "the history is unlocked again",
    ]
