"""Columns that did not do the same work: said first, each way of counting considered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.comparison.compare import compare
from app.comparison.differences import differences
from app.comparison.text import first_of, remarks_of, to_markdown
from app.comparison.why import remarks_of as remarks_of_why
from app.comparison.why import why_all
from app.history.history import History
from app.history.writing import Writer
from app.protocol.events import Fact
from tests import journals

LABEL = "point-query threads=1"
SELECT = "SELECT c FROM sbtest1 WHERE id BETWEEN 500 AND 599"
RANGE, ALL = [{"type": "range", "key": "PRIMARY"}], [{"type": "ALL", "key": None}]


def work(read: float, expected: Sequence[float] = (10.0, 10.0), **more: float) -> dict[str, Any]:
    bounds = {"read": list(expected), "returned": [10, 10], "changed": [0, 1], "sorted": [0, 0]}
    return {
        "found": {"read": read, "returned": 10.0, "changed": 0.0, "sorted": 0.0, **more},
        "expected": bounds,
    }


def keep(history: History, *facts: Mapping[str, Any]) -> list[str]:
    """A session with each of these facts of one step."""
    plan = journals.plan([journals.contender(each) for each in ("innodb", "rocksdb")])
    for turn, told in zip(plan.turns, facts, strict=True):
        maker = journals.Maker(plan, turn.session).begin()
        for name, value in told.items():
            maker.add(Fact, name=name, value=value, when=LABEL)
        for at in range(len(plan.steps)):
            maker.step(at, value=100.0)
        Writer(history).append(plan.id, turn.session, 0, maker.end().raw)
    return [turn.session for turn in plan.turns]


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (work(10.0), work(11.0), ""),
        (work(10.0), work(20.0), "rows read per event"),
        (work(10.0), work(19.0, (10.0, 20.0)), ""),  # it counts the reads of a sort again
        (work(10.0), work(40.0, (10.0, 20.0)), "rows read per event"),
        (work(0.2, (0.0, 1.0)), work(0.9, (0.0, 1.0)), ""),
        (
            work(0.2, (0.0, 1.0), changed=0.26),
            work(0.9, (0.0, 1.0), changed=0.93),
            "rows changed per event",
        ),
        (work(10.0, changed=0.0), work(10.0, changed=0.01), ""),
        (work(10.0), work(10.0, returned=5.0), "rows sent to the client per event"),
    ],
)
def test_columns_that_disagree(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], what: str
) -> None:
    with History(tmp_path) as history:
        ids = keep(history, {"work": first}, {"work": second})
        found = compare(history, ids)
        told = [each for each in differences(history, ids) if each["group"] == "work"]
    assert [each["name"] for each in told] == ([f"{what}, {LABEL}"] if what else [])
    assert bool(first_of(found)) == bool(what)
    if what:
        assert first_of(found)[0].startswith(f"not the same work: {LABEL}: {what}: innodb ")
        assert to_markdown(found).startswith("not the same work")
        assert not any(each.startswith("not the same work") for each in remarks_of(found))


def test_plans_that_differ_are_named(tmp_path: Path) -> None:
    plans = [[{"statement": SELECT, "begin": each}] for each in (RANGE, ALL)]
    with History(tmp_path) as history:
        ids = keep(history, {"plans": plans[0]}, {"plans": plans[1]})
        (entry,) = (each for each in differences(history, ids) if each["group"] == "plans")
        told = [remarks_of_why(each) for each in why_all(compare(history, ids))]
    statement = "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?"
    assert entry["name"] == f"{LABEL}: {statement}" and entry["values"] == ["range by PRIMARY", "all rows"]
    line = f"Execution plans differ: {statement}: range by PRIMARY in the base, all rows in the other."
    assert [line in each for each in told].count(True) == 1


def test_a_plan_that_changed_within_a_step_is_named_although_all_did_so(tmp_path: Path) -> None:
    plans = [{"statement": SELECT, "begin": ALL, "end": RANGE}]
    with History(tmp_path) as history:
        ids = keep(history, {"plans": plans}, {"plans": plans})
        (entry,) = (each for each in differences(history, ids) if each["group"] == "plans")
    assert entry["values"] == ["all rows, then range by PRIMARY"] * 2


@pytest.mark.parametrize("second", [{"plans": [{"statement": SELECT, "begin": RANGE}]}, {}])
def test_plans_that_are_the_same_or_unknown_are_not_named(tmp_path: Path, second: dict[str, Any]) -> None:
    with History(tmp_path) as history:
        ids = keep(history, {"plans": [{"statement": SELECT, "begin": RANGE}]}, second)
        assert not [each for each in differences(history, ids) if each["group"] in ("plans", "work")]


def test_facts_that_were_too_large_are_passed_over(tmp_path: Path) -> None:
    left_out = {"left out": "too long"}
    with History(tmp_path) as history:
        ids = keep(history, {"plans": left_out, "work": left_out}, {})
        assert first_of(compare(history, ids)) == []
