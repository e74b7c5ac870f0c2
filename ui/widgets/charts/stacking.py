"""Curves that stand on each other: the sums behind the areas of a stack over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
            self._sums = {key: Track() for key in keys}
        tracks = [track(key) for key in keys]
        end = min(map(len, tracks), default=0)
        if end < self._done:
            self._sums = {key: Track() for key in keys}
            self._done = 0
        if end > self._done:
            times, _ = tracks[0].between(self._done, end)
            values = np.cumsum([each.between(self._done, end)[1] for each in tracks], axis=0)
            for key, row in zip(keys, values, strict=True):
                self._sums[key].extend(times, row)
            self._done = end

    def sums(self, key: str) -> Track:
        return self._sums[key]


def filled(values: Values) -> Values:
    """Values for an area: it has no height in a gap."""
    return np.nan_to_num(values)
