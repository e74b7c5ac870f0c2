"""Columns whose sessions do not alternate: the variance of the machine between plans is added.

A machine is not the same from one plan to the next. Sessions that alternate within a plan share what it
is like; of others the machine's own variance is added to both means.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from app.comparison.cells.cell import Column, Comparison
from app.core.units import count_text
from app.stats.at_target.welch import Part
from app.stats.between import ENOUGH, between_plan_variance

TIME, MACHINES = "time", "machines"
SIGN = "\N{LEFT RIGHT ARROW}"
ADVICE = "Measure both again in one plan, alternating"

Begin = tuple[float | None, str]  # of a session, and its plan


def measured_apart_by(base: Column, column: Column) -> str:
    """`time` or `machines` where two columns do not alternate; '' where they do."""
    if base.machine_key != column.machine_key:
        return MACHINES
    return "" if do_alternate(_begins(base), _begins(column)) else TIME


def do_alternate(ours: Sequence[Begin], theirs: Sequence[Begin]) -> bool:
    """Whether each session ran right before or after one of the other column, in the same plan."""
    if any(at is None for at, _ in (*ours, *theirs)):
        return False
    begins = sorted([(*each, 0) for each in ours] + [(*each, 1) for each in theirs])
    near = {
        at
        for at, (one, next_one) in enumerate(pairwise(begins))
        if one[1] == next_one[1] and one[2] != next_one[2]
    }
    return all(at in near or at - 1 in near for at in range(len(begins)))


def _begins(column: Column) -> list[Begin]:
    return list(zip(column.starts, column.plans, strict=True))


def between_plan_variances(base: Column, column: Column) -> tuple[Part, ...]:
    """The variances between plans to add to the difference of two columns."""
    if not column.across:
        return ()
    ours, theirs = (between_plan_variance(each.canaries) for each in (base, column))
    if base.machine_key == column.machine_key:
        return ((ours.variance + theirs.variance, ours.freedom),)
    return ((ours.variance, ours.freedom), (theirs.variance, theirs.freedom))


def cross_plan_remarks(
    comparison: Comparison, names: Sequence[str], places: Collection[int] | None = None
) -> list[str]:
    """A line for each column, or those at these places, that does not alternate: what was added to it."""
    columns = comparison.columns
    base = comparison.base
    judged = {at for row in comparison.rows for at, cell in enumerate(row.cells) if cell.across}
    judged &= judged if places is None else {*places}
    return [_text(columns[base], columns[at], names[base], names[at]) for at in sorted(judged)]


def _text(base: Column, column: Column, base_name: str, name: str) -> str:
    if column.across == MACHINES:
        who = f"{_on_target(name, column)} against {_on_target(base_name, base)}: judged across machines"
        each = dict.fromkeys(f"{each.target}: {_measured_text(each)}" for each in (base, column))
        added = "The variance of each machine between plans is added to the noise"
        return f"{SIGN} {who}. {added} ({'; '.join(each)})"
    who = f"{name} against {base_name}: judged across time, because their sessions do not alternate"
    whose = "server" if column.runs_already else "machine"
    added = f"The variance of the {whose} between plans is added to the noise"
    return f"{SIGN} {who}. {added} ({_measured_text(column)}). {ADVICE}"


def _on_target(name: str, column: Column) -> str:
    """The name with its target, unless it already ends with it."""
    suffix = f" on {column.target}"
    return name if name.endswith(suffix) else name + suffix


def _measured_text(column: Column) -> str:
    """`10% assumed: no canary run yet, 8 needed`; `2.1%, from 12 canary runs`."""
    found = between_plan_variance(column.canaries)
    if found.canaries:
        return f"{found.deviation:.1%}, from {found.canaries} canary runs"
    few = len(column.canaries)
    there = f"only {count_text(few, 'canary run')}" if few else "no canary run yet"
    return f"{found.deviation:.0%} assumed: {there}, {ENOUGH} needed"
