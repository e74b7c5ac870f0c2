"""What a comparison says in words beside its figures."""

from __future__ import annotations

from pathlib import Path

from app.comparison.compare import compare
from app.comparison.entries import Comparison
from app.comparison.text import to_markdown, to_text, unique_names
from app.history.history import History
from app.history.writing import Writer
from app.protocol.plan import Step
from tests import journals

STEPS = [
    Step(name="load", kind="load", workload="load", unit="rows/s"),
    Step(name="settle", kind="settle", unit="s"),
    Step(name="odd", kind="drive", workload="odd", unit="things", seconds=1),
]


def compared(history: History) -> Comparison:
    plan = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], its_steps=STEPS)
    for turn in plan.turns:
        raw = journals.whole(plan, turn.session).raw
        Writer(history).append(plan.id, turn.session, 0, raw)
    return compare(history, [turn.session for turn in plan.turns])


def test_rows_say_where_less_is_better(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        found = compared(history)
    for text in (to_text(found), to_markdown(found)):
        marked = [line for line in text.splitlines() if "(less is better)" in line]
        assert len(marked) == 1 and "settle" in marked[0] and "s (less is better)" in marked[0]


def test_sessions_of_one_name_are_told_apart() -> None:
    ids = ["01M80DXF5YAAAAAA", "01M80DXF5YBBBBBB", "01M80DXF5YCCCCCC"]
    assert unique_names(["duel", "duel", "other"], ids) == ["duel AAAAAA", "duel BBBBBB", "other"]
