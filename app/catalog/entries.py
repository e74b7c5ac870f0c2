"""Workloads and sequences as the files describe them: one dataclass a kind of file, its keys checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import InputError
from app.core.ranges import listed
from app.core.toml_text import FLAG, NEEDED_TEXT, TABLE, TEXT, Document, Rule, shown
from app.presets.ownership import is_ours
from app.protocol.plan import FIGURES, LOAD_METHODS, STEP_KINDS

MAX_SECONDS = 86_400
MAX_EVENTS = 10**12
MAX_RATE = 10_000_000  # events a second
MAX_THREADS = 4_095  # what the shared block of the load generator has room for
MAX_CORES = 4_096
MAX_ROWS = 2_000_000_000  # of a table: the key of the classic table is an INTEGER
MAX_TABLES = 1_000
TRANSPORTS = ("socket", "loopback")

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_OPTION = re.compile(r"[a-z][a-z0-9_]*")
_SHARE = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*x\s*memory\s*")
_FILE = re.compile(r"[A-Za-z0-9_-]+\.(lua|sql)")

THREADS = Rule((int,), 1, MAX_THREADS)
THREAD_LIST = Rule((int, list), 1, MAX_THREADS, items=THREADS, empty=False)
CORES = Rule((int,), 1, MAX_CORES)
CORE_LIST = Rule((int, list), 1, MAX_CORES, items=CORES, empty=False)
SECONDS = Rule((int,), 1, MAX_SECONDS)
WARMUP = Rule((int,), 0, MAX_SECONDS)
SHARE = Rule((int, float), 0.01, 100)
TABLES = Rule((int,), 1, MAX_TABLES)
ROWS = Rule((int, str), 1, MAX_ROWS)
EVENTS = Rule((int,), 1, MAX_EVENTS)
RATE = Rule((int,), 1, MAX_RATE)
_LISTS = ("needs", "ignore_errors", "load_methods")  # of a workload
_ERRORS = Rule((list,), items=Rule((int,), 1, 99_999))
_BY_ENGINE = {  # what is in tables whose keys are engines
    "ignore_errors_by_engine": _ERRORS,
    "engines": TEXT,
    "row_bytes": Rule((int, float), 0, 1_000_000),
    "rows_per_second": Rule((int, float), 1, 1_000_000_000),
}

# options of sysbench and its Lua that say who, where, how long and what is reported: the plan's
_RESERVED = re.compile(
    r"(mysql|pgsql|db(?!_ps_mode)|report|histogram|rand_seed|threads?|time|events|rate|tables|table_size"
    r"|table_options|engine|load_method|percentile|verbosity|debug|validate|config|warmup|forced|luajit|help"
    r"|version|gate_fd|slice_rate)(_.*)?"
)

LATENCY_PER = ("query", "transaction", "loop", "table", "insert")
# what the statements of custom SQL decide, and its file does not say again
DERIVED = (
    *("writes", "changes_rows", "removes_rows", "queries_per_event", "latency_per"),
    *("needs", "makes", "row_bytes", "load_methods", "options"),
)
SQL_KINDS = ("load", "drive")
IGNORED = (1213, 1020, 1205)  # deadlock, changed meanwhile, waited too long: custom SQL goes on after them

_UNITS = {"latency": "ms", "size": "bytes"}  # of figures that are no rate
_PLAIN = re.compile(r"[A-Za-z0-9_.:,+-]{0,100}")  # a value of a variable
RELOADS = ("once", "each")  # before the first point of a step, or before each
SWEPT = ("threads", "cores")  # keys that hold one number or several

# kinds of step that need no workload
BARE_KINDS = ("settle", "restart")
# what there is after a step of a kind, unless its workload says otherwise
_MADE_BY = {"load": "tables", "index": "index", "text-index": "text-index"}
_MADE = (*_MADE_BY.values(), "texts")

WORKLOAD_RULES = {
    "name": NEEDED_TEXT,
    "title": NEEDED_TEXT,
    "group": TEXT,
    "kind": Rule((str,), choices=tuple(kind for kind in STEP_KINDS if kind not in BARE_KINDS), needed=True),
    "lua": TEXT,
    "sql": TEXT,
    "options": TABLE,
    "figure": Rule((str,), choices=FIGURES),
    "unit": TEXT,
    "latency_per": Rule((str,), choices=LATENCY_PER),
    "load_methods": Rule((list,), items=Rule((str,), choices=LOAD_METHODS), empty=False),
    "queries_per_event": Rule((int,), 1, 10_000),
    "writes": FLAG,
    "changes_rows": FLAG,
    "removes_rows": FLAG,
    "makes": Rule((str,), choices=_MADE),
    "needs": Rule((list,), items=Rule((str,), choices=_MADE)),
    "engines": TABLE,
    "engines_because": TEXT,
    "row_bytes": TABLE,
    "rows_per_second": TABLE,
    "ignore_errors": _ERRORS,
    "ignore_errors_by_engine": TABLE,
}
STEP_RULES = {
    "name": TEXT,
    "workload": TEXT,
    "kind": Rule((str,), choices=STEP_KINDS),
    "options": TABLE,
    "seconds": SECONDS,
    "share": SHARE,
    "events": EVENTS,
    "rate": RATE,
    "threads": THREAD_LIST,
    "cores": CORE_LIST,
    "variation": Rule((list,), items=TABLE, empty=False),
    "key_caches": FLAG,
    "warmup": WARMUP,
    "warm": FLAG,
    "per_table": FLAG,
    "settle_before": FLAG,
    "settle_after": FLAG,
    "reload": Rule((str,), choices=RELOADS),
    "increments": Rule((int,), 2, 1000),
    "cap_s": SECONDS,
}
VARIATION_RULES = {"name": NEEDED_TEXT, "options": TABLE, "variables": TABLE, "restart_with": TABLE}
SEQUENCE_RULES = {
    "name": NEEDED_TEXT,
    "title": NEEDED_TEXT,
    "study": TEXT,
    "study_memory_gib": Rule((int, float), 0.01, 1_000_000),
    "study_cpus": CORES,
    "about": TEXT,
    "tables": TABLES,
    "rows": ROWS,
    "threads": THREAD_LIST,
    "cores": CORE_LIST,
    "seconds": SECONDS,
    "warmup": WARMUP,
    "transport": Rule((str,), choices=TRANSPORTS),
    "step": Rule((list,), items=TABLE, needed=True),
}


@dataclass(frozen=True)
class Workload:
    """One kind of test."""

    name: str
    title: str
    kind: str
    lua: str = ""  # of custom SQL: the one that Dyno makes
    sql: str = ""
    group: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    figure: str = "rate"
    unit: str = "queries/s"
    latency_per: str = "query"
    load_methods: tuple[str, ...] = ("ordered",)  # of a load: how it can fill the tables
    queries_per_event: int = 1
    writes: bool = False
    changes_rows: bool = False
    removes_rows: bool = False
    makes: str = ""  # what others need of it
    needs: tuple[str, ...] = ()
    engines: dict[str, str] = field(default_factory=dict)  # that can, with the first version; none: all
    engines_because: str = ""  # why no others
    row_bytes: dict[str, float] = field(default_factory=dict)  # that it adds, by engine: for estimates
    rows_per_second: dict[str, float] = field(default_factory=dict)  # of one thread: for estimates
    ignore_errors: tuple[int, ...] = ()
    ignore_errors_by_engine: dict[str, list[int]] = field(default_factory=dict)
    events: int | None = None  # where it ends, as custom SQL says
    seconds: int | None = None
    tables: int = 0  # that it fills; 0: as many as the plan says
    shipped: bool = True
    file: str = ""  # its path
    text: str = field(default="", repr=False)


@dataclass(frozen=True)
class Variation:
    """One way in which a step is carried out again: other options of its workload, another server."""

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
    rate: int | None = None  # events a second that are asked for
    threads: tuple[int, ...] | None = None
    per_table: bool = False  # as many threads as there are tables
    cores: tuple[int, ...] | None = None
    variation: tuple[Variation, ...] = ()
    key_caches: bool = False  # MyISAM: each table has its own
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
    cores: tuple[int, ...] | None = None
    seconds: int | None = None
    warmup: int | None = None
    transport: str = ""
    shipped: bool = True
    file: str = ""
    text: str = field(default="", repr=False)


def workload_of(document: Document, stem: str, shipped: bool, file: str) -> Workload:
    """The workload of a file; raises InputError with file, line and key of what is wrong."""
    data = document.data
    document.check(data, WORKLOAD_RULES)
    _check_name(document, ("name",), data["name"], stem)
    data = {**data, **_code_of(document)}
    check_options(document, ("options",), data.get("options", {}))
    for key, rule in _BY_ENGINE.items():
        for engine, value in data.get(key, {}).items():
            if problem := rule.problem(value):
                raise document.error((key, engine), problem)
    if data.get("engines") and not data.get("engines_because"):
        raise document.error(("engines_because",), "must say why other engines cannot")
    _check_unit(document, data)
    rest: dict[str, Any] = {key: tuple(data[key]) for key in _LISTS if key in data}
    rest["makes"] = data.get("makes", _MADE_BY.get(data["kind"], ""))
    if data.get("figure") in _UNITS:
        rest["unit"] = _UNITS[data["figure"]]
    return Workload(**{**data, **rest}, shipped=shipped, file=file, text=document.text)


def _code_of(document: Document) -> dict[str, Any]:
    """Lua or SQL; what comes with SQL in place of what its file cannot say."""
    data = document.data
    if ("lua" in data) == ("sql" in data):
        raise document.error(("lua",), "or sql: name exactly one of them, a file in the same folder")
    key = "lua" if "lua" in data else "sql"
    if not _FILE.fullmatch(data[key]) or not data[key].endswith(key):
        raise document.error((key,), f"must be a file in the same folder, NAME.{key}, not {data[key]!r}")
    if key == "lua":
        return {}
    if data["kind"] not in SQL_KINDS:
        raise document.error(("kind",), f"of custom SQL is {' or '.join(SQL_KINDS)}, not {data['kind']!r}")
    for said in DERIVED:
        if said in data:
            raise document.error((said,), f"is decided by the statements of {data['sql']}: leave it out")
    return {"lua": f"{data['name']}.made.lua", "ignore_errors": data.get("ignore_errors", IGNORED)}


def _check_unit(document: Document, data: dict[str, Any]) -> None:
    """A figure that is no rate has one unit, and need not say it."""
    unit = _UNITS.get(data.get("figure", ""), "")
    if unit and data.get("unit", unit) != unit:
        raise document.error(("unit",), f"of a {data['figure']} is {unit!r}, not {data['unit']!r}")


def sequence_of(document: Document, stem: str, shipped: bool, file: str) -> Sequence:
    """The sequence of a file; raises InputError with file, line and key of what is wrong."""
    data = document.data
    spread_ranges(document, data)
    document.check(data, SEQUENCE_RULES)
    _check_name(document, ("name",), data["name"], stem)
    if not data["step"]:
        raise document.error(("step",), "holds no step")
    if "rows" in data and (problem := rows_problem(data["rows"])):
        raise document.error(("rows",), problem)
    steps = tuple(_step_of(document, at, table) for at, table in enumerate(data["step"]))
    _check_unique(document, steps)
    rest = {key: value for key, value in data.items() if key != "step"}
    rest.update({key: as_tuple(rest[key]) for key in SWEPT if key in rest})
    return Sequence(**rest, steps=steps, shipped=shipped, file=file, text=document.text)


def _step_of(document: Document, at: int, table: dict[str, Any]) -> SequenceStep:
    where = ("step", at)
    spread_ranges(document, table, where)
    document.check(table, STEP_RULES, where)
    if ("workload" in table) == (table.get("kind") in BARE_KINDS):
        raise document.error((*where, "kind"), "needs a workload, unless it is settle or restart")
    if "kind" in table and table["kind"] not in BARE_KINDS:
        raise document.error((*where, "kind"), "is the workload's; here only settle and restart are allowed")
    if "share" in table and "seconds" in table:
        raise document.error(
            (*where, "share"), "is of the seconds that the plan says: leave one of the two out"
        )
    if "per_table" in table and "threads" in table:
        raise document.error((*where, "per_table"), "is a number of threads too: leave one of the two out")
    name = table.get("name") or table.get("workload") or table["kind"]
    _check_name(document, (*where, "name"), name)
    check_options(document, (*where, "options"), table.get("options", {}))
    values = {**table, "name": name, **{key: as_tuple(table[key]) for key in SWEPT if key in table}}
    if "variation" in table:
        values["variation"] = _variations(document, where, table["variation"])
    return SequenceStep(**values)


def _variations(
    document: Document, step: tuple[str | int, ...], tables: list[dict[str, Any]]
) -> tuple[Variation, ...]:
    for at, table in enumerate(tables):
        where = (*step, "variation", at)
        document.check(table, VARIATION_RULES, where)
        _check_name(document, (*where, "name"), table["name"])
        check_options(document, (*where, "options"), table.get("options", {}))
        for key in ("variables", "restart_with"):
            _check_server(document, (*where, key), table.get(key, {}))
        if table["name"] in [other["name"] for other in tables[:at]]:
            raise document.error((*where, "name"), f"{table['name']!r} is the name of an earlier one too")
    return tuple(Variation(**table) for table in tables)


def _check_server(document: Document, where: tuple[str | int, ...], values: dict[str, Any]) -> None:
    """Variables of a server: plain names and values, none of Dyno's own."""
    for key, value in values.items():
        if not _OPTION.fullmatch(key):
            raise document.error(
                (*where, key), "is no name of a variable: small letters, digits, underscores"
            )
        if is_ours(key):
            raise document.error((*where, key), "is set by Dyno: leave out paths, users and the network")
        if not _is_plain(value):
            raise document.error((*where, key), "must be a number, a plain word, true or false")


