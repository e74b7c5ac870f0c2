"""`dyno preset`: the my.cnf files there are."""

from __future__ import annotations

import argparse
from typing import Any

from .parser import add_json, later


def add_words(words: Any) -> None:
    noun = words.add_parser("preset", help="my.cnf files by engine")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="what there is")
    add_json(listing)
    listing.set_defaults(carry_out=later("preset", "list_presets"))
    show = verbs.add_parser("show", help="one as it is written")
    show.add_argument("engine", help="innodb, rocksdb or myisam")
    show.add_argument("name", help="as dyno preset list names it")
    show.set_defaults(carry_out=later("preset", "show_preset"))


def list_presets(arguments: argparse.Namespace) -> int:
    from ..catalog import Catalog
    from .screen import print_json, print_table
    from .workload import complain

    found, problems = Catalog().presets()
    if arguments.json:
        print_json([{"engine": p.engine, "name": p.name, "shipped": p.shipped, **p.header} for p in found])
    else:
        print_table(("engine", "name", "title"), [(p.engine, p.name, p.title) for p in found])
    return complain(problems)


def show_preset(arguments: argparse.Namespace) -> None:
    from ..catalog import Catalog

    print(Catalog().preset(arguments.engine, arguments.name).text, end="")
