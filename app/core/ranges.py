"""Numbers as people list them: `2,4,8`, `1-8`, `1..64 x2`, `10..50 +10`; CPUs as for taskset: `0-6:2`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .errors import InputError

FORMS = "2,4,8, 1-8 or 1..64 x2"
MOST = 1024  # numbers of one list
_HIGHEST_CPU = 9999
_TOGETHER = re.compile(r"\s*(\.\.)\s*|(?<=\d)\s+(-)\s+(?=\d)|(?<=\d)\s*([x*+:])\s*(?=\d)")
_IN_BRACKETS = re.compile(r"\[([^][]*)\]")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")
_NUMBER = re.compile(r"-?[0-9]{1,18}")
_RANGE = re.compile(r"([0-9]{1,9})(?:-|\.\.)([0-9]{1,9})(?:([x*+:])([0-9]{1,9}))?")


def numbers_of_ranges(text: str) -> list[int | str]:
    """The numbers of a list in its order; other words, and what is in brackets, stay.

    Raises InputError for a wrong range.
    """
    found: list[int | str] = []
    for at, part in enumerate(_IN_BRACKETS.split(text)):
        found += [part.strip()] if at % 2 else _members(part)
    if len(found) > MOST:
        raise InputError(f"lists more than {MOST:,} numbers")
    return found


def as_listed(values: Iterable[int | str]) -> str:
    """`4, 2, [0-3]`: as `numbers_of_ranges` reads it."""
    return ", ".join(f"[{each}]" if isinstance(each, str) else str(each) for each in values)


def cpus_of(text: str) -> frozenset[int]:
    """The CPUs of a list as taskset takes it: `0-3,8`, `0-6:2`; raises InputError."""
    found = numbers_of_ranges(text)
    cpus = frozenset(each for each in found if isinstance(each, int) and 0 <= each <= _HIGHEST_CPU)
    if not cpus or not cpus.issuperset(found):
        raise InputError(f"must be like 0-3 or 0,2,4, not {text!r}")
    return cpus


def _members(text: str) -> list[int | str]:
    close = _TOGETHER.sub(lambda found: "".join(filter(None, found.groups())), text).strip(" ,;")
    return [each for word in _BETWEEN.split(close) for each in _member(word)] if close else []


def _member(word: str) -> list[int | str]:
    if _NUMBER.fullmatch(word):
        return [int(word)]
    parts = _RANGE.fullmatch(word)
    if not parts:
        return [word]
    first, last, way = int(parts[1]), int(parts[2]), parts[3] or "+"
    by = int(parts[4] or 1)
    is_product = way in "x*"
    if last < first or by < (2 if is_product else 1) or (is_product and not first):
        raise InputError(f"{word}: a range goes up, such as 1-8 or 1..64 x2")
    return list(_products(first, last, by) if is_product else range(first, last + 1, by)[: MOST + 1])


def _products(first: int, last: int, by: int) -> list[int]:
    found = [first]
    while found[-1] * by <= last:
        found.append(found[-1] * by)
    return found
