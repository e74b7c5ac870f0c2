"""How often something happens, by how often it did."""

from __future__ import annotations

from math import sqrt

NORMAL_95 = 1.96


def share_interval(found: int, of: int) -> tuple[float, float]:
    """The interval (95 %) of the share that is behind so many of so many, after Wilson."""
    share, square = found / of, NORMAL_95**2
    middle = share + square / (2 * of)
    half = NORMAL_95 * sqrt(share * (1 - share) / of + square / (4 * of * of))
    whole = 1 + square / of
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)
