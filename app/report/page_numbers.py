"""All numbers of an interactive report as one JSON document: a comparison against each of its bases.

The page computes none: ratios, intervals, verdicts and sentences are those of `app.comparison`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.comparison.answers.sentences import first_lines, group_verdict
from app.comparison.cells.cell import Cell, Comparison, GroupMeanRatio, Row, RowGroup
from app.comparison.cells.labels import heads_of, names_of, row_label
from app.comparison.cells.measures import LATENCIES, measure_named
from app.comparison.cells.palette import CONTENDERS
from app.comparison.texts.text import (
    cell_remarks,
    judged_text,
    mean_text,
    p_text,
    steps_in_mean_text,
    to_csv,
)
from app.comparison.verdicts.across import cross_plan_remarks
from app.comparison.verdicts.compare import by_group, compare, sessions_of
from app.comparison.verdicts.judgement import verdict_legend
from app.comparison.verdicts.rounds import relative
from app.core.harmless import harmless_text
from app.core.units import figure_text, unit_text
from app.history.steps.curves import SecondsCurve, curves
from app.history.store.history import History
from app.stats import VerdictLimits
from app.stats.at_target.verdicts import COLOURED

from .origin import SessionOrigin
from .svg import column_styles
from .tables import COSTS, title_of

FORMAT = "dyno-report-1"
SECONDS = "load.queries"  # the series behind a cell
WIDTHS = (1, 2, 5, 10, 20, 30, 60, 120, 300)  # seconds that one point of a curve may be the mean of
_FIELDS = ("value", "n", "samples", "relative", "low", "high", "verdict", "p")  # of a cell

_Curves = list[list[SecondsCurve | None]]  # of a step: a list for each column, one for each of its sessions


@dataclass(frozen=True)
class PageNumbers:
    """The document without the seconds, and the seconds, which may be too many for a page."""

    document: dict[str, Any]
    seconds: list[_Curves]  # of each step

    def with_seconds(self, width: int) -> dict[str, Any]:
        """The document with means over this many seconds; 0: without any."""
        steps = [
            {**step, "seconds": [[_means(each, width) for each in column] for column in its] if width else []}
            for step, its in zip(self.document["steps"], self.seconds, strict=True)
        ]
        return {**self.document, "steps": steps, "seconds_width": width}


def read_page_numbers(
    history: History, found: Comparison, origins: Sequence[SessionOrigin], title: str, made: str
) -> PageNumbers:
    """The numbers of a comparison, as it is against each of its columns."""
    sessions = sessions_of(found)
    of_bases = [
        found if at == found.base else by_group(compare(history, sessions, column.id, found.limits))
        for at, column in enumerate(found.columns)
    ]
    document = {
        "format": FORMAT,
        "title": title,
        "made": made,
        "certain": 1 - found.limits.false_share,
        "matters": found.limits.matters,
        "corrections": [],
        "base": found.base,
        "columns": list(_columns(found, origins)),
        "steps": [_step(row) for row in found.rows],
        "bases": [_against(each, found.rows) for each in of_bases],
    }
    return PageNumbers(document, [_seconds(history, found, row) for row in found.rows])


def json_for_page(document: object) -> str:
    """JSON that no name can end or leave, wherever it is put into HTML."""
    text = json.dumps(_harmless(document), ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _harmless(part: object) -> object:
    if isinstance(part, str):
        return harmless_text(part)
    if isinstance(part, Mapping):
        return {key: _harmless(value) for key, value in part.items()}
    return [_harmless(each) for each in part] if isinstance(part, list | tuple) else part


def _columns(found: Comparison, origins: Sequence[SessionOrigin]) -> Iterator[dict[str, Any]]:
    styles = column_styles([column.colour % len(CONTENDERS[False]) for column in found.columns])
    for column, name, head, style in zip(
        found.columns, names_of(found), heads_of(found).texts, styles, strict=True
    ):
        yield {
            "name": name,
            "head": head,
            "class": style.classes,
            "target": column.target,
            "contender": dict(column.contender),
            "sessions": [each.as_json() for each in origins if each.session in column.ids],
        }


def _step(row: Row) -> dict[str, Any]:
    """What is the same against every base."""
    return {
        "label": row_label(row),
        "title": row.title,
        "group": row.group or "other steps",
        "remarks": [cell_remarks(cell, 1) for cell in row.cells],
    }


def _against(found: Comparison, order: Sequence[Row]) -> dict[str, Any]:
    """A comparison: sentences, each step in the order of the page, each group, its CSV."""
    rows = {row_label(row): row for row in found.rows}
    sentences = [*found.first_texts, *first_lines(found), *cross_plan_remarks(found, names_of(found))]
    return {
        "sentences": sentences,
        "legend": verdict_legend(found),
        "steps": [_of_row(rows[row_label(row)], found.base) for row in order],
        "groups": [_group(group, found.limits) for group in found.groups if group.steps > 1],
        "csv": to_csv(found),
    }


def _of_row(row: Row, base: int) -> dict[str, Any]:
    """A list for each field, with a value for each column."""
    return {
        "unit": unit_text(row.unit),
        "direction": row.direction,
        **{field: [getattr(cell, field) for cell in row.cells] for field in _FIELDS},
        "tone": [cell.verdict if cell.verdict in COLOURED else "" for cell in row.cells],
        "figures": [figure_text(cell.value, row.unit) for cell in row.cells],
        "words": [_words(cell, at == base) for at, cell in enumerate(row.cells)],
        "why": [cell.why or cell.reason for cell in row.cells],
        "p_text": ["" if cell.p is None else p_text(cell.p) for cell in row.cells],
        "measures": list(_measures(row, base)),
    }


def _words(cell: Cell, is_base: bool) -> str:
    return "" if is_base or cell.relative is None else judged_text(cell)


def _measures(row: Row, base: int) -> Iterator[dict[str, Any]]:
    """Latencies and costs, with their ratios to the base, which have no verdict."""
    for name in (*LATENCIES, *COSTS):
        if row.has(name):
            measure, figures = measure_named(name), row.measures[name]
            unit = measure.unit_of(row)
            of = unit.removeprefix("/query").removeprefix("/row")  # a count: its title says so already
            yield {
                "name": name,
                "title": title_of(measure.title_of(unit), of, measure.direction),
                "values": [figure.value for figure in figures],
                "figures": [figure_text(figure.value) for figure in figures],
                "ratios": [
                    "" if at == base else _ratio_text(relative(each, figures[base]))
                    for at, each in enumerate(figures)
                ],
            }


def _ratio_text(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def _group(group: RowGroup, limits: VerdictLimits) -> dict[str, Any]:
    """The means of a group of steps, a list for each field."""
    there = [mean or GroupMeanRatio(0.0) for mean in group.ratios]
    return {
        "group": group.group or "other steps",
        "unit": unit_text(group.unit),
        "steps": group.of,
        "relative": [mean and mean.ratio for mean in group.ratios],
        "low": [mean.low for mean in there],
        "high": [mean.high for mean in there],
        "verdict": [group_verdict(group, at, limits) for at in range(len(there))],
        "words": [mean and mean_text(mean) + steps_in_mean_text(mean, group) for mean in group.ratios],
    }


# the seconds behind a cell


def _seconds(history: History, found: Comparison, row: Row) -> _Curves:
    of_each = curves(history, sessions_of(found), row.workload, row.coordinates, SECONDS)
    return [[of_each.get(id_) for id_ in column.ids] for column in found.columns]


def _means(curve: SecondsCurve | None, width: int) -> list[list[float]]:
    """Points of a curve: the first second of each stretch, and the mean of its known values."""
    stretches: dict[int, list[float]] = {}
    pairs: Iterable[tuple[float, float]] = (
        zip(curve.seconds.tolist(), curve.values.tolist(), strict=True) if curve else ()
    )
    for second, value in pairs:
        if value == value:
            stretches.setdefault(int(second // width) * width, []).append(value)
    return [[second, _short(sum(values) / len(values))] for second, values in stretches.items()]


def _short(value: float) -> float:
    """Four digits are enough for a curve."""
    return round(value) if abs(value) >= 1000 else float(f"{value:.4g}")
