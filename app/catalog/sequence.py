"""Sequences as the files describe them: their keys checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import InputError
from app.core.quantity import ALLOWED, count_of
from app.core.ranges import cpus_of, numbers_of_ranges
from app.core.toml_text import FLAG, NEEDED_TEXT, TABLE, TEXT, Document, ValueRule, short_value_repr
from app.protocol.plan import ARRIVALS, STEP_KINDS, WITHOUT_WORK
from app.variables.ownership import is_dyno_option

from .workload import NAME_OF_OPTION, check_name, check_options

MAX_SECONDS = 86_400
MAX_EVENTS = 10**12
MAX_RATE = 10_000_000  # events a second
MAX_THREADS = 4_095  # what the shared block of the load generator has room for
MAX_CORES = 4_096
MAX_ROWS = 2_000_000_000  # of a table: the key of the classic table is an INTEGER
MAX_TABLES = 1_000
TRANSPORTS = ("socket", "loopback")

_SHARE = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*x\s*memory\s*")

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

_PLAIN = re.compile(r"[A-Za-z0-9_.:,+-]{0,100}")  # a value of a variable
# keys that a step has no use for whose instructions are counted
_NOT_COUNTED = ("seconds", "share", "events", "rate", "limit_ms", "threads", "cores", "per_table", "profile")
RELOADS = ("once", "each")  # before the first point of a step, or before each
SWEPT = ("threads", "cores", "rate")  # keys that hold one number or several

CoreSets = tuple[int | str, ...]  # each a number of cores, or CPUs as taskset takes them

STEP_RULES = {
    "name": TEXT,
    "workload": TEXT,
    "kind": ValueRule((str,), choices=STEP_KINDS),
    "options": TABLE,
    "seconds": SECONDS,
    "share": SHARE,
    "events": EVENTS,
    "rate": RATE_LIST,
    "arrivals": GAPS,
    "limit_ms": LIMIT_MS,
    "count": EVENTS,
    "threads": THREAD_LIST,
    "cores": CORE_SETS,
    "variation": ValueRule((list,), items=TABLE, empty=False),
    "key_caches": FLAG,
    "profile": FLAG,
    "warmup": WARMUP,
    "warm": FLAG,
    "per_table": FLAG,
    "settle_before": FLAG,
    "settle_after": FLAG,
    "reload": ValueRule((str,), choices=RELOADS),
    "increments": ValueRule((int,), 2, 1000),
    "cap_s": SECONDS,
}
VARIATION_RULES = {"name": NEEDED_TEXT, "options": TABLE, "variables": TABLE, "restart_with": TABLE}
SEQUENCE_RULES = {
    "name": NEEDED_TEXT,
    "title": NEEDED_TEXT,
    "study": TEXT,
    "study_memory_gib": ValueRule((int, float), 0.01, 1_000_000),
    "study_cpus": CORES,
    "about": TEXT,
    "tables": TABLES,
    "rows": ROWS,
    "threads": THREAD_LIST,
    "cores": CORE_SETS,
    "seconds": SECONDS,
    "warmup": WARMUP,
    "transport": ValueRule((str,), choices=TRANSPORTS),
    "step": ValueRule((list,), items=TABLE, needed=True),
}


@dataclass(frozen=True)
class StepVariation:
    """One way to run a step again: other options of its workload, or of the server."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)  # of the workload
    variables: dict[str, Any] = field(default_factory=dict)  # of the server, set while it is up
    restart_with: dict[str, Any] = field(default_factory=dict)  # options that the server is started with


@dataclass(frozen=True)
class SequenceStep:
    """One entry of a sequence; what is None, the plan fills in."""

    name: str
    workload: str = ""
    kind: str = ""  # of a step without a workload
    options: dict[str, Any] = field(default_factory=dict)
    seconds: int | None = None
    share: float | None = None  # of the seconds that the plan says
    events: int | None = None
    rate: tuple[int, ...] | None = None  # events a second that are asked for
    arrivals: str = ""  # one of ARRIVALS
    limit_ms: float | None = None  # of p99: the step searches the highest rate under it
    count: int | None = None  # events whose instructions are counted, after as many that are not
    threads: tuple[int, ...] | None = None
    per_table: bool = False  # as many threads as there are tables
    cores: CoreSets | None = None
    variation: tuple[StepVariation, ...] = ()
    key_caches: bool = False  # MyISAM: each table has its own
    profile: bool = False  # stacks and counters of the server are sampled
    warmup: int | None = None
    warm: bool = False
    settle_before: bool = False
    settle_after: bool = False
    reload: str = ""  # one of RELOADS; left out: the tables are as earlier steps left them
    increments: int | None = None  # of a load: parts of the same size, the size of the database behind each
    cap_s: int | None = None


