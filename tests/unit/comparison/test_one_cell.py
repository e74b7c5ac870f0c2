"""One cell has one ratio, one interval, one verdict and one reason, whoever shows it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from app.cli import main
from app.comparison.answers.gate import GateRequest, gate_answer
from app.comparison.answers.sentences import verdict_sentences
from app.comparison.cells.cell import Comparison
from app.comparison.charts.points import relative_points
from app.comparison.texts.text import judged_text, to_text, unjudged_texts
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.judgement import ODD
from app.comparison.why.why import why
from app.history.store.history import History
from app.protocol.others import DISTURBED
from app.report.content import read_report
from tests.sliced import Odd, Oddities, keep, plan
from tests.unit.comparison.cells import beside, cells

READ, WRITE = 1, 2  # rows, and steps
THREE = GateRequest(3.0)


def compared(history: History, odd: Oddities, factor: float = 0.82, rounds: int = 5) -> Comparison:
    return compare(history, keep(history, plan(rounds=rounds), (1.0, factor), odd))


def uneven(step: int) -> Oddities:
    """Rounds whose mean is not their median, and the ratio of their medians is a third one."""
    return {(1, 1, step): Odd(factor=0.93), (1, 2, step): Odd(factor=0.94), (1, 3, step): Odd(factor=0.97)}


def test_the_ratio_is_the_same_everywhere(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(history, uneven(READ))
    row = found.rows[READ]
    ratio, low, high = row.cells[1].relative, row.cells[1].low, row.cells[1].high
    assert ratio is not None and low is not None and high is not None and low < ratio < high
    base, other = cells(row, "value")
    assert base and other and abs(other / base - ratio) > 0.01  # that of the medians shown

    assert judged_text(row.cells[1]) == f"{ratio:.2f} worse"
    (sentence,) = (each for each in verdict_sentences(found) if "point-query" in each)
    assert f" at {ratio:.2f} of InnoDB's rate (95% sure: {low:.2f} to {high:.2f}): slower" in sentence
    line = gate_answer(found, THREE)["steps"][READ]
    assert (line["ratio"], line["low"], line["high"], line["why"]) == (ratio, low, high, "")
    assert relative_points(row, 0)[1].value == ratio == why(found, row, 1)["ratio"]

    ids = [id_ for column in found.columns for id_ in column.ids]
    (cell,) = (
        beside(line)[1]
        for group in read_report(history, ids).groups
        for line in group.table.lines
        if line[0].startswith("point-query")
    )
    assert cell == f"{ratio:.2f} worse"
    assert main(["compare", *ids, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["rows"][READ]
    assert (told["relative"][1], told["low"][1], told["high"][1]) == (ratio, low, high)
    assert "ratio: the median of each repeat's ratio to InnoDB" in to_text(found).splitlines()
    assert any(line.endswith("  ratio") for line in to_text(found).splitlines())


def test_a_load_of_one_round_has_one_reason(history: History) -> None:
    """Disturbed, and skipped by all later rounds, as it is in a duel."""
    its_plan = plan()
    odd = {(at, 1, 0): Odd(marks=[DISTURBED]) for at in (0, 1)}
    odd |= {(at, repeat, 0): Odd(skipped=True) for at in (0, 1) for repeat in range(2, 6)}
    found = compare(history, keep(history, its_plan, (1.0, 0.82), odd))
    reason = "measured once: the noise is unknown"
    assert cells(found.rows[0], "why") == ["", reason]
    assert f"load: MyRocks measured at 0.82 of InnoDB's rate: not judged ({reason})." in verdict_sentences(
        found
    )
    assert any(text.startswith("load") and f"{reason}, not judged" in text for text in unjudged_texts(found))
    assert gate_answer(found, THREE)["steps"][0]["why"] == reason


def test_sessions_that_have_the_step_are_not_called_skipped(history: History) -> None:
    """One of their repeats ended before the step; the others have it, and are marked."""
    odd = {(1, repeat, READ): Odd(marks=["indebted"]) for repeat in range(1, 5)}
    odd |= {(at, 5, READ): Odd(skipped=True) for at in (0, 1)}
    found = compared(history, odd)
    assert cells(found.rows[READ], "why") == ["", "indebted"]
    told = [each for each in verdict_sentences(found) if "point-query" in each]
    assert told and not any("skipped" in each for each in told)


def test_a_ratio_outside_of_its_interval_is_no_verdict(history: History) -> None:
    """One round that is far off moves the mean, and not the median."""
    odd = {(1, at, WRITE): Odd(factor=0.97) for at in (2, 5)}
    odd |= {(1, at, WRITE): Odd(factor=0.9) for at in range(6, 41)}
    odd |= {(1, at, WRITE): Odd(factor=0.5) for at in range(41, 60)}
    found = compared(history, odd, 1.0, rounds=59)
    row = found.rows[WRITE]
    assert (row.cells[1].verdict, row.cells[1].why, row.cells[1].low) == ("~", ODD, None)
    assert any(f"({ODD})" in each for each in verdict_sentences(found))
    assert gate_answer(found, THREE)["steps"][WRITE]["why"] == ODD


def test_a_limit_of_a_gate_changes_no_interval(history: History) -> None:
    found = compared(history, uneven(READ))
    intervals = {
        limit: [
            (line["low"], line["high"])
            for line in gate_answer(found, replace(THREE, worse_pct=limit))["steps"]
        ]
        for limit in (0.1, 3.0, 50.0)
    }
    rows = [(row.cells[1].low, row.cells[1].high) for row in found.rows]
    assert set(map(str, intervals.values())) == {str(rows)}
    assert re.search(r"loses more than 0.1%", gate_answer(found, replace(THREE, worse_pct=0.1))["sentence"])
