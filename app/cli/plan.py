"""`dyno plan`: the plans whose sessions the history has."""

from __future__ import annotations

import argparse
from datetime import UTC
from typing import Any

from app.core.units import date_text

from .parser import add_json, whole_number
from .screen import print_json, print_table


def add_words(words: Any) -> None:
    noun = words.add_parser("plan", help="plans in the history")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="list the plans with contenders, repeats and states")
    listing.add_argument("--target", default="", help="only plans of this target")
    listing.add_argument(
        "--limit",
        type=whole_number(1, 1_000_000),
        default=-1,
        help="show at most this many, the latest first",
    )
    add_json(listing)
    listing.set_defaults(run=list_plans)


def list_plans(arguments: argparse.Namespace) -> None:
    from app.history.lists.plans import plan_ids, plans, size_text, states_text
    from app.history.lists.sessions import SUFFIX

    from .session import opened

    with opened() as history:
        found = plans(history, plan_ids(history, arguments.target, arguments.limit))
    if arguments.json:
        print_json(found)
        return
    headers = ("id", "name", "state", "target", "contenders x repeats", "sequence", "sessions", "began (UTC)")
    rows = [
        (
            plan["id"][-SUFFIX:],
            plan["name"],
            states_text(plan),
            plan["target"],
            size_text(plan),
            plan["sequence"],
            plan["sessions"],
            date_text(plan["at"], UTC),
        )
        for plan in found
    ]
    print_table(headers, rows, right=(6,))
