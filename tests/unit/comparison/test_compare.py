"""Columns beside one another: repeats, missing figures, warnings, and the ways to write it down."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.comparison.texts import text as compare_text
from app.comparison.verdicts import compare as comparing
from app.comparison.verdicts.compare import compare
from app.core.errors import InputError
from app.core.units import direction_of, figure_text
from app.history.lists import edits
from app.history.lists.sessions import sessions
from app.history.recorded.writing import JournalStorer
from app.history.steps.figures import session_details
from app.history.steps.step_text import BUSY
from app.history.store.history import History
from app.protocol.events import LogEvent, StepEnded, StepStarted
from app.protocol.machine_checks import BUSY_START
from app.protocol.states import OUT_OF_TIME, UNDECIDABLE
from tests import decided, journals
from tests.journals import store
from tests.plans import MARIADB, VERSION
from tests.unit.comparison.cells import cells, texts_of

INNODB, ROCKSDB = journals.contender("innodb"), journals.contender("rocksdb")
PLAN = journals.plan([INNODB, ROCKSDB], repeats=3)
IDS = [turn.session for turn in PLAN.turns]  # innodb, rocksdb, innodb, ...


def keep(history: History, its_plan: object = PLAN, values: object = None, **more: object) -> None:
    """All sessions of a plan; `values`: of the steps of each, None fails the step."""
    for at, turn in enumerate(its_plan.turns):
        maker = journals.Maker(its_plan, turn.session).begin()
        for step in range(len(its_plan.steps)):
            value = values[at][step] if values else 100.0
            if value is None:
                maker.step(step, "failed", "sysbench: FATAL: error 1205")
            else:
                maker.step(step, value=value)
        maker.end()
        JournalStorer(history).append(its_plan.id, turn.session, 0, maker.raw)


VALUES = [
    [10.0, 100.0, 200.0, 50.0, 60.0],
    [20.0, 90.0, 100.0, 75.0, None],
    [11.0, 110.0, 210.0, 51.0, 61.0],
    [21.0, 80.0, 110.0, None, None],
    [12.0, 150.0, 190.0, 52.0, 62.0],
    [22.0, 85.0, 120.0, 76.0, None],
]


def test_repeats_are_one_column_of_medians(history: History) -> None:
    keep(history, values=VALUES)
    found = compare(history, IDS)
    assert found.base_id == IDS[0]
    assert [column.ids for column in found.columns] == [IDS[0::2], IDS[1::2]]
    rows = {(row.workload, row.threads): row for row in found.rows}
    point = rows["point-query", 1]
    assert cells(point, "value") == [110.0, 85.0]
    assert cells(point, "relative") == [1.0, 85.0 / 110.0]
    assert cells(point, "n") == [3, 3]
    assert cells(point, "verdict") == ["base", "~"]
    assert cells(point, "samples") == [[100.0, 110.0, 150.0], [90.0, 80.0, 85.0]]
    assert cells(point, "spread") == pytest.approx([40.0 / 110.0, 5.0 / 85.0])
    assert (point.unit, point.direction, point.group) == ("queries/s", "higher", "read")
    assert point.coordinates == {"threads": 1}


@pytest.mark.parametrize("is_new_first", [False, True])
def test_a_session_of_an_earlier_dyno_shares_the_column_of_its_preset(
    history: History, is_new_first: bool
) -> None:
    """What is called baseline now was called default: the same options, so the same key."""
    ids = []
    for number, name in ((1, "default"), (2, "baseline")):
        contender = replace(INNODB, preset=name, name=f"innodb-{name}")
        made = journals.plan([contender], repeats=2, number=number)
        keep(history, made)
        ids += [turn.session for turn in made.turns]
    ids = ids[::-1] if is_new_first else ids
    found = compare(history, ids)
    (column,) = found.columns
    assert (column.ids, column.name, column.contender["preset"]) == (
        ids, f"{MARIADB}-innodb-baseline", "baseline",
    )  # fmt: skip
    apart = compare(history, ids[1:3]).columns
    assert {each.contender["preset"] for each in apart} == {"baseline"}


def test_presets_of_others_keep_their_names(history: History) -> None:
    foreign = [replace(each, server="") for each in (INNODB, ROCKSDB)]
    made = journals.plan(foreign)
    keep(history, made)
    columns = compare(history, [turn.session for turn in made.turns]).columns
    assert [each.contender["preset"] for each in columns] == ["default", "default"]


def test_a_failed_step_leaves_its_repeat_out_and_says_why(history: History) -> None:
    keep(history, values=VALUES)
    rows = {(row.workload, row.threads): row for row in compare(history, IDS).rows}
    assert cells(rows["update-index", 1], "value") == [51.0, 75.5]
    assert cells(rows["update-index", 1], "n") == [3, 2]
    assert cells(rows["update-index", 2], "value") == [61.0, None]
    assert cells(rows["update-index", 2], "relative") == [1.0, None]
    assert cells(rows["update-index", 2], "verdict") == ["base", None]
    assert "1205" in cells(rows["update-index", 2], "reason")[1]


def test_two_sessions_are_a_demonstration(history: History) -> None:
    keep(history, values=VALUES)
    found = compare(history, IDS[:2])
    assert {verdict for row in found.rows for verdict in cells(row, "verdict")} == {
        "base",
        "n=1",
        None,
    }
    assert found.warnings == []


def test_the_base_may_be_any_of_a_columns_repeats(history: History) -> None:
    keep(history, values=VALUES)
    found = compare(history, IDS, base=IDS[3])
    assert found.base_id == IDS[1]
    point = next(row for row in found.rows if row.workload == "point-query")
    assert cells(point, "relative") == [110.0 / 85.0, 1.0]


def test_a_base_that_was_not_named_before_comes_first(history: History) -> None:
    keep(history, values=VALUES)
    found = compare(history, [IDS[1]], base=IDS[0])
    assert [column.id for column in found.columns] == [IDS[0], IDS[1]]


def test_repeats_of_one_contender_alone_are_one_column(history: History) -> None:
    keep(history, values=VALUES)
    found = compare(history, IDS[0::2])
    assert [column.ids for column in found.columns] == [IDS[0::2]]
    row = next(row for row in found.rows if (row.workload, row.threads) == ("point-query", 1))
    assert (
        cells(row, "value"),
        cells(row, "n"),
        cells(row, "verdict"),
    ) == ([110.0], [3], ["base"])
    assert cells(row, "spread") == pytest.approx([40.0 / 110.0])


def test_two_repeats_alone_stand_beside_one_another(history: History) -> None:
    keep(history, values=VALUES)
    found = compare(history, [IDS[0], IDS[2]])
    assert [column.ids for column in found.columns] == [[IDS[0]], [IDS[2]]]
    assert any("repeats of the same contender" in warning for warning in texts_of(found))


def test_warm_steps_are_left_out(history: History) -> None:
    steps = journals.steps()
    steps[1] = replace(steps[1], warm=True)
    keep(history, journals.plan([INNODB, ROCKSDB], its_steps=steps))
    labels = [(row.workload, row.threads) for row in compare(history, IDS[:2]).rows]
    assert labels == [("load", None), ("point-query", 2), ("update-index", 1), ("update-index", 2)]


def test_other_work_is_marked_with_what_differs(history: History) -> None:
    keep(history, journals.plan([INNODB]))
    longer = [replace(step, seconds=60) if step.seconds else step for step in journals.steps(threads=[1])]
    other = journals.plan([ROCKSDB], number=2, its_steps=longer)
    other = journals.renamed(other, rows=5000, files={"workloads/point-query.lua": "-- changed"})
    keep(history, other)
    found = compare(history, [IDS[0], other.turns[0].session])
    (warning,) = texts_of(found)
    for words in (
        "different work",
        "rows=5000, in the base rows=1000",
        "seconds=60, in the base seconds=5",
        "in only one of them",
    ):
        assert words in warning
    assert "\n" not in warning
    missing = next(row for row in found.rows if row.threads == 2)
    assert missing.cells[1].value is None and missing.cells[1].reason == "not in its sequence"


def test_changed_lua_is_named(history: History) -> None:
    keep(history, journals.plan([INNODB]))
    other = journals.renamed(journals.plan([ROCKSDB], number=2), files={"workloads/point-query.lua": "--"})
    keep(history, other)
    (warning,) = texts_of(compare(history, [IDS[0], other.turns[0].session]))
    assert "different content of workloads/point-query.lua" in warning


def test_other_machines_are_marked(history: History) -> None:
    keep(history, journals.plan([INNODB]))
    other = journals.renamed(journals.plan([INNODB], number=2, target="xeon"), machine_key="x" * 64)
    keep(history, other)
    found = compare(history, [IDS[0], other.turns[0].session])
    assert "different machines: local, xeon" in texts_of(found)
    assert len(found.columns) == 2


def test_a_busy_machine_is_named_where_it_was_busy(history: History) -> None:
    """Not of a plan that was allowed to begin on one, and met nobody."""
    allowed = replace(journals.plan([INNODB], repeats=2), allow_busy=True)
    alone, beside = (turn.session for turn in allowed.turns)
    for session in (alone, beside):
        maker = journals.Maker(allowed, session).begin()
        text = f"{BUSY_START}the plan b is running" if session == beside else "begins"
        maker.add(LogEvent, source="agent", level="info", text=text)
        JournalStorer(history).append(allowed.id, session, 0, maker.end().raw)
    names = {each["id"]: each["name"] for each in sessions(history)}
    found = texts_of(compare(history, [alone, beside]))
    assert [each for each in found if BUSY in each] == [f"session {names[beside]}: {BUSY}"]
    assert [session_details(history, each)["busy"] for each in (alone, beside)] == [False, True]


def test_unfinished_sessions_are_marked(history: History) -> None:
    keep(history, journals.plan([INNODB]))
    other = journals.plan([ROCKSDB], number=2)
    maker = journals.Maker(other).begin()
    maker.step(0)
    JournalStorer(history).append(other.id, maker.session, 0, maker.raw)
    found = compare(history, [IDS[0], maker.session])
    assert any(warning.endswith(": active") for warning in texts_of(found))
    assert cells(found.rows[1], "reason") == ["", "waiting"]


def test_steps_of_another_unit_are_not_compared(history: History) -> None:
    keep(history, journals.plan([INNODB]))
    steps = [replace(step, unit="s") if step.kind == "load" else step for step in journals.steps()]
    other = journals.plan([ROCKSDB], number=2, its_steps=steps)
    keep(history, other)
    row = compare(history, [IDS[0], other.turns[0].session]).rows[0]
    assert cells(row, "value") == [100.0, None] and "unit is s" in row.cells[1].reason


def test_a_base_of_zero_relates_to_nothing(history: History) -> None:
    keep(history, values=[[0.0] * 5, [1.0] * 5, *VALUES[2:]])
    assert cells(compare(history, IDS[:2]).rows[0], "relative") == [None, None]


def test_marks_are_carried_along(history: History) -> None:
    its_plan = journals.plan([INNODB])
    maker = journals.Maker(its_plan).begin()
    maker.add(StepStarted, step=0)
    maker.add(StepEnded, step=0, outcome="completed", value=1.0, seconds=1.0, marks=["after-a-crash"])
    JournalStorer(history).append(its_plan.id, maker.session, 0, maker.raw)
    found = compare(history, [maker.session])
    assert cells(found.rows[0], "marks") == [["after-a-crash"]]
    assert any("after-a-crash" in remark for remark in compare_text.remarks_of(found))


def test_another_measure_takes_the_place_of_the_figure(history: History) -> None:
    keep(history, values=VALUES)
    found = comparing.comparison_by_measure(compare(history, IDS), "cpu_us")
    row = next(row for row in found.rows if row.workload == "point-query")
    assert (row.unit, row.direction, cells(row, "value"), cells(row, "relative")) == (
        "us/query", "lower", [35.5, 35.5], [1.0, 1.0],
    )  # fmt: skip
    failed = found.rows[-1]
    assert (
        cells(failed, "value"),
        cells(failed, "n"),
        cells(failed, "verdict"),
    ) == (
        [35.5, None],
        [3, 0],
        ["base", None],
    )
    assert "1205" in failed.cells[1].reason
    assert "us/query" in compare_text.to_csv(found)


def test_steps_that_have_nothing_of_a_measure_are_left_out(history: History) -> None:
    keep(history, values=VALUES)
    found = compare(history, IDS[:2])
    assert comparing.comparison_by_measure(found, "value") is found
    assert comparing.comparison_by_measure(found, "written_kb").rows == []
    latencies = comparing.comparison_by_measure(found, "p50_ms").rows
    assert {row.unit for row in latencies} == {"ms/query"}


def test_a_measure_that_nobody_knows(history: History) -> None:
    keep(history)
    with pytest.raises(InputError, match="no measure 'speed': choose one of value, "):
        comparing.comparison_by_measure(compare(history, IDS[:2]), "speed")


def test_nothing_to_compare(history: History) -> None:
    with pytest.raises(InputError, match="two or more sessions"):
        compare(history, [])
    with pytest.raises(InputError, match="no session"):
        compare(history, ["nothing"])


def test_directions() -> None:
    assert [direction_of(unit) for unit in ("queries/s", "rows/s", "s", "ms", "bytes", "things")] == [
        "higher", "higher", "lower", "lower", "lower", "",
    ]  # fmt: skip


def test_json_is_what_was_promised(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with History(dyno_home) as history:
        keep(history, values=VALUES)
    assert main(["compare", *IDS, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"base", "sessions", "rows"} <= found.keys()
    assert {"id", "ids", "name", "target", "contender"} <= found["sessions"][0].keys()
    promised = {"workload", "group", "threads", "coordinates", "unit", "direction"}
    promised |= {"values", "relative", "n", "verdict"}
    assert all(promised <= row.keys() for row in found["rows"])


def test_csv(history: History) -> None:
    keep(history, values=VALUES)
    edits.rename(history, IDS[1], "=cmd()")
    rows = list(csv.reader(io.StringIO(compare_text.to_csv(compare(history, IDS[:2])))))
    assert rows[0][:6] == ["workload", "group", "threads", "coordinates", "unit", "direction"]
    assert rows[0][6:9] == [
        f"{MARIADB}-innodb-default-1",
        f"{MARIADB}-innodb-default-1 relative",
        f"{MARIADB}-innodb-default-1 n",
    ]
    assert rows[0][9:12] == [f"{MARIADB}-innodb-default-1 {each}" for each in ("spread", "p", "verdict")]
    assert rows[0][12] == "'=cmd()"
    assert rows[2] == [
        "point-query", "read", "1", '{"threads": 1}', "queries/s", "higher",
        "100", "1", "1", "", "", "base", "90", "0.9", "1", "", "", "n=1", "", "",
    ]  # fmt: skip
    assert rows[5][12:15] == ["", "", "0"]


def test_markdown(history: History) -> None:
    keep(history, values=VALUES)
    edits.rename(history, IDS[1], "a|b")
    lines = compare_text.to_markdown(compare(history, IDS[:2])).splitlines()
    assert lines[:2] == [f"ratio: to {MARIADB}-innodb-default-1", ""]
    assert lines[2] == f"| step | unit | {MARIADB}-innodb-default-1 | a\\|b | ratio |"
    assert lines[3] == "| --- | --- | ---: | ---: | ---: |"
    assert lines[5] == "| point-query threads=1 | queries/s | 100.0 | 90.00 | 0.90 |"
    assert lines[8] == "| update-index threads=2 | queries/s | 60.00 | - | - |"
    assert any(line.startswith("- failed") and line.endswith("so 1 result is not judged") for line in lines)
    assert any(line.startswith("- measured once: the noise is unknown - so 4 results") for line in lines)
    whole = compare_text.to_markdown(compare(history, IDS[:2]), has_details=True)
    assert "\n- update-index threads=2, a\\|b: failed" in whole
    assert "noise between repeats is unknown" in whole


def test_table(history: History) -> None:
    keep(history, values=VALUES)
    edits.rename(history, IDS[0], "[red]x")
    text = compare_text.to_text(compare(history, IDS[:2], base=IDS[1]), width=120)
    assert "[red]x" in text
    assert next(line for line in text.splitlines() if line.startswith("step")).split()[:3] == [
        "step",
        "unit",
        f"{MARIADB}-rocksdb-default-1",
    ]


def test_text_is_the_table_with_its_remarks(history: History) -> None:
    keep(history, values=VALUES)
    lines = compare_text.to_text(compare(history, IDS[:2])).splitlines()
    assert lines[:2] == [f"all columns: MariaDB {VERSION}", "ratio: to InnoDB"]
    assert lines[2].split() == ["step", "unit", "InnoDB", "MyRocks", "ratio"]
    assert "measured once: the noise is unknown - so 4 results are not judged" in lines
    whole = compare_text.to_text(compare(history, IDS[:2]), has_details=True).splitlines()
    assert whole[-1].startswith("n = 1: the noise between repeats is unknown")


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (48_123.4, "48,123"), (123.45, "123.5"), (1.234, "1.23"), (0.01234, "0.0123")],
)
def test_figures_have_the_digits_they_deserve(value: float | None, text: str) -> None:
    assert figure_text(value) == text


@pytest.mark.parametrize("reason", [UNDECIDABLE, OUT_OF_TIME])
def test_only_where_the_time_was_up_the_last_look_takes_all_of_the_share(
    history: History, reason: str
) -> None:
    makers = decided.makers_of(decided.until_decided(), 4, reason)
    store(history, *makers)
    found = compare(history, [each.session for each in makers])
    assert found.repeatedly and found.is_last_look == (reason == OUT_OF_TIME)
    assert found.limits.after(4).false_share == pytest.approx(0.05 if found.is_last_look else 0.05 / 4)


@pytest.mark.parametrize("reason", [UNDECIDABLE, OUT_OF_TIME])
def test_a_session_that_was_not_needed_says_why_it_is_no_base(history: History, reason: str) -> None:
    makers = decided.makers_of(decided.until_decided(), 3, reason)
    store(history, *makers)
    with pytest.raises(InputError, match=rf"was not measured \({reason}\): choose another base"):
        compare(history, [makers[-1].session, makers[0].session])
