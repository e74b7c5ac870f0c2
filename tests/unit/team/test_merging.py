"""Five desktops change the same sessions offline and meet again: nothing is lost, all end equal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import DynoError
from app.history.lists import edits
from app.history.recorded.counting import Cut
from app.history.store.history import History
from app.team.edits import Edit, lost, merge_team_edits
from app.team.local_edits import edits_of
from app.team.store import TeamServerAwayError
from app.team.syncing import sync
from tests.journals import plan, steps, store, whole
from tests.team import MemoryStore

DESKTOPS = 5
OWNED = (
    "SELECT * FROM session_name ORDER BY 1", "SELECT * FROM session_tag ORDER BY 1, 2",
    "SELECT session, at, text FROM session_note ORDER BY 1, 2, 3",
    "SELECT session, step, first_s, last_s, reason FROM cut ORDER BY 1, 2",
    "SELECT session FROM deleted ORDER BY 1", "SELECT id, state FROM session ORDER BY 1",
    "SELECT session, offset FROM journal ORDER BY 1",
    "SELECT subject, kind, item, author, number FROM in_force ORDER BY 1, 2, 3",
)  # fmt: skip


@pytest.fixture
def desktops(tmp_path: Path) -> Iterator[list[History]]:
    """Each has measured two sessions of its own."""
    with ExitStack() as stack:
        found = [stack.enter_context(History(tmp_path / str(at))) for at in range(DESKTOPS)]
        for at, history in enumerate(found):
            history.connection.execute("PRAGMA synchronous = OFF")
            its_plan = plan(number=at + 1, repeats=2, its_steps=steps((1,), seconds=30, warmup=0))
            store(history, *(whole(its_plan, turn.session) for turn in its_plan.turns))
        yield found


def edit_something(history: History, chance: random.Random, at: int) -> str:
    """What a person does to a session that is there; returns a note, if it is one."""
    here = [id_ for (id_,) in history.query("SELECT id FROM session ORDER BY 1")]
    gone = [id_ for (id_,) in history.query("SELECT session FROM deleted ORDER BY 1")]
    session, word = (chance.choice(here) if here else ""), f"{chance.choice('abc')}{at % 7}"
    try:
        match chance.choice(("name", "tag", "tag", "untag", "note", "cut", "uncut", "delete", "undelete")):
            case "name":
                edits.rename(history, session, word)
            case "tag":
                edits.tag(history, session, word)
            case "untag":
                edits.untag(history, session, word)
            case "note":
                edits.note(history, session, f"note {at} \u20ac", at=1.7e9 + at / 3)
                return f"note {at} \u20ac"
            case "cut":
                edits.count_only_seconds(
                    history, session, 1, Cut(chance.randrange(5), chance.randrange(20, 29), word)
                )
            case "uncut":
                edits.undo_cut(history, session, 1)
            case "delete" if chance.random() < 0.2:
                edits.delete(history, session)
            case "undelete" if gone:
                edits.undelete(history, chance.choice(gone))
    except DynoError:
        pass  # such as a tag that is not there
    return ""


def state_of(history: History) -> list[list[tuple[Any, ...]]]:
    return [history.query(statement) for statement in OWNED]


def meet(histories: list[History], server: MemoryStore) -> None:
    for _ in range(2):
        for at, history in enumerate(histories):
            sync(history, server, f"person {at}")


@pytest.mark.parametrize(
    "merges", [pytest.param(100, id="100"), pytest.param(1000, id="1000", marks=pytest.mark.full)]
)
def test_five_desktops_that_merge_are_equal_in_the_end(desktops: list[History], merges: int) -> None:
    chance, server, notes = random.Random(17), MemoryStore(), set()
    for _at in range(merges):
        who = chance.randrange(DESKTOPS)
        for _ in range(chance.randrange(1, 4)):
            notes.add(edit_something(desktops[who], chance, len(notes)))
        server.calls_left = chance.choice((1 << 60, 1 << 60, chance.randrange(40)))  # a link that breaks
        try:
            sync(desktops[who], server, f"person {who}")
        except TeamServerAwayError:
            pass
    server.calls_left = 1 << 60
    meet(desktops, server)
    states = [state_of(history) for history in desktops]
    assert states[1:] == states[:-1]
    assert states[0][3] and states[0][0] and states[0][1]  # the last states are about something
    every = [each for history in desktops[:1] for (id_,) in history.query(
        "SELECT DISTINCT subject FROM edit") for each in edits_of(history, id_)]  # fmt: skip
    assert set(server.all_edits.values()) == set(every)
    written = {each.value for each in every if each.kind == "note" and each.value}
    assert all(any(note in (value or "") for value in written) for note in notes if note)


def test_the_order_and_number_of_arrivals_do_not_matter() -> None:
    """The merge itself, without any history: 1,000 orders of the edits of five desktops."""
    chance = random.Random(5)
    made = [
        Edit(f"desktop-{who}", number, chance.randrange(1, 30), 0.0, "", "session", "name", "", str(number))
        for who in range(DESKTOPS) for number in range(1, 9)
    ]  # fmt: skip
    expected: dict[Any, Edit] = {}
    merge_team_edits(expected, made)
    for _ in range(1000):
        found: dict[Any, Edit] = {}
        arrivals = chance.choices(made, k=20) + chance.sample(made, len(made))
        for begin in range(0, len(arrivals), 7):
            merge_team_edits(found, arrivals[begin : begin + 7])
        assert found == expected


def test_who_did_not_see_the_other_loses_by_clock_and_author_and_is_shown(desktops: list[History]) -> None:
    one, two, *_ = desktops
    server = MemoryStore()
    meet([one, two], server)
    session = one.query("SELECT id FROM session")[0][0]
    edits.rename(one, session, "from one")
    edits.rename(two, session, "from two")
    meet([one, two], server)
    names = {history.query("SELECT name FROM session_name")[0][0] for history in (one, two)}
    assert len(names) == 1
    (loser,) = lost(edits_of(one, session))
    assert {loser.value, f'"{names.pop()}"'} == {'"from one"', '"from two"'}
    assert loser.person in ("person 0", "person 1")
    assert lost(edits_of(two, session)) == [loser]


def test_a_name_that_somebody_replaced_is_not_lost(desktops: list[History]) -> None:
    one, two, *_ = desktops
    server = MemoryStore()
    meet([one, two], server)
    session = one.query("SELECT id FROM session")[0][0]
    edits.rename(one, session, "first")
    meet([one, two], server)
    edits.rename(two, session, "second")
    meet([one, two], server)
    assert one.query("SELECT name FROM session_name") == [("second",)]
    assert lost(edits_of(one, session)) == []
    assert [each.person for each in edits_of(one, session) if each.kind == "name"] == ["person 0", "person 1"]


def test_a_deletion_reaches_all_and_can_be_undone_by_another(desktops: list[History]) -> None:
    one, two, *_ = desktops
    server = MemoryStore()
    meet([one, two], server)
    session = one.query("SELECT id FROM session")[0][0]
    edits.tag(one, session, "kept")
    meet([one, two], server)
    edits.delete(two, session)
    edits.note(one, session, "written meanwhile")
    meet([one, two], server)
    assert not one.query("SELECT 1 FROM session WHERE id = ?", (session,))
    edits.undelete(two, session)
    meet([one, two], server)
    for history in (one, two):
        assert history.query("SELECT tag FROM session_tag") == [("kept",)]
        assert history.query("SELECT text FROM session_note") == [("written meanwhile",)]


def test_a_copied_history_gets_an_id_of_its_own(desktops: list[History], tmp_path: Path) -> None:
    one, two, *_ = desktops
    server = MemoryStore()
    meet([one, two], server)
    session = one.query("SELECT id FROM session")[0][0]
    author = one.query("SELECT value FROM team WHERE name = 'author'")
    two.connection.execute("DELETE FROM edit WHERE author = (SELECT value FROM team WHERE name = 'author')")
    two.connection.execute("UPDATE team SET value = ? WHERE name = 'author'", author[0])
    edits.tag(one, session, "one")
    edits.tag(two, session, "two")
    sync(one, server, "one")
    meet([one, two], server)
    for history in (one, two):
        assert history.query("SELECT tag FROM session_tag ORDER BY 1") == [("one",), ("two",)]
