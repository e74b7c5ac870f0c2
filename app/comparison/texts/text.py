"""A comparison written down: for a terminal, a script, a spreadsheet, a forum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from app.comparison.cells.cell import (
    FAILED,
    OF_SNAPSHOT,
    Cell,
    Column,
    ColumnFigure,
    Comparison,
    Coordinate,
    GroupMeanRatio,
    Row,
    RowGroup,
)
from app.comparison.cells.labels import (
    brief_row_label,
    common_coordinates,
    heads_of,
    names_of,
    row_label,
)
from app.comparison.verdicts.across import SIGN, cross_plan_remarks
from app.comparison.verdicts.judgement import NOT_JUDGED, signs_text, verdict_legend, verdict_short_text
from app.comparison.verdicts.repeats import repeats_text
from app.comparison.verdicts.rounds import about_ratio
from app.core.csv_text import csv_text
from app.core.harmless import harmless
from app.core.table import UNDECIDED, Table, escape_markdown_cell, markdown_of
from app.core.table import CellText as TableCell
from app.core.table import to_text as table_text
from app.core.units import count_text, figure_text, unit_text
from app.core.wrapping import folded
from app.history.steps.figures import SteadinessEntry
from app.history.steps.rates import limit_search_text, rate_try_lines
from app.history.steps.step_text import steadiness_caveats, step_mark_meaning
from app.protocol.others import DISTURBED
from app.protocol.plan import coordinates_json, keeps_rate, step_label
from app.stats import VerdictLimits
from app.stats.at_target.steady import STEADY, UNSTEADY
from app.stats.at_target.verdicts import COLOURED

from .caveats import joined_texts

_UnitText = Callable[["Row | RowGroup"], str]
WIDE = 200  # of what is not shown in a terminal
MOST_FIRST = 3  # lines that come before any result
ALL = 1_000  # sessions of a cell: more than there can be
_NAMED = 2  # columns that are named where all have the same repeats
_LESS = "\N{DOWNWARDS ARROW}"
_SMALLEST = 0.0001  # smallest p shown: less assumes normal noise far beyond any measurement
# the field of each key of a cell in JSON, where a row has a list for each field, with a value a column
_FIGURE = {"values": "value", "n": "n", "samples": "samples", "rounds": "rounds"}
_ORDER = (
    "relative spread low high verdict why p across within reasons marks left_out steadiness cuts soaks"
    " operations disturbed searches pooled"
)
_CELL = {**_FIGURE, **{key: key for key in _ORDER.split()}, "reasons": "reason"}


def to_json(comparison: Comparison) -> dict[str, object]:
    return {
        "base": comparison.base_id,
        "sessions": [_column_as_json(column) for column in comparison.columns],
        "rows": [_row_as_json(row) for row in comparison.rows],
        "plans": [{"statement": each.label, "values": each.values} for each in comparison.plans],
        "groups": [
            {**vars(group), "ratios": [ratio and vars(ratio) for ratio in group.ratios]}
            for group in comparison.groups
        ],
        "limits": json_of_limits(comparison.limits),
        "repeatedly": comparison.repeatedly,
        "has_own_limits": comparison.has_own_limits,
        "warnings": [each.text for each in comparison.warnings],
    }


def json_of_limits(limits: VerdictLimits) -> dict[str, float]:
    return {"false_share": limits.false_share, "matters": limits.matters}


def _column_as_json(column: Column) -> dict[str, object]:
    found = {**vars(column), "state": column.state}
    del found["states"], found["other_work"]
    return found


def _row_as_json(row: Row) -> dict[str, object]:
    found = {**vars(row)}
    found.pop("cells")
    latency_per = found.pop("latency_per")
    del found["measures"], found["earlier"]
    measures = {name: _lists(figures, _FIGURE) for name, figures in row.measures.items()}
    cells = _lists(row.cells, _CELL)
    cells["left_out"] = [[", ".join(marks) for marks in cell.left_out] for cell in row.cells]
    return {**found, **cells, "latency_per": latency_per, "measures": measures}


def _lists(figures: Sequence[ColumnFigure], keys: dict[str, str]) -> dict[str, object]:
    return {key: [getattr(figure, name) for figure in figures] for key, name in keys.items()}


def to_csv(comparison: Comparison) -> str:
    """A line for each step; for each column its result, ratio, n and verdict, then other columns."""
    beside = ("", " relative", " n", " spread", " p", " verdict")
    heads = [f"{name}{each}" for name in names_of(comparison) for each in beside]
    heads += [f"{name} across" for name in names_of(comparison)]
    fixed = ["workload", "group", "threads", "coordinates", "unit", "direction"]
    return csv_text([*fixed, *heads], map(_csv_row, comparison.rows))


def _csv_row(row: Row) -> list[object]:
    cells = [
        figure
        for cell in row.cells
        for figure in (cell.value, cell.relative, cell.n, cell.spread, cell.p, cell.verdict)
    ]
    coordinates = coordinates_json(row.coordinates)
    return [
        row.workload, row.group, row.threads, coordinates, row.unit, row.direction, *cells,
        *(cell.across for cell in row.cells),
    ]  # fmt: skip


def to_markdown(comparison: Comparison, has_details: bool = False, sentences: Sequence[str] = ()) -> str:
    """For a forum or an issue: what it comes to, the table, its caveats."""
    caveats = _caveats(comparison, has_details, sentences)
    remarks = [f"- {escape_markdown_cell(remark)}" for remark in caveats]
    above = [*first_texts_of(comparison), *sentences, *above_of(comparison, "")]
    table = results_table(comparison, common_coordinates(comparison.rows), has_details, _unit)
    said = [f"{escape_markdown_cell(each)}\n" for each in above]
    return "\n".join([*said, markdown_of(table.heads, table.lines), *remarks]).rstrip() + "\n"


def results_table(
    comparison: Comparison, common: Mapping[str, Coordinate], has_details: bool, unit: _UnitText
) -> Table:
    """The step, its unit, the result of the base, then each other result and ratio."""
    base, names = comparison.base, heads_of(comparison).texts
    order = [base, *(at for at in range(len(comparison.columns)) if at != base)]
    heads = ["step", "unit", names[base]]
    heads += [head for at in order[1:] for head in (names[at], "ratio")]
    lines = [
        (brief_row_label(row, common), unit(row), *_line(row, order, has_details)) for row in comparison.rows
    ]
    lines += [_group_line(group, order, unit(group)) for group in _told(comparison)]
    return Table("", tuple(heads), tuple(lines), 2, fixed=3, together=2)


def shown_table(
    comparison: Comparison, has_details: bool = False, is_whole: bool = False, sentences: Sequence[str] = ()
) -> Table:
    """For a terminal, with its caveats; in detail with all of them, and n, p and spread.

    Settling, restarts and steps without any figure are left out, unless all is asked for; of the last it says
    so. `sentences` stand above it.
    """
    shown, left_out = comparison, []
    if not (has_details or is_whole):
        hidden = [row for row in comparison.rows if _is_left_out(row) and not row.is_waiting]
        at_rate = [row for row in hidden if _is_at_rate(row)]
        left_out = [row_label(row) for row in hidden if row not in at_rate]
        left_out += [f"{count_text(len(at_rate), 'row')} at their rates"] if at_rate else []
        shown = replace(comparison, rows=[row for row in comparison.rows if not _is_left_out(row)])
    caveats = _caveats(comparison, has_details, sentences)
    caveats += [f"not shown: {', '.join(left_out)} (--details)"] if left_out else []
    remarks = ("", *caveats) if caveats else ()
    table = results_table(shown, common_coordinates(comparison.rows), has_details, _brief_unit)
    return replace(table, remarks=remarks)


def _is_left_out(row: Row) -> bool:
    """Settling and restarts that went well, and steps of which no column has a figure and none should."""
    has_failed = any(cell.lacking == FAILED for cell in row.cells)
    is_bare = all(
        cell.value is None and (not cell.reason or cell.lacking == OF_SNAPSHOT) for cell in row.cells
    )
    return is_bare or (row.is_waiting and not has_failed) or _is_at_rate(row)


def _is_at_rate(row: Row) -> bool:
    """A role beside that of a figure, or a kind of events, which did as the plan says in all columns."""
    return row.beside and all(
        cell.value is not None and keeps_rate(row.rate, row.unit, cell.marks) for cell in row.cells
    )


def to_text(
    comparison: Comparison, has_details: bool = False, width: int = WIDE, sentences: Sequence[str] = ()
) -> str:
    """What it comes to, then tables with as many columns in each as fit, then caveats."""
    said = [folded(harmless(each), width) for each in lines_above(comparison, sentences, has_details)]
    return "".join([*said, table_text(shown_table(comparison, has_details, sentences=sentences), width)])


def lines_above(comparison: Comparison, sentences: Sequence[str], is_whole: bool = False) -> list[str]:
    """What terminals show above the table: sentences, and how it is read."""
    first = [*first_texts_of(comparison), *sentences]
    shown = [row for row in comparison.rows if is_whole or not _is_left_out(row)]
    less = _LESS if any(row.direction == "lower" for row in shown) else ""
    return [*first, *([""] if first else []), *above_of(comparison, less)]


def first_texts_of(comparison: Comparison) -> list[str]:
    """What comes before any result; where that is much, the first of it."""
    texts, more = comparison.first_texts[:MOST_FIRST], len(comparison.first_texts) - MOST_FIRST
    return [*texts, *([f"{more} more like these: --details"] if more > 0 else [])]


def _caveats(comparison: Comparison, has_details: bool, sentences: Sequence[str]) -> list[str]:
    if not has_details:
        return joined_texts(comparison, sentences)
    return [*comparison.first_texts[MOST_FIRST:], *remarks_of(comparison)]


def above_of(comparison: Comparison, less: str) -> list[str]:
    """What tables omit: what all columns share, what a ratio is to, and what signs mean."""
    heads = heads_of(comparison)
    has_ratios = len(comparison.columns) > 1
    of_rounds = "the median of each repeat's ratio " if about_ratio(comparison) else ""
    ratio = [f"ratio: {of_rounds}to {heads.texts[comparison.base]}"] if has_ratios else []
    is_alone = any(cell.within is not None for row in comparison.rows for cell in row.cells)
    signs = [
        *([f"{less} less is better"] if less else []),
        signs_text(comparison),
        "\N{PLUS-MINUS SIGN} how far blocks of its seconds are from their median" if is_alone else "",
    ]
    common = step_label("", common_coordinates(comparison.rows)).strip()
    same = [heads.same, f"all tests: {common}" if common else ""]
    return [*filter(None, ["   ".join(filter(None, same)), *ratio, "   ".join(filter(None, signs))])]


def _brief_unit(of: Row | RowGroup) -> str:
    unit = unit_text(of.unit).replace("queries/s", "q/s")
    return unit + (f" {_LESS}" if of.direction == "lower" else "")


def remarks_of(comparison: Comparison) -> list[str]:
    """Notes below the table: warnings, missing figures, number of repeats."""
    counts = sorted({cell.n for row in comparison.rows for cell in row.cells if cell.n})
    repeats = f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}" if counts else ""
    missing = _by_text(comparison, lambda row, at: filter(None, [row.cells[at].reason]))
    marked = _by_text(comparison, lambda row, at: cell_remarks(row.cells[at], 1))
    said = [*missing, *marked, *_repeats(comparison), *_alone(comparison)]
    judged = [": ".join(filter(None, (repeats, verdict_legend(comparison))))] if repeats else []
    across = cross_plan_remarks(comparison, names_of(comparison))
    warnings = [each.text for each in comparison.warnings if not each.comes_first]
    return [*warnings, *across, *said, *judged, *filter(None, [about_ratio(comparison)])]


def unjudged_texts(comparison: Comparison) -> list[str]:
    """Ratios without verdict, and why: `read-only, rocksdb: disturbed, not judged`."""

    def why(row: Row, at: int) -> list[str]:
        return [f"{row.cells[at].why}, not judged"] if row.cells[at].verdict in NOT_JUDGED else []

    return _by_text(comparison, why)


def _by_text(comparison: Comparison, texts: Callable[[Row, int], Iterable[str]]) -> list[str]:
    """Each text once, after its cells: `load; index, innodb: skipped`, where all cells of load have it."""
    names = names_of(comparison)
    cells: dict[str, dict[str, list[str]]] = {}
    for row in comparison.rows:
        for at, name in enumerate(names):
            for text in texts(row, at):
                cells.setdefault(text, {}).setdefault(row_label(row), []).append(name)
    return [f"{'; '.join(_places(of, len(names)))}: {text}" for text, of in cells.items()]


def _places(of: Mapping[str, Sequence[str]], columns: int) -> list[str]:
    return [", ".join([row, *(names if len(names) < columns else [])]) for row, names in of.items()]


def cell_remarks(cell: Cell, most: int = ALL) -> list[str]:
    """The marks of a cell in words, with repeats left out, unsteady sessions and cuts.

    `most`: disturbed sessions of which each is told; of the others it says how many there are.
    """
    marks = [step_mark_meaning(mark) for mark in cell.marks if mark not in marks_with_reasons(cell)]
    return [*marks, *filter(None, [left_out_repeats_text(cell)]), *cell_session_remarks(cell, most)]


def marks_with_reasons(cell: Cell) -> set[str]:
    """The marks of a cell whose reasons are listed by session."""
    return {UNSTEADY, DISTURBED} if any(cell.disturbed) else {UNSTEADY}


def left_out_repeats_text(cell: Cell) -> str:
    """`1 of 5 repeats left out: disturbed`; '' where all count."""
    out = [marks for marks in cell.left_out if marks]
    why = ", ".join(dict.fromkeys(mark for marks in out for mark in marks))
    return f"{len(out)} of {count_text(len(cell.left_out), 'repeat')} left out: {why}" if out else ""


def cell_session_remarks(cell: Cell, most: int = ALL) -> list[str]:
    """For each session of a cell: what disturbed it, its search, its steadiness, which seconds count."""
    n, left = len(cell.samples), most
    more = sum(map(bool, cell.disturbed)) - most
    told = []
    parts = (cell.disturbed, cell.searches, cell.steadiness, cell.cuts)
    for number, (disturbed, search, steadiness, cut) in enumerate(zip(*parts, strict=True), 1):
        left -= bool(disturbed)
        too = f"; {more} more of its sessions too" if left == 0 and more > 0 else ""
        first = [disturbed + too] if disturbed and left >= 0 else []
        tries = rate_try_lines(search) if most == ALL else []
        searched = [*filter(None, [limit_search_text(search)]), *tries]
        texts = [*first, *searched, *steadiness_caveats(steadiness, cut)]
        told += [f"session {number} of {n}: {text}" if n > 1 else text for text in texts]
    return told


def steady_text(cell: Cell) -> str:
    """`steady, no trend of 6% or more`, `steady: 3 of 5 sessions`; '' where nobody looked."""
    looked = [each for each in cell.steadiness if each]
    words, trend = [each["word"] for each in looked], _trend_text(looked)
    if len(set(words)) <= 1:
        return "".join(words[:1]) + trend
    return f"{STEADY}: {words.count(STEADY)} of {len(words)} sessions{trend}"


def _trend_text(looked: Sequence[SteadinessEntry]) -> str:
    """The smallest trend that the check of each steady session would have found."""
    trends = {each["text"].partition(", ")[0] for each in looked if each["word"] == STEADY}
    return f", {max(trends, key=lambda text: (len(text), text))}" if trends else ""


def _repeats(comparison: Comparison) -> list[str]:
    """`innodb, rocksdb: 5 repeats: 1 load, 5 server starts`: how much of each other repeats are."""
    names: dict[str, list[str]] = {}
    for name, column in zip(names_of(comparison), comparison.columns, strict=True):
        if (repeats := len(column.ids)) > 1:
            text = repeats_text(repeats, column.loads, column.server_starts)
            names.setdefault(text, []).append(name)
    count = len(comparison.columns)
    return [
        f"{'all columns' if len(of_text) == count > _NAMED else ', '.join(of_text)}: {text}"
        for text, of_text in names.items()
    ]


def _alone(comparison: Comparison) -> list[str]:
    if all(cell.within is None for row in comparison.rows for cell in row.cells):
        return []
    return [
        "\N{PLUS-MINUS SIGN} after the result of one session is how far blocks of its seconds are from their"
        " median at most; it says nothing about the next session"
    ]


def _unit(of: Row | RowGroup) -> str:
    return unit_text(of.unit) + (" (less is better)" if of.direction == "lower" else "")


def _line(row: Row, order: Sequence[int], has_details: bool) -> list[str]:
    cells = [_figure(row.cells[order[0]], row.unit, has_details)]
    for at in order[1:]:
        cells += [_figure(row.cells[at], row.unit, has_details), _judged(row.cells[at])]
    return cells


def _figure(cell: Cell, unit: str, has_details: bool) -> str:
    """The median; for a single session also how steady it was."""
    alone = "" if cell.within is None else within_text(cell.within)
    return f"{figure_text(cell.value, unit)} {detail_text(cell) if has_details else alone}".rstrip()


def _judged(cell: Cell) -> str:
    """The same in the colour of its verdict."""
    tone = cell.verdict if cell.verdict in COLOURED else UNDECIDED if cell.relative is not None else ""
    return TableCell(judged_text(cell), tone=tone or "")


def judged_text(cell: Cell) -> str:
    """`0.62 worse`, `1.01 ~`; a ratio without a verdict has no sign."""
    relative = cell.relative
    if relative is None:
        return "-"
    parts = (f"{relative:.2f}", verdict_short_text(cell.verdict), cross_plan_marker(cell.across))
    return " ".join(filter(None, parts))


def cross_plan_marker(across: str) -> str:
    """The sign after a verdict across time or machines."""
    return SIGN if across else ""


def detail_text(cell: Cell) -> str:
    """What a verdict rests on: `-0.9 to +1.2% n=8 p=0.0002`; `within ±3.1% n=1` of one session alone."""
    n, alone, p = cell.n, cell.within, cell.p
    parts = [f"within {within_text(alone)}"] if alone is not None else []
    parts += [*filter(None, [spread_text(cell)]), *([f"n={n}"] if n else [])]
    return " ".join([*parts, *([p_text(p).replace(" ", "")] if p is not None else [])])


def p_text(p: float) -> str:
    """`p = 0.0079`; of a very small one that it is."""
    return f"p = {p:.2g}" if p >= _SMALLEST else f"p < {_SMALLEST:g}"


def spread_text(cell: Cell) -> str:
    """`-0.9 to +1.2%`: the lowest and the highest session, from their median; '' of a single one."""
    value, known = cell.value, [each for each in cell.samples if each is not None]
    if not value or len(known) < 2:
        return ""
    lowest, highest = (100 * (each / value - 1) for each in (min(known), max(known)))
    return f"{lowest:+.1f} to {highest:+.1f}%"


def within_text(share: float) -> str:
    """`±1.2%`, `up to 2.6 times`: how far blocks of seconds are from their median."""
    return f"\N{PLUS-MINUS SIGN}{share:.1%}" if share < 1 else f"up to {1 + share:.1f} times"


def _told(comparison: Comparison) -> list[RowGroup]:
    """The groups with more than one step, in a comparison with more than one column."""
    base, columns = comparison.base, len(comparison.columns)
    others = [at for at in range(columns) if at != base]
    return [
        group for group in comparison.groups if group.steps > 1 and any(group.ratios[at] for at in others)
    ]


def _group_line(group: RowGroup, order: Sequence[int], unit: str) -> tuple[str, ...]:
    cells = [f"geometric mean of {group.group or 'all'}", unit, f"{group.of} steps"]
    for at in order[1:]:
        found = group.ratios[at]
        cells += ["", "-" if found is None else mean_text(found) + steps_in_mean_text(found, group)]
    return tuple(cells)


def steps_in_mean_text(mean: GroupMeanRatio, group: RowGroup) -> str:
    """` of 7 of 8`: the steps that a mean is over, where these are not all of its group."""
    return f" of {mean.steps} of {group.of}" if mean.steps < group.of else ""


def mean_text(mean: GroupMeanRatio) -> str:
    """`0.93 [0.91, 0.95]`; without the interval where it is not known."""
    return f"{mean.ratio:.2f} {interval_text(mean)}".rstrip()


def interval_text(mean: GroupMeanRatio) -> str:
    """`[0.91, 0.95]`, and the sign of plans that are not of one time or machine."""
    interval = "" if mean.low is None else f"[{mean.low:.2f}, {mean.high:.2f}]"
    return f"{interval} {cross_plan_marker(mean.across)}".strip()
