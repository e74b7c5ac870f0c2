"""The tables of a report: setups, steps by group, what a query costs, latencies where they come first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.comparison.cells.cell import ColumnFigure, Comparison, GroupMeanRatio, Row, RowGroup
from app.comparison.cells.labels import row_label
from app.comparison.cells.measures import LATENCIES, MEASURES, measure_named
from app.comparison.texts.text import (
    cross_plan_marker,
    judged_text,
    left_out_repeats_text,
    p_text,
    spread_text,
    steady_text,
    steps_in_mean_text,
)
from app.comparison.texts.waits_text import us_text
from app.comparison.verdicts.compare import comparison_by_measure
from app.comparison.verdicts.judgement import verdict_legend
from app.comparison.verdicts.rounds import relative
from app.comparison.why.before_after import BeforeAfterColumn, before_after_tests
from app.comparison.why.engine_figures import differing_measures
from app.comparison.why.thread_states import client_state_shares
from app.comparison.why.waits import waits_of_columns
from app.core.table import MISSING, CellText, Line, Table
from app.core.units import figure_text, unit_text
from app.history.steps.step_text import step_mark_meaning
from app.history.store.history import History
from app.protocol.plan import step_label
from app.protocol.thread_states import shares_text
from app.stats.at_target.verdicts import COLOURED

COSTS = ("cpu_us", "context_switches", "read_kb", "written_kb", "for_price")  # measures of a query's cost
NAMED_PCT = 5.0  # of the client threads' time: smaller shares are not listed
_WAITS = 3  # of a step


@dataclass(frozen=True)
class ReportUnitGroup:
    """Steps with one unit, and the table of their results."""

    name: str
    rows: tuple[Row, ...]
    table: Table


@dataclass(frozen=True)
class Columns:
    """The columns that all tables of figures have, after what a line is of."""

    names: tuple[str, ...]
    base: int

    def table(self, title: str, lines: Sequence[Line], mean: Line | None = None) -> Table:
        return Table(title, ("", *self.names), tuple(lines), 1, mean=mean)


def title_of(name: str, unit: str, direction: str = "") -> str:
    """`Latency p99, ms/query (less is better)`."""
    unit = f", {unit_text(unit)}" if unit else ""
    return f"{name}{unit}{' (less is better)' if direction == 'lower' else ''}"


def report_unit_groups(found: Comparison, columns: Columns) -> Iterator[ReportUnitGroup]:
    """Groups in the order of their first steps, separated by unit, like the means."""
    for entry in found.groups:
        rows = [row for row in found.rows if (row.group, row.unit) == (entry.group, entry.unit)]
        lines = [_line(row, columns.base) for row in rows]
        name = entry.group or "other steps"
        title = title_of(name, entry.unit, entry.direction)
        yield ReportUnitGroup(name, tuple(rows), columns.table(title, lines, _mean(entry, columns.base)))


def costs(found: Comparison, columns: Columns) -> Iterator[Table]:
    """Costs per query of each driven step; empty if no step has them."""
    driven = [row for row in found.rows if row.kind == "drive"]
    for name in (*COSTS, *_of_engine(driven, columns.base)):
        yield from _measured(driven, name, columns)
    yield from _client_threads(driven, columns)


def _client_threads(rows: Sequence[Row], columns: Columns) -> Iterator[Table]:
    """Shares of the client threads' time by state."""
    shares = [[client_state_shares(row, at) for at in _columns(row)] for row in rows]
    lines = [
        (row_label(row), *(shares_text(each, NAMED_PCT) if each else MISSING for each in its))
        for row, its in zip(rows, shares, strict=True)
        if any(its)
    ]
    if lines:
        yield columns.table("Time of client threads", lines)


def waits(history: History, found: Comparison, columns: Columns) -> Iterator[Table]:
    """The longest waits of each driven step by name; nothing if the servers listed none."""
    driven = [row for row in found.rows if row.kind == "drive"]
    if lines := [line for row in driven for line in _waits_of(history, found, row)]:
        yield columns.table(title_of("Longest waits of all threads", "us/query", "lower"), lines)


def _waits_of(history: History, found: Comparison, row: Row) -> Iterator[Line]:
    every = waits_of_columns(history, found, row.workload, row.coordinates)
    timed = [each for each in every if any(each["per_query_us"])]
    for each in timed[:_WAITS]:
        figures = zip(each["per_query_us"], each["n"], strict=True)
        cells = (CellText(us_text(value), tip=f"n = {n}") for value, n in figures)
        yield (f"{row_label(row)}: {each['name']}", *cells)


def _of_engine(rows: Sequence[Row], base: int) -> list[str]:
    """The figures of the engines in which a column differs from the base, in their usual order."""
    found = {each.name for row in rows for at in _columns(row) for each in differing_measures(row, base, at)}
    return [each.name for each in MEASURES if each.name in found]


