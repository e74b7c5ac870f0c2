"""The points of a sweep: threads x cores x one more variation of a step."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.catalog import SequenceStep, StepVariation
from app.catalog.amounts import CoreSets
from app.core.errors import InputError
from app.core.ranges import cpus_of, numbers_of_ranges
from app.core.toml_text import first_twice, short_value_repr
from app.protocol.cpus import as_text
from app.variables.ownership import is_dyno_option

AS_IT_IS = StepVariation("")
_VARIED = re.compile(r"\s*([a-z][a-z0-9_]{0,50})\s*=([^][;]+)")
_VALUE = re.compile(r"[A-Za-z0-9_.:+-]+")


@dataclass(frozen=True)
class SweepPoint:
    """A point of a sweep; only swept values are coordinates."""

    threads: int
    cores: int | str = 0  # how many, or CPUs as taskset takes them; 0: not swept
    variation: StepVariation = AS_IT_IS
    rate: int = 0  # events a second that are asked for; 0: as many as there can be
    is_one_of_rates: bool = False  # that are swept

    @property
    def coordinates(self) -> dict[str, int | str]:
        is_count = isinstance(self.cores, int)
        found: dict[str, int | str] = {
            "threads": self.threads,
            "cores" if is_count else "cpus": self.cores,
            "variation": self.variation.name,
            "rate": self.rate * self.is_one_of_rates,
        }
        return {name: value for name, value in found.items() if value}


def sweep_points(
    step: SequenceStep, threads: tuple[int, ...], cores: CoreSets, rates: tuple[int, ...] = ()
) -> list[SweepPoint]:
    """Variations outermost, then cores, threads, rates: what costs a restart changes least often."""
    return [
        SweepPoint(
            each,
            as_text(cpus_of(core_set)) if isinstance(core_set, str) else core_set,
            variation,
            rate,
            len(rates) > 1,
        )
        for variation in step.variation or (AS_IT_IS,)
        for core_set in cores or (0,)
        for each in threads
        for rate in rates or (0,)
    ]


def parse_vary_option(text: str) -> tuple[StepVariation, ...]:
    """`innodb_spin_wait_delay=6,96` or `=1..64 x2`: a step each; the variable is set while it is up."""
    if not text:
        return ()
    name, values = _varied(text)
    if is_dyno_option(name):
        raise InputError(f"vary: {name} is set by Dyno: leave out paths, users and the network", "vary")
    twice = first_twice(values)
    if twice is not None:
        raise InputError(f"vary: {name} names {twice} twice", "vary")
    return tuple(StepVariation(f"{name}-{value}".lower(), variables={name: value}) for value in values)


def _varied(text: str) -> tuple[str, list[int | str]]:
    """The variable and its values."""
    found = _VARIED.fullmatch(text)
    try:
        values = numbers_of_ranges(found[2]) if found else []
    except InputError as error:
        raise InputError(f"vary: {error}", "vary") from None
    if not found or not all(_VALUE.fullmatch(str(value)) for value in values):
        raise InputError(
            f"vary must be like innodb_spin_wait_delay=6,96, not {short_value_repr(text)}", "vary"
        )
    return found[1], values
