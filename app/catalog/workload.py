"""Workloads as the files describe them: their keys checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from app.core.toml_text import FLAG, NEEDED_TEXT, TABLE, TEXT, Document, ValueRule
from app.protocol.conditions import Condition
from app.protocol.plan import FIGURES, LIMIT, LOAD_METHODS, STEP_KINDS, WITHOUT_WORK
from app.protocol.series import PER_MINUTE

from .conditions import conditions_of
from .event_kinds import kinds_problem

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
NAME_OF_OPTION = re.compile(r"[a-z][a-z0-9_]*")
_FILE = re.compile(r"[A-Za-z0-9_-]+\.(lua|sql)")

_LISTS = ("needs", "ignore_errors", "load_methods", "kinds")  # of a workload
_ERRORS = ValueRule((list,), items=ValueRule((int,), 1, 99_999))
_BY_ENGINE = {  # what is in tables whose keys are engines
    "ignore_errors_by_engine": _ERRORS,
    "engines": TEXT,
    "row_bytes": ValueRule((int, float), 0, 1_000_000),
    "rows_per_second": ValueRule((int, float), 1, 1_000_000_000),
}

# options of sysbench and its Lua that say who, where, how long and what is reported: the plan's
_RESERVED = re.compile(
    r"(mysql|pgsql|db(?!_ps_mode)|report|histogram|rand_seed|threads?|time|events|rate|tables|table_size"
    r"|table_options|engine|load_method|percentile|verbosity|debug|validate|config|warmup|forced|luajit|help"
    r"|version|gate_fd|event_rate|arrivals|each_second|roles_fd|role|follows|leads|apart|begin_fd|first_client"
    r"|all_clients|ledger_fd)(_.*)?"
)

LATENCY_PER = ("query", "transaction", "loop", "table", "insert", "connection")
# what the statements of custom SQL decide, and its file does not say again
DERIVED = (
    *("writes", "changes_rows", "removes_rows", "queries_per_event", "latency_per"),
    *("needs", "makes", "row_bytes", "load_methods", "options", "kinds"),
)
SQL_KINDS = ("load", "drive")
IGNORED = (1213, 1020, 1205)  # deadlock, changed meanwhile, waited too long: custom SQL goes on after them
_UNITS = {"latency": "ms", "size": "bytes"}  # of figures that are no rate

_NOT_ITS_OWN = (*WITHOUT_WORK, LIMIT)  # a step of a sequence makes a driven workload a search
# what there is after a step of a kind, unless its workload says otherwise
_MADE_BY = {"load": "tables", "index": "index", "text-index": "text-index"}
_MADE = (*_MADE_BY.values(), "texts", "purchases", "purchases-index", "orders", "accounts")

WORKLOAD_RULES = {
    "name": NEEDED_TEXT,
    "title": NEEDED_TEXT,
    "group": TEXT,
    "kind": ValueRule(
        (str,), choices=tuple(kind for kind in STEP_KINDS if kind not in _NOT_ITS_OWN), needed=True
    ),
    "lua": TEXT,
    "sql": TEXT,
    "options": TABLE,
    "figure": ValueRule((str,), choices=FIGURES),
    "unit": TEXT,
    "latency_per": ValueRule((str,), choices=LATENCY_PER),
    "load_methods": ValueRule((list,), items=ValueRule((str,), choices=LOAD_METHODS), empty=False),
    "queries_per_event": ValueRule((int,), 1, 10_000),
    "writes": FLAG,
    "changes_rows": FLAG,
    "removes_rows": FLAG,
    "transactions": FLAG,
    "makes": ValueRule((str,), choices=_MADE),
    "needs": ValueRule((list,), items=ValueRule((str,), choices=_MADE)),
    "kinds": ValueRule((list,), items=TEXT),
    "figure_kind": TEXT,
    "condition": ValueRule((list,), items=TABLE),
    "engines": TABLE,
    "engines_because": TEXT,
    "row_bytes": TABLE,
    "rows_per_second": TABLE,
    "ignore_errors": _ERRORS,
    "ignore_errors_by_engine": TABLE,
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
    transactions: bool = False  # needed as soon as several clients carry it out
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
    kinds: tuple[str, ...] = ()  # of its events, which its Lua counts apart
    figure_kind: str = ""  # the kind whose events per minute are its figure; "": all of them, per second
    condition: tuple[Condition, ...] = ()  # of a load: what holds of its tables
    tables: int = 0  # that it fills; 0: as many as the plan says
    shipped: bool = True
    file: str = ""  # its path
    text: str = field(default="", repr=False)


def workload_of(document: Document, stem: str, shipped: bool, file: str) -> Workload:
    """The workload of a file; raises InputError with file, line and key of what is wrong."""
    data = document.data
    document.check(data, WORKLOAD_RULES)
    check_name(document, ("name",), data["name"], stem)
    data = {**data, **_code_of(document)}
    check_options(document, ("options",), data.get("options", {}))
    for key, rule in _BY_ENGINE.items():
        for engine, value in data.get(key, {}).items():
            if problem := rule.problem(value):
                raise document.error((key, engine), problem)
    if data.get("engines") and not data.get("engines_because"):
        raise document.error(("engines_because",), "must say why other engines cannot run it")
    _check_unit(document, data)
    _check_kinds(document, data)
    _check_figure_kind(document, data)
    rest: dict[str, Any] = {key: tuple(data[key]) for key in _LISTS if key in data}
    rest["condition"] = conditions_of(document)
    rest["makes"] = data.get("makes", _MADE_BY.get(data["kind"], ""))
    if data.get("figure") in _UNITS:
        rest["unit"] = _UNITS[data["figure"]]
    return Workload(**{**data, **rest}, shipped=shipped, file=file, text=document.text)


def _code_of(document: Document) -> dict[str, Any]:
    """Check `lua` or `sql`; for SQL, return the keys that its file cannot have."""
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
            raise document.error((said,), f"follows from the statements of {data['sql']}: leave it out")
    return {"lua": f"{data['name']}.made.lua", "ignore_errors": data.get("ignore_errors", IGNORED)}


def _check_unit(document: Document, data: dict[str, Any]) -> None:
    """Check the unit: latency and size have only one and can omit it."""
    unit = _UNITS.get(data.get("figure", ""), "")
    if unit and data.get("unit", unit) != unit:
        raise document.error(("unit",), f"of a {data['figure']} is {unit!r}, not {data['unit']!r}")


def _check_kinds(document: Document, data: dict[str, Any]) -> None:
    if "kinds" not in data:
        return
    if data["kind"] != "drive":
        raise document.error(
            ("kinds",), f"are those of a workload that is driven, not of kind {data['kind']}"
        )
    if problem := kinds_problem(data["kinds"]):
        raise document.error(("kinds",), problem)


def _check_figure_kind(document: Document, data: dict[str, Any]) -> None:
    """Check the kind that is the figure: its unit is per minute, and no other is."""
    kind, kinds = data.get("figure_kind", ""), data.get("kinds", [])
    if kind and "sql" in data:
        raise document.error(("figure_kind",), "needs a workload with Lua: leave it out")
    if kind and kind not in kinds:
        known = ", ".join(kinds) or "none"
        raise document.error(("figure_kind",), f"must be one of its kinds, {known}, not {kind!r}")
    if kind and data.get("figure", "rate") != "rate":
        raise document.error(("figure_kind",), f"is counted as a rate, not as a {data['figure']}")
    if bool(kind) != data.get("unit", "").endswith(PER_MINUTE):
        ending = "must end in" if kind else "needs figure_kind, as it ends in"
        raise document.error(("unit",), f"{ending} {PER_MINUTE}")


def check_options(document: Document, where: tuple[str | int, ...], options: dict[str, Any]) -> None:
    """Check options: they become words of a command line, so names and values must be plain."""
    for key, value in options.items():
        if not NAME_OF_OPTION.fullmatch(key):
            raise document.error(
                (*where, key), "is not an option name: lower-case letters, digits, underscores"
            )
        if _RESERVED.fullmatch(key):
            raise document.error((*where, key), "is set by the plan, never by a workload or a step")
        if isinstance(value, (dict, list)) or (isinstance(value, str) and not value.isprintable()):
            raise document.error((*where, key), "must be a number, a text, true or false")


def check_name(document: Document, where: tuple[str | int, ...], name: str, stem: str = "") -> None:
    if not NAME.fullmatch(name):
        raise document.error(where, f"may have lower-case letters, digits, dots and dashes, got {name!r}")
    if stem and name != stem:
        raise document.error(where, f"must be {stem!r} like the file, not {name!r}")
