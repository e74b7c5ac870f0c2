"""A contender that a person asks for: build, engine, preset, and what its server runs with."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.core.errors import InputError
from app.core.option_groups import SERVER
from app.core.quantity import ALLOWED, bytes_of
from app.core.ranges import cpus_of
from app.core.toml_text import short_value_repr
from app.engines import FIRST, engine_of
from app.protocol.plan import ALLOCATORS, MEMORY, Contender
from app.variables.names import BASELINE

from .options import option, request_class_options

_KEPT = ("build", "engine", "preset", "table_options", "cores", "allocator", "numa")  # of a plan's contender
# what a server that runs already has anyway
_OF_BUILDS = ("build", "preset", "cores", "allocator", "numa", "memory_limit", "settings", "based_on")
_SERVER = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}")
_TABLE_OPTIONS = re.compile(r"[A-Za-z0-9_=,'. ]{0,500}")
_ENGINE = re.compile(r"\b(?:engine|type)\b", re.IGNORECASE)
_PATH = re.compile(r"/[A-Za-z0-9._+@/-]{1,250}")  # no blank or colon, which part paths in LD_PRELOAD
_SETTING = re.compile(r"[A-Za-z][A-Za-z0-9_-]{1,100}=[^\s,#;]{1,200}")
_NODES = r"\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?)*"
_NUMA = re.compile(rf"(interleave|membind)=(all|{_NODES})|preferred=\d{{1,4}}|localalloc")


EACH_BUILD = "*"  # in place of the name of a build


@dataclass(frozen=True)
class ContenderRequest:
    """A contender by names of build, engine and preset; or a server that runs already, and an engine."""

    build: str = option("")
    engine: str = option("")
    preset: str = option(BASELINE)
    name: str = option("")
    table_options: str = option(
        "",
        group=SERVER,
        metavar="OPTIONS",
        help="table options for every contender, such as ROW_FORMAT=COMPRESSED",
    )
    cores: str = option(
        "",
        flag="taskset",  # --cores are those of the steps
        group=SERVER,
        metavar="CPUS",
        help="CPUs of every contender's server, as for taskset: 0-3, 0,2 or 0-6:2",
    )
    allocator: str = option(
        "",
        group=SERVER,
        metavar="NAME",
        help="memory allocator of every server: system, jemalloc, tcmalloc or the path of a library",
    )
    numa: str = option(
        "", group=SERVER, metavar="POLICY", help="NUMA policy of every server, as for numactl: interleave=all"
    )
    memory_limit: str = option(
        "", group=SERVER, metavar="SIZE", help="memory limit of every server, page cache included: 4G"
    )
    settings: str = option("")  # the preset is `based_on` with these behind: sync_binlog=1, log_bin=OFF
    based_on: str = option("")  # with settings; empty: baseline
    preset_text: str = option("", None)  # of a kept session, where no preset has it any more
    server: str = option(
        ""
    )  # that runs already, in place of build and preset; an empty engine is its default

    change_by: str = option("")  # of a server that runs already: a program on the target, by its path

    @property
    def is_of_each_build(self) -> bool:
        """Whether it stands for one of each build of the target."""
        return self.build == EACH_BUILD

    @classmethod
    def of_server(
        cls, server: str, engine: str = "", name: str = "", table_options: str = ""
    ) -> ContenderRequest:
        """A server that runs already, by its name; without an engine by its default one."""
        known = engine and engine_of(engine).name
        return cls(engine=known, preset="", name=name, table_options=table_options, server=server)

    @classmethod
    def from_text(cls, text: str) -> ContenderRequest:
        """BUILD, BUILD:ENGINE or BUILD:ENGINE:PRESET; @SERVER or @SERVER:ENGINE."""
        build, *further = text.split(":")
        if text.startswith("@"):
            if len(further) > 1 or not all((build[1:], *further)):
                raise InputError(
                    f"a server that runs already must be @SERVER or @SERVER:ENGINE, not {text!r}"
                )
            return cls.of_server(build[1:], *further)
        if len(further) > 2 or not all((build, *further)):
            raise InputError(f"contender must be BUILD, BUILD:ENGINE or BUILD:ENGINE:PRESET, not {text!r}")
        engine = engine_of(further[0]) if further else FIRST
        return cls(build, engine.name, *further[1:])

    @property
    def text(self) -> str:
        """As it is typed."""
        parts = (f"@{self.server}", self.engine) if self.server else (self.build, self.engine, self.preset)
        return ":".join(filter(None, parts))

    def problem(self) -> tuple[str, str]:
        """The wrong key and why; two empty texts if none is wrong."""
        if lacking := self._lacking():
            return lacking, "is missing"
        if self.server and (wrong_key := self._server_problem()):
            return wrong_key
        if self.change_by and not self.server:
            return "change_by", "is only for a server that runs already: a build has presets"
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
        wrong = [each for each in self.setting_lines if not _SETTING.fullmatch(each)]
        if wrong:
            return "settings", f"must be like sync_binlog=1, log_bin=OFF, not {short_value_repr(wrong[0])}"
        if self.settings and self.preset == BASELINE:
            return "preset", "must be a new name, for what the settings make of another preset"
        if self.based_on and not self.settings:
            return "based_on", "is only for settings"
        return self._memory_problem()

    def _lacking(self) -> str:
        """The first of its needed keys that is not there."""
        needed = () if self.server else ("build", "engine")
        return next((each for each in needed if not getattr(self, each)), "")

    def _server_problem(self) -> tuple[str, str] | None:
        if not _SERVER.fullmatch(self.server):
            return "server", f"must be a name of dyno server list, not {short_value_repr(self.server)}"
        if self.change_by and not _PATH.fullmatch(self.change_by):
            form = "must be the path of a program on the target, without arguments"
            return "change_by", f"{form}, not {short_value_repr(self.change_by)}"
        given = next((each for each in _OF_BUILDS if getattr(self, each)), "")
        why = "is not for a server that runs already, which Dyno does not start"
        return (given, f"{why}: leave it out") if given else None

    def _memory_problem(self) -> tuple[str, str]:
        names = ("system", *ALLOCATORS)
        if self.allocator and self.allocator not in names and not _PATH.fullmatch(self.allocator):
            forms = f"{', '.join(names)} or the path of a library"
            return "allocator", f"must be {forms}, not {short_value_repr(self.allocator)}"
        if self.numa and not _NUMA.fullmatch(self.numa):
            forms = "interleave=all, interleave=0,1, membind=0, preferred=0 or localalloc"
            return "numa", f"must be like {forms}, not {short_value_repr(self.numa)}"
        if self.memory_limit and not bytes_of(self.memory_limit):
            return "memory_limit", f"must be {ALLOWED['bytes']}, not {short_value_repr(self.memory_limit)}"
        return "", ""

    @classmethod
    def of(cls, contender: Contender, preset_text: str, name: str = "") -> ContenderRequest:
        """A contender of a plan, asked for again."""
        if contender.is_existing:
            again = cls.of_server(contender.build, contender.engine, name, contender.table_options)
            return replace(again, change_by=contender.change_by)
        kept = {each: getattr(contender, each) for each in _KEPT}
        limit = str(contender.memory_limit or "")
        return cls(**kept, name=name, memory_limit=limit, preset_text=preset_text)

    @property
    def brings_preset(self) -> bool:
        """Whether no preset of the catalog has its name."""
        return bool(self.preset_text or self.settings)

    @property
    def setting_lines(self) -> list[str]:
        """The settings as lines of a my.cnf."""
        return [each.strip() for each in self.settings.split(",")] if self.settings else []

    @property
    def memory(self) -> str:
        """All memory settings, as in one field."""
        return ", ".join(filter(None, (self.allocator, self.numa, self.memory_limit)))

    @property
    def memory_limit_bytes(self) -> int:
        """The limit in bytes; 0: none."""
        return bytes_of(self.memory_limit) or 0


def parse_memory_field(text: str) -> dict[str, str]:
    """The words of the memory field by key; their form decides the key, duplicates stay together."""
    found = dict.fromkeys(MEMORY, "")
    for word in re.split(r",?\s+", text.strip()):
        is_policy = "=" in word or word == "localalloc"
        key = "memory_limit" if word[:1].isdigit() else "numa" if is_policy else "allocator"
        found[key] = f"{found[key]} {word}".strip()
    return found


def _problem_of(read: Callable[[str], object], text: str) -> str:
    try:
        read(text)
    except InputError as error:
        return str(error)
    return ""


OF_CONTENDER = request_class_options(ContenderRequest)
# what options of the command line say of all contenders
TO_ALL = {name: row for name, row in OF_CONTENDER.items() if row.help}
