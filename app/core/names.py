"""Names side by side: unique, and short where what they have in common is written once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from .units import date_text

_WORD = re.compile(r"[^-_/ ]*[-_/ ]*")  # with what parts it from the next; versions stay whole


@dataclass(frozen=True)
class ShortNames:
    """Short names and what they share: `innodb`, `rocksdb`, and `mysql-…-1` around them."""

    names: tuple[str, ...]
    around: str = ""  # empty where they have nothing in common


def unique_names(names: Sequence[str], starts: Sequence[float | None], ids: Sequence[str]) -> list[str]:
    """Equal ones with their start times; where these are equal too, with the end of their ids."""
    timed = _with_times(names, starts)
    return [
        f"{name} {id_[-6:]}" if timed.count(name) > 1 else name for name, id_ in zip(timed, ids, strict=True)
    ]


def _with_times(names: Sequence[str], starts: Sequence[float | None]) -> list[str]:
    """`duel 14:35`; with the date where the sessions of this name began on several days."""
    dates = ["" if start is None else date_text(start) for start in starts]
    days: dict[str, set[str]] = {}
    for name, date in zip(names, dates, strict=True):
        days.setdefault(name, set()).add(date[:10])
    return [
        f"{name} {date[11:] if len(days[name]) == 1 else date}".rstrip() if names.count(name) > 1 else name
        for name, date in zip(names, dates, strict=True)
    ]


def names_with_targets(names: Sequence[str], targets: Sequence[str]) -> list[str]:
    """The same; a name that several targets have gets its target."""
    of_name: dict[str, set[str]] = {}
    for name, target in zip(names, targets, strict=True):
        of_name.setdefault(name, set()).add(target)
    return [
        f"{name} on {target}" if len(of_name[name]) > 1 else name
        for name, target in zip(names, targets, strict=True)
    ]


def short_names(names: Sequence[str]) -> ShortNames:
    """Names without the words that all of them begin or end with; none becomes empty."""
    if len(set(names)) < 2:
        return ShortNames(tuple(names))
    words = [_WORD.findall(name)[:-1] for name in names]  # the last match is empty
    first = _shared(words)
    last = _shared([_parted(name[len("".join(first)) :]) for name in names])
    begin, end = "".join(first), "".join(reversed(last))
    shorts = tuple(name[len(begin) : len(name) - len(end)].strip("-_/ ") for name in names)
    if not (begin or end) or not all(shorts) or len(set(shorts)) < len(set(names)):
        return ShortNames(tuple(names))
    return ShortNames(shorts, f"{begin}…{end}")


def _shared(words: Sequence[Sequence[str]]) -> list[str]:
    """The words that all names begin with; the shortest name keeps one."""
    most = max(min(map(len, words)) - 1, 0)
    columns = zip(*(each[:most] for each in words), strict=False)
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns)]


def _parted(name: str) -> list[str]:
    """The words of a name from the last on, each with the separator before it."""
    return [each[::-1] for each in _WORD.findall(name[::-1])[:-1]]