def latencies(found: Comparison, columns: Columns) -> Iterator[Table]:
    """Percentiles of the steps whose figure is a mean latency."""
    timed = [row for row in found.rows if row.unit == "ms"]
    for name in LATENCIES:
        yield from _measured(timed, name, columns)


def lags(found: Comparison, columns: Columns) -> Iterator[Table]:
    """The lag of replicas, judged as `compare --measure lag` does; nothing if no step has one."""
    by_lag, measure = comparison_by_measure(found, "lag"), measure_named("lag")
    if not by_lag.rows:
        return
    marks = dict.fromkeys(mark for row in by_lag.rows for cell in row.cells for mark in cell.marks)
    yield replace(
        columns.table(
            title_of(measure.title, measure.unit, measure.direction),
            [(row_label(row), *(_lag(row, at, columns.base) for at in _columns(row))) for row in by_lag.rows],
        ),
        remarks=tuple(filter(None, (verdict_legend(by_lag), *map(step_mark_meaning, marks)))),
    )


def _lag(row: Row, at: int, base: int) -> CellText:
    cell = _cell(row, at, base)
    return CellText(cell, ", ".join(filter(None, (cell.beside, *row.cells[at].marks))), cell.tone, cell.tip)


def before_and_after(found: Comparison, columns: Columns) -> Iterator[Table]:
    """Tests before and after the writes: after / before, session by session."""
    lines = [
        (step_label(pair["after"], pair["coordinates"]), *map(_changed, pair["columns"]))
        for pair in before_after_tests(found)
    ]
    if lines:
        yield columns.table(title_of("Before and after the writes", "after / before"), lines)


def _changed(column: BeforeAfterColumn) -> CellText:
    before, after = map(figure_text, column["values"])
    ratio = column["ratio"]
    return CellText(MISSING) if ratio is None else CellText(f"{ratio:.2f}", f"{before} to {after}")


def _measured(rows: Sequence[Row], name: str, columns: Columns) -> Iterator[Table]:
    """A value as measured; a report only judges the results of steps."""
    measure = measure_named(name)
    there = [row for row in rows if row.has(name)]
    lines = [(row_label(row), *_plain(row.measures[name], columns.base)) for row in there]
    if lines:
        unit = measure.unit_of(there[0]).removeprefix("/query")  # a count: its title says so already
        yield columns.table(title_of(measure.title, unit, measure.direction), lines)


def _plain(figures: Sequence[ColumnFigure], base: int) -> tuple[CellText, ...]:
    ratios = [None if at == base else relative(each, figures[base]) for at, each in enumerate(figures)]
    return tuple(
        CellText(figure_text(each.value), "" if ratio is None else f"{ratio:.2f}")
        for each, ratio in zip(figures, ratios, strict=True)
    )


def _columns(row: Row) -> range:
    return range(len(row.cells))


def _line(row: Row, base: int) -> Line:
    return (row_label(row), *(_cell(row, at, base) for at in _columns(row)))


def _cell(row: Row, at: int, base: int) -> CellText:
    verdict = row.cells[at].verdict or ""
    beside = "" if at == base or row.cells[at].relative is None else judged_text(row.cells[at])
    tone = verdict if verdict in COLOURED else ""
    return CellText(figure_text(row.cells[at].value, row.unit), beside, tone, _tip(row, at))


def _tip(row: Row, at: int) -> str:
    spread, p = spread_text(row.cells[at]), row.cells[at].p
    parts = [
        f"n = {row.cells[at].n}" if row.cells[at].n else "",
        spread and f"lowest and highest {spread} from the median",
        "" if p is None else p_text(p),
        left_out_repeats_text(row.cells[at]),
        steady_text(row.cells[at]),
    ]
    return ", ".join(filter(None, parts))


def _mean(entry: RowGroup, base: int) -> Line | None:
    if entry.steps < 2 or len(entry.ratios) < 2:
        return None
    cells = [_mean_cell(None if at == base else ratio, entry) for at, ratio in enumerate(entry.ratios)]
    return (f"geometric mean of {entry.of} steps", *cells)


def _mean_cell(ratio: GroupMeanRatio | None, entry: RowGroup) -> CellText:
    """The mean of a group with its interval, and the number of steps if fewer than all."""
    if ratio is None:
        return CellText("")
    interval = "" if ratio.low is None else f"{ratio.low:.2f} to {ratio.high:.2f}"
    fewer = steps_in_mean_text(ratio, entry).strip()
    beside = ", ".join(filter(None, (f"{interval} {cross_plan_marker(ratio.across)}".strip(), fewer)))
    return CellText(f"{ratio.ratio:.2f}", beside)
