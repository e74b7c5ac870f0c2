"""The verbs of the agent: what the desktop asks over a connection, answered by one line of JSON."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from typing import Any, Callable, Dict

from app.protocol import answers
from app.protocol.answers import to_json
from app.protocol.reading import read

from .system.directory import Directory
from .system.errors import AgentError

VERBS = (
    *("survey", "check", "start", "status", "list", "follow", "stop", "skip", "note", "clean"),
    *("ask", "options", "queue", "begin", "snapshots", "delete-snapshot"),
    *("upload-plan", "upload", "install", "remove-build", "note-build"),
    *("listen", "try-load", "drive", "admit"),
)

LEAST_PRIORITY = 19


def main() -> int:
    """Carry out one verb; 0: done, 1: refused with the reason, 2: not understood."""
    os.umask(0o077)
    arguments = _parser().parse_intermixed_args()
    try:
        answer = _VERBS[arguments.verb](Directory(arguments.directory), arguments)
    except AgentError as error:
        kinds = {"input": error.is_input, "taken": error.is_taken}
        print(json.dumps({"error": str(error), **{kind: True for kind, it_is in kinds.items() if it_is}}))
        return 1
    except BrokenPipeError:
        os._exit(0)  # the desktop has gone; nothing is lost by it
    if answer is not None:
        print(json.dumps(to_json(answer)))
        sys.stdout.flush()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agent")
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--plan", default="")
    parser.add_argument("--contender", type=int)
    parser.add_argument("--patience", type=float, default=0.0)
    parser.add_argument("--what", choices=("session", "step", "plan"), default="session")
    parser.add_argument("offsets", nargs="*", default=[])
    return parser


def _agent() -> str:
    """The hash of this agent file: its own name."""
    return os.path.basename(sys.argv[0]).partition(".")[0]


def _survey(directory: Directory, _: Any) -> answers.Survey:
    from dataclasses import replace

    from .snapshots.snapshots import Snapshots
    from .survey.machine import survey

    request = json.loads(sys.stdin.read() or "{}")
    found = survey(directory, request.get("search_paths", []))
    return replace(found, snapshots=Snapshots(directory).list())


def _upload_plan(directory: Directory, arguments: argparse.Namespace) -> answers.Done:
    from .incoming import Incoming

    Incoming(directory).receive(arguments.plan, sys.stdin.buffer.read())
    return answers.Done()


def _check(directory: Directory, arguments: argparse.Namespace) -> answers.Checks | answers.Rehearsal:
    """What the builds say to their options; with a contender its rehearsal."""
    from .checks.check import check, rehearse
    from .incoming import Incoming

    plan, contender = Incoming(directory).read(arguments.plan), arguments.contender
    if contender is None:
        return answers.Checks(check(directory, plan))
    return rehearse(directory, plan, contender, lambda: _clean_up(directory), arguments.patience)


def _ask(directory: Directory, arguments: argparse.Namespace) -> answers.Checks:
    from .checks.check import ask
    from .incoming import Incoming

    os.nice(LEAST_PRIORITY)  # others may be measured meanwhile
    return answers.Checks(ask(directory, Incoming(directory).read(arguments.plan)))


def _options(directory: Directory, _: Any) -> answers.Options:
    from .server.options import kept_names

    return answers.Options(kept_names(directory.at("builds")))


def _start(directory: Directory, arguments: argparse.Namespace) -> answers.Started:
    from .plan_runner import start
    from .system.scope import enter_scope

    enter_scope()
    said = sys.stdin.read()  # of a plan with load targets
    conducting = read(answers.Conducting, json.loads(said)) if said else None
    return start(directory, arguments.plan, _agent(), conducting, arguments.patience)


def _status(directory: Directory, _: Any) -> answers.Status:
    from .system.other_agents import agents_elsewhere

    holder, elsewhere = directory.holder(), agents_elsewhere(directory)
    taken = directory.in_use() if directory.is_taken() else ""
    return answers.Status(
        bool(holder), holder.get("plan"), holder.get("pid"), taken, str(elsewhere[0]) if elsewhere else ""
    )


def _list(directory: Directory, _: Any) -> answers.Plans:
    from .begin_next import leave_behind
    from .plans import list_plans

    with contextlib.suppress(AgentError):  # a damaged queue, which `queue` reports
        leave_behind(directory)
    return answers.Plans(list_plans(directory))


def _queue(directory: Directory, _: Any) -> answers.Queue:
    from .begin_next import leave_behind
    from .queued_plans import QueuedPlans

    queued, asked = QueuedPlans(directory), read(answers.QueueChange, json.loads(sys.stdin.read() or "{}"))
    queued.carry_out(asked, _agent())
    leave_behind(directory)
    return queued.answer()


def _begin(directory: Directory, _: Any) -> None:
    from .begin_next import begin_next
    from .system.scope import enter_scope

    enter_scope()
    begin_next(directory)


def _follow(directory: Directory, arguments: argparse.Namespace) -> None:
    from .follow import Follow, parse_offsets

    Follow(directory, arguments.plan, parse_offsets(arguments.offsets)).run()


def _clean(directory: Directory, _: Any) -> answers.Removed:
    take_lock(directory, "clean")
    return answers.Removed(_clean_up(directory))


def _clean_up(directory: Directory) -> list[str]:
    """What the holder of the lock removes; the trash too."""
    from .cleanup import clean

    removed = clean(directory)
    directory.empty_trash()
    return removed


def _snapshots(directory: Directory, _: Any) -> answers.Snapshots:
    from .snapshots.snapshots import Snapshots

    return answers.Snapshots(Snapshots(directory).list())


def _delete_snapshot(directory: Directory, _: Any) -> answers.Done:
    from .snapshots.snapshots import Snapshots

    take_lock(directory, "delete-snapshot")
    Snapshots(directory).delete(sys.stdin.read().strip())
    return answers.Done()


def _upload(directory: Directory, _: Any) -> answers.Received:
    """Read a line with the tarball, the name and the first byte; then the bytes."""
    from .survey.installing import Installing

    take_lock(directory, "upload")
    said = json.loads(sys.stdin.buffer.readline())
    installing = Installing(directory)
    installing.check_name(said["name"])
    return answers.Received(installing.receive(said["sha256"], said["offset"], sys.stdin.buffer))


def _install(directory: Directory, _: Any) -> answers.Installed:
    from .survey.installing import Installing

    take_lock(directory, "install")
    said = json.loads(sys.stdin.read())
    return answers.Installed(Installing(directory).install(said["sha256"], said["name"], said["notes"]))


def _remove_build(directory: Directory, _: Any) -> answers.Done:
    from .survey.installing import Installing

    take_lock(directory, "remove-build")
    Installing(directory).remove(json.loads(sys.stdin.read())["base"])
    return answers.Done()


def _note_build(directory: Directory, _: Any) -> answers.Done:
    from .survey.build_notes import BuildNotes

    said = json.loads(sys.stdin.read())
    BuildNotes(directory).write(said["base"], {**BuildNotes(directory).of(said["base"]), **said["notes"]})
    return answers.Done()


def _listen(directory: Directory, _: Any) -> answers.Listening:
    from .load.conductor import listen_for_trials

    return listen_for_trials(read(answers.Conducting, json.loads(sys.stdin.read())), directory.at("load.log"))


def _try_load(_: Directory, __: Any) -> answers.LoadTrial:
    from .load.load_agent import try_load

    return try_load(read(answers.LoadCall, json.loads(sys.stdin.read())))


def _drive(directory: Directory, arguments: argparse.Namespace) -> answers.Done:
    from .incoming import Incoming
    from .load.load_agent import drive
    from .system.scope import enter_scope

    enter_scope()
    call, incoming = read(answers.LoadCall, json.loads(sys.stdin.read())), Incoming(directory)
    drive(directory, incoming.read(arguments.plan), call)
    incoming.discard(arguments.plan)
    return answers.Done()


def take_lock(directory: Directory, verb: str) -> None:
    """Hold the lock until this process ends: no build or snapshot changes during a plan."""
    if directory.lock({"verb": verb, "pid": os.getpid()}) is None:
        raise AgentError("{}: try again when it has finished".format(directory.in_use()))


def _admit(directory: Directory, arguments: argparse.Namespace) -> answers.Listening:
    """Let a load target that is called again dial in: its `admission` is on standard input."""
    from .system.control import request

    control, port = _control_of(directory, arguments.plan), int(directory.holder().get("port", 0))
    if not port:
        raise AgentError("plan {} has no load targets".format(arguments.plan))
    request(control, "admit", text=sys.stdin.read(64))
    return answers.Listening(port)


def _control_of(directory: Directory, plan: str) -> str:
    """Where requests to a running plan are left."""
    directory.read_plan(plan)
    if directory.holder().get("plan") != plan:
        raise AgentError("plan {} is not running".format(plan))
    return os.path.join(directory.plan(plan), "control")


def _asker(verb: str) -> Callable[[Directory, argparse.Namespace], answers.Done]:
    def ask(directory: Directory, arguments: argparse.Namespace) -> answers.Done:
        from app.protocol.events import note_problem

        from .system.control import request

        text = sys.stdin.read() if verb == "note" else ""
        if verb == "note" and note_problem(text):
            raise AgentError(note_problem(text))
        request(_control_of(directory, arguments.plan), verb, what=arguments.what, text=text)
        return answers.Done()

    return ask


_VERBS: Dict[str, Callable[[Directory, argparse.Namespace], Any]] = {
    "survey": _survey,
    "check": _check,
    "ask": _ask,
    "options": _options,
    "start": _start,
    "status": _status,
    "list": _list,
    "follow": _follow,
    "stop": _asker("stop"),
    "skip": _asker("skip"),
    "note": _asker("note"),
    "clean": _clean,
    "queue": _queue,
    "begin": _begin,
    "snapshots": _snapshots,
    "delete-snapshot": _delete_snapshot,
    "upload-plan": _upload_plan,
    "upload": _upload,
    "install": _install,
    "remove-build": _remove_build,
    "note-build": _note_build,
    "listen": _listen,
    "try-load": _try_load,
    "drive": _drive,
    "admit": _admit,
}
