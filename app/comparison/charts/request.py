"""The numbers behind any chart, by the name of the chart and of the step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import row_label
from app.comparison.verdicts.compare import by_group, compare, comparison_by_measure, sessions_of
from app.comparison.why.before_after import before_after_tests
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.history.steps.curves import all_series, curves
from app.history.steps.series import ALIASES
from app.history.steps.step_results import endings
from app.history.store.history import History
from app.history.store.second_latencies import latencies_by_session

from . import AXES, NOTHING
from .heat import heat_numbers
from .of_all_steps import bar_numbers, pair_numbers
from .of_one_step import latency_curves, latency_numbers, second_numbers, size_numbers, sizes_of
from .points import ChartNumbers
from .rates import target_rate_numbers
from .sweeps import axes_of, no_sweep_text, sweep_numbers
from .versions import version_numbers

_OF_ALL_STEPS: Mapping[str, Callable[[Comparison], ChartNumbers]] = {
    "bars": bar_numbers,
    "versions": version_numbers,
    "before-after": lambda found: pair_numbers(found, before_after_tests(found)),
}


@dataclass(frozen=True)
class ChartRequest:
    """A requested chart; a chart of all steps needs no step."""

    chart: str  # of CHARTS
    sessions: Sequence[str]
    base: str | None = None
    measure: str = "value"
    step: str = ""  # its name, with coordinates where it has been swept
    over: str = ""  # of AXES
    series: str = "qps"
    is_relative: bool = True  # of a picture: ratios; the numbers hold both


@dataclass(frozen=True)
class ChartComparison:
    """The comparison behind a chart."""

    request: ChartRequest
    whole: Comparison  # as it was read: with all steps and measures
    comparison: Comparison  # by the measure, those of a group together
    row: Row | None  # the step; None where the chart is of all


def load_chart(history: History, request: ChartRequest) -> ChartComparison:
    """Load a comparison; raises InputError for unknown sessions, measure or step."""
    whole = compare(history, request.sessions, request.base)
    found = by_group(comparison_by_measure(whole, request.measure))
    if request.chart in _OF_ALL_STEPS:
        return ChartComparison(request, whole, found, None)
    return ChartComparison(
        request, whole, found, step_named(found, request.step, is_whole=request.chart in ("sweep", "rates"))
    )


def chart_numbers(history: History, loaded: ChartComparison) -> ChartNumbers:
    """The numbers of a chart; raises InputError if there are none."""
    numbers, nothing = _of_step(history, loaded, loaded.row) if loaded.row else _of_all(loaded)
    if not numbers.rows:
        raise InputError(nothing)
    return numbers


def load_chart_numbers(history: History, request: ChartRequest) -> ChartNumbers:
    """The numbers of a chart by its request; raises InputError if there are none."""
    return chart_numbers(history, load_chart(history, request))


def _of_all(loaded: ChartComparison) -> tuple[ChartNumbers, str]:
    """The numbers of a chart of all steps, and the text to show if there are none."""
    chart = loaded.request.chart
    return _OF_ALL_STEPS[chart](loaded.comparison), NOTHING[chart]


def _of_step(history: History, loaded: ChartComparison, row: Row) -> tuple[ChartNumbers, str]:
    request, found = loaded.request, loaded.comparison
    if request.chart == "sweep":
        axis = request.over or next(iter(axes_of(found.rows, row)), next(iter(AXES)))
        return sweep_numbers(found, row, axis), no_sweep_text(row, axis)
    if request.chart == "rates":
        return target_rate_numbers(loaded.whole, row), f"{row_label(row)}: {NOTHING['rates']}"
    if request.chart == "seconds":
        numbers = _of_seconds(history, found, row, request.series)
    elif request.chart == "heat":
        latencies = latencies_by_session(history, sessions_of(found), row.workload, row.coordinates)
        numbers = heat_numbers(found, latencies)
    else:
        numbers = _of_end(history, found, row, request.chart)
    return numbers, f"{row_label(row)}: {NOTHING[request.chart]}"


def step_named(comparison: Comparison, name: str, is_whole: bool = False) -> Row:
    """The step with this name; its coordinates can be omitted if it has one place, or all are wanted."""
    rows = [row for row in comparison.rows if name in (row.workload, row_label(row))]
    if len(rows) == 1 or (rows and is_whole):
        return rows[0]
    known = [row_label(row) for row in rows or comparison.rows]
    there, meant = ", ".join(known), did_you_mean(name, [*(row.workload for row in comparison.rows), *known])
    what = f"step {name} has several points" if rows else f"no step {name!r}{meant}" if name else "no step"
    raise InputError(f"{what}: choose one with --step: {there or 'there are none'}")


def _of_seconds(history: History, found: Comparison, row: Row, series: str) -> ChartNumbers:
    sessions, name = sessions_of(found), ALIASES.get(series, series)
    known = {each[0]: each for each in all_series(history, sessions)}
    if name not in known:
        meant, there = did_you_mean(series, known), ", ".join(known) or "none"
        raise InputError(f"no series {series!r} in these sessions{meant}: choose one of {there}")
    of_each = curves(history, sessions, row.workload, row.coordinates, name)
    return second_numbers(found, of_each, *known[name][1:])


def _of_end(history: History, found: Comparison, row: Row, chart: str) -> ChartNumbers:
    ended = endings(history, sessions_of(found), row.workload, row.coordinates)
    if chart == "size":
        return size_numbers(found, sizes_of(found, ended))
    return latency_numbers(found, row, latency_curves(found, ended))
