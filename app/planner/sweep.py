"""The points of a sweep: threads x cores x one more variation of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..catalog import SequenceStep, Variation

AS_IT_IS = Variation("")


@dataclass(frozen=True)
class Point:
    """One of them; what is not swept is no coordinate."""

    threads: int
    cores: int = 0  # 0: not swept
    variation: Variation = AS_IT_IS

    @property
    def coordinates(self) -> dict[str, Any]:
        all_three = {"threads": self.threads, "cores": self.cores, "variation": self.variation.name}
        return {name: value for name, value in all_three.items() if value}


def points(step: SequenceStep, threads: tuple[int, ...], cores: tuple[int, ...]) -> list[Point]:
    """Variations outermost, then cores, then threads: what costs a restart changes least often."""
    return [
        Point(each, count, variation)
        for variation in step.variation or (AS_IT_IS,)
        for count in cores or (0,)
        for each in threads
    ]
