"""`dyno plan`: the plans whose sessions the history has."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import UTC
from typing import Any

from app.core.errors import InputError
from app.core.units import count_text, date_text
from app.history.lists.plans import contenders_rounds_text, plan_ids, plans, states_text
from app.history.lists.sessions import SUFFIX

from .parser import add_json, add_limit, add_noun, add_verb
from .screen import print_json, print_table, say, say_wrapped
from .session import opened_history


def add_words(words: Any) -> None:
    verbs = add_noun(words, "plan", "plans in the history")
    listing = add_verb(verbs, list_plans, "list the plans with contenders, repeats and states")
    listing.add_argument("-t", "--target", default="", help="only plans of this target")
    add_limit(listing)
    add_json(listing)
    text = "pin the baseline of a target: each plan of the same work is compared with it"
    pinning = add_verb(verbs, pin_plan, text)
    pinning.add_argument(
        "plan", nargs="?", metavar="PLAN",
        help="plan of one contender, or a session of a contender; without it the pinned ones are listed",
    )  # fmt: skip
    taking = add_verb(verbs, unpin_target, "take the baseline of a target away")
    taking.add_argument("target", metavar="TARGET", help="target whose baseline is taken away")
    answering = add_verb(verbs, against_plan, "compare a plan with the baseline of its target")
    answering.add_argument("plan", metavar="PLAN", help="id of a plan, its last 6 characters, or its name")
    add_json(answering)


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


def pin_plan(arguments: argparse.Namespace) -> None:
    from app.comparison.answers.baseline import pin, pinned

    with opened_history() as history:
        asked = arguments.plan
        found = [pin(history, asked)] if asked else list(pinned(history).values())
    if not found:
        say("no target has a pinned baseline: dyno plan pin PLAN")
    for each in found:
        say(f"{each.target}: {each.name}, {count_text(len(each.sessions), 'session')}")


def unpin_target(arguments: argparse.Namespace) -> None:
    from app.comparison.answers.baseline import unpin

    unpin(arguments.target)
    say(f"{arguments.target} has no baseline any more")


def against_plan(arguments: argparse.Namespace) -> None:
    from app.comparison.answers.baseline import against_baseline
    from app.history.lists.sessions import sessions, sessions_of_plan

    with opened_history() as history:
        ids = sessions_of_plan(history, arguments.plan)
        if not ids:
            raise InputError(f"no plan {arguments.plan!r}: see dyno plan list")
        found = against_baseline(history, sessions(history, ids=ids[:1])[0]["plan"])
    if found is None:
        raise InputError(f"{arguments.plan!r} has no pinned baseline of the same work: dyno plan pin PLAN")
    if arguments.json:
        print_json(asdict(found))
    else:
        say_wrapped(found.text, *found.sentences)
