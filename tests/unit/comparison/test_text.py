"""What a comparison says in words beside its figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.comparison.answers.sentences import verdict_sentences
from app.comparison.cells.cell import Comparison
from app.comparison.cells.labels import names_of, row_label
from app.comparison.texts.text import shown_table, to_markdown, to_text, unjudged_texts
from app.comparison.verdicts.compare import compare, only_common_steps
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.plan import Step
from tests import comparable, journals
from tests.plans import MARIADB

STEPS = [
    Step(name="load", kind="load", workload="load", unit="rows/s"),
    Step(name="settle", kind="settle", unit="s"),
    Step(name="odd", kind="drive", workload="odd", unit="things", seconds=1),
]


def compared(history: History) -> Comparison:
    plan = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], its_steps=STEPS)
    for turn in plan.turns:
        raw = journals.whole(plan, turn.session).raw
        JournalStorer(history).append(plan.id, turn.session, 0, raw)
    return compare(history, [turn.session for turn in plan.turns])


def test_ratios_that_are_not_judged_are_named_with_the_reason(tmp_path: Path) -> None:
    """Whether the step is marked of the column or of its base."""
    plan = comparable.plan(2, repeats=3)
    marked = [(at, name, repeat) for at, name in ((1, "read-only"), (0, "load")) for repeat in (1, 2, 3)]
    ids = comparable.keep(tmp_path, plan, marked=marked)
    with History(tmp_path) as history:
        found = unjudged_texts(compare(history, ids))
        clean = comparable.keep(tmp_path, comparable.plan(2, repeats=3, number=2))
        assert unjudged_texts(compare(history, clean)) == []
    steps = ("load", "read-only threads=1", "read-only threads=4")
    assert found == [
        "; ".join(f"{step}, {MARIADB}-rocksdb-preset0" for step in steps) + ": indebted, not judged"
    ]


def test_the_size_after_settling_is_a_result_and_its_time_is_none(tmp_path: Path) -> None:
    size = Step(name="size", kind="settle", group="load", figure="size", unit="bytes")
    plan = comparable.plan(2, repeats=3, its_steps=[*comparable.steps(), size])
    with History(tmp_path) as history:
        found = compare(history, comparable.keep(tmp_path, plan))
    verdicts = {row.workload: row.cells[1].verdict for row in found.rows}
    assert verdicts["size"] and verdicts["settle"] is None
    lines = to_text(found).splitlines()
    assert any(line.startswith("size ") for line in lines) and "settle" not in "".join(lines)
    assert any(each.startswith("size: ") for each in verdict_sentences(found))


def test_a_restart_that_failed_stays_in_the_table(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        found = compared(history)
    settle = found.rows[1]
    cells = [settle.cells[0], replace(settle.cells[1], value=None, reason="failed: gone", lacking="failed")]
    failed = replace(found, rows=[found.rows[0], replace(settle, cells=cells), *found.rows[2:]])
    assert any(line.startswith("settle ") for line in to_text(failed).splitlines())


def test_the_same_contender_on_two_targets_is_told_apart_by_the_target(tmp_path: Path) -> None:
    here = comparable.plan(2, repeats=3)
    there = replace(comparable.plan(1, repeats=3, number=2), target="nuc", machine_key="another")
    ids = [*comparable.keep(tmp_path, here), *comparable.keep(tmp_path, there)]
    with History(tmp_path) as history:
        found = compare(history, ids)
    assert names_of(found) == [
        f"{MARIADB}-innodb-preset0 on local",
        f"{MARIADB}-rocksdb-preset0",
        f"{MARIADB}-innodb-preset0 on nuc",
    ]
    who = f"{MARIADB}-innodb-preset0"
    (said,) = (line for line in to_text(found).splitlines() if "across machines" in line)
    assert f"{who} on nuc against {who} on local: judged across machines" in said


def test_rows_say_where_less_is_better(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        found = compared(history)
    for text, sign in (
        (to_text(found, True), "s \N{DOWNWARDS ARROW}"),
        (to_markdown(found), "s (less is better)"),
    ):
        marked = [line for line in text.splitlines() if sign in line and not line.endswith(" better")]
        assert len(marked) == 1 and "settle" in marked[0]
    assert "\N{DOWNWARDS ARROW} less is better" in to_text(found, True).splitlines()


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_eight_columns_fit_the_terminal(tmp_path: Path, width: int) -> None:
    """Each column is there once, below what it shares with all others."""
    plan = comparable.plan(8, names=[f"of {at} people" for at in range(8)])
    with History(tmp_path) as history:
        found = compare(history, comparable.keep(tmp_path, plan))
    lines = to_text(found, width=width).splitlines()
    heads = [line.split() for line in lines if line.startswith("step ")]
    assert lines[:2] == ["columns: of … people-1", "ratio: to 0"]
    assert all(len(line) <= width for line in lines)
    assert all(head[:3] == ["step", "unit", "0"] for head in heads)
    assert sorted(name for head in heads for name in head[3::2]) == [str(at) for at in range(1, 8)]
    assert len(heads) == {80: 4, 100: 3, 120: 2, 200: 1}[width]


def test_only_the_steps_that_all_columns_have(tmp_path: Path) -> None:
    """What the others say, and how they are judged, stays."""
    plan = comparable.plan(3, repeats=3)
    with History(tmp_path) as history:
        found = compare(history, comparable.keep(tmp_path, plan, {(1, "read-only")}))
    rows = {id(row) for row in only_common_steps(found).rows}
    assert {row.workload for row in found.rows if id(row) not in rows} == {"read-only"}
    assert "all columns: 3 repeats" in to_text(found, True).splitlines()
    assert {group.group for group in only_common_steps(found).groups} == {
        "load",
        "point-query",
        "write-heavy",
    }


def test_steps_without_any_figure_are_named_below_and_shown_in_detail(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        found = compared(history)
    bare = [replace(cell, value=None, reason="", relative=None) for cell in found.rows[2].cells]
    rows = [*found.rows[:2], replace(found.rows[2], cells=bare), *found.rows[3:]]
    text, label = to_text(replace(found, rows=rows)), row_label(found.rows[2])
    (line,) = (line for line in text.splitlines() if line.startswith("not shown"))
    assert line == f"not shown: {label} (--details)" and "settle" not in text
    assert "settle" in shown_table(replace(found, rows=rows), has_details=True).lines[1]
    assert "settle" in shown_table(replace(found, rows=rows), is_whole=True).lines[1]
    why = [replace(bare[0], reason="failed", lacking="failed"), bare[1]]
    one_failed = [*found.rows[:2], replace(found.rows[2], cells=why), *found.rows[3:]]
    assert len(shown_table(replace(found, rows=one_failed)).lines) == len(found.rows) - 1
