"""What rows and columns are called, wherever they are shown."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import lru_cache

from app.core.names import names_with_targets, unique_names
from app.protocol.plan import Plan, step_label

from .cell import Comparison, Row


def row_label(row: Row) -> str:
    """The step with its coordinates."""
    return step_label(row.workload, row.coordinates)


def names_of(comparison: Comparison) -> list[str]:
    """Unique names of the columns."""
    columns = comparison.columns
    names = names_with_targets([each.name for each in columns], [each.target for each in columns])
    return unique_names(names, [each.starts[0] for each in columns], [each.id for each in columns])


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
