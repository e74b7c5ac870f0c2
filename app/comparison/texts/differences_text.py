"""What sessions do not have in common, written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.comparison.differences.differences import DifferenceEntry, is_of_the_builds
from app.core.csv_text import csv_text
from app.core.table import Table
from app.core.units import count_text

NOTHING = "Nothing differs."
_HEADS = ("of", "what")
_LISTS = ("variables", "preset")  # groups whose values may be lists
_LONG = 60  # characters that a value may have and be shown whole
_NAMED = 3  # sessions of one column
_CUT = "… "  # in place of what all have


def differences_table(names: Sequence[str], found: Sequence[DifferenceEntry]) -> Table:
    """A line for each difference, without those that only show other builds or engines.

    Sessions that are the same in all lines, such as repeats, share a column.
    """
    shown = [each for each in found if not is_of_the_builds(each)]
    columns: dict[tuple[str, ...], list[str]] = {}
    for name, *values in zip(names, *map(shown_values, shown), strict=True):
        columns.setdefault(tuple(value or "" for value in values), []).append(name)
    heads = (*_HEADS, *map(_head, columns.values()))
    lines = tuple(
        (each["group"], each["name"], *(values[at] for values in columns)) for at, each in enumerate(shown)
    )
    return Table("What differs", heads, lines, len(heads), _remarks(found, len(shown)), fixed=2)


def all_differences_table(names: Sequence[str], found: Sequence[DifferenceEntry]) -> Table:
    """A line for each difference, a column for each session, and the values as they are."""
    lines = tuple((each["group"], each["name"], *(value or "" for value in each["values"])) for each in found)
    return Table("", (*_HEADS, *names), lines, len(_HEADS) + len(names), fixed=2)


def _head(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{names[0]} and {len(names) - 1} more"


def shown_values(entry: DifferenceEntry) -> list[str | None]:
    """The values; of long lists only members that some sessions lack."""
    return without_common_members(entry["values"]) if entry["group"] in _LISTS else list(entry["values"])


def without_common_members(values: Sequence[str | None], longest: int = _LONG) -> list[str | None]:
    """The values; if one is a longer list, only members that not all have."""
    if max(len(value or "") for value in values) <= longest:
        return list(values)
    parts = [list(_parts(value)) for value in values if value is not None]
    common = set[str]().union(*parts).intersection(*parts)
    return [value if value is None or not common else _without(value, common) for value in values]


def _without(value: str, common: set[str]) -> str:
    return (_CUT + "; ".join(part for part in _parts(value) if part not in common)).rstrip()


def _parts(value: str) -> Iterator[str]:
    """Between commas and semicolons, outside of braces."""
    depth, begin = 0, 0
    for at, char in enumerate(value):
        depth += (char == "{") - (char == "}")
        if char in ",;" and not depth:
            yield value[begin:at].strip()
            begin = at + 1
    yield value[begin:].strip()


def _remarks(found: Sequence[DifferenceEntry], shown: int) -> tuple[str, ...]:
    if not found:
        return (NOTHING,)
    more = count_text(len(found) - shown, "variable")
    return (f"{more} more: each build's own default, or not known to all of them (--json)",) * (
        len(found) > shown
    )


def differences_csv(names: Sequence[str], found: Sequence[DifferenceEntry]) -> str:
    """A line for each difference; empty if a session does not have it."""
    return csv_text((*_HEADS, *names), ((each["group"], each["name"], *each["values"]) for each in found))
