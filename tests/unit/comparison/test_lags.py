"""The lag of replicas as a measure: the largest median of a step, judged only as far as it is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from app.comparison.answers.sentences import verdict_sentences
from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.measures import MEASURES
from app.comparison.texts.text import to_csv, to_text
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.verdicts.judgement import legend_of_signs
from app.comparison.verdicts.why_not import UNKNOWN_LAG, UNRESOLVED, WHY_NOT_BY_FIGURES
from app.core.table import CellText
from app.history.steps.replica_lags import lag_of_slowest_replica
from app.history.steps.step_text import AT_LEAST, LAG_LOST
from app.history.store.history import History
from app.protocol.events import Fact
from app.report.content import read_report
from app.report.writing import render
from tests import journals
from tests.unit.cli.words import said
from tests.unit.comparison.cells import cells

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=4)
IDS = [turn.session for turn in PLAN.turns]
STEP = PLAN.steps[1]
Lags = list[dict[str, Any]]


def lag(median_ms: float | None, name: str = "replica1", **more: Any) -> dict[str, Any]:
    """Of a replica, with a resolution of 10 ms; its p95 and its longest lag tell nothing here."""
    later = None if median_ms is None else median_ms * 9
    known = {"name": name, "median_ms": median_ms, "p95_ms": later, "longest_ms": later}
    return {**known, "resolution_ms": 10.0, "beats": 60, "waiting": 0, "lost": 0, "awaited_s": 0.0, **more}


def compared(history: History, lags: Callable[[int, float], Lags]) -> Comparison:
    """One step has lags, by contender and by a factor that differs a little from repeat to repeat."""
    for turn in PLAN.turns:
        maker = journals.Maker(PLAN, turn.session).begin()
        for at, step in enumerate(PLAN.steps):
            if found := lags(turn.contender, 1 + turn.repeat / 1000) if step is STEP else []:
                maker.add(Fact, name="existing", value={"lags": found}, when=step.label)
            maker.step(at, value=1000.0)
        journals.store(history, maker.end())
    return comparison_by_measure(compare(history, IDS), "lag")


def only_row(found: Comparison) -> Row:
    """Steps without replicas, or without a lag of any, are not there."""
    (row,) = found.rows
    assert row.workload == STEP.name and (row.unit, row.direction) == ("ms", "lower")
    return row


def test_the_longest_median_of_the_replicas_counts(history: History) -> None:
    found = compared(history, lambda of, by: [lag(20 * by), lag((1 + of) * 1000 * by, "replica2")])
    row = only_row(found)
    assert cells(row, "value") == [pytest.approx(1002.5), pytest.approx(2005)]
    assert cells(row, "verdict") == ["base", "worse"] and cells(row, "marks") == [[], []]
    (sentence,) = verdict_sentences(found, "median lag of the slowest replica")
    assert "at 2.00 of" in sentence and "median lag of the slowest replica" in sentence
    assert sentence.endswith(": worse.") and ",ms,lower,1002.5," in to_csv(found)


def test_a_step_without_any_lag_is_missing_and_never_zero(history: History) -> None:
    found = compared(history, lambda of, by: [lag(50 * by)] if of == 0 else [lag(None, resolution_ms=None)])
    row = only_row(found)
    assert row.cells[1].value is None and row.cells[1].n == 0 and row.cells[1].reason == "not measured"
    assert found.rows[0].measures["lag"][1].samples == [None] * 4


def test_a_difference_below_the_resolution_is_not_judged(history: History) -> None:
    found = compared(history, lambda of, by: [lag((15 + 9 * of) * by)])
    row, why = only_row(found), WHY_NOT_BY_FIGURES[UNRESOLVED]
    assert cells(row, "verdict") == ["base", UNRESOLVED] and row.cells[1].p is None
    assert row.cells[1].relative == pytest.approx(1.6) and row.cells[1].whys == [why]
    assert f"not judged: {why}" in legend_of_signs(found) and why in to_text(found)


def test_the_worse_resolution_of_both_counts(history: History) -> None:
    found = compared(history, lambda of, by: [lag((100 + 90 * of) * by, resolution_ms=10 + 90.0 * of)])
    assert cells(only_row(found), "verdict") == ["base", UNRESOLVED]


@pytest.mark.parametrize("contender", [0, 1])
def test_rows_that_have_not_arrived_make_it_at_least(contender: int, history: History) -> None:
    def lags(of: int, by: float) -> Lags:
        slow = {"waiting": 40, "median_most_ms": None} if of == contender else {}
        return [lag((1 + of) * 1000 * by, **slow)]

    found = compared(history, lags)
    row, why = only_row(found), WHY_NOT_BY_FIGURES[UNKNOWN_LAG]
    assert row.cells[contender].marks == [AT_LEAST] and row.cells[1 - contender].marks == []
    assert row.cells[1].verdict == UNKNOWN_LAG and row.cells[1].whys == [why]
    assert "at-least: rows that Dyno wrote had not arrived" in to_text(found)
    assert all("at-least" not in cell.marks for each in compare(history, IDS).rows for cell in each.cells)


def test_a_report_has_them_with_what_is_to_be_known(history: History) -> None:
    compared(history, lambda of, by: [lag((1 + of) * 1000 * by, waiting=40 * of, median_most_ms=None)])
    (table,) = read_report(history, IDS).lags
    ((step, usual, late),) = table.lines
    assert isinstance(late, CellText) and (step, usual, late) == (STEP.label, "1,002", "2,005")
    assert late.beside == "2.00 ⊘, at-least"
    judged, mark = table.remarks
    assert judged == f"⊘ is not judged: {WHY_NOT_BY_FIGURES[UNKNOWN_LAG]}" and mark.startswith("at-least: ")
    assert mark in render(read_report(history, IDS), ".md")


def test_a_report_without_replicas_has_no_table_of_them(history: History) -> None:
    compared(history, lambda of, by: [])
    assert read_report(history, IDS).lags == ()


@pytest.mark.parametrize(
    ("lags", "marks"),
    [
        ([lag(2000, waiting=2, median_most_ms=2009)], ()),  # they cannot change it by its resolution
        ([lag(2000, waiting=2, median_most_ms=2011)], (AT_LEAST,)),
        ([lag(2000, waiting=2)], (AT_LEAST,)),  # of an agent that did not say it
        ([lag(2000), lag(3, "replica2", waiting=60)], (AT_LEAST,)),  # nobody knows which is the slowest
        ([lag(2000), lag(None, "replica2", lost=3)], (LAG_LOST,)),
        ([lag(2000, lost=1, waiting=50)], (AT_LEAST, LAG_LOST)),
    ],
)
def test_what_makes_it_uncertain(lags: Lags, marks: tuple[str, ...]) -> None:
    found = lag_of_slowest_replica({"lags": lags})
    assert found is not None and (found.ms, found.marks) == (2000, marks)


@pytest.mark.parametrize("existing", [None, {}, {"lags": []}, {"lags": [lag(None)]}])
def test_without_a_lag_there_is_none(existing: Mapping[str, Any] | None) -> None:
    assert lag_of_slowest_replica(existing) is None


def test_the_command_line_and_the_window_offer_it(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    compared(history, lambda of, by: [lag((1 + of) * 1000 * by)])
    text = said(capsys, "compare", PLAN.id, "--measure", "lag")
    assert "1,002" in text and "2,005" in text and "point-query" in text
    shown = json.loads(said(capsys, "compare", PLAN.id, "--measure", "lag", "--format", "json"))
    assert [row["unit"] for row in shown["rows"]] == ["ms"]
    assert ("lag", "Median lag of the slowest replica") in [(each.name, each.title) for each in MEASURES]
