"""`dyno session`, `dyno import`: what the history keeps."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .parser import add_json, later

if TYPE_CHECKING:
    from ..history.history import History

STEP_HEADERS = (
    *("step", "threads", "state", "value", "unit", "p95 ms", "p99 ms", "latency per", "CPU us/query"),
    *("KB written/query", "size MB", "errors", "reason"),
)
SESSION = "a full id, its last 6 characters, a unique name, or `last`"


def add_words(words: Any) -> None:
    noun = words.add_parser("session", help="what the history keeps")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list")
    for name in ("target", "engine", "sequence", "tag"):
        listing.add_argument(f"--{name}", default="")
    listing.add_argument("--state", action="append", default=[])
    listing.add_argument("--limit", type=int, default=-1, help="the latest so many")
    add_json(listing)
    listing.set_defaults(carry_out=later("session", "list_sessions"))
    for verb in ("show", "settings"):
        _add_session(verbs.add_parser(verb), verb)
    _add_series(verbs.add_parser("series"))
    for verb, words_of in (("rename", ["name"]), ("tag", ["tag"]), ("note", ["text"]), ("export", ["file"])):
        _add_session(verbs.add_parser(verb), verb, words_of, has_json=False)
    _add_session(verbs.add_parser("delete"), "delete", has_json=False)
    undelete = verbs.add_parser("undelete", help="bring back what was deleted in the last seven days")
    undelete.add_argument("session", help="a full id, or its last 6 characters")
    undelete.set_defaults(carry_out=later("session", "undelete_session"))
    importing = words.add_parser("import", help="take in a session that somebody exported")
    importing.add_argument("file", type=Path)
    importing.set_defaults(carry_out=later("session", "import_session"))


def _add_session(
    parser: argparse.ArgumentParser, verb: str, more: list[str] | None = None, *, has_json: bool = True
) -> None:
    parser.add_argument("session", help=SESSION)
    for name in more or []:
        parser.add_argument(name)
    if verb == "tag":
        parser.add_argument("--remove", action="store_true")
    if has_json:
        add_json(parser)
    parser.set_defaults(carry_out=later("session", f"{verb}_session"))


def _add_series(parser: argparse.ArgumentParser) -> None:
    _add_session(parser, "series", ["step"])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--series", default="qps")


@contextmanager
def opened() -> Iterator[History]:
    """The history of this computer."""
    from ..history.history import History
    from ..settings import home

    with History(home()) as history:
        yield history


def list_sessions(arguments: argparse.Namespace) -> None:
    from ..history.sessions import sessions
    from .screen import print_json, print_table

    wanted = {name: getattr(arguments, name) for name in ("target", "engine", "sequence", "tag")}
    with opened() as history:
        found = sessions(history, states=arguments.state, limit=arguments.limit, **wanted)
    if arguments.json:
        print_json(found)
        return
    headers = ("id", "name", "state", "target", "build", "engine", "preset", "sequence", "started (UTC)")
    print_table(headers, [_line(entry) for entry in found])


def _line(entry: Any) -> tuple[str, ...]:
    contender = entry["contender"]
    state = entry["state"]
    if entry["failed_steps"]:
        state += f", {entry['failed_steps']} failed steps"
    build = (contender["build"], contender["engine"], contender["preset"])
    return (
        entry["id"][-6:],
        entry["name"],
        state,
        entry["target"],
        *build,
        entry["sequence"],
        entry["started_at"],
    )


def show_session(arguments: argparse.Namespace) -> None:
    from ..history.figures import show
    from .screen import print_json

    with opened() as history:
        found = show(history, arguments.session)
    if arguments.json:
        print_json(found)
    else:
        _show(found)


def _show(found: Any) -> None:
    from .screen import print_table

    reason = f" ({found['reason']})" if found["reason"] else ""
    print(f"{found['name']} {found['id']}: {found['state']}{reason}, n = 1")
    print(f"{found['contender']['build']}, {found['contender']['engine']}, {found['contender']['preset']}")
    print()
    print_table(STEP_HEADERS, [_step(step) for step in found["steps"]], right=(1, 3, 5, 6, 8, 9, 10, 11))


def _step(step: Any) -> tuple[Any, ...]:
    latency, cost, size = step["latency_ms"] or {}, step["per_query"] or {}, step["size_bytes"]
    has_latency = latency.get("p50") is not None
    return (
        step["name"],
        step["coordinates"].get("threads", ""),
        step["state"],
        _figure(step["value"], 1),
        step["unit"],
        _figure(latency.get("p95"), 3),
        _figure(latency.get("p99"), 3),
        step["latency_per"] if has_latency else "",
        _figure(cost.get("cpu_us"), 3),
        _figure(cost.get("written_kb"), 3),
        _figure(size / 2**20 if size is not None else None, 1),
        step["errors"],
        step["reason"],
    )


def _figure(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def settings_session(arguments: argparse.Namespace) -> None:
    from ..history.figures import settings
    from .screen import print_json

    with opened() as history:
        found = settings(history, arguments.session)
    if arguments.json:
        print_json(found)
        return
    for name, value in found.items():
        print(f"-- {name}\n{_plain(value)}\n")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name} = {each}" for name, each in value.items())
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def series_session(arguments: argparse.Namespace) -> None:
    from ..history.figures import series
    from .screen import print_json, print_table

    with opened() as history:
        found = series(
            history, arguments.session, arguments.step, threads=arguments.threads, name=arguments.series
        )
    if arguments.json:
        print_json(found)
    else:
        print_table(("second", arguments.series), zip(found["s"], found["values"], strict=True), right=(0, 1))


def rename_session(arguments: argparse.Namespace) -> None:
    from ..history.edits import rename

    with opened() as history:
        rename(history, arguments.session, arguments.name)


def tag_session(arguments: argparse.Namespace) -> None:
    from ..history.edits import tag, untag

    with opened() as history:
        (untag if arguments.remove else tag)(history, arguments.session, arguments.tag)


def note_session(arguments: argparse.Namespace) -> None:
    from ..history.edits import note

    with opened() as history:
        note(history, arguments.session, arguments.text)


def export_session(arguments: argparse.Namespace) -> None:
    from ..history.exporting import export

    with opened() as history:
        print(export(history, arguments.session, Path(arguments.file)))


def delete_session(arguments: argparse.Namespace) -> None:
    from ..history.edits import delete

    with opened() as history:
        session = delete(history, arguments.session)
    print(f"deleted; for seven days it can be brought back: dyno session undelete {session}")


def undelete_session(arguments: argparse.Namespace) -> None:
    from ..history.edits import find_deleted, undelete

    with opened() as history:
        session = find_deleted(history, arguments.session)
        is_back = undelete(history, session)
    gone = "its journal is gone here; it comes again where its target has it: dyno follow --target NAME"
    print(f"{session}: {'is back' if is_back else gone}")


def import_session(arguments: argparse.Namespace) -> None:
    from ..history import importing

    with opened() as history:
        found = importing.import_session(history, arguments.file)
    print(f"{found.session}: {'imported' if found.new else 'is in the history already, nothing was changed'}")
