"""`dyno changes`: where the figures of a contender change over time, and an exit code for scripts."""

from __future__ import annotations

import argparse
from typing import Any

from app.comparison.answers.over_time import OverTimeEntry, has_worsened_step, over_time, too_few_plans_text
from app.comparison.texts.over_time_text import changes_table

from .parser import add_json, add_quiet, add_verb
from .screen import print_json, print_tables, quietly, say_wrapped
from .session import opened_history


def add_words(words: Any) -> None:
    text = "find changes over all sessions of the same work and contender on a machine; exit code 3: too few"
    parser = add_verb(words, changes_of_session, f"{text} plans")
    parser.add_argument(
        "session", metavar="SESSION", help="a session or a plan of one contender; builds may differ over time"
    )
    parser.add_argument("--step", default="", help="only this step: point-query, 'point-query threads=2'")
    parser.add_argument(
        "--check", action="store_true", help="exit code 1 if a step is worse since its latest change"
    )
    add_json(parser)
    add_quiet(parser, "print nothing: the exit code is the answer")


def changes_of_session(arguments: argparse.Namespace) -> int:
    with opened_history() as history:
        found = over_time(history, arguments.session, arguments.step)
    if arguments.json:
        print_json(found)
    else:
        with quietly(arguments.quiet):
            _show(found)
    if too_few_plans_text(found):
        return 3
    return int(arguments.check and has_worsened_step(found))


def _show(found: OverTimeEntry) -> None:
    table = changes_table(found)
    if table.lines:
        print_tables([table])
    else:
        say_wrapped(*table.remarks)
