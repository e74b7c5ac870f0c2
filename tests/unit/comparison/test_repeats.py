"""How many loads and server starts the sessions of a column are."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.comparison.compare import compare
from app.comparison.repeats import loads_of, repeats_text, start_text
from app.comparison.text import remarks_of
from app.history.history import History
from app.history.writing import Writer
from app.protocol.events import Fact
from tests import journals


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
    assert loads_of([{"load": load} for load in loads]) == count


def test_how_a_session_started_in_words() -> None:
    state = {"load": "snapshot ab, copied", "start": "snapshot", "pause_s": 0}
    assert start_text(state) == "snapshot, load snapshot ab, copied"
    assert start_text({**state, "pause_s": 5}).endswith(", 5 s of pause before")
    assert start_text({}) == "unknown, load unknown"


def keep(history: History, loads: list[str]) -> list[str]:
    plan = journals.plan([journals.contender(), journals.contender("rocksdb")], repeats=len(loads))
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        maker.add(Fact, name="start_state", value={"load": loads[turn.repeat - 1], "start": "snapshot"})
        for at in range(len(plan.steps)):
            maker.step(at)
        Writer(history).append(plan.id, turn.session, 0, maker.end().raw)
    return [turn.session for turn in plan.turns]


def test_repeats_on_one_load_are_told(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        ids = keep(history, ["fresh, kept as snapshot ab", "snapshot ab, copied", "snapshot ab, copied"])
        found = compare(history, ids)
    assert [(each["loads"], each["server_starts"]) for each in found["sessions"]] == [(1, 3)] * 2
    assert "innodb-default, rocksdb-default: 3 repeats: 1 load, 3 server starts" in remarks_of(found)


def test_where_nobody_has_said_nothing_is_claimed(tmp_path: Path) -> None:
    plan = journals.plan([journals.contender(), journals.contender("rocksdb")])
    with History(tmp_path) as history:
        for turn in plan.turns:
            Writer(history).append(plan.id, turn.session, 0, journals.whole(plan, turn.session).raw)
        found = compare(history, [turn.session for turn in plan.turns])
    assert [(each["loads"], each["server_starts"]) for each in found["sessions"]] == [(None, None)] * 2
    assert repeats_text(2, None, None) == "2 repeats"
