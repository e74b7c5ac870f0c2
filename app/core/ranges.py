"""Numbers as people list them: `2,4,8`, `1-8`, `1..64 x2`, `10..50 +10`; CPUs as for taskset: `0-6:2`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .errors import InputError
from .quantity import count_of

FORMS = "2,4,8, 1-8, 1..64 x2 or 10k,20k"
MOST = 1024  # numbers of one list
_HIGHEST_CPU = 9999
_AFTER = r"(?:(?<=\d)|(?<=\d[kKmMgG]))"  # a number
_TOGETHER = re.compile(rf"\s*(\.\.)\s*|{_AFTER}\s+(-)\s+(?=\d)|{_AFTER}\s*([x*+:])\s*(?=\d)")
_IN_BRACKETS = re.compile(r"\[([^][]*)\]")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")
_NUMBER = re.compile(r"-?[0-9]{1,18}")
_PLAIN, _COUNT = "[0-9]{1,9}", r"[0-9]{1,9}(?:\.[0-9]{1,9}(?=[ekmgEKMG]))?(?:[eE][0-9]{1,2}|[kKmMgG])?"
_RANGE_OF_PLAIN, _RANGE_OF_COUNTS = (
    re.compile(rf"({each})(?:-|\.\.)({each})(?:([x*+:])([0-9]{{1,9}}))?") for each in (_PLAIN, _COUNT)
)


def numbers_of_ranges(text: str, are_counts: bool = False) -> list[int | str]:
    """The numbers of a list in its order; other words, and what is in brackets, stay.

    `are_counts`: `10k` and `1e6` are numbers too; of a variable they are not, as MySQL has another k.
    Raises InputError for a wrong range.
    """
    found: list[int | str] = []
    for at, part in enumerate(_IN_BRACKETS.split(text)):
        found += [part.strip()] if at % 2 else _members(part, are_counts)
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


def _members(text: str, are_counts: bool) -> list[int | str]:
    close = _TOGETHER.sub(lambda found: "".join(filter(None, found.groups())), text).strip(" ,;")
    return [each for word in _BETWEEN.split(close) for each in _member(word, are_counts)] if close else []


def _member(word: str, are_counts: bool) -> list[int | str]:
    if are_counts and re.fullmatch("0[0-9]+", word):
        raise InputError(f"{word}: a comma separates the numbers of a list: write 10000 or 10k, not 10,000")
    if _NUMBER.fullmatch(word):
        return [int(word)]
    parts = (_RANGE_OF_COUNTS if are_counts else _RANGE_OF_PLAIN).fullmatch(word)
    if not parts:
        number = count_of(word) if are_counts else None
        return [word if number is None else number]
    bounds, way = [count_of(each) for each in parts.group(1, 2)], parts[3] or "+"
    first, last = (-1 if each is None else each for each in bounds)
    by = int(parts[4] or 1)
    is_product = way in "x*"
    if first < 0 or last < first or by < (2 if is_product else 1) or (is_product and not first):
        raise InputError(f"{word}: a range goes up, such as 1-8 or 1..64 x2")
    return list(_products(first, last, by) if is_product else range(first, last + 1, by)[: MOST + 1])


def _products(first: int, last: int, by: int) -> list[int]:
    found = [first]
    while found[-1] * by <= last:
        found.append(found[-1] * by)
    return found
