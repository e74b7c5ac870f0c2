"""`dyno workload`: the kinds of test there are."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.catalog import Catalog, Workload, approve

from .parser import add_json, add_json_only, add_noun, add_verb
from .screen import complain, print_json, print_table, say, say_text


def add_words(words: Any) -> None:
    verbs = add_noun(words, "workload", "workloads: kinds of test")
    add_verb(verbs, list_workloads, "list the workloads", add_json)
    add_verb(verbs, show_workload, "show what a workload measures, and its files", _add_name, add_json)
    text = "allow your own Lua to run on targets, after you read it"
    approve = add_verb(verbs, approve_workload, text, _add_name)
    approve.add_argument("hash", help="hash of the Lua, as the error message shows it")
    _add_sql(verbs)


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="workload, as dyno workload list names it")


def _add_sql(verbs: Any) -> None:
    """Commands for custom SQL."""
    check = add_verb(verbs, check_sql, "check a file of custom SQL, line by line")
    check.add_argument("file", type=Path, help="a file of custom SQL")
    add_json_only(check)
    taking = add_verb(verbs, import_sql, "make a workload from a file of custom SQL, or of mydbtest")
    taking.add_argument(
        "file", type=Path, help="a file of custom SQL or of mydbtest; its user and host are not stored"
    )
    taking.add_argument("--name", default="", help="name of the workload (default: the file's)")
    taking.add_argument("--title", default="", help="what the workload measures")
    taking.add_argument(
        "--figure",
        choices=("rate", "latency"),
        default="latency",
        help="the result: rate (queries per second) or latency (ms; default)",
    )
    taking.add_argument("--over", action="store_true", help="replace the workload of that name")


def list_workloads(arguments: argparse.Namespace) -> int:
    found, problems = Catalog().workloads()
    if arguments.json:
        print_json([_entry(each) for each in found])
    else:
        headers = ("name", "group", "unit", "writes", "needs", "measures")
        lines = [_row(each) for each in sorted(found, key=lambda w: (w.group, w.name))]
        print_table(headers, lines, least=("needs", "unit"))
    return complain_of_files(problems)


def _entry(workload: Workload) -> dict[str, Any]:
    keys = ("name", "title", "group", "kind", "unit", "writes", "needs", "engines", "shipped", "options")
    return {key: getattr(workload, key) for key in keys}


def _row(workload: Workload) -> tuple[str, ...]:
    needs = ", ".join(workload.needs)
    writes = "writes" if workload.writes else ""
    return workload.name, workload.group, workload.unit, writes, needs, workload.title


def show_workload(arguments: argparse.Namespace) -> None:
    catalog = Catalog()
    workload = catalog.workload(arguments.name)
    files = catalog.workload_files(workload)
    if arguments.json:
        print_json({**_entry(workload), "files": files})
        return
    say(workload.title, _words(workload), "")
    for name, text in files.items():
        say(f"-- {name}")
        say_text(f"{text.rstrip()}\n\n")


def _words(workload: Workload) -> str:
    """Kind, unit and needs of a workload, in one line."""
    said = (
        f"{workload.group}, in {workload.unit}" if workload.group else f"in {workload.unit}",
        "writes" if workload.writes else "only reads",
        f"needs {' and '.join(workload.needs)}" if workload.needs else "",
        _engines(workload),
    )
    return "; ".join(filter(None, said))


def _engines(workload: Workload) -> str:
    """The engines that can run it, if not all can."""
    each = [f"{name} from {first} on" if first else name for name, first in workload.engines.items()]
    return f"for {' and '.join(each)}" if each else ""


def approve_workload(arguments: argparse.Namespace) -> None:
    from app.catalog.approval import hash_of
    from app.core.errors import InputError

    catalog = Catalog()
    sha256 = hash_of(catalog.workload_files(catalog.workload(arguments.name)))
    if len(arguments.hash) < 12 or not sha256.startswith(arguments.hash):
        raise InputError(
            f"the Lua of {arguments.name} has the hash {sha256[:12]}, not {arguments.hash}: read it again"
        )
    approve(sha256, arguments.name)


def check_sql(arguments: argparse.Namespace) -> int:
    from app.catalog.custom_sql import MAX_SQL
    from app.catalog.own_sql import sql_problems
    from app.core.toml_text import read_text

    problems = sql_problems(read_text(arguments.file, MAX_SQL))
    if arguments.json:
        print_json([{"line": line, "text": text} for line, text in problems])
    else:
        complain(*(f"{arguments.file}: line {line}: {text}" for line, text in problems))
    return 2 if problems else 0


def import_sql(arguments: argparse.Namespace) -> None:
    """Write the files of a workload into DYNO_HOME, with a sequence that loads and drives it."""
    from app.catalog.mydbtest import import_mydbtest_file

    words = (arguments.name, arguments.title, arguments.figure, arguments.over)
    say_imported_workload(*import_mydbtest_file(Catalog(), arguments.file, *words))


def say_imported_workload(name: str, notes: Iterable[str]) -> None:
    say(*notes)
    say(f"workload and sequence {name}: dyno workload show {name}; dyno run --sequence {name}")


def complain_of_files(problems: list[str]) -> int:
    """Print the files that cannot be read; returns the exit code."""
    return complain(*(f"dyno: {problem}" for problem in problems))
