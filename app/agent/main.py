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

from .system.directory import MarkedDirectory
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
        answer = verb.carry_out(
            MarkedDirectory(said.directory), *(getattr(said, name) for name in verb.arguments)
        )
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
def _survey(directory: MarkedDirectory) -> answers.Survey:
    from dataclasses import replace

    from .snapshots.snapshots import Snapshots
    from .survey.machine import survey

    request = json.loads(sys.stdin.read() or "{}")
    found = survey(directory, request.get("search_paths", []))
    return replace(found, snapshots=Snapshots(directory).list())


@_verb("reach-server")
def _reach_server(_: MarkedDirectory) -> answers.ExistingServer:
    """What a server that runs already shows to an account."""
    from .existing.reach import reach_server

    return reach_server(read(answers.ServerAddress, json.loads(sys.stdin.read())))


@_verb("clean-server")
def _clean_server(_: MarkedDirectory) -> answers.RemovalAnswer:
    """Drop what a plan that was killed has left there."""
    from .existing.reach import clean_server

    return answers.RemovalAnswer(clean_server(read(answers.ServerAddress, json.loads(sys.stdin.read()))))


@_verb("upload-plan", "plan")
def _upload_plan(directory: MarkedDirectory, plan: str) -> answers.EmptyAnswer:
    from .incoming import UploadedPlans

    UploadedPlans(directory).receive(plan, sys.stdin.buffer.read())
    return answers.EmptyAnswer()


@_verb("check", "plan", "contender", "patience")
def _check(
    directory: MarkedDirectory, plan: str, contender: Optional[int], patience: float
) -> answers.Checks | answers.RehearsalResult:
    """What the builds say to their options; with a contender its rehearsal."""
    from .checks.check import check, rehearse
    from .incoming import UploadedPlans

    asked, passwords = UploadedPlans(directory).read(plan), _start_request().passwords
    if contender is None:
        return answers.Checks(check(directory, asked))
    return rehearse(directory, asked, contender, lambda: _clean_up(directory), patience, passwords)


@_verb("ask", "plan")
def _ask(directory: MarkedDirectory, plan: str) -> answers.Checks:
    from .checks.check import check_build_options
    from .incoming import UploadedPlans

    os.nice(LEAST_PRIORITY)  # others may be measured meanwhile
    return answers.Checks(check_build_options(directory, UploadedPlans(directory).read(plan)))


@_verb("options")
def _options(directory: MarkedDirectory) -> answers.BuildOptionNames:
    from .server.options import surveyed_option_names

    return answers.BuildOptionNames(surveyed_option_names(directory.at("builds")))


@_verb("start", "plan", "patience")
def _start(directory: MarkedDirectory, plan: str, patience: float) -> answers.StartedPlan:
    from .plan_runner import start_uploaded_plan
    from .system.scope import enter_scope

    enter_scope()
    asked = _start_request()
    return start_uploaded_plan(
        directory, plan, _agent(), asked.admission, patience, passwords=asked.passwords
    )


def _start_request() -> answers.StartRequest:
    """What came on standard input, which no list of processes shows."""
    return read(answers.StartRequest, json.loads(sys.stdin.read() or "{}"))


@_verb("status")
def _status(directory: MarkedDirectory) -> answers.DirectoryStatus:
    from .system.other_agents import agents_elsewhere

    holder, elsewhere = directory.holder(), agents_elsewhere(directory)
    taken = directory.in_use() if directory.is_taken() else ""
    return answers.DirectoryStatus(
        bool(holder), holder.get("plan"), holder.get("pid"), taken, str(elsewhere[0]) if elsewhere else ""
    )


@_verb("list")
def _list(directory: MarkedDirectory) -> answers.Plans:
    from .begin_next import spawn_queue_starter
    from .plans import list_plans

    with contextlib.suppress(AgentError):  # a damaged queue, which `queue` reports
        spawn_queue_starter(directory)
    return answers.Plans(list_plans(directory))


@_verb("queue")
def _queue(directory: MarkedDirectory) -> answers.Queue:
    from .begin_next import spawn_queue_starter
    from .queued_plans import QueuedPlans

    queued, asked = QueuedPlans(directory), read(answers.QueueChange, json.loads(sys.stdin.read() or "{}"))
    queued.carry_out(asked, _agent())
    spawn_queue_starter(directory)
    return queued.answer()


@_verb("begin")
def _begin(directory: MarkedDirectory) -> None:
    from .begin_next import begin_next
    from .system.scope import enter_scope

    enter_scope()
    begin_next(directory)


@_verb("follow", "plan", "offsets")
def _follow(directory: MarkedDirectory, plan: str, offsets: List[str]) -> None:
    from .follow import PlanJournalReader, parse_offsets

    PlanJournalReader(directory, plan, parse_offsets(offsets)).run()


@_verb("clean")
def _clean(directory: MarkedDirectory) -> answers.RemovalAnswer:
    take_lock(directory, "clean")
    return _clean_up(directory)


def _clean_up(directory: MarkedDirectory) -> answers.RemovalAnswer:
    """What the holder of the lock removes; the trash too."""
    from .cleanup import clean

    cleaned = clean(directory)
    directory.empty_trash()
    return answers.RemovalAnswer(cleaned.removed, [each.text for each in cleaned.left])


