"""Reads numbers from files of other people, everywhere in the same way."""

from __future__ import annotations

import re

MOST = 1e15  # no figure is as large

_NUMBER = re.compile(r"([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?")


def number(text: str) -> float | None:
    """A decimal number from 0 up; None for other text, such as `1_000`, `nan` or Arabic digits."""
    value = float(text) if _NUMBER.fullmatch(text.strip(" ")) else MOST
    return value if value < MOST else None
