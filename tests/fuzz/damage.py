"""Damaging JSON values, field by field: what a hostile target or a bad disk could make of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]
GONE = object()


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


# in place of a value; a callable is given the value
BAD: dict[str, Any] = {
    "gone": GONE,
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "minus one": -1,
    "minus many": -(1 << 62),
    "many": 1 << 40,
    "int64": (1 << 63) - 1,
    "beyond 64 bits": 1 << 70,
    "400 digits": 10**400,
    "fraction": 0.5,
    "tiny": 5e-324,
    "huge": 1e308,
    "infinite": float("inf"),
    "not a number": float("nan"),
    "empty text": "",
    "text": "x",
    "hostile text": "\x1b]0;x\x07\u202e[/red]{0}%s\n\x00\ud800",
    "long text": "x" * 200_000,
    "digits": "12",
    "empty list": [],
    "list": [1, None, "x", {}],
    "texts": ["x", "y"],
    "deep": deep(200),
    "empty map": {},
    "map": {"x": 1},
    "odd keys": {"": 1, "\x1b": 2, "a" * 5000: 3},
    "nested": lambda value: [value],
    "wrapped": lambda value: {"value": value},
    "twice": lambda value: value * 2 if isinstance(value, (str, list)) else [value, value],
    "negated": lambda value: -value if isinstance(value, (int, float)) else {"-": value},
    "as text": str,
}


def paths(value: Any, so_far: Path = (), most: int = 4) -> Iterator[Path]:
    """Every place in a value; of lists and large maps the first few entries."""
    if so_far:
        yield so_far
    entries: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items()) if len(value) <= 40 else list(value.items())[:most]
    elif isinstance(value, list):
        entries = list(enumerate(value))[:most]
    for name, inner in entries:
        yield from paths(inner, (*so_far, name), most)


def damaged(value: Any, path: Path, how: str) -> Any:
    """A copy with one place changed."""
    changed = copy.deepcopy(value)
    holder = changed
    for name in path[:-1]:
        holder = holder[name]
    bad = BAD[how]
    if bad is GONE:
        del holder[path[-1]]
    else:
        holder[path[-1]] = bad(holder[path[-1]]) if callable(bad) else bad
    return changed
