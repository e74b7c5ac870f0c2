"""What a person asks for: a plan file, the options of the command line, the form of the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from app.catalog.sequence import (
    CORE_SETS,
    GAPS,
    RATE_LIST,
    ROWS,
    SECONDS,
    SWEPT,
    TABLES,
    THREAD_LIST,
    TRANSPORTS,
    WARMUP,
    WORDS,
    CoreSets,
    as_tuple,
    spread_ranges,
)
from app.core.errors import InputError
from app.core.ranges import cpus_of
from app.core.toml_text import NEEDED_TEXT, TABLE, TEXT, Document, Rule, read_document, read_text, shown
from app.engines import engine_of
from app.protocol.others import OTHERS_PCT, STEAL_PCT
from app.protocol.plan import ALLOCATORS, LOAD_METHODS, MEMORY, ORDERS, STARTS, UNTIL_DECIDED, load_method_of
from app.protocol.reading import MOST_PCT
from app.protocol.waits import INSTRUMENTS, PRESET
from app.protocol.words import FACTORS
from app.stats.at_target.looks import ROUNDS
from app.stats.at_target.verdicts import LEAST
from app.variables.names import BASELINE

from .cores import CPUS, SHARED_CPUS

MAX_CONTENDERS = 64
PERCENT = Rule((int, float), 0, 100)
LIMIT_PCT = Rule((int, float), 0, MOST_PCT)
LIMITS = ("matters_pct", "false_share_pct")  # of the verdicts of a plan until decided
ALLOWED = ("allow_busy", "allow_small_disk")  # what a person insists on, of no plan file

# --cores are those of a contender
_FLAGS = {"cores": "core-sets", "matters_pct": "matters", "false_share_pct": "false-share"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}")
_TABLE_OPTIONS = re.compile(r"[A-Za-z0-9_=,'. ]{0,500}")
_ENGINE = re.compile(r"\b(?:engine|type)\b", re.IGNORECASE)
_LIBRARY = re.compile(r"/[A-Za-z0-9._+@/-]{1,250}")  # no blank or colon, which part paths in LD_PRELOAD
_NODES = r"\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?)*"
_NUMA = re.compile(rf"(interleave|membind)=(all|{_NODES})|preferred=\d{{1,4}}|localalloc")
_LIMIT = re.compile(r"([1-9]\d{0,14})([KMGT]?)", re.IGNORECASE)
_NAMES = ("steps", "profile", "load")  # keys that hold names
SHARED = ("table_options", "cores", *MEMORY)  # options say them of all contenders

RULES = {
    "name": Rule((str,), longest=60),
    "target": TEXT,
    "sequence": TEXT,
    "steps": Rule((list,), items=TEXT),
    "profile": Rule((list,), items=TEXT),
    "tables": TABLES,
    "rows": ROWS,
    "seconds": SECONDS,
    "warmup": WARMUP,
    "pause": WARMUP,
    "quiet_wait": WARMUP,
    "repeat_if_disturbed": Rule((bool,)),
    "others_pct": PERCENT,
    "steal_pct": PERCENT,
    "threads": THREAD_LIST,
    "rate": RATE_LIST,
    "arrivals": GAPS,
    "cores": CORE_SETS,
    "cpus": Rule((str,), choices=CPUS),
    "vary": TEXT,
    "repeats": Rule((int, str), 1, 100),
    "time_limit": WARMUP,
    **dict.fromkeys(LIMITS, LIMIT_PCT),
    "order": Rule((str,), choices=ORDERS),
    "transport": Rule((str,), choices=TRANSPORTS),
    "load_method": Rule((str,), choices=LOAD_METHODS),
    "start": Rule((str,), choices=STARTS),
    "instruments": Rule((str,), choices=INSTRUMENTS),
    "load": Rule((list,), items=TEXT),
    "load_address": TEXT,
    "contender": Rule((list,), items=TABLE),
}
CONTENDER_RULES = {
    "build": NEEDED_TEXT,
    "engine": NEEDED_TEXT,
    "preset": TEXT,
    "name": TEXT,
    "table_options": TEXT,
    "cores": TEXT,
    "allocator": TEXT,
    "numa": TEXT,
    "memory_limit": TEXT,
}


@dataclass(frozen=True)
class ContenderRequest:
    """A contender by names of build, engine and preset."""

    build: str
    engine: str
    preset: str = BASELINE
    name: str = ""
    table_options: str = ""
    cores: str = ""
    allocator: str = ""
    numa: str = ""
    memory_limit: str = ""
    preset_text: str = ""  # of a kept session, where no preset has it any more; no plan file says it

    @classmethod
    def from_text(cls, text: str) -> ContenderRequest:
        """BUILD:ENGINE or BUILD:ENGINE:PRESET."""
        parts = text.split(":")
        if len(parts) not in (2, 3) or not all(parts):
            raise InputError(f"contender must be BUILD:ENGINE or BUILD:ENGINE:PRESET, not {text!r}")
        return cls(parts[0], engine_of(parts[1]).name, *parts[2:])

    def problem(self) -> tuple[str, str]:
        """The wrong key and why; two empty texts if none is wrong."""
        if self.name and not _NAME.fullmatch(self.name):
            return "name", "must be up to 60 letters, digits, blanks, dots and dashes"
        if self.cores and (problem := _problem_of(cpus_of, self.cores)):
            return "cores", problem
        if not _TABLE_OPTIONS.fullmatch(self.table_options):
            return "table_options", "may hold letters, digits, blanks and = , ' . _ only"
        if _ENGINE.search(self.table_options):
            return "table_options", "must not name an engine: the contender does"
        if "column_family" in self.table_options.lower() and not engine_of(self.engine).has_column_families:
            return "table_options", "COLUMN_FAMILY is only for MyRocks"
        return self._memory_problem()

    def _memory_problem(self) -> tuple[str, str]:
        names = ("system", *ALLOCATORS)
        if self.allocator and self.allocator not in names and not _LIBRARY.fullmatch(self.allocator):
            forms = f"{', '.join(names)} or the path of a library"
            return "allocator", f"must be {forms}, not {shown(self.allocator)}"
        if self.numa and not _NUMA.fullmatch(self.numa):
            forms = "interleave=all, interleave=0,1, membind=0, preferred=0 or localalloc"
            return "numa", f"must be like {forms}, not {shown(self.numa)}"
        if self.memory_limit and not _LIMIT.fullmatch(self.memory_limit):
            return "memory_limit", f"must be like 512M or 4G, not {shown(self.memory_limit)}"
        return "", ""

    @property
    def memory(self) -> str:
        """All memory settings, as in one field."""
        return ", ".join(filter(None, (self.allocator, self.numa, self.memory_limit)))

    @property
    def memory_limit_bytes(self) -> int:
        """The limit in bytes; 0: none."""
        found = _LIMIT.fullmatch(self.memory_limit)
        return int(found[1]) * FACTORS.get(found[2].lower(), 1) if found else 0


def memory_words(text: str) -> dict[str, str]:
    """The words of the memory field by key; their form decides the key, duplicates stay together."""
    found = dict.fromkeys(MEMORY, "")
    for word in re.split(r",?\s+", text.strip()):
        is_policy = "=" in word or word == "localalloc"
        key = "memory_limit" if word[:1].isdigit() else "numa" if is_policy else "allocator"
        found[key] = f"{found[key]} {word}".strip()
    return found


@dataclass(frozen=True)
class PlanRequest:
    """Everything in a plan file; None is filled in by the sequence or planner."""

    name: str = ""
    target: str = "local"
    sequence: str = ""
    steps: tuple[str, ...] = ()  # the ones ticked; none: all
    profile: tuple[str, ...] = ()  # steps in which stacks are sampled, besides those of the sequence
    tables: int | None = None
    rows: int | str | None = None
    seconds: int | None = None
    warmup: int | None = None
    pause: int = 0
    quiet_wait: int = 0
    repeat_if_disturbed: bool = False
    others_pct: float = OTHERS_PCT
    steal_pct: float = STEAL_PCT
    threads: tuple[int, ...] | None = None
    rate: tuple[int, ...] | None = None  # events a second; None: as many as there can be
    arrivals: str = ""  # one of ARRIVALS; those of the steps go before it
    cores: CoreSets | None = None  # those of the steps go before them
    cpus: str = SHARED_CPUS  # of server and load, of steps without a core set
    vary: str = ""  # a variable of the server and its values; variations of the steps go before it
    repeats: int | str = 1  # or UNTIL_DECIDED
    time_limit: int = 0  # seconds, of a plan until decided; 0: none
    matters_pct: float | None = None  # of such a plan: smaller differences do not count; None: as set
    false_share_pct: float | None = None  # the same of what it calls a difference
    order: str = "interleaved"
    transport: str = ""
    load_method: str = "ordered"
    start: str = "loaded"
    instruments: str = PRESET  # of the Performance Schema
    load: tuple[str, ...] = ()  # targets that only drive; none: the load comes from the server's machine
    load_address: str = ""  # of the server's machine, as they reach it
    contenders: tuple[ContenderRequest, ...] = ()
    allow_busy: bool = False
    allow_small_disk: bool = False

    @classmethod
    def from_toml(cls, text: str, label: str = "plan") -> PlanRequest:
        """Read a plan file; raises InputError with line and key of an error."""
        document = read_document(text, label)
        if "load_method" in document.data:
            document.data["load_method"] = load_method_of(document.data["load_method"])
        spread_ranges(document, document.data)
        document.check(document.data, RULES)
        return cls(**_values(document))

    @classmethod
    def from_file(cls, path: Path) -> PlanRequest:
        return cls.from_toml(read_text(path), str(path))

    def with_options(self, **options: Any) -> PlanRequest:
        """The request with options of the command line; None means: not given."""
        given = {key: value for key, value in options.items() if value is not None}
        for key, value in given.items():
            listed = list(value) if isinstance(value, tuple) else value
            if problem := problem_of(key, listed):
                raise InputError(f"--{flag_of(key)} {problem}")
        for contender in given.get("contenders", ()):
            key, why = contender.problem()
            if key:
                raise InputError(f"contender {contender.build}:{contender.engine}: {key} {why}")
        for key in (*_NAMES, *SWEPT):
            if isinstance(given.get(key), list):
                given[key] = tuple(given[key])
        return replace(self, **given)

    @property
    def until_decided(self) -> bool:
        """Whether the plan runs until decided; with a single contender there is nothing to decide."""
        return self.repeats == UNTIL_DECIDED and len(self.contenders) > 1

    @property
    def rounds(self) -> int:
        """The largest number of rounds."""
        if isinstance(self.repeats, str):
            return ROUNDS if self.until_decided else LEAST
        return self.repeats

    def to_toml(self) -> str:
        """The request as a plan file; open values stay open."""
        import tomli_w

        data: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in RULES and value not in (None, "", ()):
                data[field.name] = list(value) if isinstance(value, tuple) else value
        tables = [
            {key: value for key in CONTENDER_RULES if (value := getattr(each, key))}
            for each in self.contenders
        ]
        parts = [tomli_w.dumps(data), *(f"[[contender]]\n{tomli_w.dumps(table)}" for table in tables)]
        return "\n".join(parts)


def flag_of(key: str) -> str:
    """The option of `dyno run` for a key of a plan file."""
    return _FLAGS.get(key, key.replace("_", "-"))


def problem_of(key: str, value: Any) -> str:
    """What is wrong with a value of a request; '' if nothing, or without a rule."""
    rule, words_problem = RULES.get(key), _WORDS.get(key)
    problem = rule.problem(value) if rule else ""
    return problem or (words_problem(value) if words_problem else "")


def _problem_of(read: Callable[[str], object], text: str) -> str:
    try:
        read(text)
    except InputError as error:
        return str(error)
    return ""


def _repeats_problem(repeats: int | str) -> str:
    if isinstance(repeats, str) and repeats != UNTIL_DECIDED:
        return f'must be a whole number or "{UNTIL_DECIDED}", not {shown(repeats)}'
    return ""


_WORDS: dict[str, Callable[[Any], str]] = {**WORDS, "repeats": _repeats_problem}  # or a number


def _values(document: Document) -> dict[str, Any]:
    values = {key: value for key, value in document.data.items() if key != "contender"}
    for key, words_problem in _WORDS.items():
        if key in values and (problem := words_problem(values[key])):
            raise document.error((key,), problem)
    values.update({key: tuple(values[key]) for key in _NAMES if key in values})
    values.update({key: as_tuple(values[key]) for key in SWEPT if key in values})
    tables = document.data.get("contender", [])
    values["contenders"] = tuple(_contender(document, at, table) for at, table in enumerate(tables))
    return values


def _contender(document: Document, at: int, table: Mapping[str, Any]) -> ContenderRequest:
    where = ("contender", at)
    document.check(table, CONTENDER_RULES, where)
    contender = ContenderRequest(**{**table, "engine": engine_of(table["engine"]).name})
    key, why = contender.problem()
    if key:
        raise document.error((*where, key), why)
    return contender
