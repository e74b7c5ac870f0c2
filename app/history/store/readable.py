"""What can be asked for sessions: the history of this computer, or one elsewhere that has the same tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Readable(Protocol):
    """Answers the SELECT statements of lists."""

    def query(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a SELECT."""
