"""The numbers behind the charts: with one column, with eight, with one step, with nothing at all."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest

from app.comparison.cells.cell import Comparison, Row
from app.comparison.charts import CHARTS, NOTHING
from app.comparison.charts.of_all_steps import bar_numbers, before_after_points, before_after_rows
from app.comparison.charts.of_one_step import (
    PERCENTS,
    TICKS,
    disk_size_parts,
    latency_curves,
    latency_numbers,
    place,
    size_numbers,
    sizes_of,
)
from app.comparison.charts.points import (
    PointWithRange,
    error_bars_legend,
    numbers,
    point_of,
    relative_points,
    scaled_column_points,
)
from app.comparison.charts.rates import missed_rates_text
from app.comparison.charts.request import ChartRequest, load_chart_numbers, step_named
from app.comparison.charts.sweeps import axes_of, is_logarithmic, sweep_numbers, swept
from app.comparison.verdicts.compare import compare, sessions_of
from app.comparison.why.before_after import before_after_tests
from app.core.errors import InputError
from app.history.store.history import History
from app.protocol.plan import Step
from tests import comparable
from tests.unit.comparison.cells import of_each


def comparison(history: History, columns: int = 2, repeats: int = 1, **more: Any) -> Comparison:
    failed = more.pop("failed", ())
    ids = comparable.keep(history.path.parent, comparable.plan(columns, repeats, **more), failed)
    return compare(history, ids)


def lines(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


# points


def test_a_point_is_a_median_and_how_far_its_repeats_reach() -> None:
    assert point_of([3.0, None, 1.0, 10.0]) == PointWithRange(3.0, 1.0, 10.0, 3)
    assert point_of([3.0, 1.0], 2.0) == PointWithRange(1.0, 0.5, 1.5, 2)
    assert point_of([4.0]) == PointWithRange(4.0, None, None, 1)
    assert point_of([None]) == point_of([]) == point_of([1.0], 0) == point_of([1.0], None) == PointWithRange()


def test_there_is_no_error_bar_of_one_repeat() -> None:
    assert PointWithRange(4.0, None, None, 1).reach is None
    assert PointWithRange(3.0, 1.0, 10.0, 3).reach == (1.0, 10.0)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ([], ""),
        ([0, 0], ""),
        ([1, 0, 1], "n = 1: no error bars, the noise between repeats is unknown"),
        ([3, 3], "error bars: lowest to highest of n = 3 repeats"),
        ([2, 5, 1], "error bars: lowest to highest of n = 2 to 5 repeats; none where n = 1"),
    ],
)
def test_what_error_bars_are_is_told(counts: list[int], told: str) -> None:
    assert error_bars_legend(counts) == told


def test_numbers_are_told_without_the_digits_of_binary_arithmetic() -> None:
    made = numbers(("name", "value (ms)", "n"), [("=a", 0.1 + 0.2, 3), ("b", None, 0), ("c", 2.0**40, 1)])
    assert made.to_csv() == "name,value (ms),n\n'=a,0.3,3\nb,,0\nc,1099511627776,1\n"


# every chart, whatever is missing


@pytest.mark.parametrize(("columns", "repeats"), [(1, 1), (2, 3), (8, 1)])
def test_a_bar_has_a_row(history: History, columns: int, repeats: int) -> None:
    found = comparison(history, columns, repeats)
    bars = bar_numbers(found)
    assert len(bars.rows) == len(found.rows) * columns
    assert {len(row) for row in bars.rows} == {len(bars.heads)}
    at = bars.heads.index("value / base")
    assert [row[at] for row in bars.rows[::columns]] == [1.0] * len(found.rows)


def test_what_has_failed_is_empty(history: History) -> None:
    found = comparison(history, failed={(0, "read-only"), (1, "read-only")})
    (head, *rows) = lines(bar_numbers(found).to_csv())
    missing = [row for row in rows if row[1] == "read-only"]
    assert len(missing) == 4
    assert all(row[6:] == ["", "", "", "0", "", "", ""] for row in missing)
    assert head[6:10] == ["value", "lowest", "highest", "n"]


def test_without_a_base_nothing_is_relative(history: History) -> None:
    found = comparison(history, failed={(0, "read-only")})
    row = next(row for row in found.rows if row.workload == "read-only")
    assert relative_points(row, 0) == [PointWithRange(), PointWithRange()]
    assert scaled_column_points(row)[0] == PointWithRange() and scaled_column_points(row)[1].n == 1


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("columns", [1, 8])
def test_a_chart_of_steps_that_all_failed_is_empty_or_refused(
    history: History, chart: str, columns: int
) -> None:
    plan = comparable.plan(columns, its_steps=comparable.steps((1,), driven=[("read-only", "scan-heavy")]))
    ids = comparable.keep(history.path.parent, plan, {(at, "read-only") for at in range(columns)})
    request = ChartRequest(chart, ids, step="read-only")
    if chart in ("rates", "latency", "size", "before-after", "versions"):
        with pytest.raises(InputError, match=NOTHING[chart]):
            load_chart_numbers(history, request)
    else:
        text = lines(load_chart_numbers(history, request).to_csv())
        assert text[1:] and {len(row) for row in text} == {len(text[0])}


@pytest.mark.parametrize("chart", [each for each in CHARTS if each not in ("rates", "versions")])
def test_every_chart_has_numbers(history: History, chart: str) -> None:
    ids = sessions_of(comparison(history, 8, 2))
    head, *rows = lines(
        load_chart_numbers(history, ChartRequest(chart, ids, step="point-query threads=4")).to_csv()
    )
    assert rows and {len(row) for row in rows} == {len(head)}


# of a step


def test_latency_over_rates(history: History) -> None:
    steps = [
        Step("reads", "drive", "reads", rate=rate, seconds=5, coordinates={"threads": 2, "rate": rate})
        for rate in (100, 400)
    ]
    plan = comparable.plan(2, 3, its_steps=steps)
    ids = comparable.keep(history.path.parent, plan)
    found = compare(history, ids)
    head, *rows = lines(load_chart_numbers(history, ChartRequest("rates", ids, step="reads")).to_csv())
    assert head[1:4] == ["rate (events/s)", "contender", "achieved (queries/s)"]
    assert [row[1] for row in rows] == ["100", "100", "400", "400"]
    medians = of_each(found.rows[1].measures["p99_ms"], "value")
    assert [float(row[6]) for row in rows[2:]] == medians and rows[0][7] == "3"


def test_a_rate_that_was_not_reached_is_named(history: History) -> None:
    found = comparison(history, 2)
    row = replace(found.rows[-1], coordinates={"threads": 4, "rate": 8000})
    assert missed_rates_text([row], ["a", "b"]) == ""
    row.cells[0].marks = ["rate-missed"]
    assert missed_rates_text([row, row], ["a", "b"]) == "rate not reached: a at 8,000/s, 8,000/s"


def test_a_step_is_found_by_its_name_where_it_has_one_place(history: History) -> None:
    found = comparison(history)
    assert step_named(found, "settle").workload == "settle"
    assert step_named(found, "point-query threads=4").threads == 4
    with pytest.raises(InputError, match="several points: choose one with --step: point-query threads=1, "):
        step_named(found, "point-query")
    with pytest.raises(InputError, match="no step 'points'"):
        step_named(found, "points")
    with pytest.raises(InputError, match="no step: choose one with --step"):
        step_named(found, "")


def test_an_unknown_series_is_refused(history: History) -> None:
    ids = sessions_of(comparison(history))
    with pytest.raises(InputError, match="no series 'speed'"):
        load_chart_numbers(history, ChartRequest("seconds", ids, step="settle", series="speed"))


def row_at(row: Row, **coordinates: Any) -> Row:
    return replace(row, coordinates=coordinates)


def test_a_sweep_over_cores_and_rows(history: History) -> None:
    found = comparison(history)
    plain = found.rows[-1]
    cores = [row_at(plain, cores=each, threads=8) for each in (4, 1, 2)]
    rows = [row_at(plain, volume_rows=each) for each in (1_000_000, 5_000_000)]
    assert axes_of([*cores, *rows], cores[0]) == ["cores"]
    assert [each.coordinates["cores"] for each in swept(cores, cores[0], "cores")] == [1, 2, 4]
    assert axes_of(rows, rows[0]) == ["volume_rows"] and axes_of(rows, None) == []
    assert is_logarithmic([row_at(plain, threads=each) for each in (1, 2)], "threads")
    assert not is_logarithmic(rows, "volume_rows")
    assert is_logarithmic([row_at(plain, volume_rows=each) for each in (1, 16)], "volume_rows")
    curves = sweep_numbers(replace(found, rows=cores), cores[0], "cores")
    assert curves.heads[:4] == ("step", "cores", "contender", "value (queries/s)")
    assert [row[1] for row in curves.rows] == [1, 1, 2, 2, 4, 4]
    assert sweep_numbers(found, None, "threads").rows == ()


# latencies


def test_percentiles_stand_by_their_nines() -> None:
    assert [round(place(percent), 9) for percent in TICKS[1:]] == [1, 2, 3, 4, 5, 6]
    assert list(PERCENTS) == sorted(set(PERCENTS)) and {95.0, *TICKS} <= set(PERCENTS)


def test_latencies_of_repeats_are_those_of_all_their_events(history: History) -> None:
    found = comparison(history, 2, 3)
    ours, theirs = (column.ids for column in found.columns)
    ended = {id_: {"buckets": [[at + 1.0, 900], [50.0, 99], [70.0, 1]]} for at, id_ in enumerate(ours)}
    ended[ours[2]] = {"buckets": [[9.0, 90], [50.0, 10]]}
    first, second = latency_curves(found, ended)
    assert second == {} and theirs
    assert first[40.0] == PointWithRange(1.0, 1.0, 9.0, 3)  # 900 of 2,100 are not above 1 ms
    assert first[50.0] == PointWithRange(2.0, 1.0, 9.0, 3)
    assert first[95.0] == PointWithRange(50.0, 50.0, 50.0, 3)
    assert first[99.9] == PointWithRange(50.0, None, None, 3)  # one repeat has only a hundred events
    assert max(first) == 99.95  # of 2,100 events
    row = found.rows[0]
    curves = latency_numbers(found, row, [first, second])
    assert curves.heads[2] == f"latency (ms/{row.latency_per})"
    assert len(curves.rows) == len(first)


# sizes


def test_sizes_of_repeats_are_those_of_the_one_in_the_middle(history: History) -> None:
    found = comparison(history, 2, 3)
    ours, theirs = (column.ids for column in found.columns)
    ended: dict[str, Any] = {
        id_: {"sizes": {"tables": size, "redo": 5, "undo": 0, "later": 1, "total": size + 6}}
        for id_, size in zip(ours, (30, 10, 20), strict=True)
    }
    ended[theirs[0]] = {"sizes": {"total": 7}}
    ended[theirs[1]] = {"sizes": {}}
    first, second = sizes_of(found, ended)
    assert first == {"tables": 20.0, "redo": 5.0, "undo": 0.0, "later": 1.0}
    assert second == {"total": 7.0}  # parts were not told apart
    assert disk_size_parts([first, second]) == ["tables", "redo", "total", "later"]
    rows = size_numbers(found, [first, second]).rows
    assert rows[0][1:] == ("tables and indexes", 20.0) and rows[4][2] is None
    assert sizes_of(found, {}) == [{}, {}] and disk_size_parts([{}, {}]) == []


# before and after


def test_a_pair_reaches_from_session_to_session(history: History) -> None:
    found = comparison(history, 2, 3)
    pair = before_after_tests(found)[0]
    before, after = before_after_rows(found, pair)
    assert (before.workload, after.workload, after.threads) == ("point-query.pre", "point-query", 1)
    columns = [{**pair["columns"][0], "ratios": [0.5, None, 0.9], "ratio": 0.67}, pair["columns"][1]]
    first, second = before_after_points({**pair, "columns": columns})  # type: ignore[typeddict-item]
    assert first == PointWithRange(0.67, 0.5, 0.9, 2)
    assert second.n == 3 and second.reach
