"""`dyno sequence`: the ordered lists of steps there are."""

from __future__ import annotations

import argparse
from typing import Any

from .parser import add_json, later


def add_words(words: Any) -> None:
    noun = words.add_parser("sequence", help="ordered lists of steps")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, function in (("list", "list_sequences"), ("show", "show_sequence")):
        parser = verbs.add_parser(verb)
        if verb == "show":
            parser.add_argument("name")
        add_json(parser)
        parser.set_defaults(carry_out=later("sequence", function))


def list_sequences(arguments: argparse.Namespace) -> int:
    from ..catalog import Catalog
    from .screen import print_json, print_table
    from .workload import complain

    found, problems = Catalog().sequences()
    if arguments.json:
        print_json(
            [{"name": s.name, "title": s.title, "steps": len(s.steps), "shipped": s.shipped} for s in found]
        )
    else:
        print_table(("name", "steps", "title"), [(s.name, len(s.steps), s.title) for s in found], right=(1,))
    return complain(problems)


def show_sequence(arguments: argparse.Namespace) -> None:
    from dataclasses import asdict

    from ..catalog import Catalog
    from .screen import print_json, print_table

    found = Catalog().sequence(arguments.name)
    if arguments.json:
        print_json(
            {"name": found.name, "title": found.title, "steps": [asdict(step) for step in found.steps]}
        )
        return
    print(found.title)
    print_table(("step", "workload", "bounded by", "options"), [_row(step) for step in found.steps])


def _row(step: Any) -> tuple[str, str, str, str]:
    bound = f"{step.events} events" if step.events else (f"{step.seconds} s" if step.seconds else "the plan")
    options = " ".join(f"{name}={value}" for name, value in step.options.items())
    return step.name, step.workload or step.kind, bound, options
