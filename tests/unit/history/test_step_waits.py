"""Waits and statements from the journal to `session show`, Why, and a report."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from app.cli.session_text import print_session_details as show_text
from app.comparison.texts.waits_text import DIFFER, OFF, statements_table, step_waits_table, waits_table
from app.comparison.verdicts.compare import compare
from app.comparison.why.waits import named_waits, waits_of_columns
from app.history.steps.figures import session_details
from app.history.steps.step_waits import ended_step_waits, waits_of_session
from app.history.store.history import History
from app.protocol.events import ProtocolError, from_json
from app.report.content import read_report
from tests import comparable
from tests.journals import Maker, store
from tests.named import STATEMENTS, WAITS

STEP, AT = "read-only", {"threads": 1}
REPORTED = "Longest waits of all threads"


@pytest.fixture
def with_waits(tmp_path: Path) -> Any:
    """A session with waits, and one whose reads examine fewer rows."""
    its_plan = comparable.plan(2)
    with History(tmp_path) as history:
        for turn, examined in zip(its_plan.turns, (100_000, 100), strict=True):
            maker = Maker(its_plan, turn.session)
            maker.waits, maker.statements = WAITS, copy.deepcopy(STATEMENTS)
            maker.statements[0]["rows_examined"] = examined
            maker.begin()
            for at in range(len(its_plan.steps)):
                maker.step(at)
            store(history, maker.end())
        yield history, [turn.session for turn in its_plan.turns]


def test_a_session_shows_them(with_waits: Any, capsys: pytest.CaptureFixture[str]) -> None:
    history, (session, _) = with_waits
    found = session_details(history, session)
    entry = next(each for each in found["waits"] if each["step"] == f"{STEP} threads=1")
    assert (entry["events"], entry["locks"], entry["kinds"]) == (
        WAITS["events"], WAITS["locks"], WAITS["kinds"],
    )  # fmt: skip
    show_text(found)
    text = capsys.readouterr().out
    assert "read-only threads=1: InnoDB row lock 480 us/query, wait/io/file/innodb/innodb_data_file " in text
    assert "InnoDB log buffer without room 3 times" in text
    assert "UPDATE sbtest1 SET k = ? waited for a transaction that executed nothing (sbtest1.PRIMARY)" in text
    assert "deadlock of DELETE FROM sbtest1 and UPDATE sbtest1 SET k = ?, seen 1 time" in text
    assert "100 calls of 500 us, 1,000 rows examined, 2 sorted, without index" in text


def test_two_columns_side_by_side(with_waits: Any) -> None:
    history, ids = with_waits
    named = named_waits(history, compare(history, ids), STEP, AT, 1)
    first, second, counted = named["waits"]
    assert (first["name"], first["per_query_us"], first["ratio"]) == ("InnoDB row lock", [480.0, 480.0], 1.0)
    assert (counted["per_query_us"], counted["count"], counted["n"]) == ([None, None], [3, 3], [1, 1])
    slow, commit = named["statements"]
    assert slow["differs"] and slow["examined"] == [1000.0, 1.0] and not commit["differs"]
    table = statements_table("x", named)
    assert table.lines[0][0].startswith("! SELECT") and table.remarks == (DIFFER,)
    assert waits_table("x", named).lines[2][2:4] == ("-", "-")
    assert second["kind"] == "file_io" and waits_table("x", named).remarks == ()


def test_a_report_names_the_longest_waits(with_waits: Any) -> None:
    history, ids = with_waits
    (table,) = [each for each in read_report(history, ids).costs if each.title.startswith(REPORTED)]
    line = next(each for each in table.lines if each[0] == f"{STEP} threads=1: InnoDB row lock")
    assert line[1:] == ("480", "480")
    assert len(waits_of_columns(history, compare(history, ids), STEP, AT)) == 3


def test_an_older_journal_has_none(tmp_path: Path) -> None:
    (session, other) = comparable.keep(tmp_path, comparable.plan(2))
    with History(tmp_path) as history:
        assert waits_of_session(history, session) == [] and session_details(history, session)["waits"] == []
        assert ended_step_waits(history, session, 99) is None
        ended = ended_step_waits(history, session, 2)
        assert ended is not None and step_waits_table(ended).remarks == (OFF,)
        named = named_waits(history, compare(history, [session, other]), STEP, AT, 1)
        assert (named["waits"], named["statements"], named["by_name"]) == ([], [], [False, False])
        assert all(not each.title.startswith(REPORTED) for each in read_report(history, [session]).costs)


@pytest.mark.parametrize(
    "wrong",
    [
        {"waits": {"events": [{"name": "x" * 1001, "kind": "mutex"}]}},
        {"waits": {"events": [{"kind": "mutex"}]}},
        {"waits": {"kinds": {"mutex": "1"}}},
        {"statements": [{"text": "SELECT", "calls": -1, "ms": 1.0}]},
        {"statements": [{}]},
        {"statements": [STATEMENTS[1]] * 1001},
    ],
)
def test_a_journal_with_others_is_refused(wrong: Any) -> None:
    event = {"kind": "step_ended", "seq": 1, "t": 1.0, "at": 1.0, "step": 0, "outcome": "completed"}
    from_json({**event, "waits": WAITS, "statements": STATEMENTS})
    with pytest.raises(ProtocolError):
        from_json({**event, **wrong})
