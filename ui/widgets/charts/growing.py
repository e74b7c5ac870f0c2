"""An array that grows at its end."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

T = TypeVar("T", bound=np.generic)


class Growing(Generic[T]):
    """An array with room at its end."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._room: NDArray[T] = np.empty(64, kind)
        self.size = 0

    @property
    def all(self) -> NDArray[T]:
        return self._room[: self.size]

    def extend(self, values: ArrayLike) -> None:
        more = np.asarray(values)
        size = self.size + len(more)
        if size > len(self._room):
            room = np.empty(max(size, len(self._room) * 3 // 2), self._kind)
            room[: self.size] = self.all
            self._room = room
        self._room[self.size : size] = more
        self.size = size
