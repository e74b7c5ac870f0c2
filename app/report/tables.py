"""The figures of a report as tables: steps by group, what a query costs, latencies where they come first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.comparison.cells.cell import Comparison, Figure, Ratio, Row, RowGroup
from app.comparison.cells.labels import row_label
from app.comparison.cells.measures import LATENCIES, MEASURES, measure_named
from app.comparison.texts.text import (
    across_sign,
    fewer_text,
    judged_text,
    left_out_text,
    p_text,
    spread_text,
    steady_text,
)
from app.comparison.verdicts.rounds import relative
from app.comparison.why.before_after import ColumnOfPair, pairs
from app.comparison.why.engine_figures import differing
from app.comparison.why.thread_states import client_shares
from app.core.units import figure_text, unit_text
from app.protocol.plan import step_label
from app.protocol.thread_states import shares_text
from app.stats.at_target.verdicts import COLOURED

COSTS = ("cpu_us", "context_switches", "read_kb", "written_kb")  # measures of what a query costs
NAMED_PCT = 5.0  # of the client threads' time: smaller shares are not listed


@dataclass(frozen=True)
class Cell:
    """A value, and its note below."""

    text: str
    beside: str = ""  # how it stands to the base
    tone: str = ""  # better, worse or nothing
    tip: str = ""  # n, spread, p


@dataclass(frozen=True)
class Line:
    """A line of a table: its title and a cell for each column."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Group:
    """Steps with one unit, and their mean."""

    name: str
    unit: str
    direction: str
    lines: tuple[Line, ...]
    mean: Line | None
    rows: tuple[Row, ...] = field(repr=False)

    @property
    def title(self) -> str:
        less = " (less is better)" if self.direction == "lower" else ""
        return f"{self.name}, {unit_text(self.unit)}{less}" if self.unit else f"{self.name}{less}"


def groups(found: Comparison, base: int) -> Iterator[Group]:
    """Groups in the order of their first steps, separated by unit, like the means."""
    for entry in found.groups:
        rows = [row for row in found.rows if (row.group, row.unit) == (entry.group, entry.unit)]
        lines = tuple(_line(row, base) for row in rows)
        name, unit = entry.group or "other steps", entry.unit
        yield Group(name, unit, entry.direction, lines, _mean(entry, base), tuple(rows))


def costs(found: Comparison, base: int) -> Iterator[Group]:
    """Costs per query of each driven step; empty if no step has them."""
    driven = [row for row in found.rows if row.kind == "drive"]
    for name in (*COSTS, *_of_engine(driven, base)):
        yield from _measured(driven, name, base)
    yield from _client_threads(driven)


def _client_threads(rows: Sequence[Row]) -> Iterator[Group]:
    """Shares of the client threads' time by state."""
    shares = [[client_shares(row, at) for at in _columns(row)] for row in rows]
    lines = [
        Line(row_label(row), tuple(Cell(shares_text(each, NAMED_PCT) if each else "-") for each in columns))
        for row, columns in zip(rows, shares, strict=True)
        if any(columns)
    ]
    if lines:
        yield Group("Time of client threads", "", "", tuple(lines), None, ())


def _of_engine(rows: Sequence[Row], base: int) -> list[str]:
    """The figures of the engines in which a column differs from the base, in their usual order."""
    found = {each.name for row in rows for at in _columns(row) for each in differing(row, base, at)}
    return [each.name for each in MEASURES if each.name in found]


def latencies(found: Comparison, base: int) -> Iterator[Group]:
    """Percentiles of the steps whose figure is a mean latency."""
    timed = [row for row in found.rows if row.unit == "ms"]
    for name in LATENCIES:
        yield from _measured(timed, name, base)


def before_and_after(found: Comparison) -> Iterator[Group]:
    """Tests before and after the writes: after / before, session by session."""
    lines = [
        Line(
            step_label(pair["after"], pair["coordinates"]),
            tuple(map(_changed, pair["columns"])),
        )
        for pair in pairs(found)
    ]
    if lines:
        yield Group("Before and after the writes", "after / before", "", tuple(lines), None, ())


def _changed(column: ColumnOfPair) -> Cell:
    before, after = map(figure_text, column["values"])
    ratio = column["ratio"]
    return Cell("-") if ratio is None else Cell(f"{ratio:.2f}", f"{before} to {after}")


def _measured(rows: Sequence[Row], name: str, base: int) -> Iterator[Group]:
    """A value as measured; a report only judges the results of steps."""
    measure = measure_named(name)
    there = [row for row in rows if row.has(name)]
    lines = [Line(row_label(row), _plain(row.measures[name], base)) for row in there]
    if lines:
        unit = measure.unit_of(there[0]).removeprefix("/query")  # a count: its title says so already
        yield Group(measure.title, unit, measure.direction, tuple(lines), None, ())


def _plain(figures: Sequence[Figure], base: int) -> tuple[Cell, ...]:
    ratios = [None if at == base else relative(each, figures[base]) for at, each in enumerate(figures)]
    return tuple(
        Cell(figure_text(each.value), "" if ratio is None else f"{ratio:.2f}")
        for each, ratio in zip(figures, ratios, strict=True)
    )


def _columns(row: Row) -> range:
    return range(len(row.cells))


def _line(row: Row, base: int) -> Line:
    return Line(row_label(row), tuple(_cell(row, at, base) for at in _columns(row)))


def _cell(row: Row, at: int, base: int) -> Cell:
    verdict = row.cells[at].verdict or ""
    beside = "" if at == base or row.cells[at].relative is None else judged_text(row.cells[at])
    tone = verdict if verdict in COLOURED else ""
    return Cell(figure_text(row.cells[at].value, row.unit), beside, tone, _tip(row, at))


def _tip(row: Row, at: int) -> str:
    spread, p = spread_text(row.cells[at]), row.cells[at].p
    parts = [
        f"n = {row.cells[at].n}" if row.cells[at].n else "",
        spread and f"lowest and highest {spread} from the median",
        "" if p is None else p_text(p),
        left_out_text(row.cells[at]),
        steady_text(row.cells[at]),
    ]
    return ", ".join(filter(None, parts))


def _mean(entry: RowGroup, base: int) -> Line | None:
    if entry.steps < 2 or len(entry.ratios) < 2:
        return None
    cells = [_mean_cell(None if at == base else ratio, entry) for at, ratio in enumerate(entry.ratios)]
    return Line(f"geometric mean of {entry.of} steps", tuple(cells))


def _mean_cell(ratio: Ratio | None, entry: RowGroup) -> Cell:
    """The mean of a group with its interval, and the number of steps if fewer than all."""
    if ratio is None:
        return Cell("")
    interval = "" if ratio.low is None else f"{ratio.low:.2f} to {ratio.high:.2f}"
    fewer = fewer_text(ratio, entry).strip()
    beside = ", ".join(filter(None, (f"{interval} {across_sign(ratio.across)}".strip(), fewer)))
    return Cell(f"{ratio.ratio:.2f}", beside)
