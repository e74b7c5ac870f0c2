"""Text that others wrote, fit to be shown: nothing in it steers a terminal, or turns a line around.

What does is shown as its code: ESC as `\\x1b`, a right-to-left override as `\\u202e`.
"""

from __future__ import annotations

import re

LONGEST = 10_000  # characters of a line for people
# C0 but tab and newline, DEL and C1, what changes the direction or is not seen, halves of characters, tags
_UNSAFE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff"  # no characters: XML cannot hold them
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_IN_TEXT = re.compile(f"[{_UNSAFE}]")
_IN_LINE = re.compile(f"[{_UNSAFE}\t\n]")


def harmless(text: str, most: int = LONGEST) -> str:
    """A text as one line, cut if it is very long."""
    if len(text) > most:
        text = f"{text[:most]}… ({len(text) - most:,} characters more)"
    return text if text.isprintable() else _IN_LINE.sub(_code, text.strip("\n"))


def harmless_text(text: str) -> str:
    """A text with its lines and tabs."""
    return _IN_TEXT.sub(_code, text)


def terminal_safe_json(text: str) -> str:
    """The same document: what JSON has in it is there as \\uXXXX."""
    return _IN_TEXT.sub(_json_code, text)


def as_file_name(text: str, most: int = 200) -> str:
    """A file name that every file system accepts."""
    return (
        "".join(each if each.isalnum() or each in "-_." else "-" for each in text[:most]).strip(".-")
        or "dyno"
    )


def _code(found: re.Match[str]) -> str:
    return {"\n": "\\n", "\t": " "}.get(found[0]) or found[0].encode("unicode_escape").decode()


def _json_code(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
