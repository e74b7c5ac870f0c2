"""What rows and columns are called, wherever they are shown."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from app.core.names import full_name, names_with_targets, short_names, unique_names
from app.core.table import MISSING
from app.core.units import figure_text
from app.engines import engine_of
from app.history.lists.sessions import ContenderEntry
from app.protocol.plan import Plan, step_label

from .cell import Column, Comparison, Coordinate, Row

SEVERAL = "the median of the sessions, and the least and the largest"


def row_label(row: Row) -> str:
    """The step with its coordinates."""
    return step_label(row.workload, row.coordinates)


def common_coordinates(rows: Sequence[Row]) -> dict[str, Coordinate]:
    """What all steps with coordinates share; nothing if two of them would then have one name."""
    swept = [row.coordinates for row in rows if row.coordinates]
    first: dict[str, Coordinate] = swept[0] if swept else {}
    common = {name: value for name, value in first.items() if all(each.get(name) == value for each in swept)}
    labels = {brief_row_label(row, common) for row in rows}
    return common if len(labels) == len(rows) else {}


def brief_row_label(row: Row, common: Mapping[str, Coordinate]) -> str:
    """The step with those of its coordinates that not all steps share."""
    return step_label(
        row.workload, {name: row.coordinates[name] for name in row.coordinates if name not in common}
    )


def names_of(comparison: Comparison) -> list[str]:
    """Unique names of the columns."""
    columns = comparison.columns
    names = names_with_targets([_named(each) for each in columns], [each.target for each in columns])
    return unique_names(names, [each.starts[0] for each in columns], [each.id for each in columns])


def _named(column: Column) -> str:
    """Its name with engine and version, whatever the plan called it, unless a person did."""
    entry = column.contender
    return full_name(column.name, entry["build"], entry["version"], entry["engine"], (entry["preset"],))


def heads_of(comparison: Comparison) -> Heads:
    """The version, engine and preset of columns as far as they differ; names that people gave stay."""
    columns, names = comparison.columns, names_of(comparison)
    parts = [_parts(column.contender) for column in columns]
    differ = [at for at, each in enumerate(zip(*parts, strict=True)) if len(set(each)) > 1]
    shorts = tuple(" ".join(part[at] for at in differ) for part in parts)
    if len(set(shorts)) < len(shorts) or len(shorts) == 1 or not all(map(_is_by_itself, columns, names)):
        short = short_names(names)
        return Heads(short.names, f"columns: {short.around}" if short.around else "")
    same = [part for at, part in enumerate(parts[0][:2]) if at not in differ]  # presets have many names
    return Heads(shorts, f"all columns: {' '.join(same)}" if same else "")


def _parts(contender: ContenderEntry) -> tuple[str, str, str, str]:
    engine = engine_of(contender["engine"]).title or contender["engine"]
    server = f"{contender['family']} {contender['version']}".strip()
    rest = (contender["table_options"], contender["cores"] and f"cores {contender['cores']}")
    return server, engine, contender["preset"], " ".join(filter(None, rest))


def _is_by_itself(column: Column, name: str) -> bool:
    """Whether its name says what it is, and is not one that a person gave it."""
    words = (column.contender["version"], column.contender["engine"])
    return any(word and word in name for word in words) and name == _named(column)


@dataclass(frozen=True)
class Heads:
    """Heads of columns, and a line on what all of them have in common; '' where that is nothing."""

    texts: tuple[str, ...]
    same: str = ""


# what the steps of plans do, in the words of the workload files that the plans carry


LONGEST = 150  # characters: those of Dyno are shorter


def step_titles(plans: Iterable[Plan]) -> dict[str, str]:
    """Titles by the names of steps; of several plans the first that has one counts."""
    found: dict[str, str] = {}
    for plan in plans:
        for step in plan.steps:
            if step.workload and (title := _title(plan.files.get(f"workloads/{step.workload}.toml", ""))):
                found.setdefault(step.name, title)
    return found


@lru_cache(maxsize=512)
def _title(text: str) -> str:
    """The title in a workload file; '' if it has none or cannot be read, as it may come from anywhere."""
    try:
        title = tomllib.loads(text).get("title", "")
    except (ValueError, RecursionError):
        return ""
    return " ".join(title.split())[:LONGEST] if isinstance(title, str) else ""


def several_text(values: Sequence[float]) -> str:
    """`3.2 (3.0 to 3.4)`, as `SEVERAL` says; one value alone."""
    if not values:
        return MISSING
    if len(values) == 1:
        return figure_text(values[0])
    middle, least, most = map(figure_text, (median(values), min(values), max(values)))
    return f"{middle} ({least} to {most})"
