"""Reading JSON values as dataclasses: each field checked by its annotation, on any Python from 3.8.

The annotations are those below, `bool`, `object` (anything), dataclasses of the same module, lists, tuples
and dicts of them, and `| None`. A key without a field is of a newer version and is passed over.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import MISSING, Field, fields
from functools import lru_cache, partial
from typing import Any, Callable, Dict, List, Mapping, Pattern, Tuple, Type, TypeVar

MOST = 1e18  # of any figure: its square, and a sum of squares, are still finite
MOST_WHOLE = 10**18
MOST_PCT = 50  # of a limit of the verdicts
LONGEST_NAME = 1000
LONGEST_TEXT = 100_000
YEAR_1, YEAR_9999 = -62_135_596_800, 253_402_300_799  # the seconds that a date can be made of

Name = str  # up to 1,000 characters
Text = str  # up to 100,000
Id = str  # of a session or plan
Sha = str  # of an agent file; '' where it is gone
BuildName = str
Number = float
Count = int
Few = int  # threads, steps, repeats
Moment = float  # seconds since 1970
Processor = int  # by its number

_TEXTS: Dict[str, Tuple[int, int]] = {
    "Name": (0, LONGEST_NAME),
    "Text": (0, LONGEST_TEXT),
    "Id": (1, 64),
    "Sha": (0, 64),
    "BuildName": (1, 255),
}
_FORMS = {"Sha": re.compile("[0-9a-f]*")}
_WHOLE = {"Count": (0, MOST_WHOLE), "Few": (0, 1_000_000), "Processor": (0, 9999)}
_NUMBERS = {"Number": (-MOST, MOST), "Moment": (YEAR_1, YEAR_9999)}

NEEDED = {"needed": True}  # of a field that has a default only since one before it has

T = TypeVar("T")
_Reader = Callable[[Any], Any]


class ShapeError(ValueError):
    """A value without the expected shape; its text says where."""


class _WrongError(Exception):
    """A wrong value; each level around it adds its place."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        self.places: List[str] = []

    def __str__(self) -> str:
        where = "".join(reversed(self.places)).lstrip(".")
        return "{} {}".format(where or "it", self.text)


def read(cls: Callable[..., T], data: object) -> T:
    """A dataclass from JSON; raises ShapeError if the data does not fit it."""
    try:
        made: T = _read_object(cls, data)
    except _WrongError as wrong:
        raise ShapeError(str(wrong)) from None
    return made


def _read_object(cls: Any, data: object) -> Any:
    if not isinstance(data, dict):
        raise _WrongError("is no object")
    values = {}
    for name, reader, is_needed in _readers(cls):
        if name in data:
            try:
                values[name] = reader(data[name])
            except _WrongError as wrong:
                wrong.places.append("." + name)
                raise
        elif is_needed:
            raise _WrongError("lacks `{}`".format(name))
    return cls(**values)


@lru_cache(maxsize=None)
def _readers(cls: Any) -> List[Tuple[str, _Reader, bool]]:
    return [(each.name, _reader_of(each, cls), _is_needed(each)) for each in fields(cls)]


def _is_needed(each: Field[Any]) -> bool:
    return bool(each.metadata) or (each.default is MISSING and each.default_factory is MISSING)


def _reader_of(each: Field[Any], cls: Type[Any]) -> _Reader:
    node: Any = ast.parse(str(each.type), mode="eval").body
    return _compiled(node, vars(sys.modules[cls.__module__]))


def _compiled(node: Any, names: Mapping[str, Any]) -> _Reader:
    kind = type(node).__name__
    if kind == "BinOp":
        return partial(_read_optional, _compiled(node.left, names))
    if kind == "Subscript":
        inner = node.slice.value if type(node.slice).__name__ == "Index" else node.slice  # before Python 3.9
        if node.value.id == "list":
            return partial(_read_list, _compiled(inner, names))
        if node.value.id == "tuple":  # of any length
            return partial(_read_tuple, _compiled(inner.elts[0], names))
        key, value = (_compiled(each, names) for each in inner.elts)
        return partial(_read_dict, key, value)
    return _named(node.id, names)


def _named(name: str, names: Mapping[str, Any]) -> _Reader:
    if name in _TEXTS:
        return partial(_read_text, *_TEXTS[name], _FORMS.get(name))
    if name in _WHOLE:
        return partial(_read_number, True, *_WHOLE[name])
    if name in _NUMBERS:
        return partial(_read_number, False, *_NUMBERS[name])
    if name == "bool":
        return _read_bool
    if name == "object":
        return _read_anything
    return partial(_read_object, names[name])


def _read_anything(value: object) -> object:
    return value


def _read_optional(inner: _Reader, value: object) -> object:
    return None if value is None else inner(value)


def _read_list(inner: _Reader, value: object) -> List[object]:
    if not isinstance(value, list):
        raise _WrongError("is no list")
    found: List[object] = []
    try:
        for each in value:
            found.append(inner(each))
    except _WrongError as wrong:
        wrong.places.append("[{}]".format(len(found)))
        raise
    return found


def _read_tuple(inner: _Reader, value: object) -> object:
    return tuple(_read_list(inner, value))


def _read_dict(key: _Reader, inner: _Reader, value: object) -> object:
    if not isinstance(value, dict):
        raise _WrongError("is no object")
    names = [key(name) for name in value]
    try:
        return dict(zip(names, map(inner, value.values())))
    except _WrongError as wrong:
        wrong.places.append("[...]")  # a name may be hostile
        raise


def _read_text(least: int, most: int, form: Pattern[str] | None, value: object) -> object:
    if not isinstance(value, str):
        raise _WrongError("is no text")
    if not least <= len(value) <= most:
        text = "has {:,} characters: {:,} to {:,} are right"
        raise _WrongError(text.format(len(value), least, most))
    if form is not None and not form.fullmatch(value):
        raise _WrongError("has characters that it cannot have")
    return value


def _read_number(is_whole: bool, least: float, most: float, value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int if is_whole else (int, float)):
        raise _WrongError("is no {}number".format("whole " if is_whole else ""))
    if not least <= value <= most:
        raise _WrongError("is out of bounds: {:,} to {:,} are right".format(least, most))
    return value


def _read_bool(value: object) -> object:
    if not isinstance(value, bool):
        raise _WrongError("is neither true nor false")
    return value
