"""`dyno session stacks` and `dyno compare --stacks`: where a server spent its time in a profiled step."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.core.files import write_file

from .parser import non_empty_option
from .screen import print_json, print_tables, say, say_text

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison
    from app.comparison.stacks.stacks import StepProfiles, StepStacks
    from app.history.store.history import History


def add_stacks_options(parser: argparse.ArgumentParser) -> None:
    """The options of `dyno session stacks`."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--svg", type=non_empty_option(Path), metavar="FILE", help="write the flame graph to this file"
    )
    form.add_argument("--folded", action="store_true", help="print each stack in a line with its samples")
    parser.add_argument("--off-cpu", action="store_true", help="stacks of threads that waited")


def show_step_stacks(history: History, arguments: argparse.Namespace) -> None:
    """Print the stacks of a step, or write its flame graph."""
    from app.comparison.stacks.stacks import NO_STACKS, profile_of
    from app.comparison.texts.stacks_text import functions_table
    from app.history.lists.sessions import find
    from app.history.steps.stacks import label_of_step

    session = find(history, arguments.session)
    label = label_of_step(history, session, arguments.step, arguments.threads)
    found = profile_of(history, [session], label)
    folded = found.side(arguments.off_cpu)
    if not folded and not arguments.json:
        raise InputError(f"{label}: {'; '.join(found.remarks) or NO_STACKS}")
    if arguments.json:
        print_json(_entry(label, found))
    elif arguments.svg:
        _write_svg(arguments.svg, label, found, arguments.off_cpu)
    elif arguments.folded:
        say_text("".join(f"{stack} {count}\n" for stack, count in sorted(folded.items())))
    else:
        print_tables([functions_table(found, label, arguments.off_cpu)])


def _entry(label: str, found: StepStacks) -> dict[str, Any]:
    """The JSON of `dyno session stacks`."""
    from app.comparison.stacks.stacks import functions

    return {
        "step": label,
        "samples": found.samples,
        "events": found.events,
        "remarks": list(found.remarks),
        "functions": [vars(each) for each in functions(found.on_cpu)],
        "on_cpu": found.on_cpu,
        "off_cpu": found.off_cpu,
    }


def _write_svg(file: Path, label: str, found: StepStacks, is_off_cpu: bool) -> None:
    from app.comparison.stacks.flame import flame_of
    from app.comparison.texts.stacks_text import title_of
    from app.report.flame_svg import flame_svg

    svg = flame_svg(flame_of(found, is_off_cpu=is_off_cpu), title_of(found, label, is_off_cpu), found.remarks)
    write_file(file, svg)
    say(file)


def _changes(base: StepStacks, other: StepStacks) -> list[dict[str, Any]]:
    """Of each function; of counted steps in instructions for an event."""
    from app.comparison.stacks.counted import function_work_changes
    from app.comparison.stacks.stacks import are_comparable, function_share_changes

    if not are_comparable(base, other):
        return []
    if other.events:
        return [vars(each) for each in function_work_changes(base, other)]
    return [vars(each) for each in function_share_changes(base.on_cpu, other.on_cpu)]


def show_stacks(comparison: Comparison, profiles: StepProfiles, base: int, form: str) -> None:
    """Print what changed in each column against the base, in each step of that name."""
    from app.comparison.cells.labels import names_of
    from app.comparison.texts.stacks_text import changes_tables

    if form == "json":
        found = [
            {
                "step": label,
                "column": at,
                "unit": "instructions" if its[at].events else "samples",
                "changes": _changes(its[base], its[at]),
            }
            for label, its in profiles.items()
            for at in range(len(its))
            if at != base
        ]
        ids = [column.ids for column in comparison.columns]
        print_json({"sessions": ids, "base": base, "stacks": found})
    else:
        names = names_of(comparison)
        print_tables(
            [table for label, its in profiles.items() for table in changes_tables(its, names, base, label)],
            form,
        )
