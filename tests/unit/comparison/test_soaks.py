"""The figures of the seconds of long steps: in a session, in comparisons, reports and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from app.comparison.cells.cell import Comparison
from app.comparison.texts.soak_text import INTERVAL, SEVERAL, TITLE, soak_tables
from app.comparison.texts.text import to_json
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.history.lists.edits import count_only_seconds
from app.history.recorded.counting import Cut
from app.history.steps.figures import steps
from app.history.store.history import History
from app.report.content import read_report
from tests import soaked


def compared(home: Path, seconds: Sequence[int], repeats: int = 1) -> Comparison:
    ids = soaked.long_sessions(home, seconds, repeats)
    with History(home) as history:
        return compare(history, ids)


def test_a_step_of_a_minute_tells_its_seconds(tmp_path: Path) -> None:
    ids = soaked.long_sessions(tmp_path, (60, 30))
    with History(tmp_path) as history:
        load, minute, half = steps(history, ids[0])
    assert load["soak"] is None and half["soak"] is None
    found = minute["soak"]
    assert found is not None
    assert (found["seconds"], found["below_half_pct"], found["longest_stall_s"]) == (60, 0.0, 0)
    assert found["slowest"] == pytest.approx(3000 - 1000 * 59 / 60, abs=0.01)
    assert found["history_list_max"] == 59.0
    assert found["size_growth_mb"] == 0.0
    trend, memory = found["trend_pct"], found["memory_trend_mb"]
    assert trend and trend["value"] == pytest.approx(-40, abs=1) and trend["low"] <= trend["value"]
    assert memory and memory["value"] == pytest.approx(60, abs=2) and memory["high"] >= memory["value"]


def test_a_cut_leaves_the_seconds_that_count(tmp_path: Path) -> None:
    ids = soaked.long_sessions(tmp_path, (620,))
    with History(tmp_path) as history:
        before = steps(history, ids[0])[1]["soak"]
        count_only_seconds(history, ids[0], 1, Cut(200, 299))
        after = steps(history, ids[0])[1]["soak"]
    assert before and after
    assert (before["slowest"], before["longest_stall_s"], before["seconds"]) == (0.0, 3, 620)
    assert (after["longest_stall_s"], after["seconds"]) == (0, 100)
    assert after["slowest"] == pytest.approx(3000 - 1000 * 299 / 620, abs=0.01)
    assert after["history_list_max"] == 299.0


def test_steps_of_ten_minutes_are_listed_with_their_intervals(tmp_path: Path) -> None:
    (table,) = soak_tables(compared(tmp_path, (60, 620)))
    lines = {line[1]: line for line in table.lines}
    assert (table.title, table.remarks[0]) == (TITLE, INTERVAL)
    assert {line[0] for line in table.lines} == {"soak-620 threads=1"}
    assert lines["longest stall"][2:] == ("s", "3.00", "3.00")
    assert lines["slowest second"][2:] == ("queries/s", "0", "0")
    assert all(" to " in text and text.startswith("-") for text in lines["throughput grows by"][3:])
    assert lines["memory of the server grows by"][2] == "MiB"


def test_several_sessions_have_a_median_and_its_ends(tmp_path: Path) -> None:
    (table,) = soak_tables(compared(tmp_path, (620,), repeats=3))
    assert table.remarks[0] == SEVERAL
    assert [line[3] for line in table.lines if line[1] == "longest stall"] == ["3.00 (3.00 to 3.00)"]


def test_shorter_steps_are_not_listed(tmp_path: Path) -> None:
    assert soak_tables(compared(tmp_path, (60, 120))) == []


def test_they_are_measures_where_a_ratio_means_something(tmp_path: Path) -> None:
    found = comparison_by_measure(compared(tmp_path, (60,)), "slowest")
    (row,) = found.rows
    assert (row.unit, row.direction) == ("queries/s", "higher")
    assert row.cells[1].relative == pytest.approx(0.5)
    assert "trend_pct" not in row.measures and "longest_stall_s" in row.measures
    stalls = comparison_by_measure(compared(tmp_path / "more", (60,)), "longest_stall_s").rows[0].cells
    assert [cell.value for cell in stalls] == [0, 0] and stalls[1].relative is None


def test_reports_and_json_have_them(tmp_path: Path) -> None:
    ids = soaked.long_sessions(tmp_path, (620,))
    with History(tmp_path) as history:
        report = read_report(history, ids)
        rows = to_json(compare(history, ids))["rows"]
    assert TITLE in [table.title for table in report.results]
    assert isinstance(rows, list)
    assert [each[0]["longest_stall_s"] for each in rows[-1]["soaks"]] == [3, 3]
