"""`dyno workload`: the kinds of test there are."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .parser import add_json, later

if TYPE_CHECKING:
    from ..catalog import Workload


def add_words(words: Any) -> None:
    noun = words.add_parser("workload", help="kinds of test")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="what there is")
    add_json(listing)
    listing.set_defaults(carry_out=later("workload", "list_workloads"))
    show = verbs.add_parser("show", help="what one measures, and its files")
    show.add_argument("name", help="as dyno workload list names it")
    add_json(show)
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
        print_json([_entry(each) for each in found])
    else:
        headers = ("name", "group", "unit", "writes", "needs", "measures")
        print_table(headers, [_row(each) for each in sorted(found, key=lambda w: (w.group, w.name))])
    return complain(problems)


def _entry(workload: Workload) -> dict[str, Any]:
    keys = ("name", "title", "group", "kind", "unit", "writes", "needs", "engines", "shipped", "options")
    return {key: getattr(workload, key) for key in keys}


def _row(workload: Workload) -> tuple[str, ...]:
    needs = ", ".join(workload.needs)
    writes = "writes" if workload.writes else ""
    return workload.name, workload.group, workload.unit, writes, needs, workload.title


def show_workload(arguments: argparse.Namespace) -> None:
    from ..catalog import Catalog
    from .screen import print_json

    catalog = Catalog()
    workload = catalog.workload(arguments.name)
    files = catalog.workload_files(workload)
    if arguments.json:
        print_json({**_entry(workload), "files": files})
        return
    print(f"{workload.title}\n{_words(workload)}\n")
    for name, text in files.items():
        print(f"-- {name}\n{text.rstrip()}\n")


def _words(workload: Workload) -> str:
    """What kind of test it is, in a line."""
    said = (
        f"{workload.group}, in {workload.unit}" if workload.group else f"in {workload.unit}",
        "writes" if workload.writes else "only reads",
        f"needs {' and '.join(workload.needs)}" if workload.needs else "",
        _engines(workload),
    )
    return "; ".join(filter(None, said))


def _engines(workload: Workload) -> str:
    """The engines that can carry it out, where not all can."""
    each = [f"{name} from {first} on" if first else name for name, first in workload.engines.items()]
    return f"for {' and '.join(each)}" if each else ""


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
