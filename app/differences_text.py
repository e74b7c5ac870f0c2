"""What sessions do not have in common, written down."""

from __future__ import annotations

from collections.abc import Sequence

from .csv_text import csv_text
from .differences import DifferenceEntry, is_of_the_builds
from .text_table import TextTable
from .units import count_text

NOTHING = "Nothing differs."
_HEADS = ("of", "what")


def differences_table(names: Sequence[str], found: Sequence[DifferenceEntry]) -> TextTable:
    """A line a difference, but for those that say only that builds or engines are others."""
    told = [each for each in found if not is_of_the_builds(each)]
    heads = (*_HEADS, *names)
    return TextTable("What differs", heads, tuple(map(_cells, told)), len(heads), _remarks(found, len(told)))


def _cells(entry: DifferenceEntry) -> tuple[str, ...]:
    return entry["group"], entry["name"], *(value or "" for value in entry["values"])


def _remarks(found: Sequence[DifferenceEntry], told: int) -> tuple[str, ...]:
    if not found:
        return (NOTHING,)
    more = count_text(len(found) - told, "variable")
    return (f"{more} more: each build's own default, or not known to all of them (--json)",) * (
        len(found) > told
    )


def to_csv(names: Sequence[str], found: Sequence[DifferenceEntry]) -> str:
    """A line a difference; empty where a session does not have it."""
    return csv_text((*_HEADS, *names), ((each["group"], each["name"], *each["values"]) for each in found))
