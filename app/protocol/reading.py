"""Reading JSON values as dataclasses: each field checked by its annotation, on any Python from 3.8.

An annotation declares type and limits, once: the names below, `bool`, `Any` and `object` (anything), dataclasses
of the same module, lists, tuples and dicts of them, and `| None`. What one field alone needs is in its `metadata`:
NEEDED, PART, `max_list_entries_rule`, `typed_keys_rule`. A key without a field is of a newer version and is passed over.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import MISSING, Field, fields
from functools import lru_cache, partial
from typing import Any, Callable, Dict, List, Mapping, Pattern, Tuple, Type, TypeVar, Union

from .latency import LONGEST_CODE

MOST = 1e18  # of any figure: its square, and a sum of squares, are still finite
MOST_WHOLE = 10**18
MOST_PCT = 50  # of a limit of the verdicts
MOST_SECONDS = 1 << 21  # of one step: 24 days
LONGEST_NAME = 1000
LONGEST_TEXT = 100_000
LONGEST_PACKED = 256 << 10
YEAR_1, YEAR_9999 = -62_135_596_800, 253_402_300_799  # the seconds that a date can be made of

Name = str  # up to 1,000 characters
Text = str  # up to 100,000
Content = str  # of a file, as long as a line of a journal can be
Id = str  # of a session or plan
Sha = str  # of an agent file; '' where it is gone
BuildName = str
Cpus = str  # as taskset -c takes them
Outcome = str  # of a session
StepOutcome = str
LatencyCode = str  # events by bucket, see latency.py: only its length is checked here
Packed = str  # stacks, see stacks.py
Number = float
Figure = float  # a rate, a time, a size, a cost: not below 0
Counter = float  # of a server: of 64 bits, and back to 0
Count = int
Few = int  # threads, steps, repeats
Positive = int
Seq = int
Place = int  # of a step in its plan; -1: none
Second = int  # of a step
Seconds = float
LimitPct = float  # of the verdicts
Moment = float  # seconds since 1970
Processor = int  # by its number
Scalar = Union[bool, int, float, str, None]

TEXTS: Dict[str, Tuple[int, int]] = {  # characters, the fewest and the most
    "Name": (0, LONGEST_NAME),
    "Text": (0, LONGEST_TEXT),
    "str": (0, LONGEST_TEXT),
    "Content": (0, 1 << 30),
    "Id": (1, 64),
    "Sha": (0, 64),
    "BuildName": (1, 255),
    "Cpus": (0, 4096),
    "Outcome": (1, LONGEST_NAME),
    "StepOutcome": (1, LONGEST_NAME),
    "LatencyCode": (0, LONGEST_CODE),
    "Packed": (0, LONGEST_PACKED),
}
_FORMS = {
    "Sha": re.compile("[0-9a-f]*"),
    "Cpus": re.compile(r"(\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*)?", re.ASCII),
    "Outcome": re.compile("completed|failed|stopped"),
    "StepOutcome": re.compile("completed|failed|stopped|skipped"),
    "Packed": re.compile("[A-Za-z0-9+/=]*"),
}
WHOLE = {
    "Count": (0, MOST_WHOLE),
    "Few": (0, 1_000_000),
    "Processor": (0, 9999),
    "int": (-MOST_WHOLE, MOST_WHOLE),
    "Positive": (1, 10**15),
    "Seq": (0, 1 << 53),
    "Place": (-1, 1_000_000),
    "Second": (-MOST_SECONDS, MOST_SECONDS),
}
NUMBERS = {
    "Number": (-MOST, MOST),
    "float": (-MOST, MOST),
    "Figure": (0, MOST),
    "Counter": (-sys.float_info.max, sys.float_info.max),
    "Seconds": (-1e10, 1e10),
    "LimitPct": (0, MOST_PCT),
    "Moment": (YEAR_1, YEAR_9999),
}

NEEDED = {"needed": True}  # of a field that has a default only since one before it has
PART = {"part": True}  # of a field that is None, and {} in JSON, where there is nothing


def max_list_entries_rule(entries: int) -> Mapping[str, Any]:
    """Of a list: it has no more entries."""
    return {"most": entries}


def typed_keys_rule(**kinds: str) -> Mapping[str, Any]:
    """Of a dict of anything: these keys have a known type."""
    return {"known": kinds}


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


def read_field(cls: Any, name: str, value: object) -> Any:
    """A value as this field of a dataclass; as it is where the dataclass has no such field."""
    for known_name, reader, _ in _readers(cls):
        if known_name == name:
            try:
                return reader(value)
            except _WrongError as wrong:
                wrong.places.append(name)
                raise ShapeError(str(wrong)) from None
    return value


def _read_object(cls: Any, data: object) -> Any:
    if not isinstance(data, dict):
        raise _WrongError("is no object")
    if hasattr(cls, "fitting"):  # one of its subclasses
        cls = cls.fitting(data)
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
    return "needed" in each.metadata or (each.default is MISSING and each.default_factory is MISSING)


def _reader_of(each: Field[Any], cls: Type[Any]) -> _Reader:
    node: Any = ast.parse(str(each.type), mode="eval").body
    reader = _compiled(node, vars(sys.modules[cls.__module__]))
    if "most" in each.metadata:
        return partial(_read_at_most, reader, each.metadata["most"])
    if "known" in each.metadata:
        kinds = {name: _named(kind, {}) for name, kind in each.metadata["known"].items()}
        return partial(_read_known, reader, kinds)
    return partial(_read_part, reader) if "part" in each.metadata else reader


def _compiled(node: Any, names: Mapping[str, Any]) -> _Reader:
    kind = type(node).__name__
    if kind == "BinOp":
        return partial(_read_optional, _compiled(node.left, names))
    if kind == "Subscript":
        inner = node.slice.value if type(node.slice).__name__ == "Index" else node.slice  # before Python 3.9
        if node.value.id == "list":
            return partial(_read_list, _compiled(inner, names))
        if node.value.id == "tuple" and type(inner.elts[1]).__name__ == "Name":
            return partial(_read_pair, *(_compiled(each, names) for each in inner.elts))
        if node.value.id == "tuple":  # of any length
            return partial(_read_tuple, _compiled(inner.elts[0], names))
        key, value = (_compiled(each, names) for each in inner.elts)
        return partial(_read_dict, key, value)
    return _named(node.id, names)


def _named(name: str, names: Mapping[str, Any]) -> _Reader:
    if name in TEXTS:
        return partial(_read_text, *TEXTS[name], _FORMS.get(name))
    if name in WHOLE:
        return partial(_read_number, True, *WHOLE[name])
    if name in NUMBERS:
        return partial(_read_number, False, *NUMBERS[name])
    return _OTHERS[name] if name in _OTHERS else partial(_read_object, names[name])


def _read_anything(value: object) -> object:
    return value


def _read_scalar(value: object) -> object:
    if not isinstance(value, (bool, int, float, str, type(None))):
        raise _WrongError("is neither a text nor a number")
    return value


def _read_part(inner: _Reader, value: object) -> object:
    return None if value == {} else inner(value)


def _read_at_most(inner: _Reader, most: int, value: object) -> object:
    if isinstance(value, list) and len(value) > most:
        raise _WrongError("has {:,} entries: at most {:,} are right".format(len(value), most))
    return inner(value)


def _read_known(inner: _Reader, known: Mapping[str, _Reader], value: object) -> object:
    found: Any = inner(value)
    for name in known:
        if name in found:
            try:
                known[name](found[name])
            except _WrongError as wrong:
                wrong.places.append("." + name)
                raise
    return found


def _read_pair(first: _Reader, second: _Reader, value: object) -> object:
    if not isinstance(value, list) or len(value) != 2:
        raise _WrongError("is no list of two")
    return first(value[0]), second(value[1])


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
        raise _WrongError("is not written as it must be")
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


_OTHERS: Dict[str, _Reader] = {
    "bool": _read_bool,
    "Scalar": _read_scalar,
    "object": _read_anything,
    "Any": _read_anything,
}
