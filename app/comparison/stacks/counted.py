"""What changed between two contenders in a counted step: instructions of functions, exact, for an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .parts import server_code_part
from .stacks import Function, FunctionChange, StepStacks


@dataclass(frozen=True)
class FunctionWorkChange(FunctionChange):
    """Instructions of a function for an event, in the base and in the other."""

    @property
    def growth(self) -> float:
        """What colours it: the frames above it show the rest."""
        return self.own_change

    @property
    def only_in(self) -> int | None:
        """The side that alone has it: 0 or 1; None: both have it."""
        return None if all(self.total) else int(bool(self.total[1]))


def work_of(profile: StepStacks) -> float:
    """The instructions for an event."""
    return profile.samples / profile.events


def function_work_changes(base: StepStacks, other: StepStacks) -> list[FunctionWorkChange]:
    """The functions of two counted steps, the largest change in their own code first.

    What has no name is one: builds call their files differently.
    """
    sides = base.functions, other.functions
    nothing = Function("", 0, 0)
    found = []
    for name in {**sides[0], **sides[1]}:
        one, two = (side.get(name, nothing) for side in sides)
        own = one.own / base.events, two.own / other.events
        found.append(FunctionWorkChange(name, own, (one.total / base.events, two.total / other.events)))
    return sorted(found, key=lambda each: (-abs(each.own_change), -abs(each.total_change), each.name))


def part_work_changes(changes: Sequence[FunctionWorkChange]) -> dict[str, float]:
    """The change of each part of the server, by the names of its functions, the largest first."""
    found: dict[str, float] = {}
    for each in changes:
        part = server_code_part(each.name)
        found[part] = found.get(part, 0.0) + each.own_change
    return dict(sorted(found.items(), key=lambda each: -abs(each[1])))
