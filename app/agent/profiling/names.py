"""Names of functions: short, the same in all builds, and without anything that steers a terminal."""

from __future__ import annotations

import os
import re

from app.protocol.stacks import KERNEL

LONGEST = 120
UNKNOWN = "[unknown]"
_OPERATOR = re.compile(r"(operator\s*(?:<<=?|>>=?|<=>|<=|>=|->\*?|<|>|\(\)))")
_MADE = re.compile(r"(\.(isra|part|constprop|cold|lto_priv|llvm)(\.\d+)*)+$")  # copies that a compiler made
_CLONE = re.compile(r" \[clone [^]]*\]")
_VERSION = re.compile(r"@+[A-Z]+_[0-9.]+$")  # of a function of the C library
_QUALIFIER = re.compile(r" (const|volatile|&&?)+$")
_STRANGE = re.compile(r"[^!-:<-~ ]|;")  # neither printable ASCII nor what parts frames


def short_function_name(name: str, file: str = "") -> str:
    """A function without parameters and template arguments; without a name: `[mariadbd]`, after its file."""
    name = _clean(name)
    if not name or name == UNKNOWN or name.startswith("??"):
        base = _clean(os.path.basename(file).strip("[]"))
        return "[{}]".format(base[:LONGEST]) if base else UNKNOWN
    plain = _MADE.sub("", _VERSION.sub("", _CLONE.sub("", name)))
    plain = plain.replace("(anonymous namespace)", "anonymous")
    bare = _QUALIFIER.sub("", _without_brackets(plain).strip())
    short = (_last_word(bare) or plain)[:LONGEST]
    return short + KERNEL if file.startswith("[kernel") or file.endswith(".ko") else short


def safe_thread_name(name: str) -> str:
    """The name of a thread as the server gave it."""
    return _clean(name)[:LONGEST] or "[thread]"


def is_unnamed_frame(name: str) -> bool:
    """Whether a frame has no name of a function."""
    return name.startswith("[")


def _clean(text: str) -> str:
    return _STRANGE.sub("", text).strip()


def _without_brackets(text: str) -> str:
    """The text without what is in round and angle brackets, but for operators."""
    found, depth = [], 0
    for at, part in enumerate(_OPERATOR.split(text)):
        if at % 2:  # an operator
            found.append(part if not depth else "")
            continue
        for char in part:
            depth = max(0, depth - (char in ")>"))
            found.append(char if not depth and char not in "()<>" else "")
            depth += char in "(<"
    return "".join(found)


def _last_word(text: str) -> str:
    """The name behind the type that it returns; an operator keeps its word."""
    at = text.find("operator")
    start = text.rfind(" ", 0, at if at >= 0 else len(text))
    return text[start + 1 :]
