"""Where the servers of a report spent their time: flame graphs and functions of its profiled steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.comparison.cells.cell import Comparison
from app.comparison.stacks.flame import Flame, flame_of
from app.comparison.stacks.stacks import StepStacks, are_comparable, profile_of, profiled_steps
from app.comparison.texts.stacks_text import changes_tables
from app.comparison.texts.work_text import work_sentence
from app.core.table import Table
from app.history.store.history import History

MOST = 12  # flame graphs
_LINES = 15  # of a table


@dataclass(frozen=True)
class TitledFlame:
    title: str
    flame: Flame
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class ProfiledStep:
    """A step with its flame graphs: those of the columns, then what differs from the base."""

    label: str
    pictures: tuple[TitledFlame, ...]
    tables: tuple[Table, ...]


def profiled(history: History, found: Comparison, names: Sequence[str], base: int) -> list[ProfiledStep]:
    """The steps that were profiled in a session of any column."""
    ids = [column.ids for column in found.columns]
    labels = dict.fromkeys(label for each in ids for id_ in each for label in profiled_steps(history, id_))
    steps = []
    for label in labels:
        profiles = [profile_of(history, each, label) for each in ids]
        if any(profile.samples for profile in profiles):
            tables = tuple(changes_tables(profiles, names, base, label, _LINES))
            steps.append(ProfiledStep(label, tuple(_pictures(profiles, names, base)), tables))
    return steps


def _pictures(profiles: Sequence[StepStacks], names: Sequence[str], base: int) -> Iterator[TitledFlame]:
    for name, profile in zip(names, profiles, strict=True):
        if profile.samples:
            yield TitledFlame(name, flame_of(profile), profile.remarks)
    for at, profile in enumerate(profiles):
        if at != base and are_comparable(profile, profiles[base]):
            title = f"{names[at]} against {names[base]}"
            yield TitledFlame(title, flame_of(profile, profiles[base]), _sentence(profiles, names, base, at))


def _sentence(profiles: Sequence[StepStacks], names: Sequence[str], base: int, at: int) -> tuple[str, ...]:
    """Of a counted step the parts of the server that make the difference."""
    if not profiles[at].events:
        return ()
    return (work_sentence(profiles[base], profiles[at], (names[base], names[at])),)
