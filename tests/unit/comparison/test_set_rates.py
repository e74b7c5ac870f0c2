"""Steps at a rate that the plan sets: their QPS is that rate on a fast and on a slow server."""

from __future__ import annotations

import pytest

from app.comparison.answers.sentences import verdict_sentences
from app.comparison.cells.cell import Comparison
from app.comparison.texts.text import unjudged_texts
from app.comparison.verdicts.compare import compare, comparison_by_measure, judged_by_limits
from app.comparison.verdicts.judgement import MARKED, legend_of_signs, verdict_legend
from app.history.store.history import History
from app.protocol.plan import LIMIT, Step
from app.report.sentences import summary
from app.stats import VerdictLimits
from app.stats.at_target.verdicts import AT_RATE
from tests import comparable
from tests.unit.comparison.cells import cells

WHY = "this rate was set beforehand: compare latencies"


def step(name: str, rate: float = 0, kind: str = "drive", group: str = "reads") -> Step:
    coordinates = {"threads": 2, **({"rate": rate} if rate else {})}
    return Step(name, kind, group, rate=rate, seconds=5, coordinates=coordinates, unit="queries/s")


@pytest.fixture
def compared(history: History) -> Comparison:
    steps = [step("reads", 100), step("reads", 400), step("reads"), step("most", kind=LIMIT)]
    return compare(history, comparable.keep(history.path.parent, comparable.plan(2, 3, its_steps=steps)))


def test_what_keeps_its_rate_is_not_judged_and_in_no_mean(compared: Comparison) -> None:
    assert [row.rate for row in compared.rows] == [100, 400, None, None]
    assert [row.cells[1].verdict == AT_RATE for row in compared.rows] == [True, True, False, False]
    assert compared.rows[0].cells[1].why == WHY
    assert sum(each.steps for each in compared.groups) == 2
    unjudged = f"Not judged ({WHY}): reads rate=100 threads=2, reads rate=400 threads=2."
    assert unjudged in verdict_sentences(compared)
    (text,) = unjudged_texts(compared)
    assert text.endswith(f"{WHY}, not judged")
    for signs in (legend_of_signs(compared), verdict_legend(compared)):
        assert "this rate was set beforehand, compare latencies" in signs


def test_its_latency_is_judged(compared: Comparison) -> None:
    assert AT_RATE not in {
        word for row in comparison_by_measure(compared, "p99_ms").rows for word in cells(row, "verdict")
    }


def test_a_rate_that_one_of_them_missed_is_a_result(compared: Comparison) -> None:
    compared.rows[0].cells[1].marks = ["rate-missed"]
    missed = judged_by_limits(compared, VerdictLimits(matters=0.05))
    assert missed.rows[0].cells[1].verdict not in (AT_RATE, MARKED)
    assert missed.rows[1].cells[1].verdict == AT_RATE


def test_a_report_of_rates_alone_says_that_nothing_is_judged(history: History) -> None:
    steps = [step("reads", 100), step("reads", 400)]
    found = compare(history, comparable.keep(history.path.parent, comparable.plan(2, 3, its_steps=steps)))
    told = list(summary(found, ["a", "b"], 0))
    assert told[0] == f"Not judged ({WHY})."
    assert told[1] == "b and a have no result to compare."
    assert verdict_legend(found).endswith("not judged: this rate was set beforehand, compare latencies")
