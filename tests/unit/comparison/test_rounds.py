"""Columns whose contenders took turns in slices: judged round by round, and every reader says the same."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from html import unescape

import pytest

from app.comparison.cells.cell import Comparison
from app.comparison.charts.points import relative_points
from app.comparison.texts import text as compare_text
from app.comparison.texts.costs_text import step_costs_table
from app.comparison.verdicts.compare import compare, comparison_by_measure, judged_by_limits
from app.comparison.verdicts.judgement import legend_of_signs, text_of_tests
from app.comparison.verdicts.rounds import OF_ROUNDS, SHARED_LOAD
from app.comparison.why.why import why
from app.history.store.history import History
from app.report.content import read_report
from app.report.markdown import to_markdown
from app.report.rendering import to_html
from app.stats import VerdictLimits
from tests.plans import MARIADB
from tests.sliced import INNODB, MYISAM, ROCKSDB, Odd, keep, plan
from tests.unit.comparison.cells import beside, cells

DISTURBED = Odd(marks=["disturbed"], others={"causes": ["others"], "cpu_pct": 150.0, "cpus": 2})
HALFWAY = {30: 0.7}


def words(found: Comparison, at: int = 1) -> list[str | None]:
    return [row.cells[at].verdict for row in found.rows]


def test_a_difference_far_below_what_rounds_do_to_both_is_found(history: History) -> None:
    found = compare(history, keep(history, plan(), (1.0, 0.95)))
    assert words(found) == ["worse"] * 3
    base, column = found.columns
    assert column.rounds == ["1", "2", "3", "4", "5"] and column.across == ""
    assert (base.by_round, column.by_round) == (False, True)
    row = found.rows[1]
    assert cells(row, "n") == [5, 5] and row.cells[1].relative == pytest.approx(0.95, rel=0.01)
    assert [round(each or 0, 2) for each in row.cells[1].rounds] == [0.95] * 5 and row.cells[0].rounds == []
    ratio = found.groups[1].ratios[1]
    assert ratio is not None and ratio.low is not None and ratio.high is not None
    assert ratio.low < 0.95 < ratio.high < 0.97


def test_the_same_sessions_one_after_the_other_say_nothing(history: History) -> None:
    found = compare(history, keep(history, plan(order="interleaved"), (1.0, 0.95)))
    assert words(found) == ["~"] * 3 and found.columns[1].rounds == [""] * 5
    assert text_of_tests(found) == "Welch's test over 3 results"
    assert "Student" not in legend_of_signs(found) + compare_text.to_text(found)


def test_legend_and_texts_say_which_test_it_was(history: History) -> None:
    found = compare(history, keep(history, plan(), (1.0, 0.95)))
    assert "Student's t over repeats, 3 results, at most 5% of them false" in compare_text.to_text(
        found, True
    )
    assert legend_of_signs(found) == "▼ worse   ratio: to the base, the median of its repeats"
    assert "Welch" not in compare_text.to_markdown(found)


def test_texts_say_which_ratio_it_is(history: History) -> None:
    ids = keep(history, plan(rounds=2), (1.0, 0.95))
    report = read_report(history, ids)
    for text in (compare_text.to_text(compare(history, ids), True), to_markdown(report), to_html(report)):
        assert unescape(text).count(OF_ROUNDS) == 1
    in_turn = keep(history, plan(number=2, order="interleaved"), (1.0, 0.95))
    for each in (ids[:2], in_turn):  # one round: the ratio of the figures shown
        found = compare(history, each)
        assert OF_ROUNDS not in compare_text.to_text(found, True) and "median" not in legend_of_signs(found)


def test_columns_of_other_plans_are_judged_across_time_and_both_tests_are_named(history: History) -> None:
    ids = keep(history, plan(), (1.0, 0.95))
    ids += keep(history, plan([MYISAM, INNODB], number=2), (3.0, 1.0))[::2]
    found = compare(history, ids)
    assert [column.by_round for column in found.columns] == [False, True, False]
    assert [column.across for column in found.columns] == ["", "", "time"]
    assert words(found, 1) == ["worse"] * 3 and words(found, 2) == ["better"] * 3
    said = "Student's t over repeats, 3 results, and Welch's test over 3 results"
    assert said in "\n".join(compare_text.remarks_of(found))
    assert found.rows[0].cells[2].rounds == []


def test_rounds_of_two_plans_are_put_together_round_by_round(history: History) -> None:
    ids = keep(history, plan(rounds=2), (1.0, 0.95)) + keep(history, plan(rounds=2, number=2), (1.0, 0.95))
    found = compare(history, ids)
    assert cells(found.rows[1], "n") == [4, 4] and words(found) == ["worse"] * 3
    assert found.columns[1].by_round
    one_sided = compare(history, [*ids[:4], ids[4]])  # of the second plan only a session of the base
    assert not one_sided.columns[1].by_round and one_sided.columns[1].across == "time"


def test_rounds_are_found_whatever_the_order_of_the_sessions(history: History) -> None:
    ids = keep(history, plan(), (1.0, 0.95))
    shuffled = [ids[8], ids[3], ids[0], ids[9], ids[1], ids[6], ids[7], ids[2], ids[5], ids[4]]
    found = compare(history, shuffled, base=ids[0])
    assert words(found) == ["worse"] * 3
    assert all(0.93 < (each or 0) < 0.97 for each in found.rows[1].cells[1].rounds)


def test_a_round_of_which_one_session_is_missing_takes_no_part(history: History) -> None:
    ids = keep(history, plan(), (1.0, 0.95))
    found = compare(history, ids[:9])  # round 5 without the second contender
    assert [cells(row, "n") for row in found.rows] == [[5, 4]] * 3 and words(found) == ["worse"] * 3
    assert cells(compare(history, ids[:5]).rows[0], "n") == [3, 2]
    assert words(compare(history, ids[:5])) == ["not enough repeats"] * 3
    apart = compare(history, [ids[0], ids[2], ids[5], ids[7]])  # no round in common
    assert not apart.columns[1].by_round and cells(apart.rows[0], "n") == [2, 2]


def test_a_spoilt_session_leaves_out_its_round(history: History) -> None:
    odd = {(1, 2, 1): Odd(["indebted"], factor=0.1), (0, 4, 1): Odd(["after-a-crash"], factor=0.1)}
    found = compare(history, keep(history, plan(), (1.0, 0.95), odd))
    row = found.rows[1]
    assert words(found) == ["worse"] * 3
    assert cells(row, "n") == [4, 3] and [each is None for each in row.cells[1].rounds] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert row.cells[1].relative == pytest.approx(0.95, rel=0.01)
    assert any("1 of 5 repeats left out: indebted" in each for each in compare_text.remarks_of(found))
    assert "2 measurements left out: after-a-crash, indebted" in compare_text.to_text(found).splitlines()


def test_too_few_fair_rounds_are_not_judged(history: History) -> None:
    odd = {(1, 1, 1): Odd(["indebted"]), (0, 2, 1): Odd(["indebted"]), (0, 3, 1): Odd(["indebted"])}
    found = compare(history, keep(history, plan(), (1.0, 0.5), odd))
    assert found.rows[1].cells[1].n == 2 and words(found) == ["worse", "not enough repeats", "worse"]
    failed = {(1, 1, 1): Odd(failed=True)}
    again = compare(history, keep(history, plan(number=2), (1.0, 0.5), failed))
    assert words(again) == ["worse", "marked", "worse"]


def test_what_makes_both_of_a_round_unsteady_is_no_fault(history: History) -> None:
    odd = {(at, repeat, 1): Odd(seconds=HALFWAY) for at in (0, 1) for repeat in range(1, 6)}
    found = compare(history, keep(history, plan(), (1.0, 0.95), odd))
    assert words(found) == ["worse"] * 3 and cells(found.rows[1], "marks") == [[], []]
    assert "unsteady" not in compare_text.to_text(found)
    text = compare_text.steady_text(found.rows[1].cells[1])
    assert text.startswith("steady, no trend of")


def test_a_ratio_that_is_not_steady_is_not_judged(history: History) -> None:
    odd = {(1, repeat, 1): Odd(seconds=HALFWAY) for repeat in range(1, 6)}
    found = compare(history, keep(history, plan(), (1.0, 0.95), odd))
    assert words(found) == ["worse", "marked", "worse"]
    assert any("its ratio to the base is" in each for each in compare_text.remarks_of(found))
    of_base = {(0, repeat, 1): Odd(seconds=HALFWAY) for repeat in range(1, 6)}
    turned = compare(history, keep(history, plan(number=2), (1.0, 0.95), of_base))
    assert words(turned) == ["worse", "marked", "worse"] and [
        cell.marks for cell in turned.rows[1].cells
    ] == [[], ["unsteady"]]
    one = compare(history, keep(history, plan(number=3), (1.0, 0.95), {(0, 2, 1): Odd(seconds=HALFWAY)}))
    assert words(one) == ["worse"] * 3 and cells(one.rows[1], "n") == [5, 4]
    assert any("1 of 5 repeats left out: unsteady" in each for each in compare_text.remarks_of(one))


def test_what_hits_all_of_a_round_is_told_and_judged(history: History) -> None:
    odd = {(at, repeat, 1): DISTURBED for at in (0, 1) for repeat in (1, 2, 3)}
    found = compare(history, keep(history, plan(), (1.0, 0.95), odd))
    row = found.rows[1]
    assert words(found) == ["worse"] * 3 and cells(row, "n") == [5, 5]
    assert cells(row, "marks") == [
        [SHARED_LOAD]
    ] * 2 and f"{SHARED_LOAD}: other programs or the host" in compare_text.to_text(found)
    one = {(1, 2, 1): DISTURBED}
    alone = compare(history, keep(history, plan(number=2), (1.0, 0.95), one))
    assert cells(alone.rows[1], "n") == [5, 4] and words(alone) == ["worse"] * 3


@pytest.mark.parametrize(
    ("seconds", "word", "mark"), [(10, "worse", SHARED_LOAD), (11, "marked", "disturbed")]
)
def test_a_step_of_one_slice_shares_its_load_too_if_it_is_no_longer_than_a_slice(
    history: History, seconds: int, word: str, mark: str
) -> None:
    its_plan = plan()
    steps = [replace(step, seconds=seconds if step.sliced else step.seconds) for step in its_plan.steps]
    slow = replace(DISTURBED, is_one_slice=True)
    odd = {(at, repeat, 1): slow for at in (0, 1) for repeat in range(1, 6)}
    found = compare(history, keep(history, replace(its_plan, steps=steps), (1.0, 0.95), odd))
    row = found.rows[1]
    assert row.cells[1].verdict == word and cells(row, "marks") == [[mark]] * 2


def test_steps_that_are_carried_out_whole_have_to_be_fair_by_themselves(history: History) -> None:
    marks = {(at, repeat, 0): DISTURBED for at in (0, 1) for repeat in (1, 2, 3)}
    apart = {
        **marks,
        **{(0, repeat, 0): replace(DISTURBED, others={"causes": ["steal"]}) for repeat in (1, 2, 3)},
    }
    found = compare(history, keep(history, plan(), (1.0, 0.95), apart))
    assert words(found)[0] == "marked" and words(found)[1:] == ["worse"] * 2


def test_beside_a_column_of_another_plan_each_session_has_to_be_fair_by_itself(history: History) -> None:
    odd = {(at, repeat, 1): Odd(seconds=HALFWAY) for at in (0, 1) for repeat in range(1, 6)}
    ids = keep(history, plan(), (1.0, 0.95), odd)
    ids += keep(history, plan([MYISAM, ROCKSDB], number=2))[::2]
    assert words(compare(history, ids)) == ["worse", "marked", "worse"]


def test_three_contenders_are_pairs_with_the_base(history: History) -> None:
    found = compare(history, keep(history, plan([INNODB, ROCKSDB, MYISAM]), (1.0, 0.95, 1.1)))
    assert words(found, 1) == ["worse"] * 3 and words(found, 2) == ["better"] * 3
    ids = [column.id for column in found.columns]
    turned = compare(history, [id_ for column in found.columns for id_ in column.ids], base=ids[2])
    assert words(turned, 0) == words(turned, 1) == ["worse"] * 3


def test_other_limits_and_other_measures_are_judged_by_round_too(history: History) -> None:
    found = compare(history, keep(history, plan(), (1.0, 0.95)))
    assert words(judged_by_limits(found, VerdictLimits(matters=0.2))) == ["same"] * 3
    by_latency = comparison_by_measure(found, "p95_ms")
    assert words(by_latency) == ["same"] * 3
    assert by_latency.rows[0].cells[1].rounds == [1.0] * 5 and [
        cell.n for cell in by_latency.rows[0].cells
    ] == [5, 5]


def test_all_readers_say_the_same_ratio(history: History) -> None:
    """Table, CSV, chart, report and why: the medians of the columns lie in rounds of their own."""
    odd = {(0, 1, 1): Odd(["indebted"]), (1, 4, 1): Odd(["indebted"])}
    ids = keep(history, plan(rounds=6), (1.0, 0.9), odd)
    found = compare(history, ids)
    row = found.rows[1]
    values, ratio = cells(row, "value"), row.cells[1].relative
    assert values[0] and values[1] and ratio == pytest.approx(0.9, rel=0.01)
    assert abs(values[1] / values[0] - ratio) > 0.02
    assert compare_text.judged_text(row.cells[1]) == "0.90 worse"
    lines = list(csv.DictReader(io.StringIO(compare_text.to_csv(found))))
    assert float(lines[1][f"{MARIADB}-rocksdb-default relative"]) == ratio
    assert lines[1][f"{MARIADB}-rocksdb-default n"] == "4"
    point = relative_points(row, 0)[1]
    assert point.value == ratio and point.n == 4 and (point.high or 9) < 0.91
    entry = why(found, row, 1)
    assert entry["ratio"] == ratio and entry["n"] == [5, 4] and not entry["overlaps"]
    assert step_costs_table(found, is_relative=True).lines[1][3] == "0.90"
    report = read_report(history, ids)
    assert any("0.90 worse" in beside(line)[1] for group in report.groups for line in group.table.lines)


def test_contenders_that_are_the_same_twice_are_no_pairs(history: History) -> None:
    """Two columns of one key would be one: which of the two a session of another column is to be held to?"""
    same = replace(INNODB, name="again")
    found = compare(history, keep(history, plan([INNODB, same, ROCKSDB]), (1.0, 1.0, 0.95)))
    assert [len(column.ids) for column in found.columns] == [10, 5]
    assert not found.columns[1].by_round
