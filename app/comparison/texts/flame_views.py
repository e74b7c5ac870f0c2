"""What a window shows of the stacks of a step: flame graph and table of each column, and what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.comparison.stacks.flame import Flame, flame_of
from app.comparison.stacks.stacks import (
    NO_STACKS,
    NO_STACKS_WINDOW,
    StepStacks,
    are_comparable,
    profile_of,
)
from app.core.errors import InputError
from app.core.table import Table
from app.history.store.history import History

from .stacks_text import function_changes_table, functions_table, title_of

LINES = 500  # of a table in a window


@dataclass(frozen=True)
class FlameGraphColumn:
    """A column whose stacks are shown."""

    name: str
    sessions: tuple[str, ...]


@dataclass(frozen=True)
class FlameGraphWithTable:
    """One flame graph with its table."""

    name: str
    flame: Flame
    table: Table
    remarks: tuple[str, ...] = field(default=())


def flame_views(history: History, sides: Sequence[FlameGraphColumn], label: str) -> list[FlameGraphWithTable]:
    """The views of a step: of a second side what changed against the first comes first.

    Raises InputError if no session of the sides was profiled in this step.
    """
    profiles = [profile_of(history, side.sessions, label) for side in sides]
    names = [side.name for side in sides]
    found = [*_difference(profiles, names, label)]
    for name, profile in zip(names, profiles, strict=True):
        found += _of_one(profile, name, label)
    if not found:
        why = dict.fromkeys(text for profile in profiles for text in profile.remarks)
        raise InputError(
            f"{label}: {'; '.join(why) or NO_STACKS}",
            window_text=f"{label}: {'; '.join(why) or NO_STACKS_WINDOW}",
        )
    return found


def _difference(
    profiles: Sequence[StepStacks], names: Sequence[str], label: str
) -> Iterator[FlameGraphWithTable]:
    if len(profiles) == 2 and are_comparable(*profiles):
        base, other = profiles
        table = function_changes_table(base, other, (names[0], names[1]), label, LINES)
        flame = flame_of(other, base)
        yield FlameGraphWithTable(f"{names[1]} against {names[0]}", flame, table, table.remarks)


def _of_one(profile: StepStacks, name: str, label: str) -> Iterator[FlameGraphWithTable]:
    for is_off_cpu in (False, True):
        if profile.side(is_off_cpu):
            table = functions_table(profile, label, is_off_cpu, LINES)
            yield FlameGraphWithTable(
                title_of(profile, name, is_off_cpu),
                flame_of(profile, is_off_cpu=is_off_cpu),
                table,
                profile.remarks,
            )
