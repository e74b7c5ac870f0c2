"""The verbs of the agent: what the desktop asks over a connection, answered by one line of JSON."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, TypeVar

from app.protocol import answers
from app.protocol.answers import to_json
from app.protocol.reading import read

from .system.directory import Directory
from .system.errors import AgentError

LEAST_PRIORITY = 19


class Verb(NamedTuple):
    """What carries a verb out, and what it is given besides the directory; its annotation is the answer."""

    carry_out: Callable[..., Any]
    arguments: Sequence[str]


VERBS: Dict[str, Verb] = {}
Function = TypeVar("Function", bound=Callable[..., Any])


def _verb(name: str, *arguments: str) -> Callable[[Function], Function]:
    """Declare a verb, which the function below carries out with these arguments."""

    def declare(function: Function) -> Function:
        VERBS[name] = Verb(function, arguments)
        return function

    return declare


def main() -> int:
    """Carry out one verb; 0: done, 1: refused with the reason, 2: not understood."""
    os.umask(0o077)
    said = _parser().parse_intermixed_args()
    verb = VERBS[said.verb]
    try:
        answer = verb.carry_out(Directory(said.directory), *(getattr(said, name) for name in verb.arguments))
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


@_verb("survey")
def _survey(directory: Directory) -> answers.Survey:
    from dataclasses import replace

    from .snapshots.snapshots import Snapshots
    from .survey.machine import survey

    request = json.loads(sys.stdin.read() or "{}")
    found = survey(directory, request.get("search_paths", []))
    return replace(found, snapshots=Snapshots(directory).list())


@_verb("upload-plan", "plan")
def _upload_plan(directory: Directory, plan: str) -> answers.Done:
    from .incoming import Incoming

    Incoming(directory).receive(plan, sys.stdin.buffer.read())
    return answers.Done()


@_verb("check", "plan", "contender", "patience")
def _check(
    directory: Directory, plan: str, contender: Optional[int], patience: float
) -> answers.Checks | answers.Rehearsal:
    """What the builds say to their options; with a contender its rehearsal."""
    from .checks.check import check, rehearse
    from .incoming import Incoming

    asked = Incoming(directory).read(plan)
    if contender is None:
        return answers.Checks(check(directory, asked))
    return rehearse(directory, asked, contender, lambda: _clean_up(directory), patience)


@_verb("ask", "plan")
def _ask(directory: Directory, plan: str) -> answers.Checks:
    from .checks.check import ask
    from .incoming import Incoming

    os.nice(LEAST_PRIORITY)  # others may be measured meanwhile
    return answers.Checks(ask(directory, Incoming(directory).read(plan)))


@_verb("options")
def _options(directory: Directory) -> answers.Options:
    from .server.options import remembered_names

    return answers.Options(remembered_names(directory.at("builds")))


@_verb("start", "plan", "patience")
def _start(directory: Directory, plan: str, patience: float) -> answers.Started:
    from .plan_runner import start
    from .system.scope import enter_scope

    enter_scope()
    said = sys.stdin.read()  # of a plan with load targets
    conducting = read(answers.Conducting, json.loads(said)) if said else None
    return start(directory, plan, _agent(), conducting, patience)


@_verb("status")
def _status(directory: Directory) -> answers.Status:
    from .system.other_agents import agents_elsewhere

    holder, elsewhere = directory.holder(), agents_elsewhere(directory)
    taken = directory.in_use() if directory.is_taken() else ""
    return answers.Status(
        bool(holder), holder.get("plan"), holder.get("pid"), taken, str(elsewhere[0]) if elsewhere else ""
    )


@_verb("list")
def _list(directory: Directory) -> answers.Plans:
    from .begin_next import leave_behind
    from .plans import list_plans

    with contextlib.suppress(AgentError):  # a damaged queue, which `queue` reports
        leave_behind(directory)
    return answers.Plans(list_plans(directory))


@_verb("queue")
def _queue(directory: Directory) -> answers.Queue:
    from .begin_next import leave_behind
    from .queued_plans import QueuedPlans

    queued, asked = QueuedPlans(directory), read(answers.QueueChange, json.loads(sys.stdin.read() or "{}"))
    queued.carry_out(asked, _agent())
    leave_behind(directory)
    return queued.answer()


@_verb("begin")
def _begin(directory: Directory) -> None:
    from .begin_next import begin_next
    from .system.scope import enter_scope

    enter_scope()
    begin_next(directory)


@_verb("follow", "plan", "offsets")
def _follow(directory: Directory, plan: str, offsets: List[str]) -> None:
    from .follow import Follow, parse_offsets

    Follow(directory, plan, parse_offsets(offsets)).run()


@_verb("clean")
def _clean(directory: Directory) -> answers.Removed:
    take_lock(directory, "clean")
    return answers.Removed(_clean_up(directory))


def _clean_up(directory: Directory) -> list[str]:
    """What the holder of the lock removes; the trash too."""
    from .cleanup import clean

    removed = clean(directory)
    directory.empty_trash()
    return removed


@_verb("snapshots")
def _snapshots(directory: Directory) -> answers.Snapshots:
    from .snapshots.snapshots import Snapshots

    return answers.Snapshots(Snapshots(directory).list())


@_verb("delete-snapshot")
def _delete_snapshot(directory: Directory) -> answers.Done:
    from .snapshots.snapshots import Snapshots

    take_lock(directory, "delete-snapshot")
    Snapshots(directory).delete(sys.stdin.read().strip())
    return answers.Done()


@_verb("upload")
def _upload(directory: Directory) -> answers.Received:
    """Read a line with the tarball, the name and the first byte; then the bytes."""
    from .survey.installing import Installing

    take_lock(directory, "upload")
    said = json.loads(sys.stdin.buffer.readline())
    installing = Installing(directory)
    installing.check_name(said["name"])
    return answers.Received(installing.receive(said["sha256"], said["offset"], sys.stdin.buffer))


@_verb("install")
def _install(directory: Directory) -> answers.Installed:
    from .survey.installing import Installing

    take_lock(directory, "install")
    said = json.loads(sys.stdin.read())
    return answers.Installed(Installing(directory).install(said["sha256"], said["name"], said["notes"]))


@_verb("remove-build")
def _remove_build(directory: Directory) -> answers.Done:
    from .survey.installing import Installing

    take_lock(directory, "remove-build")
    Installing(directory).remove(json.loads(sys.stdin.read())["base"])
    return answers.Done()


@_verb("note-build")
def _note_build(directory: Directory) -> answers.Done:
    from .survey.build_notes import BuildNotes

    said = json.loads(sys.stdin.read())
    BuildNotes(directory).write(said["base"], {**BuildNotes(directory).of(said["base"]), **said["notes"]})
    return answers.Done()


@_verb("listen")
def _listen(directory: Directory) -> answers.Listening:
    from .load.conductor import listen_for_trials

    return listen_for_trials(read(answers.Conducting, json.loads(sys.stdin.read())), directory.at("load.log"))


@_verb("try-load")
def _try_load(_: Directory) -> answers.LoadTrial:
    from .load.load_agent import try_load

    return try_load(read(answers.LoadCall, json.loads(sys.stdin.read())))


@_verb("drive", "plan")
def _drive(directory: Directory, plan: str) -> answers.Done:
    from .incoming import Incoming
    from .load.load_agent import drive
    from .system.scope import enter_scope

    enter_scope()
    call, incoming = read(answers.LoadCall, json.loads(sys.stdin.read())), Incoming(directory)
    drive(directory, incoming.read(plan), call)
    incoming.discard(plan)
    return answers.Done()


def take_lock(directory: Directory, verb: str) -> None:
    """Hold the lock until this process ends: no build or snapshot changes during a plan."""
    if directory.lock({"verb": verb, "pid": os.getpid()}) is None:
        raise AgentError("{}: try again when it has finished".format(directory.in_use()))


@_verb("admit", "plan")
def _admit(directory: Directory, plan: str) -> answers.Listening:
    """Let a load target that is called again dial in: its `admission` is on standard input."""
    from .system.control import request

    control, port = _control_of(directory, plan), int(directory.holder().get("port", 0))
    if not port:
        raise AgentError("plan {} has no load targets".format(plan))
    request(control, "admit", text=sys.stdin.read(64))
    return answers.Listening(port)


def _control_of(directory: Directory, plan: str) -> str:
    """Where requests to a running plan are left."""
    directory.read_plan(plan)
    if directory.holder().get("plan") != plan:
        raise AgentError("plan {} is not running".format(plan))
    return os.path.join(directory.plan(plan), "control")


@_verb("stop", "plan", "what")
def _stop(directory: Directory, plan: str, what: str) -> answers.Done:
    return _request(directory, plan, "stop", what)


@_verb("skip", "plan", "what")
def _skip(directory: Directory, plan: str, what: str) -> answers.Done:
    return _request(directory, plan, "skip", what)


@_verb("note", "plan", "what")
def _note(directory: Directory, plan: str, what: str) -> answers.Done:
    from app.protocol.events import note_problem

    text = sys.stdin.read()
    if note_problem(text):
        raise AgentError(note_problem(text))
    return _request(directory, plan, "note", what, text)


def _request(directory: Directory, plan: str, verb: str, what: str, text: str = "") -> answers.Done:
    """Leave a request to the running plan."""
    from .system.control import request

    request(_control_of(directory, plan), verb, what=what, text=text)
    return answers.Done()
