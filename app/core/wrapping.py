"""Text in lines of a width: at words, else within names, counted in the places of a terminal."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

INDENT = "  "  # of the further lines of a text
_PIECES = (re.compile(r"\S+\s*"), re.compile(r"[^-_/,.:=]*[-_/,.:=]+|[^-_/,.:=]+"), re.compile("(?s:.)"))


def display_width(text: str) -> int:
    """The places that a text takes in a terminal: two for a sign of East Asia."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(sign) in "WF" else not combining(sign) for sign in text)


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines: at words, a longer name behind its signs, else anywhere."""
    return [line.rstrip() for line in _filled(text, max(width, 2), 0)] or [""]


def _filled(text: str, width: int, level: int) -> list[str]:
    lines = [""]
    for piece in _PIECES[level].findall(text):
        if display_width((lines[-1] + piece).rstrip()) <= width:
            lines[-1] += piece
        elif display_width(piece.rstrip()) <= width or level + 1 == len(_PIECES):
            lines.append(piece)
        else:
            lines += _filled(piece, width, level + 1)
    return [line for line in lines if line.strip()]


def folded(text: str, width: int | None) -> str:
    """A line for people, with further ones where it is longer than this width."""
    if not width or display_width(text) <= width:
        return text + "\n"
    first, *more = wrapped(text, width - len(INDENT))
    return "\n".join([first, *(INDENT + line for line in more)]) + "\n"
