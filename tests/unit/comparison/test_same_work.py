"""Columns that did not do the same work: said first, each way of counting considered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.comparison.answers.claims import answer_claims
from app.comparison.answers.claims_file import read_claims
from app.comparison.answers.gate import GateRequest, gate
from app.comparison.cells.labels import row_label
from app.comparison.differences.differences import differences
from app.comparison.texts.causes_text import cause_sentence, causes_table
from app.comparison.texts.text import remarks_of, to_markdown
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.more_work import AGAINST
from app.comparison.why.causes import causes
from app.comparison.why.why import cost_remarks as remarks_of_why
from app.comparison.why.why import why_all
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from tests import journals

LABEL = "point-query threads=1"
READS_MORE = "The events read more rows for the same answers"
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
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
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
    assert bool(found.first_texts) == bool(what)
    if what:
        is_for_same = what in ("rows read per event", "rows sorted per event")
        kind = "more work for the same answers" if is_for_same else "not the same work"
        assert found.first_texts[0].startswith(f"{kind}: {LABEL}: {what}: ")
        assert " in innodb, " in found.first_texts[0]
        assert to_markdown(found).startswith(kind)
        assert not any(each.startswith(kind) for each in remarks_of(found))


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
        assert compare(history, ids).first_texts == []


# more work for the same answers

TWO = (journals.contender("innodb"), journals.contender("rocksdb"))


def keep_repeats(
    history: History, marks: Sequence[str], read: float, number: int = 1, plans: Sequence[Any] = ()
) -> list[str]:
    """Four repeats; the events of the second contender read this many rows, and take twice as long."""
    plan = journals.plan(TWO, repeats=4, number=number)
    for turn in plan.turns:
        maker, its_read = journals.Maker(plan, turn.session).begin(), (10.0, read)[turn.contender]
        problem = f"{its_read} rows read per event, 10.0 expected" if its_read != 10.0 else ""
        maker.add(Fact, name="work", value={**work(its_read), "problem": problem}, when=LABEL)
        maker.add(Fact, name="plans", value=list(plans), when=LABEL)
        for at, step in enumerate(plan.steps):
            its = marks if turn.contender and step.label == LABEL else ()
            value = (10_000.0 + 10 * turn.repeat) / (1 + turn.contender)
            maker.step(at, value=value, marks=its)
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    return [turn.session for turn in plan.turns]


@pytest.mark.parametrize("mark", ["other-reads", "other-work"])  # the second: as an older Dyno marked it
def test_more_rows_read_for_the_same_results_are_judged_and_the_first_cause(
    history: History, mark: str
) -> None:
    found = compare(history, keep_repeats(history, [mark], 19.97))
    row = next(each for each in found.rows if row_label(each) == LABEL)
    assert row.cells[1].verdict == "worse" and row.cells[1].marks == ["other-reads"]
    first = causes(history, found, row, 1)["causes"][0]
    assert (first["title"], first["figures"], first["n"]) == (READS_MORE, [10.0, 19.97], [4, 4])
    assert cause_sentence(first) == f"{READS_MORE}: 19.97 rows read per event (base 10.00)"
    other = next(each for each in found.rows if each.workload == "update-index")
    assert READS_MORE not in [each["title"] for each in causes(history, found, other, 1)["causes"]]


def test_who_reads_more_is_named_and_explains_nothing_where_it_is_faster(history: History) -> None:
    ids = keep_repeats(history, ["other-reads"], 19.97)
    found = compare(history, ids, ids[1])
    row = next(each for each in found.rows if row_label(each) == LABEL)
    its = causes(history, found, row, 0)
    assert its["slower"] == 0  # the base is, and has more
    assert its["causes"][0]["title"] == READS_MORE.replace("events", "events of the base")
    assert AGAINST not in causes_table("", its).remarks
    fewer = compare(history, keep_repeats(history, ["other-reads"], 5.0, number=2))
    row = next(each for each in fewer.rows if row_label(each) == LABEL)
    its = causes(history, fewer, row, 1)
    assert its["slower"] == 1 and its["causes"][0]["explains"] == 0.0
    assert its["causes"][0]["title"] == "The faster column reads more rows for the same answers"
    assert AGAINST in causes_table("", its).remarks


def test_a_gate_tells_what_takes_more_work(history: History) -> None:
    ids = keep_repeats(history, ["other-reads"], 19.97)
    found = gate(history, ids[0], ids[1], GateRequest(3.0))
    assert found["verdict"] == "worse" and LABEL in found["sentence"]
    ids = keep_repeats(history, ["other-work"], 19.97, 2, [{"statement": SELECT, "begin": RANGE, "end": ALL}])
    found = gate(history, ids[0], ids[1], GateRequest(3.0))
    lines = {line["step"]: line for line in found["steps"]}
    assert lines[LABEL]["why"] == "changed-plan"  # within the step: its figure is a mix


def test_claims_on_steps_with_other_results_cannot_be_told(history: History, tmp_path: Path) -> None:
    ids = keep(history, {"work": work(10.0)}, {"work": work(10.0, returned=5.0)})
    file = tmp_path / "claims.txt"
    file.write_text("point-query: mariadb:rocksdb > mariadb:innodb\n")
    first, second = answer_claims(history, ids, read_claims(file))["claims"]
    assert first["step"] == LABEL and first["verdict"] == second["verdict"] == "cannot be told"
    assert first["why"].startswith(f"not the same work: {LABEL}: rows sent to the client per event: ")
    assert second["why"] == "measured once: the noise is unknown"
