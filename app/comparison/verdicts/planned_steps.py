"""What the plans say of the steps that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from app.comparison.cells.labels import step_titles
from app.protocol.plan import Plan

from .counted_writes import counted_writes_of
from .roles import alone_of, other_role_keys
from .rounds import Key
from .set_rates import set_rates_of


@dataclass(frozen=True)
class PlannedSteps:
    """What the plans say, by step."""

    titles: Mapping[str, str]  # by name
    rates: Mapping[Key, float]  # events a second that a plan sets
    counted_writes: Set[Key]
    beside: Set[Key]  # the roles of others
    alone: Mapping[Key, Key]  # of a role the step that does its work without the others

    @classmethod
    def of(cls, plans: Sequence[Plan]) -> PlannedSteps:
        return cls(
            step_titles(plans),
            set_rates_of(plans),
            counted_writes_of(plans),
            other_role_keys(plans),
            alone_of(plans),
        )
