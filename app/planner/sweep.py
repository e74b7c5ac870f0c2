"""The points of a sweep: threads x cores x one more variation of a step."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.catalog import SequenceStep, Variation
from app.core.errors import InputError
from app.core.toml_text import first_twice, shown
from app.presets.ownership import is_ours

AS_IT_IS = Variation("")
_VARIED = re.compile(r"\s*([a-z][a-z0-9_]{0,50})\s*=\s*([A-Za-z0-9_.:+-]+(?:\s*,\s*[A-Za-z0-9_.:+-]+)*)\s*")


@dataclass(frozen=True)
class Point:
    """One of them; what is not swept is no coordinate."""

    threads: int
    cores: int = 0  # 0: not swept
    variation: Variation = AS_IT_IS

    @property
    def coordinates(self) -> dict[str, int | str]:
        all_three: dict[str, int | str] = {
            "threads": self.threads,
            "cores": self.cores,
            "variation": self.variation.name,
        }
        return {name: value for name, value in all_three.items() if value}


def points(step: SequenceStep, threads: tuple[int, ...], cores: tuple[int, ...]) -> list[Point]:
    """Variations outermost, then cores, then threads: what costs a restart changes least often."""
    return [
        Point(each, count, variation)
        for variation in step.variation or (AS_IT_IS,)
        for count in cores or (0,)
        for each in threads
    ]


def variations_of(text: str) -> tuple[Variation, ...]:
    """`innodb_spin_wait_delay=6,96`: one for each value of a variable that is set while the server is up."""
    if not text:
        return ()
    found = _VARIED.fullmatch(text)
    if not found:
        raise InputError(f"vary must be like innodb_spin_wait_delay=6,96, not {shown(text)}", "vary")
    name, values = found[1], [each.strip() for each in found[2].split(",")]
    if is_ours(name):
        raise InputError(f"vary: {name} is Dyno's: paths, users and the network are not to be varied", "vary")
    twice = first_twice(values)
    if twice:
        raise InputError(f"vary: {name} names {twice} twice", "vary")
    return tuple(Variation(f"{name}-{value}".lower(), variables={name: _value(value)}) for value in values)


def _value(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else text
