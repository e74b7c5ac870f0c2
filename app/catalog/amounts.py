"""Numbers that sequences and plans name: their limits, and texts such as `10k` or `3x memory`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from app.core.errors import InputError
from app.core.quantity import ALLOWED, count_of
from app.core.ranges import cpus_of, numbers_of_ranges
from app.core.toml_text import Document, ValueRule, short_value_repr
from app.protocol.plan import ARRIVALS, MOST_REPLICAS

MAX_SECONDS = 86_400
MAX_EVENTS = 10**12
MAX_RATE = 10_000_000  # events a second
MAX_THREADS = 4_095  # what the shared block of the load generator has room for
MAX_CORES = 4_096
MAX_ROWS = 2_000_000_000  # of a table: the key of the classic table is an INTEGER
MAX_TABLES = 1_000

_SHARE = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*x\s*memory\s*")
_REPLICA = re.compile(r"replica(?: ([1-9][0-9]?))?", re.ASCII)

THREADS = ValueRule((int,), 1, MAX_THREADS)
THREAD_LIST = ValueRule((int, list), 1, MAX_THREADS, items=THREADS, empty=False)
CORES = ValueRule((int,), 1, MAX_CORES)
CORE_SETS = ValueRule((int, list), items=ValueRule((int, str)), empty=False)
SECONDS = ValueRule((int,), 1, MAX_SECONDS)
WARMUP = ValueRule((int,), 0, MAX_SECONDS)
SHARE = ValueRule((int, float), 0.01, 100)
TABLES = ValueRule((int,), 1, MAX_TABLES)
ROWS = ValueRule((int, str), 1, MAX_ROWS)
EVENTS = ValueRule((int,), 1, MAX_EVENTS)
RATE = ValueRule((int,), 1, MAX_RATE)
RATE_LIST = ValueRule((int, list), 1, MAX_RATE, items=RATE, empty=False)
LIMIT_MS = ValueRule((int, float), 0.01, 100_000)
GAPS = ValueRule((str,), choices=ARRIVALS)

SWEPT = ("threads", "cores", "rate")  # keys that hold one number or several

CoreSets = tuple[int | str, ...]  # each a number of cores, or CPUs as taskset takes them


def expand_ranges(document: Document, table: dict[str, Any], where: tuple[str | int, ...] = ()) -> None:
    """Replace texts such as "1..64 x2" or "10k" in a table by their numbers."""
    if isinstance(rows := table.get("rows"), str):
        table["rows"] = read_rows(rows)
    for key in SWEPT:
        if isinstance(table.get(key), str):
            try:
                table[key] = numbers_of_ranges(table[key], are_counts=True)
            except InputError as error:
                raise document.error((*where, key), str(error)) from None


def check_number_words(document: Document, table: dict[str, Any], where: tuple[str | int, ...] = ()) -> None:
    """Raise InputError for a text that stands for a number and means none."""
    for key, words_problem in WORDS.items():
        if key in table and (problem := words_problem(table[key])):
            raise document.error((*where, key), problem)


def as_tuple(value: int | list[int | str]) -> tuple[int | str, ...]:
    """One number or a list, as a tuple without repeats."""
    return tuple(dict.fromkeys(value)) if isinstance(value, list) else (value,)


def read_rows(text: str) -> int | str:
    """The typed number of rows; text that is no number, such as `3x memory`, is returned as it is."""
    number = count_of(text)
    return text if number is None else number


def rows_problem(rows: int | str) -> str:
    """What is wrong with rows given as a share of the memory, '' if nothing."""
    if isinstance(rows, str) and not parse_memory_multiple(rows):
        return f'must be {ALLOWED["count"]}, or like "3x memory", not {short_value_repr(rows)}'
    return ""


def core_sets_problem(sets: int | Iterable[int | str]) -> str:
    """What is wrong with numbers of cores and lists of CPUs, '' if nothing."""
    for each in (sets,) if isinstance(sets, int) else sets:
        if isinstance(each, int) and not 1 <= each <= MAX_CORES:
            return f"must be between 1 and {MAX_CORES:,}, not {each}; CPUs go into brackets: [0-3]"
        if isinstance(each, str) and not _is_cpus(each):
            shown = short_value_repr(each)
            return f"must be numbers of cores, or CPUs in brackets, such as 4,2 or [0-3], not {shown}"
    return ""


def _is_cpus(text: str) -> bool:
    try:
        return bool(cpus_of(text))
    except InputError:
        return False


def replica_number(text: str) -> int:
    """Which replica a text names: 1 of `replica`, 2 of `replica 2`; 0: none."""
    found = _REPLICA.fullmatch(text)
    return int(found[1] or 1) if found else 0


def replica_problem(text: str) -> str:
    """What is wrong with the server that a step or role is on, '' if nothing."""
    if 1 <= replica_number(text) <= MOST_REPLICAS:
        return ""
    return f"must be replica, or replica 2 for the second of them, not {short_value_repr(text)}"


WORDS: dict[str, Callable[[Any], str]] = {
    "rows": rows_problem, "cores": core_sets_problem, "on": replica_problem,
}  # fmt: skip


def parse_memory_multiple(rows: int | str) -> float | None:
    """3.0 of "3x memory"; None of a number."""
    found = _SHARE.fullmatch(rows) if isinstance(rows, str) else None
    return float(found[1]) if found else None
