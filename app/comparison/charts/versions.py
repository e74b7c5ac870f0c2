"""Counted steps over versions: the instructions of an event relative to the base, a line for each step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import row_label
from app.engines import engine_of
from app.protocol.plan import COUNT
from app.stats.at_target.verdicts import spread_of_starts

from .points import REACH, Cell, ChartNumbers, PointWithRange, numbers, relative_points

FEWEST = 2  # versions of a line


@dataclass(frozen=True)
class VersionPlace:
    """A column at its place in the chart."""

    at: int  # of the comparison
    x: float
    name: str  # `9.7.4`, with what else differs between columns
    server: str  # `MySQL 9.7.4`
    family: str


def version_places(comparison: Comparison) -> list[VersionPlace]:
    """The columns by family and version; between two families is room, where lines end."""
    contenders = [column.contender for column in comparison.columns]
    order = sorted(range(len(contenders)), key=lambda at: _version_key(comparison, at))
    found: list[VersionPlace] = []
    for gap, (family, its) in enumerate(groupby(order, key=lambda at: contenders[at]["family"])):
        for at in its:
            version, more = contenders[at]["version"], _what_differs(comparison, at)
            name = " ".join(filter(None, (version or contenders[at]["build"], more)))
            server = " ".join(filter(None, (family, version, more)))
            found.append(VersionPlace(at, float(len(found) + gap), name, server, family))
    return found


def _version_key(comparison: Comparison, at: int) -> tuple[bool, str, list[int], int]:
    """The family of the base first; columns of one version keep their order."""
    contender, base = comparison.columns[at].contender, comparison.columns[comparison.base].contender
    version = [int(each) for each in re.findall(r"[0-9]{1,9}", contender["version"] or "")]
    return contender["family"] != base["family"], contender["family"], version, at


def _what_differs(comparison: Comparison, at: int) -> str:
    """Engine and preset of a column, as far as not all have the same."""
    columns = [each.contender for each in comparison.columns]
    engine, preset = columns[at]["engine"], columns[at]["preset"]
    title = engine_of(engine).title or engine
    parts = ((title, {each["engine"] for each in columns}), (preset, {each["preset"] for each in columns}))
    return " ".join(text for text, different in parts if len(different) > 1)


def counted_rows(comparison: Comparison, fewest: int = FEWEST) -> list[Row]:
    """The counted steps that the base and at least this many versions have."""
    servers = [(each.contender["family"], each.contender["version"]) for each in comparison.columns]

    def has_line(row: Row) -> bool:
        there = {server for server, cell in zip(servers, row.cells, strict=True) if cell.value}
        return row.kind == COUNT and bool(row.cells[comparison.base].value) and len(there) >= fewest

    return [row for row in comparison.rows if has_line(row)]


def version_line(row: Row, comparison: Comparison, places: Sequence[VersionPlace]) -> list[PointWithRange]:
    """The points of a step, in the order of the places."""
    points = relative_points(row, comparison.base)
    return [points[place.at] for place in places]


def line_colours(rows: Sequence[Row]) -> list[int]:
    """The index of a colour for each step: writes begin anew, as their lines are dashed."""
    writes = [row.counts_writes for row in rows]
    return [writes[:at].count(is_write) for at, is_write in enumerate(writes)]


def version_numbers(comparison: Comparison) -> ChartNumbers:
    """A row for each point."""
    heads = ("step", "family", "version", "instructions", "instructions / base")
    return numbers((*heads, *(f"{head} / base" for head in REACH[:2]), REACH[2]), _rows(comparison))


def _rows(comparison: Comparison) -> Iterator[tuple[Cell, ...]]:
    places = version_places(comparison)
    for row in counted_rows(comparison):
        for place, point in zip(places, version_line(row, comparison, places), strict=True):
            what = (row_label(row), place.family, place.name, row.cells[place.at].value)
            yield (*what, *point.cells)


def versions_remark(comparison: Comparison) -> str:
    """What the places are: `1 is MySQL 5.5.9. From left to right: MySQL 5.5.9 to 9.7.4, MariaDB 11.8.9.`"""
    places = version_places(comparison)
    base = next(place for place in places if place.at == comparison.base)
    families = [[*its] for _, its in groupby(places, key=lambda place: place.family)]
    spans = [f"{its[0].server} to {its[-1].name}" if len(its) > 1 else its[0].server for its in families]
    dashed = " Dashed: writes." if any(row.counts_writes for row in counted_rows(comparison)) else ""
    return f"1 is {base.server}. From left to right: {', '.join(spans)}. {_starts_text(comparison)}{dashed}"


def _starts_text(comparison: Comparison) -> str:
    """How far starts of one server are apart at most."""
    samples = [
        [each for each in cell.samples if each] for row in counted_rows(comparison) for cell in row.cells
    ]
    spreads = [spread_of_starts(each) for each in samples if len(each) > 1]
    if not spreads:
        return "Each was counted once: how far starts are apart is unknown."
    once = ", where there are several" if any(len(each) == 1 for each in samples) else ""
    return f"Starts of one server are within {max(spreads):.1%}{once}."
