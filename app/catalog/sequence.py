"""Sequences as the files describe them: their keys checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from app.core.toml_text import FLAG, NEEDED_TEXT, TABLE, TEXT, Document, ValueRule
from app.protocol.plan import OPERATIONS, STEP_KINDS, WITHOUT_WORK
from app.variables.ownership import is_dyno_option

from .amounts import (
    CORE_SETS,
    CORES,
    EVENTS,
    GAPS,
    LIMIT_MS,
    RATE_LIST,
    ROWS,
    SECONDS,
    SHARE,
    SWEPT,
    TABLES,
    THREAD_LIST,
    WARMUP,
    CoreSets,
    as_tuple,
    check_number_words,
    expand_ranges,
)
from .operations import OPERATION_RULES, check_operation, is_operation
from .roles import SequenceRole, roles_of
from .workload import NAME_OF_OPTION, check_name, check_options

TRANSPORTS = ("socket", "loopback")

_PLAIN = re.compile(r"[A-Za-z0-9_.:,+-]{0,100}")  # a value of a variable
# keys that a step has no use for whose instructions are counted
_NOT_COUNTED = ("seconds", "share", "events", "rate", "limit_ms", "threads", "cores", "per_table", "profile")
# keys that each role has for itself, and those that a step with roles has no use for
_OF_ROLES = ("workload", "options", "seconds", "share", "events", "rate", "arrivals", "on")
_NOT_WITH_ROLES = ("kind", "per_table", "limit_ms", "count", "key_caches", "increments")
RELOADS = ("once", "each")  # before the first point of a step, or before each

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
    "check": FLAG,
    "reload": ValueRule((str,), choices=RELOADS),
    "increments": ValueRule((int,), 2, 1000),
    "cap_s": SECONDS,
    "role": ValueRule((list,), items=TABLE, empty=False),
    "figure": TEXT,
    "on": TEXT,
    **OPERATION_RULES,
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
    check: bool = False  # the conditions of the loads before it are asked after it too
    reload: str = ""  # one of RELOADS; left out: the tables are as earlier steps left them
    increments: int | None = None  # of a load: parts of the same size, the size of the database behind each
    cap_s: int | None = None
    role: tuple[SequenceRole, ...] = ()  # what is done at the same time, in place of one workload
    figure: str = ""  # the role whose figure is that of the step; left out: the first
    on: str = ""  # replica, replica 2: of the server of the plan; empty: that server itself
    # of an operation, which has a kind and roles
    after: int | None = None  # seconds that its roles work before it
    again_after_ms: int | None = None  # a second kill so long after the server was started again
    cold: bool = False  # a restart after which the system caches no data
    statement: str = ""  # of kind ddl, with {table}
    algorithm: str = ""  # that it asks for; left out: the server chooses
    tool: str = ""  # of kind backup: one of BACKUP_TOOLS; left out: the first that the build has

    @property
    def operation_words(self) -> tuple[str, ...]:
        """What an operation says, in words; '' for each key that it does not have."""
        return (
            f"after {self.after} s" if self.after else "",
            self.statement,
            self.algorithm,
            f"by {self.tool}" if self.tool else "",
            f"again after {self.again_after_ms} ms" if self.again_after_ms else "",
            "cold" if self.cold else "",
        )

    @property
    def is_operation(self) -> bool:
        """Whether it does something to the server while its roles go on."""
        return self.kind in OPERATIONS and bool(self.role)

    @property
    def roles(self) -> tuple[SequenceRole, ...]:
        """The same with that of the figure first."""
        return tuple(sorted(self.role, key=lambda each: each.name != (self.figure or self.role[0].name)))

    def name_in_plan(self, role: SequenceRole) -> str:
        """A plan has a step for each role: that of the figure, or the operation, has the name of the step."""
        is_main = role is self.roles[0] and not self.is_operation
        return self.name if is_main else f"{self.name}.{role.name}"

    @property
    def names_in_plan(self) -> tuple[str, ...]:
        named = tuple(map(self.name_in_plan, self.roles))
        return named if named and not self.is_operation else (self.name, *named)

    @property
    def main_workload(self) -> str:
        """That of its figure; '' where its clients do nothing."""
        return self.roles[0].workload if self.role else self.workload

    @property
    def workloads(self) -> tuple[str, ...]:
        """All that its clients do: one workload, one of each role, or none."""
        return tuple(dict.fromkeys(each.workload for each in self.role)) or (self.workload,) * bool(
            self.workload
        )


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
    check_operation(document, where, table)
    if "role" in table:
        _check_with_roles(document, where, table)
    elif ("workload" in table) == (table.get("kind") in WITHOUT_WORK):
        raise document.error((*where, "kind"), "needs a workload, unless it is settle or restart")
    if "kind" in table and table["kind"] not in WITHOUT_WORK:
        raise document.error(
            (*where, "kind"), "is set by the workload; here only settle, restart and operations are allowed"
        )
    if "figure" in table and "role" not in table:
        raise document.error((*where, "figure"), "names a role, and the step has none: leave it out")
    if "on" in table and "workload" not in table:
        raise document.error((*where, "on"), "is of a step with a workload, or of a role: leave it out")
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
    name = table.get("name") or table.get("workload") or table.get("kind", "")
    check_name(document, (*where, "name"), name)
    check_options(document, (*where, "options"), table.get("options", {}))
    values = {**table, "name": name, **{key: as_tuple(table[key]) for key in SWEPT if key in table}}
    if "variation" in table:
        values["variation"] = _variations(document, where, table["variation"])
    if "role" in table:
        values["role"] = roles_of(
            document, where, table["role"], table.get("figure", ""), is_operation(table)
        )
    return SequenceStep(**values)


def _check_with_roles(document: Document, where: tuple[str | int, ...], table: dict[str, Any]) -> None:
    """Check what a step says besides its roles."""
    if not table.get("name"):
        raise document.error((*where, "name"), "is missing: a step with roles needs one")
    own = ("kind", "seconds") if is_operation(table) else ()
    for key in (*_OF_ROLES, *_NOT_WITH_ROLES):
        if key in table and key not in own:
            todo = "give it to the roles" if key in _OF_ROLES else "leave it out"
            raise document.error((*where, key), f"is not of a step with roles: {todo}")
    if any("options" in each for each in table.get("variation", [])):
        raise document.error((*where, "variation"), "of a step with roles has no options: vary the server")
    if "threads" in table and all("threads" in each or "follows" in each for each in table["role"]):
        raise document.error((*where, "threads"), "is of roles without their own: leave it out")


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


def _check_unique(document: Document, steps: tuple[SequenceStep, ...]) -> None:
    seen: set[str] = set()
    for at, step in enumerate(steps):
        if step.name in seen:
            raise document.error(("step", at, "name"), f"{step.name!r} is the name of an earlier step too")
        seen.add(step.name)
