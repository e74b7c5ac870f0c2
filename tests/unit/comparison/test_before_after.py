"""Tests before the writes against the same ones after them."""

from __future__ import annotations

import pytest

from app.comparison.cells.cell import Comparison
from app.comparison.charts import NOTHING
from app.comparison.charts.of_all_steps import pair_numbers
from app.comparison.texts.costs_text import before_after_table
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.why.before_after import before_after_tests
from app.history.store.history import History
from app.protocol.plan import Step
from tests import journals
from tests.journals import store

NAMES = (
    "point-query.pre", "read-only.pre.range10000", "alone.pre", "update", "point-query",
    "read-only.range10000", "premium",
)  # fmt: skip
VALUES = ((100.0, 10.0, 1.0, 5.0, 80.0, 20.0, 3.0), (200.0, 10.0, 1.0, 5.0, 200.0, 5.0, 3.0))


def compared(history: History, threads: tuple[int, ...] = (1,), names: tuple[str, ...] = NAMES) -> Comparison:
    """Two repeats of a contender, and one of another."""
    steps = [
        Step(name, "drive", unit="queries/s", seconds=1, threads=n, coordinates={"threads": n})
        for name in names
        for n in threads
    ]
    plan = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], 2, its_steps=steps)
    for turn in plan.turns[:3]:
        maker = journals.Maker(plan, turn.session).begin()
        for at in range(len(steps)):
            maker.step(at, value=VALUES[turn.repeat - 1][at // len(threads)])
        store(history, maker.end())
    return compare(history, [turn.session for turn in plan.turns[:3]])


def test_each_test_is_held_against_itself_session_by_session(history: History) -> None:
    found = before_after_tests(compared(history))
    assert [(pair["before"], pair["after"]) for pair in found] == [
        ("point-query.pre", "point-query"), ("read-only.pre.range10000", "read-only.range10000"),
    ]  # fmt: skip
    point, scan = (pair["columns"][0] for pair in found)
    assert (point["values"], point["ratios"], point["n"]) == ([150.0, 140.0], [0.8, 1.0], 2)
    assert point["ratio"] == pytest.approx(0.8**0.5)
    assert (scan["ratios"], scan["ratio"]) == ([2.0, 0.5], pytest.approx(1.0))
    assert found[0]["columns"][1]["ratios"] == [0.8]


def test_only_the_same_number_of_threads_is_a_pair(history: History) -> None:
    found = before_after_tests(compared(history, threads=(1, 4)))
    assert [pair["coordinates"]["threads"] for pair in found] == [1, 4, 1, 4]


def test_by_another_measure(history: History) -> None:
    found = before_after_tests(comparison_by_measure(compared(history), "cpu_us"))
    assert found[0]["unit"] == "us/query"
    assert found[0]["columns"][0]["ratio"] == pytest.approx(1.0)


def test_as_a_table(history: History) -> None:
    comparison = compared(history)
    table = before_after_table(comparison, before_after_tests(comparison))
    first = table.lines[0]
    assert first[0] == "point-query threads=1"
    assert first[2:] == ("queries/s", "150.0", "140.0", "0.89", "0.80 1.00", "2")
    assert table.lines[1][5:] == ("0.80", "-", "1")
    assert len(pair_numbers(comparison, before_after_tests(comparison)).rows) == 4


def test_where_nothing_was_done_twice(history: History) -> None:
    comparison = compared(history, names=("point-query.pre", "update"))
    table = before_after_table(comparison, before_after_tests(comparison))
    assert (table.lines, table.remarks) == ((), (NOTHING["before-after"],))
