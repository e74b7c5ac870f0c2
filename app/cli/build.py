"""`dyno build`: the servers found on a target."""

from __future__ import annotations

import argparse
from typing import Any

from .parser import add_json, later


def add_words(words: Any) -> None:
    noun = words.add_parser("build", help="installed servers")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="what there is on a target")
    listing.add_argument("--target", default="local", help="where; local, this computer, if nothing is said")
    add_json(listing)
    listing.set_defaults(carry_out=later("build", "list_builds"))


def list_builds(arguments: argparse.Namespace) -> None:
    from .reach import survey_of
    from .screen import print_json
    from .target import show_builds

    builds = survey_of(arguments.target)["builds"]
    if arguments.json:
        print_json(builds)
    else:
        show_builds(builds)
