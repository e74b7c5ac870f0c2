"""Figures for people: sizes, durations, dates, rates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo

_STORED = re.compile(r"\b([KMGT])B\b")
_LEAST = 0.0001  # smaller figures are no more than that


def bytes_text(size: float) -> str:
    """`1.5 GiB`; a count of bytes for people."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(size) < 1024 or unit == "TiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return ""


def seconds_text(seconds: float) -> str:
    """`2 days 3 h`, `1 h 05 min`, `3 min 20 s`, `45 s`."""
    whole = max(0, round(seconds))
    if whole >= 86400:
        return f"{count_text(whole // 86400, 'day')} {whole % 86400 // 3600} h"
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 60} min {whole % 60:02d} s" if whole >= 60 else f"{whole} s"


def time_text(seconds: int) -> str:
    """A time as it is typed, without rounding: `1 h 30 min`, `45 s`."""
    parts = zip((seconds // 3600, seconds % 3600 // 60, seconds % 60), ("h", "min", "s"), strict=True)
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 s"


def count_text(count: int | None, noun: str) -> str:
    """`1 session`, `3,000 sessions`, `? cores` if it is unknown."""
    if count is None:
        return f"? {noun}s"
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def first_texts(texts: Sequence[str], most: int = 3) -> str:
    """`point-query, scan, update-index and 4 more`."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def capitalised(text: str) -> str:
    """With a capital letter first; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def figure_text(value: float | None, unit: str = "") -> str:
    """A value with the digits that a measurement deserves, bytes as a size; - without a value."""
    if value is None:
        return "-"
    if unit == "bytes":
        return bytes_text(value)
    if 0 <= value < _LEAST:
        return f"<{_LEAST}" if value else "0"
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 1 else 4
    return f"{value:,.{digits}f}"


def unit_text(unit: str) -> str:
    """`KiB/s` for the stored `KB/s`: every stored unit is a power of 1024."""
    return _STORED.sub(r"\1iB", unit)


def with_unit(value: float, unit: str) -> str:
    """`12,345 rows/s`, `1.50 ms`, `3.2 GiB`, `98.3 %` of a share."""
    if unit == "share":
        return f"{100 * value:.{2 if min(value, 1 - value) < 0.01 else 1}f} %"
    return figure_text(value, unit) if unit == "bytes" else f"{figure_text(value)} {unit_text(unit)}"


_LESS = ("s", "ms", "bytes", "KiB", "MiB", "GiB", "instructions")  # units of which less is better


def direction_of(unit: str) -> str:
    """Whether more is better: `higher` for rates, `lower` for times and sizes, "" for the rest."""
    if unit.endswith("/s"):
        return "higher"
    return "lower" if unit_text(unit) in _LESS else ""


def ago_text(at: float, now: float) -> str:
    """`just now`, `5 min ago`, `3 h ago`, `12 days ago`."""
    seconds = max(0.0, now - at)
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min ago"
    if seconds < 86400:
        return f"{seconds // 3600:.0f} h ago"
    days = int(seconds // 86400)
    return "1 day ago" if days == 1 else f"{days} days ago"


def clock_text(at: float, now: float) -> str:
    """`21:56`; on another day `Wed 21:56`, beyond a week `Wed 2 Dec 21:56`."""
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = abs((then.date() - today.date()).days)
    day = "" if not days else f"{then:%a} " if days < 7 else f"{then:%a} {then.day} {then:%b} "
    return f"{day}{then:%H:%M}"


def date_text(at: float, zone: tzinfo | None = None) -> str:
    """`2026-11-21 14:35`, in the time zone of this computer."""
    return datetime.fromtimestamp(at, zone).strftime("%Y-%m-%d %H:%M")
