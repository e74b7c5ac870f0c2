"""Reading a my.cnf as a server does: groups, options in order, quotes, comments, header lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from app.core.errors import InputError

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
_PREFIXES = ("loose_", "skip_", "disable_", "enable_", "maximum_")


@dataclass(frozen=True)
class Option:
    """One option as it stands in a file."""

    group: str
    line: int
    name: str  # with underscores and whatever prefix it has
    value: str | None  # as written, quotes included; None: it is a flag

    @property
    def key(self) -> str:
        """The name without its prefixes: what it sets."""
        return strip_prefixes(self.name)[-1]

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
        raise InputError(f"{label}: larger than {MAX_BYTES // 1024} KiB, which no my.cnf needs")
    options: list[Option] = []
    header: dict[str, str] = {}
    group = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        where = f"{label}: line {number}"
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
        raise InputError(f"{where}: longer than the {MAX_LINE} characters a server reads at once")
    if not raw.lstrip().startswith(("#", ";")) and not _PRINTABLE.fullmatch(raw.rstrip("\r")):
        raise InputError(f"{where}: a character that is not plain ASCII stands outside a comment")


def _read_header(line: str, header: dict[str, str]) -> None:
    found = _HEADER.fullmatch(line)
    if found and found[1].lower() in HEADERS:
        header.setdefault(found[1].lower(), found[2].strip())


def _read_group(line: str, where: str) -> str:
    inner, bracket, rest = line[1:].partition("]")
    group = inner.strip()
    if not bracket or not group or (rest.strip() and not rest.strip().startswith(("#", ";"))):
        raise InputError(f"{where}: {line} is no group; write [mysqld]")
    misspelt = _MISSPELT_GROUP.fullmatch(group) and not _OTHER_PROGRAM.fullmatch(group)
    if misspelt and not is_server_group(group):
        raise InputError(f"{where}: no server reads [{group}]; write [mysqld-5.6] or [mariadb-10.11]")
    return group


def is_server_group(group: str) -> bool:
    """Whether some server reads it; [mysqld_safe] and [client] belong to other programs."""
    return bool(_SERVER_GROUP.fullmatch(group))


def _read_option(line: str, group: str, number: int, where: str) -> Option:
    if line.startswith("!"):
        raise InputError(f"{where}: {line.split()[0]} is not taken: a preset is one file")
    if not group:
        raise InputError(f"{where}: an option before the first group; write [mysqld] above it")
    name, equals, value = _without_comment(line).partition("=")
    name = name.strip()
    if not _NAME.fullmatch(name.lstrip("-")) or name.startswith("-"):
        raise InputError(f"{where}: {name or line!r} is no option name; write name=value, without dashes")
    name = name.replace("-", "_").lower()
    return Option(group, number, name, value.strip() if equals else None)


def _without_comment(line: str) -> str:
    """Cut what follows a # outside quotes, as the server does."""
    quote, escaped = "", False
    for at, char in enumerate(line):
        if char in "'\"" and not escaped:
            quote = char if not quote else "" if quote == char else quote
        if char == "#" and not quote:
            return line[:at].rstrip()
        escaped = bool(quote) and char == "\\" and not escaped
    return line


def unquote(value: str) -> str:
    """The value without the quotes around it."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value


def strip_prefixes(name: str) -> list[str]:
    """The name, then what is left each time a prefix that a server strips is taken off."""
    found = [name]
    while prefix := next((each for each in _PREFIXES if found[-1].startswith(each)), ""):
        found.append(found[-1][len(prefix) :])
    return found
