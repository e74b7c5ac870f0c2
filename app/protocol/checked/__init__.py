"""Checks what comes from a target or a file by type and size before anything reads it.

For the desktop alone: msgspec, which checks, is not on the target, and the agent file leaves this folder
out. History, remote and targets call it, so that what reads behind them can rely on types and sizes.
Start with `journal` (each event), then `facts` and `plan`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from app.protocol.reading import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST,
    MOST_WHOLE,
    YEAR_1,
    YEAR_9999,
)
from app.protocol.reading import ShapeError as ShapeError

LEAST = 1e-30  # but 0: what is divided by it is still finite
DEPTH = 32
LEAST_COUNTER, MOST_COUNTER = -(1 << 63), (1 << 64) - 1  # what those of servers reach

Number = Annotated[float, Meta(ge=-MOST, le=MOST)]
Figure = Annotated[float, Meta(ge=0, le=MOST)]  # a rate, a time, a size, a cost
Whole = Annotated[int, Meta(ge=-MOST_WHOLE, le=MOST_WHOLE)]
Count = Annotated[int, Meta(ge=0, le=MOST_WHOLE)]
Few = Annotated[int, Meta(ge=0, le=1_000_000)]  # threads, steps, repeats
Name = Annotated[str, Meta(max_length=LONGEST_NAME)]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Moment = Annotated[float, Meta(ge=YEAR_1, le=YEAR_9999)]  # seconds since 1970
Seconds = Annotated[float, Meta(ge=-1e10, le=1e10)]
Cpus = Annotated[str, Meta(max_length=4096, pattern=r"^(\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*)?$")]
Numbers = dict[Name, Number | None]
Figures = dict[Name, Figure | None]
Texts = dict[Name, str]


def decode(raw: bytes) -> Any:
    """The value of JSON text: no deeper than DEPTH, numbers finite, whole ones of 64 bits, names short."""
    try:
        value = msgspec.json.decode(raw)
    except UnicodeDecodeError:
        raise ShapeError("it is not UTF-8") from None
    except msgspec.MsgspecError:
        value = _decode_slowly(raw)
    except RecursionError:
        raise ShapeError("it is nested too deeply") from None
    check_bounds(value)
    return value


def _decode_slowly(raw: bytes) -> Any:
    """Half a surrogate pair, which msgspec refuses, is a question mark from here on."""
    try:
        value = json.loads(raw.decode())
        text = json.dumps(value, ensure_ascii=False)
        return msgspec.json.decode(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ShapeError(f"it is not JSON: {error}") from None


def check_bounds(value: Any) -> None:
    """Raise ShapeError where a value could not be stored and shown."""
    level: list[Any] = [value]
    for _ in range(DEPTH):
        level = [inner for each in level for inner in _inner(each)]
        if not level:
            return
    raise ShapeError(f"it is nested more than {DEPTH} levels deep")


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        if any(len(name) > LONGEST_NAME for name in value):
            raise ShapeError(f"a name has more than {LONGEST_NAME} characters")
        return value.values()
    if isinstance(value, list):
        return value
    if isinstance(value, int) and not LEAST_COUNTER <= value <= MOST_COUNTER:
        raise ShapeError("a whole number has more than 64 bits")
    if isinstance(value, float) and 0 < abs(value) < LEAST:
        raise ShapeError("a number is closer to 0 than anything that is measured")
    return ()


def check(value: Any, shape: Any) -> None:
    """Raise ShapeError where a decoded value does not have this shape; unknown keys are passed over."""
    try:
        msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise ShapeError(str(error)) from None
