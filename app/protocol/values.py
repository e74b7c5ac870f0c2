"""Checking JSON values against the annotations of a dataclass, on any Python from 3.8."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "bool": (bool,),
    "list": (list,),
    "dict": (dict,),
    "Any": (object,),
    "None": (type(None),),
}


@lru_cache(maxsize=None)
def field_types(cls: type) -> list[tuple[str, tuple[type, ...], bool]]:
    """Name, accepted JSON types and whether it must be there, of each field of a dataclass."""
    return [
        (f.name, _types_of(str(f.type)), f.default is MISSING and f.default_factory is MISSING)
        for f in fields(cls)
    ]


def _types_of(annotation: str) -> tuple[type, ...]:
    names = [part.strip().split("[")[0] for part in annotation.split(" | ")]
    return tuple(accepted for name in names for accepted in _TYPES.get(name, (object,)))


def check_fields(cls: type, data: Any, what: str) -> None:
    """Raise ValueError if the data is no JSON object with the fields of cls."""
    if not isinstance(data, dict):
        raise ValueError("{}: not an object".format(what))
    for name, types, needed in field_types(cls):
        if name not in data:
            if needed:
                raise ValueError("{}: {} is missing".format(what, name))
        elif not isinstance(data[name], types) or (
            isinstance(data[name], bool) and bool not in types and object not in types
        ):
            raise ValueError("{}: {} is of the wrong type".format(what, name))
