"""Columns that were not measured in turn, and repeats that take no part."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.comparison.cells.cell import Comparison
from app.comparison.cells.labels import names_of
from app.comparison.texts import text as compare_text
from app.comparison.verdicts.across import cross_plan_remarks, do_alternate, measured_apart_by
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.verdicts.judgement import legend_of_signs
from app.comparison.why.why import cost_remarks, why
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from app.protocol.plan import Plan
from app.report.content import read_report
from tests import journals
from tests.plans import MARIADB
from tests.unit.comparison.cells import beside, cells

INNODB, ROCKSDB = journals.contender("innodb"), journals.contender("rocksdb")
NOISE = (0.0, 0.8, -0.6, 0.3, -0.2)  # per cent, of the sessions of a column


def keep(
    history: History,
    plan: Plan,
    factor: float = 1.0,
    marks: Sequence[Sequence[str]] = (),
    canary: float | None = None,
) -> list[str]:
    """Sessions within 1 %; of the second contender times the factor, its repeats marked as said."""
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        if canary is not None:
            maker.add(Fact, name="canary", value=journals.canary_of(canary * (1 + turn.ordinal / 100)))
        for step in range(len(plan.steps)):
            of_turn = 100 * (1 + NOISE[turn.repeat - 1] / 100) * (1 + step / 1000 * turn.ordinal)
            is_marked = turn.contender == 1 and step == 1 and turn.repeat <= len(marks)
            its_marks = marks[turn.repeat - 1] if is_marked else []
            value = of_turn * (factor if turn.contender or len(plan.contenders) == 1 else 1.0)
            maker.step(step, value=value * (0.5 if is_marked and its_marks else 1.0), marks=its_marks)
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    return [turn.session for turn in plan.turns]


def of_two_plans(
    history: History, factor: float, target: str = "", canary: float | None = None
) -> Comparison:
    """Five sessions of one contender, and five of another one in a later plan."""
    first = journals.plan([INNODB], repeats=5)
    later = journals.plan([ROCKSDB], repeats=5, number=2, target=target or "local")
    later = journals.renamed(later, machine_key="x" * 64) if target else later
    return compare(
        history, [*keep(history, first, canary=canary), *keep(history, later, factor, canary=canary)]
    )


def grouped(plan: Plan) -> Plan:
    """All sessions of one contender, then all of the other one."""
    order = sorted(plan.turns, key=lambda turn: turn.contender)
    return replace(plan, turns=[replace(turn, ordinal=at) for at, turn in enumerate(order, 1)])


def words(found: Comparison) -> list[str | None]:
    return [row.cells[1].verdict for row in found.rows]


# in turn, or not


def test_sessions_alternate_where_each_has_one_of_the_other_beside_it() -> None:
    def begins(times: Sequence[float], plan: str = "p") -> list[tuple[float | None, str]]:
        return [(at, plan) for at in times]

    assert do_alternate(begins([0, 3, 4]), begins([1, 2, 5]))
    assert do_alternate(begins([0, 2, 4]), begins([1, 3, 5]))
    assert do_alternate(begins([0, 15, 16]), begins([7, 8, 23]))  # of many contenders
    assert not do_alternate(begins([0, 1, 2]), begins([3, 4, 5]))
    assert not do_alternate(begins([0, 3, 4, 90, 91]), begins([1, 2, 5]))
    assert not do_alternate(begins([0, 2, 4], "p"), begins([1, 3, 5], "q"))
    assert not do_alternate([(0.0, "p"), (None, "p")], begins([1, 2]))


def test_what_alternates_is_judged_as_it_is(history: History) -> None:
    found = compare(history, keep(history, journals.plan([INNODB, ROCKSDB], repeats=3), 1.1))
    assert [column.across for column in found.columns] == ["", ""]
    assert set(words(found)) == {"better"} and cross_plan_remarks(found, names_of(found)) == []
    assert all(cells(row, "across") == ["", ""] for row in found.rows)


def test_grouped_sessions_of_one_plan_are_across_time(history: History) -> None:
    plan = journals.plan([INNODB, ROCKSDB], repeats=3)
    found = compare(history, keep(history, grouped(plan), 1.1))
    assert found.columns[1].across == "time" and set(words(found)) == {"~"}


def test_what_the_machine_may_be_is_added_across_time_and_said(history: History) -> None:
    found = of_two_plans(history, 1.15)
    assert set(words(found)) == {"~"} and {row.cells[1].across for row in found.rows} == {"time"}
    said = (
        f"\N{LEFT RIGHT ARROW} {MARIADB}-rocksdb-default against"
        f" {MARIADB}-innodb-default: judged across time, because their"
        " sessions do not alternate. The variance of the machine between plans is added to the noise"
        " (10% assumed: no canary run yet, 8 needed). Measure both again in one plan, alternating"
    )
    assert said in compare_text.remarks_of(found) and said in compare_text.to_text(found, width=400)
    assert "1.15 ~ \N{LEFT RIGHT ARROW}" in compare_text.to_markdown(found)
    assert "\N{LEFT RIGHT ARROW} across time or machines" in legend_of_signs(found)
    (ratio,) = [group.ratios[1] for group in found.groups if group.group == "read"]
    assert ratio is not None and ratio.across == "time"
    assert ratio.low is not None and ratio.low < 1 < (ratio.high or 0)
    by_cpu = comparison_by_measure(found, "cpu_us")
    assert {row.cells[1].across for row in by_cpu.rows} == {"time"}


def test_what_no_machine_does_is_told_across_time_too(history: History) -> None:
    found = of_two_plans(history, 2.0)
    assert set(words(found)) == {"better"}
    assert compare_text.judged_text(found.rows[1].cells[1]) == "2.00 better \N{LEFT RIGHT ARROW}"


def test_canaries_tell_how_much_is_added(history: History) -> None:
    """They lie within 10 steps of 1 % of one another."""
    found = of_two_plans(history, 1.25, canary=5000.0)
    assert set(words(found)) == {"better"} and len(found.columns[0].canaries) == 10
    (said,) = cross_plan_remarks(found, names_of(found))
    assert "(1.4%, from 10 canary runs)" in said


def test_other_machines_are_named(history: History) -> None:
    found = of_two_plans(history, 1.15, target="xeon")
    (said,) = cross_plan_remarks(found, names_of(found))
    assert (
        f"{MARIADB}-rocksdb-default on xeon against {MARIADB}-innodb-default on local: judged across machines"
        in said
    )
    assert "Measure both again" not in said and {row.cells[1].across for row in found.rows} == {"machines"}


def test_single_sessions_are_not_judged_across_time_either(history: History) -> None:
    plans = journals.plan([INNODB]), journals.plan([ROCKSDB], number=2)
    found = compare(history, [id_ for plan in plans for id_ in keep(history, plan)])
    assert set(words(found)) == {"n=1"} and cross_plan_remarks(found, names_of(found)) == []


def test_a_session_of_which_nobody_knows_the_begin_is_across_time(history: History) -> None:
    found = compare(history, keep(history, journals.plan([INNODB, ROCKSDB], repeats=3)))
    base, other = found.columns
    other.starts[1] = None
    assert measured_apart_by(base, other) == "time"


def test_the_report_says_it_first(history: History) -> None:
    found = of_two_plans(history, 2.0)
    report = read_report(history, [id_ for column in found.columns for id_ in column.ids])
    assert (
        "This compares across time: " in report.summary[1]
        and "Measure both again in one plan, alternating." in report.summary[1]
    )
    assert report.caveats[0].startswith("different work") or "across time" in report.caveats[0]
    assert any("across time, because their sessions do not alternate" in each for each in report.caveats)
    assert beside(report.groups[0].table.lines[0])[1] == "2.00 better \N{LEFT RIGHT ARROW}"


# left out


def of_marked(history: History, *marks: str, repeats: int = 5) -> Comparison:
    """The first repeats of the second contender are marked, and at half their speed."""
    plan = journals.plan([INNODB, ROCKSDB], repeats=repeats)
    return compare(history, keep(history, plan, 1.1, [[mark] for mark in marks]))


def test_a_marked_repeat_is_left_out_and_said(history: History) -> None:
    found = of_marked(history, "disturbed")
    row = found.rows[1]
    assert row.cells[1].verdict == "better" and cells(row, "n") == [5, 4] and cells(row, "marks") == [[], []]
    assert row.cells[1].samples[0] is None and row.cells[1].left_out == [["disturbed"], [], [], [], []]
    assert row.cells[1].relative == pytest.approx(1.1, rel=0.02)
    said = f"point-query threads=1, {MARIADB}-rocksdb-default: 1 of 5 repeats left out: disturbed"
    assert said in compare_text.remarks_of(found)
    assert all(value is None for value in row.measures["cpu_us"][1].samples[:1])
    report = read_report(history, [id_ for column in found.columns for id_ in column.ids])
    assert any(
        f"1 of 5 repeats left out: disturbed: {MARIADB}-rocksdb-default in point-query" in each
        for each in report.caveats
    )


def test_three_that_remain_are_judged_and_two_are_not(history: History) -> None:
    found = of_marked(history, "disturbed", "unsteady")
    assert found.rows[1].cells[1].verdict == "better" and cells(found.rows[1], "n") == [5, 3]
    assert (
        compare_text.left_out_repeats_text(found.rows[1].cells[1])
        == "2 of 5 repeats left out: disturbed, unsteady"
    )


def test_where_fewer_would_remain_all_are_shown_and_none_is_judged(history: History) -> None:
    row = of_marked(history, "disturbed", "disturbed", "indebted").rows[1]
    assert row.cells[1].verdict == "marked" and cells(row, "n") == [5, 5] and not any(row.cells[1].left_out)
    assert row.cells[1].marks == ["disturbed", "indebted"]


def test_a_group_keeps_a_step_of_which_one_repeat_is_left_out(history: History) -> None:
    found = of_marked(history, "disturbed")
    (read,) = [group for group in found.groups if group.group == "read"]
    assert read.steps == 2 and read.ratios[1] is not None
    assert read.ratios[1].ratio == pytest.approx(1.1, rel=0.02)


# drift


def test_what_the_machine_did_meanwhile_is_drift_and_in_no_mean(history: History) -> None:
    """In one step it loses 8 % a turn over a grouped plan; canaries, which do not see it, tell of little."""
    plan = grouped(journals.plan([INNODB, ROCKSDB], repeats=5))
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        maker.add(Fact, name="canary", value=journals.canary_of(5000 + turn.ordinal))
        for step in range(len(plan.steps)):
            drift = 0.92**turn.ordinal if step == 1 else 0.7 if turn.contender else 1.0
            maker.step(step, value=100 * (1 + NOISE[turn.repeat - 1] / 1000) * drift)
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    ids = [turn.session for turn in plan.turns]
    found = compare(history, ids)
    assert words(found) == ["worse", "drift", "worse", "worse", "worse"]
    assert compare_text.judged_text(found.rows[1].cells[1]) == "0.66 drift \N{LEFT RIGHT ARROW}"
    assert "drift: the speed of the machine changed too much" in compare_text.remarks_of(found)[-1]
    (read,) = [group for group in found.groups if group.group == "read"]
    assert read.steps == 1 and read.ratios[1] is not None
    assert read.ratios[1].ratio == pytest.approx(0.7, rel=0.01)
    assert (
        f"worse than {MARIADB}-innodb-default in 4 and not judged in 1"
        in read_report(history, ids).summary[1]
    )
    entry = why(found, found.rows[1], 1)
    assert "The machine drifted, which may explain the whole change" in cost_remarks(entry)[0]
    assert all(cost["explains"] is None for cost in entry["costs"])


def test_json_has_only_more_keys(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with History(dyno_home) as history:
        ids = keep(history, journals.plan([INNODB, ROCKSDB], repeats=3), 1.1)
    assert main(["compare", *ids, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    row, column = found["rows"][0], found["sessions"][0]
    assert {"values", "relative", "n", "samples", "spread", "within", "verdict", "p", "marks"} <= {*row}
    assert row["across"] == ["", ""] and row["left_out"] == [[""] * 3] * 2
    assert column["across"] == "" and len(column["starts"]) == 3 and column["canaries"] == []
    assert found["groups"][0]["ratios"][0]["ratio"] == 1.0


# disturbed


def test_who_disturbed_a_session_stands_in_compare_why_and_the_report(history: History) -> None:
    others = {
        "cpus": 2, "cpu_pct": 143.0, "causes": ["cpu"], "programs": [{"name": "cc1plus", "cpu_pct": 120.0}],
    }  # fmt: skip
    plan = journals.plan([INNODB, ROCKSDB], repeats=1)
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        for step in range(len(plan.steps)):
            is_disturbed = turn.contender == 1 and step == 2
            maker.step(step, marks=["disturbed"] * is_disturbed, others=others if is_disturbed else {})
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    ids = [turn.session for turn in plan.turns]
    found = compare(history, ids)
    text = "disturbed: other programs took 143% of 200% CPU: cc1plus 120%, others 23%"
    row = next(each for each in found.rows if any(map(any, cells(each, "disturbed"))))
    assert cells(row, "disturbed") == [[""], [text]]
    assert compare_text.cell_remarks(row.cells[1]) == [text]  # and not the mark, which says less
    assert any(text in remark for remark in cost_remarks(why(found, row, 1)))
    assert any(text in line for line in read_report(history, ids).caveats)


def test_below_the_table_each_remark_stands_once_and_one_disturbed_session_is_told(history: History) -> None:
    plan = journals.plan([INNODB, ROCKSDB], repeats=3)
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        others = {"cpus": 2, "cpu_pct": 60.0 + turn.repeat, "causes": ["cpu"]}
        for step in range(len(plan.steps)):
            is_disturbed = turn.contender == 1 and step == 3
            marks = ["disturbed"] * is_disturbed + ["capped"] * (step > 2)
            maker.step(step, marks=marks, others=others if is_disturbed else {})
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    found = compare(history, [turn.session for turn in plan.turns])
    told = "\n".join(compare_text.remarks_of(found))
    assert told.count("capped:") == 1 and "; update-index threads=2: capped: " in told, "a row: all its cells"
    assert (
        f"{MARIADB}-rocksdb-default: session 1 of 3: disturbed: other programs took 61% of 200% CPU" in told
    )
    assert "; 2 more of its sessions too" in told and "session 2 of 3" not in told
    assert "session 2 of 3" in " ".join(compare_text.cell_remarks(found.rows[3].cells[1])), (
        "elsewhere all are told"
    )


@pytest.mark.parametrize(
    ("pct", "causes", "mark", "verdict"),
    [
        ((60.0, 62.0, 61.0, 60.0, 63.0, 61.0), ["cpu"], "same-load", "better"),
        ((60.0, 62.0, 61.0, 60.0, 63.0, 65.0), ["cpu"], "disturbed", "marked"),
        ((60.0, 62.0, 61.0, 60.0, 63.0, 61.0), ["cpu", "disk"], "disturbed", "marked"),
    ],
)
def test_load_that_was_the_same_in_all_columns_leaves_nobody_out(
    history: History, pct: Sequence[float], causes: list[str], mark: str, verdict: str
) -> None:
    """Of two CPUs: 2 % of them are 4 % of one."""
    plan = journals.plan([INNODB, ROCKSDB], repeats=3)
    for turn, share in zip(plan.turns, pct, strict=True):
        maker = journals.Maker(plan, turn.session).begin()
        maker.step(0)
        value = (100.0, 200.0)[turn.contender] * (1 + turn.repeat / 100)
        maker.step(
            1, value=value, marks=["disturbed"], others={"cpus": 2, "cpu_pct": share, "causes": causes}
        )
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    row = compare(history, [turn.session for turn in plan.turns]).rows[1]
    assert cells(row, "marks") == [[mark], [mark]] and row.cells[1].verdict == verdict
    assert all("other programs took 6" in text for column in cells(row, "disturbed") for text in column)