def _is_plain(value: Any) -> bool:
    return bool(_PLAIN.fullmatch(value)) if isinstance(value, str) else isinstance(value, (int, float))


def spread_ranges(document: Document, table: dict[str, Any], where: tuple[str | int, ...] = ()) -> None:
    """The numbers of a text such as "1..64 x2" in its place."""
    for key in SWEPT:
        if isinstance(table.get(key), str):
            try:
                table[key] = listed(table[key])
            except InputError as error:
                raise document.error((*where, key), str(error)) from None


def as_tuple(value: int | list[int]) -> tuple[int, ...]:
    """One number or a list, as a tuple without repeats."""
    return tuple(dict.fromkeys(value)) if isinstance(value, list) else (value,)


def rows_problem(rows: int | str) -> str:
    """What is wrong with rows given as a share of the memory, '' if nothing."""
    if isinstance(rows, str) and not memory_share(rows):
        return f'must be a whole number or like "3x memory", not {shown(rows)}'
    return ""


def memory_share(rows: int | str) -> float | None:
    """3.0 of "3x memory"; None of a number."""
    found = _SHARE.fullmatch(rows) if isinstance(rows, str) else None
    return float(found[1]) if found else None


def check_options(document: Document, where: tuple[str | int, ...], options: dict[str, Any]) -> None:
    """Options become words of a command line: plain names, plain values."""
    for key, value in options.items():
        if not _OPTION.fullmatch(key):
            raise document.error((*where, key), "is no option name: small letters, digits, underscores")
        if _RESERVED.fullmatch(key):
            raise document.error((*where, key), "is set by the plan, never by a workload or a step")
        if isinstance(value, (dict, list)) or (isinstance(value, str) and not value.isprintable()):
            raise document.error((*where, key), "must be a number, a text, true or false")


def _check_name(document: Document, where: tuple[str | int, ...], name: str, stem: str = "") -> None:
    if not NAME.fullmatch(name):
        raise document.error(where, f"must be small letters, digits, dots and dashes, not {name!r}")
    if stem and name != stem:
        raise document.error(where, f"must be {stem!r} like the file, not {name!r}")


def _check_unique(document: Document, steps: tuple[SequenceStep, ...]) -> None:
    seen: set[str] = set()
    for at, step in enumerate(steps):
        if step.name in seen:
            raise document.error(("step", at, "name"), f"{step.name!r} is the name of an earlier step too")
        seen.add(step.name)
