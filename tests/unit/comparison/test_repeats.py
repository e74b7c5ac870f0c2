"""How many loads and server starts the sessions of a column are."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.comparison.texts.text import remarks_of
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.repeats import count_data_loads, repeats_text, start_state_text
from app.history.recorded.in_words import DataAndStartWords
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from tests import journals
from tests.plans import MARIADB
from tests.unit.comparison.cells import cells


@pytest.mark.parametrize(
    ("loads", "count"),
    [
        (["fresh", "fresh", "fresh"], 3),
        (["fresh, kept as snapshot ab", "snapshot ab, reflinks", "snapshot ab, reflinks"], 1),
        (["snapshot ab, copied", "snapshot ab, copied"], 1),
        (["snapshot ab, copied", "snapshot cd, copied", "fresh"], 3),
        (["fresh, not kept: the disk is full", "fresh, kept as snapshot ab", "snapshot ab, copied"], 2),
    ],
)
def test_copies_share_the_load_that_they_are_of(loads: list[str], count: int) -> None:
    assert count_data_loads([DataAndStartWords.of({"load": load}) for load in loads]) == count


def test_how_a_session_started_in_words() -> None:
    state = {"load": "snapshot ab, copied", "start": "snapshot", "pause_s": 0}
    assert text_of(state) == "from snapshot ab, copied"
    assert text_of({**state, "pause_s": 5}).endswith(", 5 s of pause before")
    assert text_of({"load": "fresh", "start": "loaded"}) == "freshly loaded, server kept running"
    assert text_of({"load": "fresh, kept as snapshot ab"}) == "freshly loaded, kept as snapshot ab"
    assert text_of({"load": "fresh, not kept: no room"}) == "freshly loaded, not kept: no room"
    assert text_of({"load": "by hand", "start": "loaded"}) == "by hand, server kept running"
    assert text_of({}) == "unknown"
    assert start_state_text(DataAndStartWords.of(state), has_key=False) == "from a snapshot, copied"


def text_of(state: dict[str, object]) -> str:
    return start_state_text(DataAndStartWords.of(state))


def keep(history: History, loads: list[str]) -> list[str]:
    plan = journals.plan([journals.contender(), journals.contender("rocksdb")], repeats=len(loads))
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        maker.add(Fact, name="start_state", value={"load": loads[turn.repeat - 1], "start": "snapshot"})
        for at in range(len(plan.steps)):
            maker.step(at)
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    return [turn.session for turn in plan.turns]


def test_repeats_on_one_load_are_told(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        ids = keep(history, ["fresh, kept as snapshot ab", "snapshot ab, copied", "snapshot ab, copied"])
        found = compare(history, ids)
    assert [(each.loads, each.server_starts) for each in found.columns] == [(1, 3)] * 2
    assert (
        f"{MARIADB}-innodb-default, {MARIADB}-rocksdb-default: 3 repeats: 1 load, 3 server starts"
        in remarks_of(found)
    )


def test_where_nobody_has_said_nothing_is_claimed(tmp_path: Path) -> None:
    plan = journals.plan([journals.contender(), journals.contender("rocksdb")])
    with History(tmp_path) as history:
        for turn in plan.turns:
            JournalStorer(history).append(plan.id, turn.session, 0, journals.whole(plan, turn.session).raw)
        found = compare(history, [turn.session for turn in plan.turns])
    assert [(each.loads, each.server_starts) for each in found.columns] == [(None, None)] * 2
    assert repeats_text(2, None, None) == "2 repeats"


def carried_out(history: History, *disturbed: int, stopped: int = 0) -> list[str]:
    """Three sessions of each of two contenders; those of these ordinals were carried out twice."""
    plan = journals.plan([journals.contender(), journals.contender("rocksdb")], repeats=3, attempts=2)
    done = [turn for turn in plan.turns if turn.attempt == 1 or turn.ordinal in disturbed]
    for turn in done:
        is_noisy = turn.attempt == 1 and turn.ordinal in disturbed
        maker = journals.Maker(plan, turn.session).begin()
        for at in range(len(plan.steps)):
            value = (10.0 if is_noisy else 100.0) + turn.repeat
            maker.step(at, value=value, marks=["disturbed"] * is_noisy)
        ends = ("stopped", "asked for") if turn.attempt > 1 and turn.ordinal == stopped else ("completed", "")
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end(*ends).raw)
    return [turn.session for turn in done]


def test_of_a_session_that_was_repeated_the_last_attempt_is_compared(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        ids = carried_out(history, 1, 4)
        found = compare(history, ids)
    assert found.base_id == ids[1]  # in place of the first
    assert [len(column.ids) for column in found.columns] == [3, 3]
    assert [column.attempts for column in found.columns] == [[ids[0]], [ids[4]]]
    assert all(sample == [101.0, 102.0, 103.0] for row in found.rows for sample in cells(row, "samples"))
    out = [each for each in remarks_of(found) if "is left out" in each]
    assert out == [
        f"{MARIADB}-innodb-default-1 is left out (disturbed);"
        f" {MARIADB}-innodb-default-1-attempt-2 replaces it",
        f"{MARIADB}-rocksdb-default-2 is left out (disturbed);"
        f" {MARIADB}-rocksdb-default-2-attempt-2 replaces it",
    ]


def test_an_attempt_that_was_stopped_stands_for_nothing(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        ids = carried_out(history, 1, stopped=1)
        found = compare(history, ids)
    assert found.base_id == ids[0]
    (out,) = [each for each in remarks_of(found) if "is left out" in each]
    assert (
        out == f"{MARIADB}-innodb-default-1-attempt-2 is left out (stopped);"
        f" {MARIADB}-innodb-default-1 replaces it"
    )


def test_the_attempts_of_one_session_are_compared_with_each_other(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        first, second, *_ = carried_out(history, 1)
        found = compare(history, [first, second])
    assert [column.ids for column in found.columns] == [[first], [second]]
