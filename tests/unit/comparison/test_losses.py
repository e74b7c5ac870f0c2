"""What operations did, side by side: what was lost comes first, and each figure has a line."""

from __future__ import annotations

from typing import Any

import pytest

from app.comparison.answers.gate import WORSE, GateRequest, gate_answer
from app.comparison.answers.gate_reports import gate_junit
from app.comparison.answers.losses import LossesOfCell
from app.comparison.answers.sentences import first_lines, verdict_sentences
from app.comparison.cells.cell import Comparison
from app.comparison.texts.operations_text import NOT_REACHED, operations_tables
from app.comparison.verdicts.compare import compare
from app.history.steps.operations import operation_figures, operation_text
from app.history.store.history import History
from app.protocol.plan import Step
from app.protocol.step_parts import OperationResult
from tests import comparable

KILL = Step("cut", "power-cut", unit="s", figure="time", seconds=20, after=5, coordinates={"threads": 1})
WRITER = Step(
    "cut.writer", "drive", "write", "writes", role="writer", beside=True, ends=True, seconds=25,
    coordinates={"threads": 1},
)  # fmt: skip
PLAN = comparable.plan(2, 3, its_steps=[KILL, WRITER])


def said(**fields: Any) -> dict[str, Any]:
    return vars(OperationResult(**{"at_s": 5.0, "first_answer_s": 2.0, "before": 100.0, **fields}))


@pytest.fixture
def with_cuts(history: History) -> Comparison:
    """Two contenders, three power cuts each: the first loses rows in two of them."""
    found = compare(history, comparable.keep(history.path.parent, PLAN))
    first, second = next(row for row in found.rows if row.kind == "power-cut").cells
    back = {"50": 2.5, "90": None}
    first.operations = [
        said(acknowledged=1000, missing=gone, back_s=back, phases={"scan redo": 1.5}, returned=gone // 100)
        for gone in (0, 12, 312)
    ]
    second.operations = [said(acknowledged=900, missing=0, back_s={"50": 4.0, "90": 9.0}) for _ in range(3)]
    return found


def test_what_was_lost_is_the_first_sentence(with_cuts: Comparison) -> None:
    first, *_ = verdict_sentences(with_cuts)
    assert first.startswith(
        "cut threads=1: after the power cut 324 of 3,000 answered commits were gone in 2 of "
    )
    assert "; none of 2,700 answered commits was gone in 3 tries with " in first


def test_advice_stands_beside_what_is_not_judged(with_cuts: Comparison) -> None:
    advised = [line for line in first_lines(with_cuts) if "For a verdict" in line]
    assert all(line.startswith("Not judged") for line in advised)


def test_each_figure_has_a_line_and_what_is_nothing_everywhere_none(with_cuts: Comparison) -> None:
    (table,) = operations_tables(with_cuts)
    lines = {line[1]: line[2:] for line in table.lines}
    assert lines["first answer (s)"] == ("2.00 (2.00 to 2.00)",) * 2
    assert lines["back at 90% (s)"] == (NOT_REACHED, "9.00 (9.00 to 9.00)")
    assert lines["of these gone"] == ("0 to 312", "0")
    assert lines["tries that lost a row"] == ("2 of 3 (21% to 94%)", "0 of 3")
    assert lines["deleted rows that came back"] == ("0 to 3", "-")
    assert "rows that nobody sent" not in lines and "algorithm" not in lines


@pytest.mark.parametrize(
    ("losses", "text"),
    [
        (LossesOfCell((0,), 100), "0 of 1"),
        (LossesOfCell((0,) * 10, 100), "0 of 10 (at most 30%)"),
        (LossesOfCell((7,), 100), "1 of 1"),
    ],
)
def test_how_often_is_said_with_what_chance_allows(losses: LossesOfCell, text: str) -> None:
    assert losses.text == text


def test_an_operation_in_words() -> None:
    text = operation_text(
        said(acknowledged=45120, missing=312, unanswered=2, back_s={"50": 6.0, "95": None}, stall_s=2.1)
    )
    assert text == (
        "answers after 2.00 s, 50% of 100.0 events/s after 6.00 s, 95% not reached,"
        " longest without an answer 2.10 s; ledger:"
        " 312 of 45,120 answered commits are gone, 2 without an answer"
    )
    assert operation_text(None) == ""
    assert "OTHER ROWS" in operation_text(said(restored=False))


def turned(comparison: Comparison) -> Comparison:
    """The same where the second contender loses what the first has lost."""
    for row in comparison.rows:
        first, second = row.cells
        first.operations, second.operations = second.operations, first.operations
    return comparison


def test_a_gate_is_closed_where_only_the_other_loses_answered_commits(with_cuts: Comparison) -> None:
    kept = gate_answer(with_cuts, GateRequest(90.0))
    assert [line["step"] for line in kept["steps"]] == ["cut threads=1", "cut.writer threads=1"]
    lost = gate_answer(turned(with_cuts), GateRequest(90.0))
    assert (lost["verdict"], lost["exit_code"]) == (WORSE, 1)
    line = lost["steps"][-1]
    assert (line["step"], line["unit"], line["verdict"], line["n"]) == (
        "cut threads=1: answered commits", "answered commits", WORSE, 3,
    )  # fmt: skip
    why = (
        "324 of 3,000 answered commits were gone in 2 of 3 tries, and none of 2,700 answered commits was gone"
        " in 3 tries with the other"
    )
    assert line["why"] == why and f"none: cut threads=1: answered commits ({why})" in lost["sentence"]
    assert b"failure" in gate_junit(lost)


def test_a_gate_takes_no_side_where_both_lose(with_cuts: Comparison) -> None:
    for row in with_cuts.rows:
        row.cells[1].operations = row.cells[0].operations
    found = gate_answer(with_cuts, GateRequest(90.0))
    assert not any(line["unit"] == "answered commits" for line in found["steps"])


def test_a_gate_judges_the_seconds_of_an_operation_where_less_is_better(history: History) -> None:
    found = compare(history, comparable.keep(history.path.parent, PLAN))
    (line, _) = gate_answer(found, GateRequest(90.0))["steps"]
    assert (line["unit"], line["direction"]) == ("s", "lower") and line["ratio"]


def test_its_known_numbers_are_figures_by_the_names_of_json() -> None:
    its = said(back_s={"50": 4.0, "90": None}, phases={"roll back": 0.5}, missing=0, promised=True)
    assert dict(operation_figures(its)) == {
        "operation.at_s": 5.0,
        "operation.first_answer_s": 2.0,
        "operation.before": 100.0,
        "operation.back_s.50": 4.0,
        "operation.phases.roll back": 0.5,
        "operation.missing": 0.0,
    }
    assert list(operation_figures(None)) == []
