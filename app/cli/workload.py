"""`dyno workload`: the kinds of test there are."""

from __future__ import annotations

import argparse
from typing import Any

from .parser import add_json, later


def add_words(words: Any) -> None:
    noun = words.add_parser("workload", help="kinds of test")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="what there is")
    add_json(listing)
    listing.set_defaults(carry_out=later("workload", "list_workloads"))
    show = verbs.add_parser("show", help="what one measures, and its files")
    show.add_argument("name", help="as dyno workload list names it")
    show.set_defaults(carry_out=later("workload", "show_workload"))
    approve = verbs.add_parser("approve", help="let Lua of your own run on targets, after you have read it")
    approve.add_argument("name", help="as dyno workload list names it")
    approve.add_argument("hash", help="the hash it was refused with")
    approve.set_defaults(carry_out=later("workload", "approve_workload"))


def list_workloads(arguments: argparse.Namespace) -> int:
    from ..catalog import Catalog
    from .screen import print_json, print_table

    found, problems = Catalog().workloads()
    if arguments.json:
        keys = ("name", "title", "group", "kind", "unit", "writes", "shipped", "options")
        print_json([{key: getattr(each, key) for key in keys} for each in found])
    else:
        print_table(
            ("name", "group", "unit", "measures"), [(w.name, w.group, w.unit, w.title) for w in found]
        )
    return complain(problems)


def show_workload(arguments: argparse.Namespace) -> None:
    from ..catalog import Catalog

    catalog = Catalog()
    for name, text in catalog.workload_files(catalog.workload(arguments.name)).items():
        print(f"-- {name}\n{text.rstrip()}\n")


def approve_workload(arguments: argparse.Namespace) -> None:
    from ..catalog import Catalog, approve
    from ..catalog.approval import hash_of
    from ..errors import InputError

    catalog = Catalog()
    sha256 = hash_of(catalog.workload_files(catalog.workload(arguments.name)))
    if len(arguments.hash) < 12 or not sha256.startswith(arguments.hash):
        raise InputError(
            f"the Lua of {arguments.name} has the hash {sha256[:12]}, not {arguments.hash}: read it again"
        )
    approve(sha256, arguments.name)


def complain(problems: list[str]) -> int:
    """Files that cannot be read are told, and hide no others; the exit code."""
    import sys

    for problem in problems:
        print(f"dyno: {problem}", file=sys.stderr)
    return int(bool(problems))