@_verb("snapshots")
def _snapshots(directory: MarkedDirectory) -> answers.Snapshots:
    from .snapshots.snapshots import Snapshots

    return answers.Snapshots(Snapshots(directory).list())


@_verb("delete-snapshot")
def _delete_snapshot(directory: MarkedDirectory) -> answers.EmptyAnswer:
    from .snapshots.snapshots import Snapshots

    take_lock(directory, "delete-snapshot")
    Snapshots(directory).delete(sys.stdin.read().strip())
    return answers.EmptyAnswer()


@_verb("upload")
def _upload(directory: MarkedDirectory) -> answers.ReceivedBytesAnswer:
    """Read a line with the tarball, the name and the first byte; then the bytes."""
    from .survey.installing import BuildInstaller

    take_lock(directory, "upload")
    said = json.loads(sys.stdin.buffer.readline())
    installing = BuildInstaller(directory)
    installing.check_name(said["name"])
    return answers.ReceivedBytesAnswer(installing.receive(said["sha256"], said["offset"], sys.stdin.buffer))


@_verb("install")
def _install(directory: MarkedDirectory) -> answers.Installed:
    from .survey.installing import BuildInstaller

    take_lock(directory, "install")
    said = json.loads(sys.stdin.read())
    return answers.Installed(BuildInstaller(directory).install(said["sha256"], said["name"], said["notes"]))


@_verb("remove-build")
def _remove_build(directory: MarkedDirectory) -> answers.EmptyAnswer:
    from .survey.installing import BuildInstaller

    take_lock(directory, "remove-build")
    BuildInstaller(directory).remove(json.loads(sys.stdin.read())["base"])
    return answers.EmptyAnswer()


@_verb("note-build")
def _note_build(directory: MarkedDirectory) -> answers.EmptyAnswer:
    from .survey.build_notes import BuildNotes

    said = json.loads(sys.stdin.read())
    BuildNotes(directory).write(said["base"], {**BuildNotes(directory).of(said["base"]), **said["notes"]})
    return answers.EmptyAnswer()


@_verb("listen")
def _listen(directory: MarkedDirectory) -> answers.TrialPort:
    from .load.conductor import serve_trial_connections

    return serve_trial_connections(
        read(answers.LoadTargetAdmission, json.loads(sys.stdin.read())), directory.at("load.log")
    )


@_verb("try-load")
def _try_load(_: MarkedDirectory) -> answers.LoadLinkTrial:
    from .load.load_agent import try_load_link

    return try_load_link(read(answers.ConductorAddress, json.loads(sys.stdin.read())))


@_verb("drive", "plan")
def _drive(directory: MarkedDirectory, plan: str) -> answers.EmptyAnswer:
    from .incoming import UploadedPlans
    from .load.load_agent import serve_conductor
    from .system.scope import enter_scope

    enter_scope()
    call, incoming = read(answers.ConductorAddress, json.loads(sys.stdin.read())), UploadedPlans(directory)
    serve_conductor(directory, incoming.read(plan), call)
    incoming.discard(plan)
    return answers.EmptyAnswer()


def take_lock(directory: MarkedDirectory, verb: str) -> None:
    """Hold the lock until this process ends: no build or snapshot changes during a plan."""
    if directory.lock({"verb": verb, "pid": os.getpid()}) is None:
        raise AgentError("{}: try again when it has finished".format(directory.in_use()))


@_verb("admit", "plan")
def _admit(directory: MarkedDirectory, plan: str) -> answers.TrialPort:
    """Let a load target that is called again dial in: its `admission` is on standard input."""
    from .system.control import request

    control, port = _control_of(directory, plan), int(directory.holder().get("port", 0))
    if not port:
        raise AgentError("plan {} has no load targets".format(plan))
    request(control, "admit", text=sys.stdin.read(64))
    return answers.TrialPort(port)


def _control_of(directory: MarkedDirectory, plan: str) -> str:
    """Where requests to a running plan are left."""
    directory.read_plan(plan)
    if directory.holder().get("plan") != plan:
        raise AgentError("plan {} is not running".format(plan))
    return os.path.join(directory.plan(plan), "control")


@_verb("stop", "plan", "what")
def _stop(directory: MarkedDirectory, plan: str, what: str) -> answers.EmptyAnswer:
    return _request(directory, plan, "stop", what)


@_verb("skip", "plan", "what")
def _skip(directory: MarkedDirectory, plan: str, what: str) -> answers.EmptyAnswer:
    return _request(directory, plan, "skip", what)


@_verb("profile", "plan", "what")
def _profile(directory: MarkedDirectory, plan: str, what: str) -> answers.EmptyAnswer:
    return _request(directory, plan, "profile", what)


@_verb("note", "plan", "what")
def _note(directory: MarkedDirectory, plan: str, what: str) -> answers.EmptyAnswer:
    from app.protocol.events import note_problem

    text = sys.stdin.read()
    if note_problem(text):
        raise AgentError(note_problem(text))
    return _request(directory, plan, "note", what, text)


def _request(
    directory: MarkedDirectory, plan: str, verb: str, what: str, text: str = ""
) -> answers.EmptyAnswer:
    """Leave a request to the running plan."""
    from .system.control import request

    request(_control_of(directory, plan), verb, what=what, text=text)
    return answers.EmptyAnswer()
