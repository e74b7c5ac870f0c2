"""Counts of another CPU model or valgrind: shown with both, and never judged."""

from __future__ import annotations

import pytest

from app.comparison.answers.gate import UNTOLD, GateRequest, gate
from app.comparison.answers.sentences import verdict_sentences
from app.comparison.cells.cell import Comparison
from app.comparison.verdicts.compare import compare
from app.history.store.history import History
from tests import counted
from tests.unit.comparison.cells import cells

OLD, NEW = "mysql-9.7.8", "mysql-9.7.9"


def compared(history: History, valgrind: str, cpu: str = "", at_first: str = counted.VALGRIND) -> Comparison:
    first = counted.keep(history, {OLD: [(67_000, 67_010)]}, valgrind=at_first)
    second = counted.keep(history, {NEW: [(74_400, 74_390)]}, 2, valgrind, cpu)
    return compare(history, [*first, *second])


@pytest.mark.parametrize(
    ("valgrind", "cpu", "said"),
    [
        ("3.22.0", "", "was counted on a CPU with valgrind 3.22.0"),
        (counted.VALGRIND, "AMD EPYC 9", "was counted on AMD EPYC 9 with valgrind 3.19.0"),
        ("", "AMD EPYC 9", "was counted on AMD EPYC 9 with valgrind ?"),
    ],
)
def test_a_count_of_another_kind_is_marked_and_not_judged(
    history: History, valgrind: str, cpu: str, said: str
) -> None:
    found = compared(history, valgrind, cpu)
    (row,) = found.rows
    assert cells(row, "verdict") == ["base", "marked"] and row.cells[1].marks == ["counted-otherwise"]
    assert row.cells[1].relative == pytest.approx(1.11, abs=0.01), "it is shown"
    (caveat,) = (each.text for each in found.warnings if "valgrind" in each.text)
    assert said in caveat and "on a CPU with valgrind 3.19.0: not judged" in caveat
    (sentence,) = verdict_sentences(found)
    assert "not judged (counted on another CPU model or by another valgrind than the base)" in sentence


@pytest.mark.parametrize(("first", "second"), [("", ""), ("", counted.VALGRIND), (counted.VALGRIND,) * 2])
def test_what_nobody_said_is_no_difference(history: History, first: str, second: str) -> None:
    found = compared(history, second, at_first=first)
    assert cells(found.rows[0], "verdict") == ["base", "worse"] and not found.rows[0].cells[1].marks


def test_a_gate_cannot_tell_across_two_of_them(history: History) -> None:
    first = counted.keep(history, {OLD: [(67_000, 67_010)]})
    second = counted.keep(history, {NEW: [(74_400, 74_390)]}, 2, "3.22.0")
    found = gate(history, first[0], second[0], GateRequest(3))
    assert (found["verdict"], found["exit_code"]) == (UNTOLD, 3) and "counted-otherwise" in found["sentence"]