@dataclass(frozen=True)
class Sequence:
    """An ordered list of named steps."""

    name: str
    title: str
    steps: tuple[SequenceStep, ...]
    study: str = ""  # whose tests these are
    study_memory_gib: float | None = None  # of the machine for which the rows were chosen
    study_cpus: int | None = None
    about: str = ""  # a sentence or two for people who choose
    tables: int | None = None
    rows: int | str | None = None  # of each table; or "3x memory"
    threads: tuple[int, ...] | None = None
    cores: CoreSets | None = None
    seconds: int | None = None
    warmup: int | None = None
    transport: str = ""
    shipped: bool = True
    file: str = ""
    text: str = field(default="", repr=False)


def sequence_of(document: Document, stem: str, shipped: bool, file: str) -> Sequence:
    """The sequence of a file; raises InputError with file, line and key of what is wrong."""
    data = document.data
    expand_ranges(document, data)
    document.check(data, SEQUENCE_RULES)
    check_name(document, ("name",), data["name"], stem)
    if not data["step"]:
        raise document.error(("step",), "needs at least one step")
    check_number_words(document, data)
    steps = tuple(_step_of(document, at, table) for at, table in enumerate(data["step"]))
    _check_unique(document, steps)
    rest = {key: value for key, value in data.items() if key != "step"}
    rest.update({key: as_tuple(rest[key]) for key in SWEPT if key in rest})
    return Sequence(**rest, steps=steps, shipped=shipped, file=file, text=document.text)


def _step_of(document: Document, at: int, table: dict[str, Any]) -> SequenceStep:
    where = ("step", at)
    expand_ranges(document, table, where)
    document.check(table, STEP_RULES, where)
    check_number_words(document, table, where)
    if ("workload" in table) == (table.get("kind") in WITHOUT_WORK):
        raise document.error((*where, "kind"), "needs a workload, unless it is settle or restart")
    if "kind" in table and table["kind"] not in WITHOUT_WORK:
        raise document.error(
            (*where, "kind"), "is set by the workload; here only settle and restart are allowed"
        )
    if "share" in table and "seconds" in table:
        raise document.error(
            (*where, "share"), "is a share of the plan's seconds: leave share or seconds out"
        )
    if "per_table" in table and "threads" in table:
        raise document.error((*where, "per_table"), "is a number of threads: leave per_table or threads out")
    for key in ("rate", "events"):
        if "limit_ms" in table and key in table:
            raise document.error((*where, key), f"limit_ms searches a rate: leave {key} out")
    for key in _NOT_COUNTED:
        if "count" in table and key in table:
            raise document.error((*where, key), f"count takes one client and its events: leave {key} out")
    name = table.get("name") or table.get("workload") or table["kind"]
    check_name(document, (*where, "name"), name)
    check_options(document, (*where, "options"), table.get("options", {}))
    values = {**table, "name": name, **{key: as_tuple(table[key]) for key in SWEPT if key in table}}
    if "variation" in table:
        values["variation"] = _variations(document, where, table["variation"])
    return SequenceStep(**values)


def _variations(
    document: Document, step: tuple[str | int, ...], tables: list[dict[str, Any]]
) -> tuple[StepVariation, ...]:
    for at, table in enumerate(tables):
        where = (*step, "variation", at)
        document.check(table, VARIATION_RULES, where)
        check_name(document, (*where, "name"), table["name"])
        check_options(document, (*where, "options"), table.get("options", {}))
        for key in ("variables", "restart_with"):
            _check_server(document, (*where, key), table.get(key, {}))
        if table["name"] in [other["name"] for other in tables[:at]]:
            raise document.error(
                (*where, "name"), f"{table['name']!r} is the name of an earlier variation too"
            )
    return tuple(StepVariation(**table) for table in tables)


def _check_server(document: Document, where: tuple[str | int, ...], values: dict[str, Any]) -> None:
    """Check variables of a server: plain names and values, and none of Dyno's own."""
    for key, value in values.items():
        if not NAME_OF_OPTION.fullmatch(key):
            raise document.error(
                (*where, key), "is not a variable name: lower-case letters, digits, underscores"
            )
        if is_dyno_option(key):
            raise document.error((*where, key), "is set by Dyno: leave out paths, users and the network")
        if not _is_plain(value):
            raise document.error((*where, key), "must be a number, a plain word, true or false")


def _is_plain(value: Any) -> bool:
    return bool(_PLAIN.fullmatch(value)) if isinstance(value, str) else isinstance(value, (int, float))


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


WORDS: dict[str, Callable[[Any], str]] = {"rows": rows_problem, "cores": core_sets_problem}


def parse_memory_multiple(rows: int | str) -> float | None:
    """3.0 of "3x memory"; None of a number."""
    found = _SHARE.fullmatch(rows) if isinstance(rows, str) else None
    return float(found[1]) if found else None


def _check_unique(document: Document, steps: tuple[SequenceStep, ...]) -> None:
    seen: set[str] = set()
    for at, step in enumerate(steps):
        if step.name in seen:
            raise document.error(("step", at, "name"), f"{step.name!r} is the name of an earlier step too")
        seen.add(step.name)
