"""`dyno plan`: the plans whose sessions the history has."""

from __future__ import annotations

import argparse
from datetime import UTC
from typing import Any

from app.core.units import date_text
from app.history.lists.plans import contenders_rounds_text, plan_ids, plans, states_text
from app.history.lists.sessions import SUFFIX

from .parser import add_json, add_limit, add_noun, add_verb
from .screen import print_json, print_table
from .session import opened_history


def add_words(words: Any) -> None:
    verbs = add_noun(words, "plan", "plans in the history")
    listing = add_verb(verbs, list_plans, "list the plans with contenders, repeats and states")
    listing.add_argument("-t", "--target", default="", help="only plans of this target")
    add_limit(listing)
    add_json(listing)


def list_plans(arguments: argparse.Namespace) -> None:
    with opened_history() as history:
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
            contenders_rounds_text(plan),
            plan["sequence"],
            plan["sessions"],
            date_text(plan["at"], UTC),
        )
        for plan in found
    ]
    least = ("target", "sequence", "sessions", "contenders x repeats")
    print_table(headers, rows, right=(6,), least=least)
