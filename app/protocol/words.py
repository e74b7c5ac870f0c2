"""Values of options and variables as servers take them."""

from __future__ import annotations

import re
from typing import Any

FACTORS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50, "e": 1 << 60}
_SIZE = re.compile("([0-9]{1,18})([kmgt])")
_WORDS = {"on": "1", "true": "1", "yes": "1", "off": "0", "false": "0", "no": "0"}


def word(value: Any) -> str:
    """A value for an option."""
    return {True: "ON", False: "OFF"}[value] if isinstance(value, bool) else str(value)


def literal(text: str) -> str:
    """A value for SQL, which does not know 1G."""
    if text[:-1].isdigit():
        return canonical_value(text)
    try:
        float(text)
    except ValueError:
        return "'{}'".format(text.replace("\\", "\\\\").replace("'", "''"))
    return text


def canonical_value(value: str) -> str:
    """A value in the one form in which two spellings of it are equal."""
    said = value.strip().lower()
    said = _WORDS.get(said, said)
    size = _SIZE.fullmatch(said)
    if size:
        return str(int(size.group(1)) * FACTORS[size.group(2)])
    try:
        number = float(said)
    except ValueError:
        return ",".join(sorted(part.strip() for part in said.split(",")))
    return str(int(number)) if number.is_integer() else str(number)
