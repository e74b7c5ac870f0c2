"""A counter of a server as a series."""

from __future__ import annotations

from typing import NamedTuple

TO_KB, TO_MB = 1 / 1024, 1 / (1 << 20)  # of bytes


class Counter(NamedTuple):
    """A status variable (or the sum of several) as a series."""

    series: str
    status: str  # names joined by +
    unit: str
    kind: str  # rate | gauge
    direction: str
    label: str
    scale: float = 1.0


def rate(
    series: str, status: str, label: str, unit: str = "1/s", scale: float = 1.0, direction: str = ""
) -> Counter:
    """A counter that grows, as a rate per second."""
    return Counter(series, status, unit, "rate", direction, label, scale)


def gauge(
    series: str, status: str, label: str, unit: str = "", scale: float = 1.0, direction: str = ""
) -> Counter:
    """A value that goes up and down."""
    return Counter(series, status, unit, "gauge", direction, label, scale)
