"""Functions of a counted step, and which of them make the difference between columns, as tables of text."""

from __future__ import annotations

from app.comparison.stacks.counted import (
    FunctionWorkChange,
    function_work_changes,
    part_work_changes,
    work_of,
)
from app.comparison.stacks.parts import UNNAMED, server_code_part
from app.comparison.stacks.stacks import FEW_NAMES_PCT, NAMELESS, StepStacks, functions
from app.core.table import Table
from app.stats.at_target.verdicts import LEAST_COUNTED

PARTS = 4  # that a sentence names
ONE_SIDED = "only in one: in the other the function may be inlined, have another name, or have none"


def counted_functions_table(profile: StepStacks, label: str, most: int) -> Table:
    """The functions with the most instructions of their own."""
    found, n, events = functions(profile.on_cpu), profile.samples, profile.events
    lines = tuple(
        (
            each.name,
            server_code_part(each.name),
            f"{each.own / n:.1%}",
            f"{each.total / n:.1%}",
            f"{each.own / events:,.0f}",
            f"{each.total / events:,.0f}",
        )
        for each in found[:most]
    )
    left = [f"{len(found) - most:,} functions more"] if len(found) > most else []
    title = f"{label}: {work_of(profile):,.0f} instructions for an event"
    heads = ("function", "part", "self", "total", "instructions", "with calls")
    return Table(title, heads, lines, 2, (*profile.remarks, *left))


def work_changes_table(
    base: StepStacks, other: StepStacks, names: tuple[str, str], label: str, most: int
) -> Table:
    """The functions that make the difference: instructions for an event, their own and with all they call."""
    found, difference = function_work_changes(base, other), work_of(other) - work_of(base)
    shown = found[:most]
    has_shares = _differs(base, difference)
    title = (
        f"{label}: {names[1]} against {names[0]}, {work_of(other):,.0f} and {work_of(base):,.0f} instructions"
        " for an event"
    )
    share = ["share"] if has_shares else []
    heads = ("function", "part", "self", "base", "change", *share, "total", "base", "change", "only in")
    lines = tuple(_line(each, names, difference if has_shares else 0.0) for each in shown)
    rest = [f"{len(found) - most:,} functions more"] if len(found) > most else []
    one_sided = [ONE_SIDED] if any(each.only_in is not None for each in shown) else []
    remarks = [f"{label}: {work_sentence(base, other, names)}", *base.remarks, *other.remarks]
    return Table(title, heads, lines, 2, tuple(dict.fromkeys([*remarks, *one_sided, *rest])))


def _line(each: FunctionWorkChange, names: tuple[str, str], difference: float) -> tuple[str, ...]:
    return (
        each.name,
        server_code_part(each.name),
        f"{each.own[1]:,.0f}",
        f"{each.own[0]:,.0f}",
        f"{each.own_change:+,.0f}",
        *([f"{each.own_change / difference:+.1%}"] if difference else []),
        f"{each.total[1]:,.0f}",
        f"{each.total[0]:,.0f}",
        f"{each.total_change:+,.0f}",
        "" if each.only_in is None else names[each.only_in],
    )


def _differs(base: StepStacks, difference: float) -> bool:
    """Whether there is a difference to share out."""
    return abs(difference) > LEAST_COUNTED * work_of(base)


def work_sentence(base: StepStacks, other: StepStacks, names: tuple[str, str]) -> str:
    """`B takes 17,049 instructions more than A for an event: memory +6,200, network -20 ...`."""
    difference = work_of(other) - work_of(base)
    if not _differs(base, difference):
        return f"{names[1]} takes as many instructions as {names[0]}, within {LEAST_COUNTED:.1%}"
    parts = part_work_changes(function_work_changes(base, other))
    named = list(parts)[:PARTS]
    texts = [f"{_part_text(part)} {parts[part]:+,.0f}" for part in named]
    rest = sum(change for part, change in parts.items() if part not in named)
    texts += [f"all other parts {rest:+,.0f}"] if len(parts) > len(named) else []
    word = "more" if difference > 0 else "fewer"
    doubts = (_nameless_text(*each) for each in zip(names, (base, other), strict=True))
    return (
        f"{names[1]} takes {abs(difference):,.0f} instructions {word} than {names[0]} for an event:"
        f" {'; '.join([', '.join(texts), *filter(None, doubts)])}"
    )


def _nameless_text(name: str, profile: StepStacks) -> str:
    """That the parts of a contender are not fully known; '' if they are."""
    own = profile.functions[NAMELESS].own if NAMELESS in profile.functions else 0
    if 100 * own <= FEW_NAMES_PCT * profile.samples:
        return ""
    share = f"{own / profile.samples:.0%} of the instructions of {name}"
    return f"{share} have no function with a name, and may belong to any part"


def _part_text(part: str) -> str:
    return "functions without a name" if part == UNNAMED else part
