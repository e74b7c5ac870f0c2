"""Checks what comes from a target or a file before anything reads it.

For the desktop alone: msgspec, which decodes, is not on the target, and the agent file leaves this folder out.
History, remote and targets call it, so that what reads behind them can rely on types and sizes. Types and limits
are those of the annotations of a dataclass, see `app/protocol/reading.py`; `facts` has those of facts.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from app.protocol.reading import LONGEST_NAME
from app.protocol.reading import ShapeError as ShapeError

LEAST = 1e-30  # but 0: what is divided by it is still finite
DEPTH = 32
LEAST_COUNTER, MOST_COUNTER = -(1 << 63), (1 << 64) - 1  # what those of servers reach


def decode_json(raw: bytes) -> Any:
    """The value of JSON text: no deeper than DEPTH, numbers finite, whole ones of 64 bits, names short."""
    try:
        value = msgspec.json.decode(raw)
    except UnicodeDecodeError:
        raise ShapeError("it is not UTF-8") from None
    except msgspec.MsgspecError:
        value = _decode_slowly(raw)
    except RecursionError:
        raise ShapeError("it is nested too deeply") from None
    check_storable(value)
    return value


def _decode_slowly(raw: bytes) -> Any:
    """Half a surrogate pair, which msgspec refuses, is a question mark from here on."""
    try:
        value = json.loads(raw.decode())
        text = json.dumps(value, ensure_ascii=False)
        return msgspec.json.decode(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ShapeError(f"it is not JSON: {error}") from None


def check_storable(value: Any) -> None:
    """Raise ShapeError where a value could not be stored and shown."""
    level: list[Any] = [value]
    for _ in range(DEPTH):
        inner: list[Any] = []
        for each in level:
            if type(each) is dict:
                _check_names(each)
                inner += each.values()
            elif type(each) is list:
                inner += each
            elif type(each) is float or type(each) is int:
                _check_number(each)
        if not inner:
            return
        level = inner
    raise ShapeError(f"it is nested more than {DEPTH} levels deep")


def _check_names(value: dict[str, Any]) -> None:
    if value and max(map(len, value)) > LONGEST_NAME:
        raise ShapeError(f"a name has more than {LONGEST_NAME} characters")


def _check_number(value: float) -> None:
    if -LEAST < value < LEAST and value:
        raise ShapeError("a number is closer to 0 than anything that is measured")
    if isinstance(value, int) and not LEAST_COUNTER <= value <= MOST_COUNTER:
        raise ShapeError("a whole number has more than 64 bits")
