"""Curves that stand on each other: the sums behind the areas of a stack over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np

from .pyramid import Track, Values


class Stack:
    """For each curve the sum of it and of all before it; grows with them."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._sums: dict[str, Track] = {}
        self._done = 0  # values of each curve that are added

    def update(self, keys: Sequence[str], track: Callable[[str], Track]) -> None:
        """Add new values; begins anew if other curves are visible."""
        if list(self._sums) != list(keys):
            self.clear()
            self._sums = _tracks(keys)
        tracks = [track(key) for key in keys]
        end = min(map(len, tracks), default=0)
        if end < self._done:
            self._sums = _tracks(keys)
            self._done = 0
        if end > self._done:
            times, _ = tracks[0].between(self._done, end)
            values = np.cumsum([each.between(self._done, end)[1] for each in tracks], axis=0)
            for key, row in zip(keys, values, strict=True):
                self._sums[key].extend(times, row)
            self._done = end

    def sums(self, key: str) -> Track:
        return self._sums[key]


def _tracks(keys: Sequence[str]) -> dict[str, Track]:
    """Empty sums; the curves know what a gap is."""
    return {key: Track(inf) for key in keys}


def filled(t: Values, values: Values) -> tuple[Values, Values]:
    """Points of an area: it ends upright at a gap, and has no height in it."""
    gap = np.isnan(values)
    at = np.repeat(np.arange(len(t)), np.where(gap, 2, 1))
    is_second = np.append(False, at[1:] == at[:-1])
    aside = np.where(gap[at], np.where(is_second, at + 1, at - 1), at).clip(0, max(len(t) - 1, 0))
    return t[aside], np.nan_to_num(values[at])
