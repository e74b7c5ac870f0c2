"""What may explain a step, the costs of all steps, and tests before and after the writes, written down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from app.comparison.cells.cell import ColumnFigure, Comparison, Row
from app.comparison.cells.labels import names_of, row_label
from app.comparison.cells.measures import PER_QUERY, ROWS
from app.comparison.charts import NOTHING
from app.comparison.verdicts.judgement import OF_ALL_SECONDS, verdict_short_text
from app.comparison.verdicts.rounds import relative
from app.comparison.why.before_after import BeforeAfterColumn, BeforeAfterTest
from app.comparison.why.why import COSTS, CostEntry, PairEntry, WhyEntry, cost_remarks
from app.core.csv_text import csv_text
from app.core.table import MISSING, Table, ratio_text
from app.core.units import figure_text, unit_text
from app.history.steps.step_text import step_mark_meaning
from app.protocol.plan import coordinates_json, step_label

SHORT = {
    "cpu_us": "CPU us",
    "machine_cpu_us": "machine us",
    "disk_busy_us": "disk us",
    "cpu_user_us": "user us",
    "cpu_system_us": "system us",
    "voluntary_switches": "waits",
    "involuntary_switches": "preempted",
    "context_switches": "machine switches",
    "cycles": "cycles",
    "instructions": "instructions",
    "branch_misses": "branch misses",
    "cache_misses": "cache misses",
    "tlb_misses": "TLB misses",
    "page_faults": "page faults",
    "rows_read": "rows read",
    "server_read_kb": "KiB read",
    "server_written_kb": "KiB written",
    "reads": "device reads",
    "read_kb": "device KiB read",
    "written_kb": "device KiB written",
    "log_kb": "KiB log",
    "size_mb": "tables MiB",
    "directory_mb": "directory MiB",
    "space_amplification": "space ampl.",
    "write_amplification": "write ampl.",
}
UNMEASURED = "These sessions did not measure what a query costs."
_CSV = (
    *("step", "coordinates", "base", "contender", "cost", "unit", "base_value", "value", "ratio"),
    *("explains", "busy", "base_n", "n", "base_spread", "spread"),
)


# a step


def cost_details_table(comparison: Comparison, entry: WhyEntry) -> Table:
    """The figure, then all costs in the order in which they may explain it."""
    figure = (
        "result",
        *pair_cells(entry, verdict_short_text(entry["verdict"])),
        "",
        "",
        *noise_cells(entry),
    )
    measured = [cost for cost in entry["costs"] if any(value is not None for value in cost["values"])]
    costs = [(cost["title"].removesuffix(PER_QUERY), *cost_cells(cost)) for cost in measured]
    engine = [(each["title"], *pair_cells(each), "", "", *noise_cells(each)) for each in entry["engine"]]
    heads = ("", "unit", "base", "other", "ratio", "may explain", "busy", "n", "spread")
    lines, remarks = (figure, *costs, *engine), (*cost_remarks(entry), *_unmeasured(entry))
    return _with_one_n(
        Table(pair_title(comparison, entry), heads, lines, 2, remarks, fixed=2, least=("spread",))
    )


def pair_title(comparison: Comparison, entry: WhyEntry) -> str:
    """`scan threads=1: rocksdb against innodb`."""
    names, step = _names(comparison), step_label(entry["step"], entry["coordinates"])
    return f"{step}: {names[entry['column']]} against {names[entry['base']]}"


def _unmeasured(entry: WhyEntry) -> Iterator[str]:
    titles = [
        cost["title"].removesuffix(PER_QUERY) for cost in entry["costs"] if cost["values"] == [None, None]
    ]
    if titles:
        yield f"Not measured: {', '.join(titles)}."


def _with_one_n(table: Table) -> Table:
    """Without the column n where it is the same in all lines: the title has it."""
    at = table.heads.index("n")
    if len({line[at] for line in table.lines}) > 1:
        return table
    heads, *lines = ((*line[:at], *line[at + 1 :]) for line in (table.heads, *table.lines))
    return replace(table, title=f"{table.title}, n = {table.lines[0][at]}", heads=heads, lines=tuple(lines))


def _names(comparison: Comparison) -> dict[str, str]:
    """The names of the columns, by their ids."""
    ids = (column.id for column in comparison.columns)
    return dict(zip(ids, names_of(comparison), strict=True))


def cost_cells(cost: CostEntry) -> tuple[str, ...]:
    """The cells of a cost, without its name."""
    return *pair_cells(cost), share_text(cost["explains"]), share_text(cost["busy"]), *noise_cells(cost)


def pair_cells(pair: PairEntry, word: str = "") -> tuple[str, ...]:
    """Unit, both figures and how they relate; ~ where the repeats of both overlap."""
    sign = word or ("~" if pair["overlaps"] else "")
    figures = (figure_text(value, pair["unit"]) for value in pair["values"])
    return unit_text(pair["unit"]), *figures, f"{ratio_text(pair['ratio'])} {sign}".rstrip()


def noise_cells(pair: PairEntry) -> tuple[str, str]:
    """Number of sessions and their spread; of both columns if they differ."""
    return _both([str(each) for each in pair["n"]]), _both([spread_text(each) for each in pair["spread"]])


def spread_text(spread: float | None) -> str:
    """`2.9%`, `135%`."""
    return MISSING if spread is None else f"{spread:.1%}" if spread < 0.1 else f"{spread:.0%}"


def _both(texts: Sequence[str]) -> str:
    return " / ".join(dict.fromkeys(texts))


def share_text(share: float | None) -> str:
    """`71%`."""
    return MISSING if share is None else f"{share:.0%}"


# all steps


def step_costs_table(comparison: Comparison, is_relative: bool, names: Sequence[str] | None = None) -> Table:
    """A line for each step and column, relative to the base or as measured; without empty costs."""
    base, names = comparison.base, names or names_of(comparison)
    there = [name for name in COSTS if any(row.has(name) for row in comparison.rows)]
    lines = [
        (*_step_cells(row), names[at], *_figures(row, there, at, base if is_relative else None))
        for row in comparison.rows
        for at in range(len(names))
        if _has_costs(row, at) and not (is_relative and at == base)
    ]
    heads = ("step", "per", "column", "figure", *(SHORT[name] for name in there))
    title = f"Relative to {names[base]}" if is_relative else "As measured"
    remarks = _of_cut(comparison) if lines else (UNMEASURED,)
    return Table(title, heads, tuple(lines), 3, remarks, fixed=3)


def _of_cut(comparison: Comparison) -> tuple[str, ...]:
    """The columns whose result counts only some seconds, while their costs count all."""
    return tuple(
        f"{row_label(row)}, {name}: {step_mark_meaning(OF_ALL_SECONDS)}"
        for row in comparison.rows
        for name, cell in zip(names_of(comparison), row.cells, strict=True)
        if any(cell.cuts)
    )


def _has_costs(row: Row, at: int) -> bool:
    """Whether a step has costs; settling has none, because it sends no queries."""
    return any(row.measures[name][at].n for name, spent_on in COSTS.items() if spent_on)


def _step_cells(row: Row) -> tuple[str, str]:
    return row_label(row), "row" if row.unit == ROWS else "query"


def _figures(row: Row, names: Sequence[str], at: int, base: int | None) -> Iterator[str]:
    """The figure and its costs."""
    yield _cell(row.cells, at, base, row.unit)
    for name in names:
        yield _cell(row.measures[name], at, base)


def _cell(figures: Sequence[ColumnFigure], at: int, base: int | None, unit: str = "") -> str:
    if base is None:
        return figure_text(figures[at].value, unit)
    return ratio_text(relative(figures[at], figures[base]))


def costs_to_csv(comparison: Comparison, entries: Sequence[WhyEntry]) -> str:
    """A line for each cost, step by step, after the result of the step."""
    names = _names(comparison)
    return csv_text(_CSV, (line for entry in entries for line in _csv_lines(entry, names)))


def _csv_lines(entry: WhyEntry, names: Mapping[str, str]) -> Iterator[Sequence[object]]:
    coordinates = coordinates_json(entry["coordinates"])
    place = (entry["step"], coordinates, names[entry["base"]], names[entry["column"]])
    yield *place, "value", *_numbers(entry, None, None)
    for cost in entry["costs"]:
        yield *place, cost["name"], *_numbers(cost, cost["explains"], cost["busy"])
    for each in entry["engine"]:
        yield *place, each["name"], *_numbers(each, None, None)


def _numbers(pair: PairEntry, explains: float | None, busy: float | None) -> Sequence[object]:
    return pair["unit"], *pair["values"], pair["ratio"], explains, busy, *pair["n"], *pair["spread"]


_ALL = 5  # sessions that are listed one by one


def before_after_table(
    comparison: Comparison, found: Sequence[BeforeAfterTest], names: Sequence[str] | None = None
) -> Table:
    """A line for each pair and column."""
    names = names or names_of(comparison)
    lines = tuple(
        (
            step_label(pair["after"], pair["coordinates"]),
            name,
            unit_text(pair["unit"]),
            *_cells(column, pair["unit"]),
        )
        for pair in found
        for name, column in zip(names, pair["columns"], strict=True)
        if column["n"]
    )
    heads = ("step", "column", "unit", "before", "after", "ratio", "sessions", "n")
    title = "Before and after the writes"
    return Table(title, heads, lines, 3, () if lines else (NOTHING["before-after"],), fixed=3)


def _cells(column: BeforeAfterColumn, unit: str) -> tuple[str, ...]:
    """Both results, their ratio over all sessions and in each, and how many; ! if a step has marks."""
    mark = " !" if column["marks"] else ""
    figures = (figure_text(value, unit) for value in column["values"])
    return *figures, ratio_text(column["ratio"]) + mark, _sessions(column), str(column["n"])


def _sessions(column: BeforeAfterColumn) -> str:
    """The ratios `0.80 1.00`; if there are many, their range."""
    known = [ratio for ratio in column["ratios"] if ratio is not None]
    if len(known) < 2:
        return MISSING
    if len(known) <= _ALL:
        return " ".join(map(ratio_text, known))
    return f"{ratio_text(min(known))} to {ratio_text(max(known))}"
