"""What somebody may put into a text to take over a terminal or a window, and finding what came through."""

from __future__ import annotations

import re
from typing import Any

CONTROLS = (
    *"\x00\x01\x07\x08\x0b\x0c\r\x1b\x1f\x7f\x80\x85\x9b\x9d\x9f",
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\U000e0041",
)
MARKUP = "[/x] [red]ev[il] :smile: <b>bold</b> <img src=x> &lt;i&gt;"
TEXT = f"{MARKUP} \x1b]0;owned\x07 \x1b[2J \x9b31m \u202egpj.exe\u2066\u200f \x7f\x08\U000e0041"
_FOUND = re.compile(f"[{re.escape(''.join(CONTROLS))}\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def finds(text: str) -> list[str]:
    """What of a text would steer a terminal or turn a line around."""
    return [repr(found[0]) for found in _FOUND.finditer(text)]


def laced(value: Any, but: tuple[str, ...] = ()) -> Any:
    """The same with hostile text behind every text, but behind those under the keys named."""
    match value:
        case str():
            return f"{value}{TEXT}"
        case dict():
            return {key: each if key in but else laced(each, but) for key, each in value.items()}
        case list() | tuple():
            return [laced(each, but) for each in value]
    return value
