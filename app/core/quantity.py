"""Quantities as people type them: `10k`, `1,000,000`, `1e6`, `1h30`, `512MiB`, `3%`; no other file reads any.

What is no quantity is None: who asks says what is allowed (`ALLOWED`), and knows the limits.
"""

from __future__ import annotations

import re

ALLOWED = {
    "count": "a number such as 1000, 10k, 1M or 1e6",
    "time": "a time such as 90 (seconds), 2min or 1h30",
    "bytes": "a size such as 512MiB or 4G",
    "percent": "a percentage such as 3%",
}
LIMIT = 10**18  # no quantity is as large
_DIGITS = r"(?:[0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,5})(?:\.[0-9]{1,9})?"
_NUMBER = re.compile(rf"(-?{_DIGITS})(?:e([0-9]{{1,2}})| ?([kmg]))?", re.IGNORECASE)
_SIZE = re.compile(rf"({_DIGITS}) ?(?:([kmgt])(?:ib)?|b)?", re.IGNORECASE)
_PERCENT = re.compile(rf"({_DIGITS}) ?%?")
_PART = r"(?:([0-9]{1,9}(?:\.[0-9]{1,3})?) *%s)?"
_TIME = re.compile(" *".join((_PART % "h", _PART % "m(?:in)?", _PART % "s")), re.IGNORECASE)
_HOURS = re.compile(r"[0-9]{1,9} *h *[0-5]?[0-9]", re.IGNORECASE)  # and minutes: 1h30
_THOUSANDS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_KIBI = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def count_of(text: str) -> int | None:
    """A whole number: `1000`, `1,000,000`, `10k`, `1.5M`, `1e6`; k, M and G are thousands."""
    found = _NUMBER.fullmatch(text.strip())
    if not found:
        return None
    value = _whole(found[1], 10 ** int(found[2] or 0) * _THOUSANDS[(found[3] or "").lower()])
    return None if value == 0 and found[1].startswith("-") else value


def seconds_of(text: str) -> int | None:
    """Seconds of `90`, `1,000`, `45 s`, `2min`, `1h30`, `1.5h`, `1 h 30 min`."""
    words = text.strip()
    if re.search(r"[kmg]", words, re.IGNORECASE) is None and (number := count_of(words)) is not None:
        return number
    found = _TIME.fullmatch(f"{words}m" if _HOURS.fullmatch(words) else words)
    if not found or not words or re.search("M(?!i)", words, re.ASCII):  # 1M is a million
        return None
    parts = [_whole(part or "0", each) for part, each in zip(found.groups(), (3600, 60, 1), strict=True)]
    return None if None in parts else sum(filter(None, parts))


def bytes_of(text: str) -> int | None:
    """Bytes of `512MiB`, `4G`, `4096`; K, M, G and T are powers of 1024, as MySQL has them."""
    found = _SIZE.fullmatch(text.strip())
    return _whole(found[1], _KIBI[(found[2] or "").lower()]) if found else None


def percent_of(text: str) -> float | None:
    """`3`, `3%`, `0.5 %` as 3.0, 3.0, 0.5."""
    found = _PERCENT.fullmatch(text.strip())
    return float(found[1].replace(",", "")) if found else None


def _whole(digits: str, factor: int) -> int | None:
    """Digits times a factor, if that is a whole number below the limit."""
    whole, _, part = digits.replace(",", "").partition(".")
    value, rest = divmod(int(whole + part) * factor, 10 ** len(part))
    return value if not rest and abs(value) < LIMIT else None
