"""Verdicts in a comparison: over all of its cells, never of what is marked, verdict_legend in one line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.comparison.cells.cell import Comparison
from app.comparison.texts import text as compare_text
from app.comparison.verdicts.compare import compare, comparison_by_measure, judged_by_limits
from app.comparison.verdicts.judgement import legend_of_signs, verdict_legend, verdict_short_text
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.plan import Plan
from app.stats import VerdictLimits
from tests import journals
from tests.plans import MARIADB
from tests.unit.comparison.cells import cells

REPEATS = 6
PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=REPEATS)
IDS = [turn.session for turn in PLAN.turns]


def keep(
    history: History, factors: tuple[float, ...], marks: tuple[str, ...] = (), its_plan: Plan = PLAN
) -> None:
    """Six repeats within 1 %; of the second contender each step times its factor, the last one marked."""
    for at, turn in enumerate(PLAN.turns):
        maker = journals.Maker(its_plan, turn.session).begin()
        for step in range(len(PLAN.steps)):
            value = (100 + at // 2 / 5) * (factors[step] if turn.contender else 1.0)
            is_marked = bool(marks) and turn.contender == 1 and step == len(PLAN.steps) - 1
            maker.step(step, value=value, marks=list(marks) if is_marked else [])
        maker.end()
        JournalStorer(history).append(PLAN.id, turn.session, 0, maker.raw)


def verdicts(comparison: Comparison) -> list[str | None]:
    return [row.cells[1].verdict for row in comparison.rows]


def test_differences_have_their_direction(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.011, 1.2))
    found = compare(history, IDS)
    assert [row.cells[0].verdict for row in found.rows] == ["base"] * 5
    assert verdicts(found) == ["same", "better", "worse", "same", "better"]
    assert [row.cells[1].p is None for row in found.rows] == [False] * 5
    by_latency = comparison_by_measure(found, "p95_ms")
    assert by_latency.limits == found.limits and set(verdicts(by_latency)) == {"same"}


def test_same_is_told_of_plans_that_were_looked_at_after_each_round(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.0, 1.2), its_plan=replace(PLAN, until_decided=True))
    found = compare(history, IDS)
    assert verdicts(found) == ["same", "better", "worse", "same", "better"]
    assert "= no difference that matters" in legend_of_signs(found)
    explained = verdict_legend(found)
    assert "= is the same: a difference of 2% is ruled out" in explained
    assert "at most 5% of them false, corrected for a test after each repeat" in explained
    assert verdict_short_text("same") == "="
    assert compare_text.to_text(found).count(" =") >= 2


def test_a_plan_that_was_looked_at_once_has_same_where_the_interval_says_so(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.0, 1.2))
    found = compare(history, IDS)
    assert verdicts(found)[0] == "same" and "looking" not in verdict_legend(found)
    cell = found.rows[0].cells[1]
    assert cell.low and cell.high and 1 / 1.02 < cell.low < cell.high < 1.02
    tight = compare(history, IDS, limits=VerdictLimits(matters=cell.high - 1.0001))
    assert verdicts(tight)[0] == "~"


def test_the_limits_can_be_changed(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.011, 1.2))
    assert verdicts(compare(history, IDS, limits=VerdictLimits(matters=0.01)))[3] == "better"
    assert verdicts(compare(history, IDS, limits=VerdictLimits(matters=0.3)))[4] == "same"
    assert set(verdicts(compare(history, IDS, limits=VerdictLimits(false_share=0.0)))) == {"~"}


def test_what_is_marked_is_never_judged(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.0, 3.0), marks=("indebted",))
    found = compare(history, IDS)
    assert verdicts(found)[4] == "marked" and cells(found.rows[4], "p") == [None, None]
    sign = "\N{CIRCLED DIVISION SLASH}"
    assert f"{sign} not judged: something went wrong, here or in the base" in compare_text.to_text(found)


@pytest.mark.parametrize("mark", ["shared-cores", "no-statistics"])
def test_a_mark_that_says_nothing_of_the_figure_hinders_nobody(history: History, mark: str) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.0, 3.0), marks=(mark,))
    assert verdicts(compare(history, IDS))[4] == "better"


def test_groups_are_geometric_means_with_an_interval(history: History) -> None:
    keep(history, (1.0, 2.0, 0.5, 1.0, 1.0))
    groups = {(group.group, group.unit): group for group in compare(history, IDS).groups}
    read = groups["read", "queries/s"]
    base, other = read.ratios
    assert read.steps == 2 and base is not None and other is not None
    assert base.ratio == pytest.approx(1.0) and other.ratio == pytest.approx(1.0)
    assert other.low is not None and other.high is not None and other.low < 1 < other.high
    text = compare_text.to_text(compare(history, IDS))
    line = next(line for line in text.splitlines() if line.startswith("geometric mean of read"))
    assert line.split()[4:] == ["q/s", "2", "steps", "1.00", "[0.99,", "1.01]"]


def test_three_repeats_are_judged_and_two_are_not(history: History) -> None:
    keep(history, (1.0, 2.0, 0.5, 1.0, 1.0))
    assert verdicts(compare(history, IDS[:6])) == ["same", "better", "worse", "same", "same"]
    found = compare(history, [*IDS[:4], IDS[4]])
    assert set(verdicts(found)) == {"not enough repeats"} and cells(found.rows[0], "p") == [
        None,
        None,
    ]
    assert compare_text.remarks_of(found)[-1] == "n = 2 to 3: ? has fewer than 3 repeats and is not judged"


def test_repeats_are_told_apart_from_loads_and_server_starts(history: History) -> None:
    keep(history, (1.0, 2.0, 1.0, 1.0, 1.0))
    found = compare(history, IDS)
    for column, loads in zip(found.columns, (6, 1), strict=True):
        column.loads, column.server_starts = loads, 6
    said = compare_text.remarks_of(found)
    assert f"{MARIADB}-innodb-default: 6 repeats: 6 loads, 6 server starts" in said
    assert f"{MARIADB}-rocksdb-default: 6 repeats: 1 load, 6 server starts" in said
    found.columns[1].loads = 6
    both = f"{MARIADB}-innodb-default, {MARIADB}-rocksdb-default: 6 repeats: 6 loads, 6 server starts"
    assert both in compare_text.remarks_of(found)
    assert not any("server starts" in each for each in compare_text.remarks_of(compare(history, IDS[:2])))


def test_a_step_that_failed_in_a_repeat_is_not_judged_by_those_that_did_not(history: History) -> None:
    for at, turn in enumerate(PLAN.turns):
        maker = journals.Maker(PLAN, turn.session).begin()
        for step in range(len(PLAN.steps)):
            if (at, step) == (3, 2):  # the second repeat of the second contender
                maker.step(step, "failed", "sysbench: FATAL: error 1205")
            else:
                maker.step(step, value=(100 + at // 2 / 5) * (1.5 if turn.contender else 1.0))
        JournalStorer(history).append(PLAN.id, turn.session, 0, maker.end().raw)
    found = compare(history, IDS)
    assert verdicts(found) == ["better", "better", "marked", "better", "better"]
    assert cells(found.rows[2], "n") == [6, 5] and [cell.marks for cell in found.rows[2].cells] == [
        [],
        ["failed-repeat"],
    ]
    assert "failed-repeat: at least one of its repeats failed" in compare_text.to_text(found)
    assert cells(compare(history, IDS[2:4]).rows[2], "marks") == [
        [],
        [],
    ]  # all of its repeats are none


def test_single_sessions_have_no_interval_and_no_verdict(history: History) -> None:
    keep(history, (1.0, 2.0, 0.5, 1.0, 1.0))
    found = compare(history, IDS[:2])
    assert set(verdicts(found)) == {"n=1"}
    assert {ratio.low for group in found.groups for ratio in group.ratios if ratio} == {None}
    assert compare_text.remarks_of(found)[-1] == (
        "n = 1: the noise between repeats is unknown, so nothing is judged"
    )


def test_the_table_says_it_beside_the_ratio(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.011, 1.2))
    found = compare(history, IDS)
    assert [compare_text.judged_text(row.cells[1]) for row in found.rows] == [
        "1.00 =", "1.50 better", "0.50 worse", "1.01 =", "1.20 better",
    ]  # fmt: skip
    assert "over 5 results, at most 5% of them false) and 2% or more" in compare_text.remarks_of(found)[-1]


def test_other_limits_judge_the_same_comparison_anew(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.011, 1.2))
    found = compare(history, IDS)
    assert judged_by_limits(found, VerdictLimits()) is found
    strict = judged_by_limits(found, VerdictLimits(matters=0.3))
    assert verdicts(strict)[4] == "same" and verdicts(found)[4] == "better"
    assert strict.limits == VerdictLimits(false_share=0.05, matters=0.3)


def test_marked_steps_are_in_no_mean(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.0, 3.0), marks=("after-a-crash",))
    groups = {(group.group, group.unit): group for group in compare(history, IDS).groups}
    ratio = groups["write", "queries/s"].ratios[1]
    assert ratio is not None and ratio.steps == 1 and ratio.ratio == pytest.approx(1.0)
    assert groups["write", "queries/s"].steps == 1  # nobody is told that it is of both


def test_signs_and_what_they_mean(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.011, 1.2))
    found = compare(history, IDS)
    assert legend_of_signs(found) == (
        "▲ better   ▼ worse   = no difference that matters   ratio: to the base"
    )
    assert legend_of_signs(compare(history, IDS[:2])) == (
        "n = 1: the noise between repeats is unknown, nothing is highlighted   ratio: to the base"
    )


def test_what_verdicts_rest_on_is_told_where_it_is_asked_for(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.011, 1.2))
    found = compare(history, IDS)
    row = found.rows[1]
    assert compare_text.detail_text(row.cells[0]) == "-0.5 to +0.5% n=6"
    assert compare_text.detail_text(row.cells[1]) == "-0.5 to +0.5% n=6 p<0.0001"
    assert "-0.5 to +0.5% n=6 p<0.0001" not in compare_text.to_text(found)
    assert "n=6 p<0.0001" in compare_text.to_text(found, has_details=True)
    assert "n=6 p&lt;0.0001 |" in compare_text.to_markdown(found, has_details=True)
    assert "0.0001" not in compare_text.to_markdown(found)


def test_a_profiled_cell_is_judged_only_against_a_profiled_one(history: History) -> None:
    keep(history, (1.0, 1.5, 0.5, 1.0, 3.0), marks=("profiled",))
    found = compare(history, IDS)
    assert verdicts(found) == ["same", "better", "worse", "same", "marked"]
    assert found.rows[4].cells[1].why == "only one of them is profiled"


def test_two_profiled_cells_are_judged(history: History) -> None:
    for at, turn in enumerate(PLAN.turns):
        maker = journals.Maker(PLAN, turn.session).begin()
        for step in range(len(PLAN.steps)):
            value = (100 + at // 2 / 5) * (1.5 if turn.contender else 1.0)
            maker.step(step, value=value, marks=["profiled"])
        maker.end()
        JournalStorer(history).append(PLAN.id, turn.session, 0, maker.raw)
    assert verdicts(compare(history, IDS)) == ["better"] * 5
