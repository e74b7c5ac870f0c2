"""Names side by side: unique, and short where what they have in common is written once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from .units import date_text

_WORD = re.compile(r"[^-_/ ]*[-_/ ]*")  # with what parts it from the next; versions stay whole


_NUMBER = re.compile(r"-\d+$")  # of a repeat
_AFTER = re.compile(r"(-\d+)?(-attempt-\d+)?")  # the name of a contender in that of a session


def full_name(name: str, build: str, version: str, engine: str, others: Sequence[str] = ()) -> str:
    """The name of a contender with its build, version and engine, unless a person gave it.

    Dyno's own names were once as short as told contenders apart: the engine, or engine and preset.
    `others`: what else they may end with, such as the preset.
    """
    if not build or not is_made_name(name, build, engine, others):
        return name
    server = build if version in build else _with_version(build, version)
    return f"{server}-{name.removeprefix(f'{build}-')}"


def full_session_name(name: str, contender: str, full: str) -> str:
    """The name that Dyno gave a session, with the full name of its contender: `night-innodb-2`."""
    before, found, after = name.rpartition(contender) if contender != full else ("", "", "")
    is_made = found and (before.endswith("-") or not before) and _AFTER.fullmatch(after)
    return f"{before}{full}{after}" if is_made else name


def _with_version(build: str, version: str) -> str:
    """`mariadb-10.11.19` of mariadb-10.11, `mine-10.11.19` of mine."""
    series = [version[:at] for at, letter in enumerate(version) if letter == "."]
    short = next((each for each in reversed(series) if build.endswith(f"-{each}")), "")
    return f"{build.removesuffix(f'-{short}') if short else build}-{version}"


def is_made_name(name: str, build: str, engine: str, others: Sequence[str]) -> bool:
    """Whether Dyno made this name of a contender, today or earlier."""
    ends = (engine, *(f"{engine}-{other}" for other in others if other))
    made = {*ends, *(f"{build}-{end}" for end in ends)}
    return name in made or _NUMBER.sub("", name) in made


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
