"""Reading a my.cnf as a server does: groups, options in order, quotes, comments, header lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from app.core.errors import InputError, add_line_to_errors
from app.protocol.my_cnf import normalised_option_name, option_key, split_line

MAX_BYTES = 64 * 1024
MAX_LINE = 4000  # a server reads 4,095 bytes at a time and takes what follows for a line of its own
HEADERS = ("title", "purpose", "durability", "source")

_HEADER = re.compile(r"#\s*(\w+):\s*(.*)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]*")
_PRINTABLE = re.compile(r"[\t -~]*")
# what a server reads; its groups of other versions have the same form
_SERVER_GROUP = re.compile(
    r"(mysqld|mariadb|mariadbd)-\d+\.\d+|mysqld|server|mariadb|mariadbd|client-server|galera|mysql_cluster"
)
# what only looks like one, and would be ignored without a word
_MISSPELT_GROUP = re.compile(r"(mysqld|mariadbd?|server)[-.\d].*", re.IGNORECASE)
_OTHER_PROGRAM = re.compile(r"mariadb-[a-z][a-z-]*")


@dataclass(frozen=True)
class Option:
    """One option as it is in a file."""

    group: str
    line: int
    name: str  # with underscores and whatever prefix it has
    value: str | None  # as written, quotes included; None: it is a flag

    @property
    def key(self) -> str:
        """The option's name without prefixes."""
        return option_key(self.name)

    @property
    def text(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value}"


@dataclass(frozen=True)
class Preset:
    """A named my.cnf for an engine, as it was written."""

    name: str
    engine: str
    label: str  # the file, as errors name it
    text: str
    options: tuple[Option, ...]
    header: dict[str, str] = field(default_factory=dict)
    shipped: bool = True

    @property
    def title(self) -> str:
        return self.header.get("title", self.name)

    @property
    def body(self) -> str:
        """Its text without what its header says of it."""
        lines = self.text.split("\n")
        return "\n".join(each for each in lines if not _HEADER.fullmatch(each.strip()))

    @property
    def file(self) -> str:
        """Its name among the files of a plan."""
        return preset_file(self.engine, self.name)


def preset_file(engine: str, name: str) -> str:
    """The name of a preset among the files of a plan."""
    return f"presets/{engine}/{name}.cnf"


def parse_preset(text: str, name: str, engine: str, label: str = "", shipped: bool = True) -> Preset:
    """Read a preset; raises InputError with the file and line of what cannot be read."""
    label = label or f"{engine}/{name}.cnf"
    if len(text.encode()) > MAX_BYTES:
        raise InputError(f"{label}: larger than {MAX_BYTES // 1024} KiB")
    options: list[Option] = []
    header: dict[str, str] = {}
    group = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        where = f"{label}: line {number}"
        with add_line_to_errors(number):
            _check_line(raw, where)
            if line.startswith(("#", ";")):
                _read_header(line, header)
            elif line.startswith("["):
                group = _read_group(line, where)
            elif line:
                options.append(_read_option(line, group, number, where))
    return Preset(name, engine, label, text, tuple(options), header, shipped)


def _check_line(raw: str, where: str) -> None:
    if len(raw.encode()) > MAX_LINE:
        raise InputError(f"{where}: longer than {MAX_LINE} characters, which is all a server reads")
    if not raw.lstrip().startswith(("#", ";")) and not _PRINTABLE.fullmatch(raw.rstrip("\r")):
        raise InputError(f"{where}: outside of comments only ASCII characters are allowed")


def _read_header(line: str, header: dict[str, str]) -> None:
    found = _HEADER.fullmatch(line)
    if found and found[1].lower() in HEADERS:
        header.setdefault(found[1].lower(), found[2].strip())


def _read_group(line: str, where: str) -> str:
    inner, bracket, rest = line[1:].partition("]")
    group = inner.strip()
    if not bracket or not group or (rest.strip() and not rest.strip().startswith(("#", ";"))):
        raise InputError(f"{where}: {line} is not a group; write [mysqld]")
    misspelt = _MISSPELT_GROUP.fullmatch(group) and not _OTHER_PROGRAM.fullmatch(group)
    if misspelt and not is_server_section(group):
        raise InputError(f"{where}: no server reads [{group}]; write [mysqld-5.6] or [mariadb-10.11]")
    return group


def is_server_section(group: str) -> bool:
    """Whether a server reads the group; [mysqld_safe] and [client] belong to other programs."""
    return bool(_SERVER_GROUP.fullmatch(group))


def _read_option(line: str, group: str, number: int, where: str) -> Option:
    if line.startswith("!"):
        raise InputError(f"{where}: {line.split()[0]} is not allowed: a preset is one file")
    if not group:
        raise InputError(f"{where}: an option before the first group; write [mysqld] above it")
    name, value = split_line(line)
    if not _NAME.fullmatch(name.lstrip("-")) or name.startswith("-"):
        raise InputError(f"{where}: {name or line!r} is not an option name; write name=value, without dashes")
    return Option(group, number, normalised_option_name(name), value)
