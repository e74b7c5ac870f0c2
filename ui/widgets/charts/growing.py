"""An array that grows at its end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Growing:
    """An array with room at its end."""

    def __init__(self, dtype: Any = float) -> None:
        self._room: NDArray[Any] = np.empty(64, dtype)
        self.size = 0

    @property
    def all(self) -> NDArray[Any]:
        return self._room[: self.size]

    def extend(self, values: Any) -> None:
        size = self.size + len(values)
        if size > len(self._room):
            room = np.empty(max(size, len(self._room) * 3 // 2), self._room.dtype)
            room[: self.size] = self.all
            self._room = room
        self._room[self.size : size] = values
        self.size = size
