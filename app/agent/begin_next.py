"""The process that starts the next plan of the queue: one per directory, and only while no plan runs.

Whoever may have something to begin leaves it behind: a plan that ends, a change of the queue, a look at the
plans. Before a start it does what a desktop does, with the agent file that came with the plan. Most of the
time it sleeps.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import time
from typing import Any, List

from app.protocol.answers import FAIL, Checks, Queue, QueuedPlan
from app.protocol.plan import Plan
from app.protocol.reading import read

from .incoming import UploadedPlans
from .queued_plans import QueuedPlans, held, without
from .system.directory import MarkedDirectory, open_lock
from .system.errors import AgentError, DirectoryInUseError
from .system.other_agents import AGENT_FILE
from .system.scope import own_command_line

LOOK_S = 5.0  # between two looks at the queue and the machine
PATIENCE_S = 2.0  # for another one that is about to end
LONGEST_S = 1800.0  # of one answer
MOST_WHY = 1000  # characters


def spawn_queue_starter(directory: MarkedDirectory) -> None:
    """Start the process if a plan may begin by itself; if the disk is full, a later call does it."""
    if directory.has_plan() or not QueuedPlans(directory).read().goes_on:
        return
    with contextlib.suppress(OSError), open(directory.at("queue", "begin.log"), "wb") as log:
        subprocess.Popen(
            agent_command(directory, _own_agent(), "begin"),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
        )  # fmt: skip


def agent_command(directory: MarkedDirectory, agent: str, verb: str, *words: str) -> List[str]:
    """The command of a verb, through the starter that started this process: it checks the agent file."""
    own = own_command_line()
    before = next(at for at, word in enumerate(own) if AGENT_FILE.search(word))
    file = directory.at("agents", agent + ".pyz")
    return [sys.executable, *own[:before], file, verb, "--directory", directory.path, *words]


def _own_agent() -> str:
    file = next(word for word in own_command_line() if AGENT_FILE.search(word))
    return os.path.basename(file).partition(".")[0]


def begin_next(directory: MarkedDirectory) -> None:
    """Start the next plan as soon as it can begin; return if none can, or while a plan runs."""
    if not _is_alone(directory):
        return
    queued = QueuedPlans(directory)
    while True:
        queue = queued.read()
        if directory.has_plan() or not queue.goes_on:
            return
        entry = queue.next_plan(time.time())
        if entry is None or not _try(directory, queued, entry):
            time.sleep(LOOK_S)


def _is_alone(directory: MarkedDirectory) -> bool:
    """Whether this is the only process that waits here; its lock is held until it ends."""
    lock, until = open_lock(directory.at("queue", "waiting")), time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() > until:
                return False
            time.sleep(0.1)


def _try(directory: MarkedDirectory, queued: QueuedPlans, entry: QueuedPlan) -> bool:
    """Whether the entry is settled: its plan has begun, or is held because it cannot."""
    try:
        _begin(directory, queued, entry)
    except DirectoryInUseError:
        return False
    except AgentError as error:
        why = str(error)[:MOST_WHY]
        queued.change(lambda queue: held(queue, entry.plan, why))
    return True


def _begin(directory: MarkedDirectory, queued: QueuedPlans, entry: QueuedPlan) -> None:
    queued.send(entry)
    plan = UploadedPlans(directory).read(entry.sha256)
    if directory.holder() or queued.others_before(entry):
        raise DirectoryInUseError
    _check(directory, entry, plan)

    def start(queue: Queue) -> Queue:
        """Runs under the lock of the queue: a plan that was held or removed meanwhile does not begin."""
        if entry != queue.next_plan(time.time()):
            raise DirectoryInUseError
        _ask(directory, entry, "start")
        return without(queue, entry.plan)

    queued.change(start)


def _check(directory: MarkedDirectory, entry: QueuedPlan, plan: Plan) -> None:
    """Ask the builds, and rehearse each contender; raises AgentError if a check fails."""
    _refuse(_ask(directory, entry, "check"))
    for at in range(len(plan.contenders)):
        _refuse(_ask(directory, entry, "check", "--contender", str(at)))


def _refuse(answer: Any) -> None:
    failed = [each for each in read(Checks, answer).checks if each.state == FAIL]
    if any(each.name == "busy" for each in failed):
        raise DirectoryInUseError
    if failed:
        raise AgentError("; ".join("{} ({})".format(each.text, each.todo) for each in failed))


def _ask(directory: MarkedDirectory, entry: QueuedPlan, verb: str, *words: str) -> Any:
    """The answer of the agent file that came with the plan."""
    command = agent_command(directory, entry.agent, verb, "--plan", entry.sha256, *words)
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    is_taken = False
    try:
        done = subprocess.run(command, stdin=null, stdout=pipe, timeout=LONGEST_S)
        said = json.loads(done.stdout.decode().strip().rpartition("\n")[2])
        error, is_taken = said.get("error", ""), said.get("taken", False)
    except (ValueError, AttributeError, OSError, subprocess.TimeoutExpired):
        error = "the agent did not answer {}".format(verb)
    if error and (is_taken or directory.holder()):
        raise DirectoryInUseError
    if error:
        raise AgentError(error)
    return said
