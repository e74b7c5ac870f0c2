"""`dyno changes`: where the figures of a contender change over time, and an exit code for scripts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .parser import add_json
from .screen import print_json, print_tables, say

if TYPE_CHECKING:
    from app.comparison.answers.over_time import OverTimeEntry


def add_words(words: Any) -> None:
    parser = words.add_parser(
        "changes",
        help="find changes over all sessions of the same work and contender on a machine; exit code 3:"
        " too few plans",
    )
    parser.add_argument(
        "session", metavar="SESSION", help="a session or a plan of one contender; builds may differ over time"
    )
    parser.add_argument("--step", default="", help="only this step: point-query, 'point-query threads=2'")
    parser.add_argument(
        "--check", action="store_true", help="exit code 1 if a step is worse since its latest change"
    )
    add_json(parser)
    parser.set_defaults(run=show_changes)


def show_changes(arguments: argparse.Namespace) -> int:
    from app.comparison.answers.over_time import is_worse, over_time, too_few

    from .session import opened

    with opened() as history:
        found = over_time(history, arguments.session, arguments.step)
    if arguments.json:
        print_json(found)
    else:
        _show(found)
    if too_few(found):
        return 3
    return int(arguments.check and is_worse(found))


def _show(found: OverTimeEntry) -> None:
    from app.comparison.texts.over_time_text import changes_table

    table = changes_table(found)
    if table.lines:
        print_tables([table])
    else:
        say(*table.remarks)
