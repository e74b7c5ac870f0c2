"""`dyno snapshot`: the data sets that are kept on a target."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..units import ago_text, bytes_text, count_text
from .parser import add_json, later


def add_words(words: Any) -> None:
    noun = words.add_parser("snapshot", help="data sets that are kept on targets, for --start-state snapshot")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="those of a target, with size and age")
    _add_where(listing)
    add_json(listing)
    listing.set_defaults(carry_out=later("snapshot", "list_snapshots"))
    delete = verbs.add_parser("delete", help="take them away; the next session that asks for one loads anew")
    delete.add_argument("keys", nargs="+", metavar="KEY", help="as list names it, or how it begins")
    _add_where(delete)
    delete.set_defaults(carry_out=later("snapshot", "delete_snapshots"))


def _add_where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", default="local", help="where; local, this computer, if nothing is said")
    parser.add_argument("--directory", default="", help="another directory of the target")


def list_snapshots(arguments: argparse.Namespace) -> None:
    from ..targets import Targets
    from .reach import agent_of
    from .screen import print_json, print_table

    with agent_of(Targets().get(arguments.target), arguments.directory) as agent:
        found = agent.snapshots()
    if arguments.json:
        print_json(found)
    elif found:
        headers = ("snapshot", "build", "engine", "preset", "tables", "size", "kept", "problem")
        print_table(headers, [_row(each) for each in found])
    else:
        print(f"no snapshot is kept on {arguments.target}")


def _row(snapshot: Mapping[str, Any]) -> tuple[Any, ...]:
    contender = snapshot["contender"] or {}
    made_at, size = snapshot["made_at"], snapshot["size_bytes"]
    return (
        snapshot["key"],
        *(contender.get(name) for name in ("build", "engine", "preset")),
        f"{snapshot['tables']} x {count_text(snapshot['rows'], 'row')}" if contender else None,
        bytes_text(size) if size is not None else None,
        ago_text(made_at, time.time()) if made_at is not None else None,
        snapshot["problem"],
    )


def delete_snapshots(arguments: argparse.Namespace) -> None:
    from ..targets import Targets
    from .reach import agent_of

    with agent_of(Targets().get(arguments.target), arguments.directory) as agent:
        known = [each["key"] for each in agent.snapshots()]
        for key in [_whole(each, known, arguments.target) for each in arguments.keys]:
            agent.delete_snapshot(key)
            print(f"snapshot {key} is gone from {arguments.target}")


def _whole(beginning: str, known: list[str], target: str) -> str:
    """The one that begins so."""
    found = [key for key in known if beginning and key.startswith(beginning)]
    if len(found) == 1:
        return found[0]
    problem = f"{len(found)} snapshots begin" if found else "no snapshot begins"
    raise InputError(f"{problem} with {beginning!r} on {target}: dyno snapshot list --target {target}")
