"""`dyno snapshot`: the data sets that are kept on a target."""

from __future__ import annotations

import argparse
from typing import Any

from app.core.errors import InputError
from app.protocol.answers import DataSnapshot, to_json
from app.targets.snapshots import HEADERS, delete_target_snapshots, row_of
from app.targets.store import Targets

from .parser import add_directory, add_json, add_noun, add_target, add_verb
from .screen import ask_secret, print_json, print_table, say


def add_words(words: Any) -> None:
    verbs = add_noun(words, "snapshot", "copies of data on targets, for --start-state snapshot")
    where = (add_target, add_directory)
    add_verb(verbs, list_snapshots, "list the snapshots of a target, with size and age", *where, add_json)
    text = "delete snapshots; the next session that needs one loads the tables again"
    add_verb(verbs, delete_snapshots, text, *where).add_argument(
        "keys",
        nargs="+",
        metavar="KEY",
        help="snapshot, as dyno snapshot list names it, or the beginning of that",
    )


def list_snapshots(arguments: argparse.Namespace) -> None:
    found = _kept(arguments)
    if arguments.json:
        print_json([to_json(each) for each in found])
    elif found:
        print_table(HEADERS, map(row_of, found), least=("preset", "stored", "tables"))
    else:
        say(f"no snapshots on {arguments.target}")


def delete_snapshots(arguments: argparse.Namespace) -> None:
    known = [each.key for each in _kept(arguments)]
    keys = [_whole(each, known, arguments.target) for each in arguments.keys]
    _kept(arguments, *keys)
    say(f"deleted from {arguments.target}: {', '.join(keys)}")


def _kept(arguments: argparse.Namespace, *deleted: str) -> list[DataSnapshot]:
    return delete_target_snapshots(Targets().get(arguments.target), ask_secret, deleted, arguments.directory)


def _whole(beginning: str, known: list[str], target: str) -> str:
    """The only snapshot whose key begins with these characters."""
    found = [key for key in known if beginning and key.startswith(beginning)]
    if len(found) == 1:
        return found[0]
    problem = f"{len(found)} snapshots begin" if found else "no snapshot begins"
    raise InputError(f"{problem} with {beginning!r} on {target}: dyno snapshot list --target {target}")
