"""Functions of a profiled or counted step, and what changed between two columns, as tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from app.comparison.stacks.parts import server_code_part
from app.comparison.stacks.stacks import (
    NO_COUNTED,
    NO_STACKS,
    FunctionShareChange,
    StepStacks,
    are_comparable,
    function_share_changes,
    functions,
)
from app.core.table import Table

from .work_text import counted_functions_table, work_changes_table

MOST = 30  # lines


def title_of(profile: StepStacks, label: str, is_off_cpu: bool = False) -> str:
    return f"{label}, {'counted' if profile.events else 'waiting' if is_off_cpu else 'on the CPU'}"


def functions_table(profile: StepStacks, label: str, is_off_cpu: bool = False, most: int = MOST) -> Table:
    """The functions with the most samples of their own; of a counted step with the most instructions."""
    if profile.events:
        return counted_functions_table(profile, label, most)
    folded = profile.side(is_off_cpu)
    found, n = functions(folded), sum(folded.values())
    lines = tuple(
        (
            each.name,
            server_code_part(each.name),
            f"{each.own / n:.1%}",
            f"{each.total / n:.1%}",
            f"{each.total:,}",
        )
        for each in found[:most]
    )
    left = f"{len(found) - most:,} functions more" if len(found) > most else ""
    heads = ("function", "part", "self", "total", "samples")
    remarks = tuple(filter(None, (*profile.remarks, left)))
    return Table(f"{title_of(profile, label, is_off_cpu)}: {n:,} samples", heads, lines, 2, remarks)


def changes_tables(
    profiles: Sequence[StepStacks], names: Sequence[str], base: int, label: str, most: int = MOST
) -> list[Table]:
    """A table for each other column; of a single column its functions."""
    if len(profiles) == 1:
        return [functions_table(profiles[0], label, most=most)]
    return [
        function_changes_table(profiles[base], profiles[at], (names[base], names[at]), label, most)
        for at in range(len(profiles))
        if at != base
    ]


def function_changes_table(
    base: StepStacks, other: StepStacks, names: tuple[str, str], label: str, most: int = MOST
) -> Table:
    """The functions whose share changed most, with the part that chance alone explains.

    Of counted steps those whose instructions changed most.
    """
    is_comparable = are_comparable(base, other)
    if is_comparable and base.events:
        return work_changes_table(base, other, names, label, most)
    no_stacks = NO_COUNTED if base.events or other.events else NO_STACKS
    remarks = [
        f"{name}: {no_stacks}" for name, each in zip(names, (base, other), strict=True) if not each.samples
    ]
    if base.samples and other.samples and not is_comparable:
        remarks.append("one is counted, the other sampled: they are not compared")
    found = function_share_changes(base.on_cpu, other.on_cpu) if is_comparable else []
    heads = ("function", "part", "self", "self change", "total", "total change", "±", "samples", "")
    title = (
        f"{label}: {names[1]} against {names[0]}, shares of {other.samples:,} and {base.samples:,} samples"
    )
    rest = f"{len(found) - most:,} functions more" if len(found) > most else ""
    remarks += [*dict.fromkeys((*base.remarks, *other.remarks)), *([rest] if rest else [])]
    return Table(title, heads, tuple(map(_line, found[:most])), 2, tuple(remarks))


def _line(change: FunctionShareChange) -> tuple[str, ...]:
    return (
        change.name,
        server_code_part(change.name),
        f"{change.own[1]:.1%}",
        f"{100 * change.own_change:+.1f}",
        f"{change.total[1]:.1%}",
        f"{100 * change.total_change:+.1f}",
        f"{100 * max(change.own_error, change.total_error):.1f}",
        f"{change.samples[1]:,} / {change.samples[0]:,}",
        "noise" if change.is_noise else "",
    )
