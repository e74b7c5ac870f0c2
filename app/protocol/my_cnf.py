"""Lines of a my.cnf and names of options, as a server reads them."""

from __future__ import annotations

from typing import List, Optional, Tuple

_PREFIXES = ("loose_", "skip_", "disable_", "enable_", "maximum_")


def split_line(line: str) -> Tuple[str, Optional[str]]:
    """Name and value as they are written, quotes included; the value of a flag is None."""
    name, equals, value = _without_comment(line.strip()).partition("=")
    return name.strip(), value.strip() if equals else None


def option_in(line: str) -> Optional[Tuple[str, Optional[str]]]:
    """The option of a line: its name with underscores, its value as it is written; None where there is none."""
    name, value = split_line(line)
    return (normalised_option_name(name), value) if name and name[0] not in "#;[!" else None


def normalised_option_name(text: str) -> str:
    """A name as variables have it: dashes and underscores are the same to a server."""
    return text.strip().replace("-", "_").lower()


def strip_prefixes(name: str) -> List[str]:
    """The name, then what is left each time a prefix that a server strips is taken off."""
    found = [name]
    while True:
        prefix = next((each for each in _PREFIXES if found[-1].startswith(each)), "")
        if not prefix:
            return found
        found.append(found[-1][len(prefix) :])


def option_key(name: str) -> str:
    """What an option sets: its name without prefixes, whatever its spelling."""
    return strip_prefixes(normalised_option_name(name))[-1]


def unquote(value: str) -> str:
    """The value without the quotes around it."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value


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
