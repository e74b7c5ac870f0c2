"""The exchange: what goes where, what a reader may, what a hostile or damaged server cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import DynoError
from app.history.lists import edits
from app.history.lists.sessions import sessions, state_of
from app.history.recorded.writing import JournalStorer, record_unlocked_journals
from app.history.steps.figures import session_details
from app.history.store import journals
from app.history.store.history import History
from app.team.edits import STEP, Edit, shared_note_id
from app.team.local_edits import edits_of
from app.team.store import ROW, JournalRow, TeamServerAwayError
from app.team.syncing import sync
from tests.journals import Maker, plan, steps, store, whole
from tests.team import MemoryStore

ONE = plan(number=1, repeats=2)
S1, S2 = (turn.session for turn in ONE.turns)


@pytest.fixture
def histories(tmp_path: Path) -> Iterator[list[History]]:
    """Three desktops; the first has measured two sessions."""
    with ExitStack() as stack:
        found = [stack.enter_context(History(tmp_path / str(at))) for at in range(3)]
        store(found[0], whole(ONE, S1), whole(ONE, S2))
        yield found


def journal(history: History, session: str) -> bytes:
    return journals.path_of(history.journals, session).read_bytes()


def test_sessions_are_shared_with_who_brought_them(histories: list[History]) -> None:
    one, two, _ = histories
    server = MemoryStore()
    assert sync(one, server, "Anna").text == "sent 2 sessions"
    edits.rename(one, S1, "fast")
    assert sync(one, server, "Anna").text == "sent 1 edit"
    done = sync(two, server, "Ben")
    assert (done.text, done.is_changed) == ("received 2 sessions and 1 edit", True)
    assert sync(two, server, "Ben").text == sync(one, server, "Anna").text == "up to date"
    (entry,) = sessions(two, ids=[S1])
    assert (entry["name"], entry["person"]) == ("fast", "Anna")
    assert session_details(two, S1)["steps"] == session_details(one, S1)["steps"]
    assert journal(two, S1) == journal(one, S1)


def test_a_session_grows_while_it_is_shared_and_ends_as_lost(histories: list[History]) -> None:
    one, two, _ = histories
    server = MemoryStore()
    maker = Maker(plan(number=2)).begin()
    store(one, maker)
    for history in (one, two):
        sync(history, server, "")
    assert state_of(two, maker.session) == "active"
    maker.step(0)
    for at in range(2):
        store(one, maker)
        sync(one, server, "")
        sync(two, server, "")
        assert journal(two, maker.session) == maker.raw
        maker.step(at + 1)
    assert len(server.journals[maker.session]) == 3
    store(one, maker)
    record_unlocked_journals(one, [maker.session])
    sync(one, server, "")
    sync(two, server, "")
    assert state_of(two, maker.session) == "lost"


def test_a_large_journal_goes_in_rows_of_whole_lines(histories: list[History]) -> None:
    one, two, _ = histories
    server = MemoryStore()
    maker = Maker(plan(number=2, its_steps=steps((1, 2, 4, 8), seconds=2000, warmup=0)))
    maker.begin()
    for at in range(9):
        maker.step(at)
    store(one, maker.end())
    sync(one, server, "")
    rows = [row for row, _ in server.journals[maker.session].values()]
    assert len(rows) > 2 and all(row.size <= ROW for row in rows)
    assert all(content.endswith(b"\n") for _, content in server.journals[maker.session].values())
    sync(two, server, "")
    assert journal(two, maker.session) == maker.raw


def test_two_desktops_that_follow_the_same_plan_share_its_journal(histories: list[History]) -> None:
    one, two, three = histories
    server = MemoryStore()
    maker = Maker(plan(number=2)).begin()
    store(one, maker)
    sync(one, server, "Anna")
    maker.step(0)
    store(two, maker)  # from the target: more than Anna has
    sync(two, server, "Ben")
    sync(one, server, "Anna")
    assert journal(one, maker.session) != maker.raw  # of a session of its own target it takes nothing
    maker.step(1)
    store(one, maker)
    sync(one, server, "Anna")
    sync(three, server, "")
    assert journal(three, maker.session) == maker.raw
    (entry,) = sessions(three, ids=[maker.session])
    assert entry["person"] == "Anna"


def test_a_reader_takes_all_and_is_told_what_stays(histories: list[History]) -> None:
    one, two, _ = histories
    server = MemoryStore()
    sync(one, server, "")
    server.is_read_only = True
    assert sync(two, server, "").text == "received 2 sessions"
    edits.tag(two, S1, "mine")
    said = "up to date; you may only read: 1 change of yours stay on this computer"
    assert sync(two, server, "").text == said
    assert not server.all_edits


@pytest.mark.parametrize("calls", range(0, 26, 3))
def test_a_server_that_goes_away_anywhere_loses_nothing(histories: list[History], calls: int) -> None:
    one, two, _ = histories
    server = MemoryStore()
    edits.note(one, S1, "a note")
    for history in (one, two):
        server.calls_left = calls
        try:
            sync(history, server, "")
        except TeamServerAwayError:
            pass
        server.calls_left = 1 << 60
        sync(history, server, "")
    assert [each["id"] for each in sessions(two)] == [S1, S2]
    assert journal(two, S2) == journal(one, S2)
    assert two.query("SELECT text FROM session_note") == [("a note",)]
    assert len(server.all_edits) == 1


def test_a_server_from_an_older_backup_gets_everything_again(histories: list[History]) -> None:
    one, two, _ = histories
    server = MemoryStore()
    edits.tag(one, S1, "kept")
    sync(one, server, "")
    again = MemoryStore()  # the same identity, empty
    sync(one, again, "")
    sync(two, again, "")
    assert len(sessions(two)) == 2
    assert two.query("SELECT tag FROM session_tag") == [("kept",)]


def test_one_history_belongs_to_one_team(histories: list[History]) -> None:
    one, two, _ = histories
    sync(one, MemoryStore("team-1"), "")
    other = MemoryStore("team-2")
    with pytest.raises(DynoError, match="shared with another team"):
        sync(one, other, "")
    assert not other.all_sessions
    sync(one, other, "", merge_teams=True)
    assert sync(two, other, "").fetched_sessions == 2


def test_an_active_session_is_deleted_once_it_has_ended(histories: list[History]) -> None:
    one, two, _ = histories
    server = MemoryStore()
    maker = Maker(plan(number=2)).begin()
    store(one, maker)
    for history in (one, two):
        sync(history, server, "")
    record_unlocked_journals(two, [maker.session])  # there it counts as lost, and can be deleted
    edits.delete(two, maker.session)
    sync(two, server, "")
    sync(one, server, "")
    assert state_of(one, maker.session) == "active"
    store(one, maker.end())
    sync(one, server, "")
    assert state_of(one, maker.session) == ""


# a hostile or damaged server


def fetched(history: History, server: MemoryStore) -> list[str]:
    return sync(history, server, "").problems


@pytest.mark.parametrize("at", [0, 1])
def test_bytes_that_were_changed_are_refused_and_others_come(histories: list[History], at: int) -> None:
    one, two, _ = histories
    server = MemoryStore()
    sync(one, server, "")
    row, content = server.journals[S1][0]
    changed = [content.replace(b"the fan", b"no fan "), content[:-2] + b"\n"][at]
    server.journals[S1][0] = (row, changed)
    (problem,) = fetched(two, server)
    assert problem == f"session {S1}: its journal on the server is damaged"
    assert [each["id"] for each in sessions(two)] == [S2]
    assert not journals.path_of(two.journals, S1).exists()


def test_a_gap_and_missing_bytes_are_refused(histories: list[History]) -> None:
    one, two, _ = histories
    server = MemoryStore()
    sync(one, server, "")
    row, content = server.journals[S1].pop(0)
    server.journals[S1][7] = (replace(row, offset=7), content)
    server.journals[S2].clear()
    problems = fetched(two, server)
    assert [each.rpartition(": ")[2] for each in problems] == [
        "its journal on the server has a gap", "the server lacks bytes that it lists"
    ]  # fmt: skip
    assert sessions(two) == []


def test_a_stranger_does_not_replace_a_session_of_mine(histories: list[History]) -> None:
    one, _, three = histories
    server = MemoryStore()
    other = whole(ONE, S1, seed=2)
    store(three, other, whole(ONE, S2, seed=2))
    sync(three, server, "stranger")
    before = journal(one, S1)
    problems = fetched(one, server)
    assert problems[0] == f"session {S1}: the team has another one of this id, neither is replaced"
    assert journal(one, S1) == before != other.raw
    assert fetched(one, server) == []  # said once


def test_a_journal_under_the_id_of_another_session_is_refused(histories: list[History]) -> None:
    one, two, _ = histories
    server = MemoryStore()
    sync(one, server, "")
    server.journals[S1] = server.journals[S2]
    problems = fetched(two, server)
    assert "belongs to session" in problems[0]
    assert [each["id"] for each in sessions(two)] == [S2]
    assert not journals.path_of(two.journals, S1).exists() and JournalStorer(two).offset(S1) == 0


def test_what_is_no_journal_is_refused(histories: list[History]) -> None:
    _, two, _ = histories
    server = MemoryStore()
    sync(histories[0], server, "")
    for session, raw in ((S1, b"\x00" * 50), (S2, b'{"kind":"sample"}\n')):
        import hashlib

        row = JournalRow(0, len(raw), hashlib.sha256(raw).digest())
        server.journals[session] = {0: (row, raw)}
        server.all_sessions[session] = replace(server.all_sessions[session], size=len(raw))
    assert len(fetched(two, server)) == 2
    assert sessions(two) == [] and not list(two.journals.glob("*"))


def hostile(number: int = 1, **what: object) -> Edit:
    made = Edit("stranger-1", number, 1, 1.7e9, "x", S1, "name", "", '"a name"')
    return replace(made, **what)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "edit",
    [
        hostile(clock=STEP + 2), hostile(clock=1 << 60), hostile(subject="../../etc/passwd"),
        hostile(kind="grant"), hostile(value='"last"'), hostile(value='"two\\nlines"'), hostile(value="7"),
        hostile(value="[" * 100_000), hostile(value="{"), hostile(at=float("nan")), hostile(person="a\nb"),
        hostile(kind="tag", item="\x1b[2J", value="true"), hostile(kind="tag", item="x" * 200, value="true"),
        hostile(kind="note", item="1", value='[1.0, "text"]'),
        hostile(kind="cut", item="-1", value='[1,2,""]'),
        hostile(kind="note", item=shared_note_id(1.0, "n" * 200_000), value=f'[1.0, "{"n" * 200_000}"]'),
        hostile(kind="cut", item="1", value='[1,2,"' + "r" * 200 + '"]'),
        hostile(kind="deleted", value='"x"'),
        hostile(kind="published", value='["x", "{\\"author\\": 7}"]'),
        hostile(kind="imported", value='[1.0, "x", "not a hash"]'),
    ],
    ids=str,
)  # fmt: skip
def test_an_edit_that_no_dyno_makes_is_refused_and_others_come(histories: list[History], edit: Edit) -> None:
    one, two, _ = histories
    server = MemoryStore()
    server.all_edits[edit.id] = edit
    edits.tag(one, S1, "honest")
    server.is_read_only = False
    sync(one, server, "Anna")
    (problem,) = fetched(two, server)
    assert "edit 1 of stranger-1" in problem and len(problem) < 300
    assert two.query("SELECT tag FROM session_tag") == [("honest",)]
    assert {each.author for each in edits_of(two, S1)} != {"stranger-1"}


def test_skipped_edits_are_told(histories: list[History]) -> None:
    _, two, _ = histories
    server = MemoryStore()
    server.all_edits["stranger-1", 2] = hostile(2)
    assert fetched(two, server) == ["the team's server skips edits of stranger-1 after 0"]
