"""`dyno session`, `dyno import`: what the history keeps."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.core.quantity import percent_of
from app.core.units import count_text, figure_text
from app.protocol.states import state_word

from .parser import add_json, add_json_only, add_limit, add_noun, add_verb, duration_between, whole_number
from .screen import complain, print_json, print_table, say
from .written import say_written

if TYPE_CHECKING:
    from app.history.store.history import History

HEADERS = ("id", "name", "state", "target", "build", "engine", "preset", "sequence", "started (UTC)")
LEAST = ("preset", "sequence", "target", "engine", "build")
SESSION = "its id, the last 6 characters of that, a unique name, or last"


def add_words(words: Any) -> None:
    verbs = add_noun(words, "session", "sessions in the history")
    listing = add_verb(verbs, list_sessions, "list the sessions")
    listing.add_argument("-t", "--target", default="", help="only sessions of this target")
    for name in ("engine", "sequence", "tag"):
        listing.add_argument(f"--{name}", default="", help=f"only sessions of this {name}")
    listing.add_argument("--plan", default="", help="only sessions of this plan, as dyno plan list names it")
    listing.add_argument(
        "--state",
        action="append",
        default=[],
        help="only sessions in this state; give it several times for several states",
    )
    add_limit(listing)
    add_json(listing)
    add_verb(verbs, show_session, "show the steps of a session and their results", _add_session, add_json)
    text = "show the settings in force: machine, build, variables, tables"
    add_verb(verbs, settings_session, text, _add_session, add_json)
    _add_series(verbs)
    _add_stacks(verbs)
    _add_latency(verbs)
    _add_changes(verbs)
    text = "write a shell script that repeats the session without Dyno"
    script = add_verb(verbs, script_session, text, _add_session, add_json_only)
    script.add_argument("-o", "--out", type=Path, required=True, help="a new folder")
    _add_cut(verbs)
    undelete = add_verb(verbs, undelete_session, "restore a session deleted in the last seven days")
    undelete.add_argument("session", help="its id, or the last 6 characters of that")
    importing = add_verb(words, import_session, "import exported or published sessions")
    importing.add_argument(
        "file",
        type=Path,
        nargs="?",
        help="an exported session or a folder of them, a published table (CSV), sysbench output or a folder"
        " of it, or a mydbtest file, which becomes a workload",
    )
    importing.add_argument(
        "--published", action="store_true", help="import the published results that come with Dyno"
    )


def _add_changes(verbs: Any) -> None:
    rename = add_verb(verbs, rename_session, "rename a session", _add_session)
    rename.add_argument("name", help="the new name; empty restores the name that the plan gave")
    tag = add_verb(verbs, tag_session, "add a tag to a session", _add_session)
    tag.add_argument("tag", help="one line")
    tag.add_argument("--remove", action="store_true", help="remove the tag")
    note = add_verb(verbs, note_session, "add a note to a session", _add_session)
    note.add_argument("text", help="text of the note")
    export = add_verb(verbs, export_session, "export a session to a file", _add_session, add_json_only)
    export.add_argument("file", help="a new .zip file")
    export.add_argument(
        "--openmetrics", action="store_true",
        help="write its seconds as OpenMetrics text with time stamps, for Prometheus",
    )  # fmt: skip
    text = "delete a session from the history; undelete restores it for seven days"
    add_verb(verbs, delete_session, text, _add_session)


def _add_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", help=SESSION)


def _add_step(parser: argparse.ArgumentParser) -> None:
    """A step of a session, or of one of its thread counts."""
    _add_session(parser)
    parser.add_argument("step", help="step, as dyno session show names it")


def _add_threads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threads", type=whole_number(1, 1_000_000), help="client threads, if the step has several counts"
    )


def _add_series(verbs: Any) -> None:
    text = "print the values of a step, second by second"
    parser = add_verb(verbs, series_session, text, _add_step, add_json, _add_threads)
    parser.add_argument("--series", default="qps", help="name of the series (default: qps)")


def _add_stacks(verbs: Any) -> None:
    from .stacks import add_stacks_options

    text = "show where the server spent its time in a profiled step"
    add_verb(verbs, stacks_session, text, _add_step, add_json, _add_threads, add_stacks_options)


def _add_latency(verbs: Any) -> None:
    parser = add_verb(verbs, latency_session, "print latency percentiles of a step", _add_step, add_json)
    parser.add_argument(
        "--with", action="append", default=[], metavar="SESSION", dest="others",
        help="another session or plan with the same step: all events count together; several are possible",
    )  # fmt: skip
    second = duration_between(0, 10_000_000)
    parser.add_argument(
        "--from", type=second, dest="first", help="first second (default: the seconds that count)"
    )
    parser.add_argument("--to", type=second, help="end of these seconds")
    parser.add_argument(
        "--percentile", type=_percentile, action="append", default=[], metavar="P",
        help="percentile; give it several times for several (default: 50, 95, 99 and 99.9)",
    )  # fmt: skip
    _add_threads(parser)


def _percentile(text: str) -> float:
    found = percent_of(text)
    if found is None or not 0 < found < 100:
        raise argparse.ArgumentTypeError(f"a percentile is above 0 and below 100, got {text}")
    return found


def _add_cut(verbs: Any) -> None:
    parser = add_verb(verbs, cut_session_step, "choose the seconds of a step that count", _add_step)
    second = duration_between(0, 10_000_000)
    parser.add_argument(
        "from", type=second, nargs="?", help="first second that counts; the measured part begins at 0"
    )
    parser.add_argument("to", type=second, nargs="?", help="end of these seconds")
    _add_threads(parser)
    parser.add_argument("--reason", default="", help="the reason in one line, stored with the cut")
    parser.add_argument("--undo", action="store_true", help="count all seconds of the step again")


@contextmanager
def opened_history() -> Iterator[History]:
    """The history of this computer."""
    from app.core.settings import home
    from app.history.store.history import History

    with History(home()) as history:
        yield history


def list_sessions(arguments: argparse.Namespace) -> None:
    from app.history.lists.sessions import meant_name, sessions, sessions_of_plan

    wanted = {name: getattr(arguments, name) for name in ("target", "engine", "sequence", "tag")}
    with opened_history() as history:
        ids = sessions_of_plan(history, arguments.plan) if arguments.plan else []
        if arguments.plan and not ids:
            meant = meant_name(history, arguments.plan)
            raise InputError(f"no plan {arguments.plan!r} in the history{meant}: see `dyno plan list`")
        found = sessions(history, ids=ids, states=arguments.state, limit=arguments.limit, **wanted)
    if arguments.json:
        print_json(found)
        return
    is_asked = bool(arguments.plan or arguments.state)
    shown = [entry for entry in found if is_asked or entry["started_at"] or entry["state"] != "stopped"]
    print_table(HEADERS, [session_list_cells(entry) for entry in shown], least=LEAST)
    if more := len(found) - len(shown):
        say(f"not shown: {count_text(more, 'session')} that never began (--state stopped, --plan PLAN)")


def session_list_cells(entry: Any) -> tuple[str, ...]:
    contender = entry["contender"]
    state = "published" if entry["published"] else state_word(entry["state"], entry["reason"])
    if entry["unread"]:
        state += ", journal damaged"
    if entry["failed_steps"]:
        state += f", {count_text(entry['failed_steps'], 'failed step')}"
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
    from app.history.steps.figures import session_details

    from .session_text import print_session_details as show_text

    with opened_history() as history:
        found = session_details(history, arguments.session)
    if arguments.json:
        print_json(found)
    else:
        show_text(found)


def settings_session(arguments: argparse.Namespace) -> None:
    from app.history.steps.figures import settings

    from .session_text import show_settings

    with opened_history() as history:
        found = settings(history, arguments.session)
    if arguments.json:
        print_json(found)
    else:
        show_settings(found)


def series_session(arguments: argparse.Namespace) -> None:
    from app.history.steps.series import series

    with opened_history() as history:
        found = series(
            history, arguments.session, arguments.step, threads=arguments.threads, name=arguments.series
        )
    if arguments.json:
        print_json(found)
    else:
        print_table(("second", arguments.series), zip(found["s"], found["values"], strict=True), right=(0, 1))


def stacks_session(arguments: argparse.Namespace) -> None:
    from .stacks import show_step_stacks

    with opened_history() as history:
        show_step_stacks(history, arguments)


def latency_session(arguments: argparse.Namespace) -> None:
    from app.history.steps.stretches import PERCENTILES, stretch_percentiles

    first, end = arguments.first, arguments.to
    bounds = None if first is None and end is None else (first or 0, end)
    percents = arguments.percentile or PERCENTILES
    with opened_history() as history:
        found = stretch_percentiles(
            history, [arguments.session, *arguments.others], arguments.step,
            threads=arguments.threads, bounds=bounds, percents=percents,
        )  # fmt: skip
    if arguments.json:
        print_json(found)
        return
    sessions, missing = count_text(len(found["sessions"]), "session"), found["missing"]
    without = f"; {count_text(missing, 'second')} without latencies" if missing else ""
    say(f"{found['events']:,} events in {count_text(found['seconds'], 'second')} of {sessions}{without}")
    texts = {
        name: "too few events" if ms is None else figure_text(ms)
        for name, ms in found["percentiles_ms"].items()
    }
    print_table(("percentile", "ms"), list(texts.items()), right=(1,))


def rename_session(arguments: argparse.Namespace) -> None:
    from app.history.lists.edits import rename

    with opened_history() as history:
        rename(history, arguments.session, arguments.name)


def tag_session(arguments: argparse.Namespace) -> None:
    from app.history.lists.edits import tag, untag

    with opened_history() as history:
        (untag if arguments.remove else tag)(history, arguments.session, arguments.tag)


def note_session(arguments: argparse.Namespace) -> None:
    from app.history.lists.edits import note

    with opened_history() as history:
        note(history, arguments.session, arguments.text)


def cut_session_step(arguments: argparse.Namespace) -> None:
    from app.history.lists.edits import count_only_seconds, undo_cut
    from app.history.lists.sessions import find
    from app.history.recorded.counting import Cut
    from app.history.steps.figures import find_step, steps

    from .session_text import counted_seconds_text

    bounds = [getattr(arguments, name) for name in ("from", "to")]
    if arguments.undo == (bounds[1] is not None):
        raise InputError("give the first and the last second that count, or --undo")
    with opened_history() as history:
        session = find(history, arguments.session)
        _, position = find_step(history, session, arguments.step, arguments.threads)
        if arguments.undo:
            undo_cut(history, session, position)
        else:
            count_only_seconds(history, session, position, Cut(bounds[0], bounds[1] - 1, arguments.reason))
        say(counted_seconds_text(steps(history, session)[position]))


def export_session(arguments: argparse.Namespace) -> None:
    from app.history.exchange.exporting import export
    from app.history.exchange.openmetrics import export_openmetrics
    from app.history.lists.sessions import find

    if not arguments.file:
        raise InputError("the file name is empty: name a new file")
    form, write = ("openmetrics", export_openmetrics) if arguments.openmetrics else ("zip", export)
    with opened_history() as history:
        session = find(history, arguments.session)
        say_written(arguments, write(history, session, Path(arguments.file)), form, [session])


def script_session(arguments: argparse.Namespace) -> None:
    from app.history.lists.sessions import find
    from app.script.writing import write_script

    with opened_history() as history:
        session = find(history, arguments.session)
        folder = write_script(history, session, arguments.out)
    say_written(arguments, folder, "script", [session], folder / "run.sh")


def delete_session(arguments: argparse.Namespace) -> None:
    from app.history.lists.edits import delete

    with opened_history() as history:
        session = delete(history, arguments.session)
    say(f"deleted; to restore it within seven days: dyno session undelete {session}")


def undelete_session(arguments: argparse.Namespace) -> None:
    from app.history.lists.edits import find_deleted, undelete

    with opened_history() as history:
        session = find_deleted(history, arguments.session)
        is_back = undelete(history, session)
    gone = "its journal is gone here; it comes again where its target has it: dyno follow --target NAME"
    say(f"{session}: {'is back' if is_back else gone}")


def import_session(arguments: argparse.Namespace) -> None:
    from app.catalog import Catalog
    from app.catalog.mydbtest import import_mydbtest_file, is_mydbtest
    from app.history.exchange.import_any import FileImportResult, import_any
    from app.history.exchange.publishing import import_shipped

    from .workload import say_imported_workload

    if (arguments.file is None) != arguments.published:
        raise InputError("name a file, or give --published")
    if arguments.file and is_mydbtest(arguments.file):
        say_imported_workload(*import_mydbtest_file(Catalog(), arguments.file))
        return
    with opened_history() as history:
        if arguments.published:
            taken = FileImportResult(import_shipped(history))
        else:
            taken = import_any(history, arguments.file)
    for problem in taken.problems:
        complain(f"dyno: {problem}")
    for each in taken.sessions:
        said = "imported" if each.new else "is already in the history; nothing changed"
        say(f"{each.session}: {said}")
