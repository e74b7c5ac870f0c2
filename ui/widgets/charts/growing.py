"""An array that grows at its end."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", NDArray[np.float64], NDArray[np.int64])


class GrowingArray(Generic[T]):
    """An array with room at its end."""

    def __init__(self, room: T) -> None:
        self._room: T = room
        self.size = 0

    @property
    def all(self) -> T:
        return self._room[: self.size]

    def extend(self, values: T) -> None:
        size = self.size + len(values)
        while size > len(self._room):
            self._room = np.concatenate([self._room, self._room])
        self._room[self.size : size] = values
        self.size = size


def growing_floats() -> GrowingArray[NDArray[np.float64]]:
    return GrowingArray(np.empty(64))


def growing_integers() -> GrowingArray[NDArray[np.int64]]:
    return GrowingArray(np.empty(64, np.int64))
