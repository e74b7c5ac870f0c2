"""Runs a plan: stored, locked, detached, its sessions one after the other."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import sys
import traceback
from itertools import groupby
from threading import Thread
from types import MappingProxyType
from typing import Dict, Mapping, NamedTuple, Optional, Sequence

from app.protocol.answers import LoadTargetAdmission, StartedPlan
from app.protocol.events import PROTOCOL, SessionEnded, SessionPlanned
from app.protocol.machine_checks import ELSEWHERE_TODO, IN_USE_TODO
from app.protocol.plan import SLICES, Plan, PlannedSession

from .begin_next import spawn_queue_starter
from .cleanup import Cleaned, clean
from .deciding import StoppingDecider
from .existing.change import check_change_programs
from .incoming import UploadedPlans
from .load.conductor import ConnectedLoadTargets
from .queued_plans import QueuedPlans
from .session import SessionRunner
from .steps.baton import SessionTurn, SliceTurns
from .steps.running import BegunSession
from .system.control import ControlRequests
from .system.detaching import detach
from .system.directory import MarkedDirectory, lock_holder_text, write_file, write_holder
from .system.errors import AgentError, DirectoryInUseError
from .system.journal import DiskFullError, Journal
from .system.other_agents import agents_elsewhere


def start_uploaded_plan(
    directory: MarkedDirectory,
    sha256: str,
    agent: str,
    conducting: Optional[LoadTargetAdmission] = None,
    patience_s: float = 0.0,
    passwords: Mapping[str, str] = MappingProxyType({}),
) -> StartedPlan:
    """Run an uploaded plan in a detached process; returns before it begins.

    It waits that long for the rehearsal of another plan. `passwords`: of servers that run already, by
    contender.
    """
    incoming = UploadedPlans(directory)
    plan = incoming.read(sha256)
    check_change_programs(plan)
    conductor = conductor_of(plan, conducting)
    if not plan.allow_busy:
        refuse_second_plan(directory)
    lock = directory.lock(lock_holder_text(plan.id, plan.name), patience_s)
    if lock is None:
        raise DirectoryInUseError("{}: {}".format(directory.in_use(), IN_USE_TODO))
    _refuse_changed_server(plan, clean(directory))
    journals = create_journals(directory, plan, agent)
    incoming.discard(sha256)
    log = os.path.join(directory.plan(plan.id), "agent.log")
    pid = detach(
        lambda: _carry_out(directory, plan, lock, journals, agent, conductor, passwords),
        log,
        lambda: _clean_up(directory, lock),
    )
    port = conductor.port if conductor else 0
    return StartedPlan(plan.id, pid, [turn.session for turn in plan.turns], port)


def _refuse_changed_server(plan: Plan, cleaned: Cleaned) -> None:
    """Raise AgentError if the change of an earlier plan may be in force on a server of this one."""
    for each in cleaned.left:
        if each.change.is_of(plan):
            raise AgentError(each.text)


def refuse_second_plan(directory: MarkedDirectory) -> None:
    """Raise AgentError if another plan runs on the machine: two would measure each other."""
    for other in agents_elsewhere(directory):
        raise AgentError("{}: {}".format(other, ELSEWHERE_TODO))


def create_journals(directory: MarkedDirectory, plan: Plan, agent: str) -> Dict[str, Journal]:
    """Make the plan's folder and the journals of all sessions that are certain to come."""
    folder = directory.plan(plan.id)
    if os.path.exists(folder):
        raise AgentError("plan {} is on this target already".format(plan.id))
    try:
        os.makedirs(os.path.join(folder, "control"), mode=0o700)
        write_file(os.path.join(folder, "plan.json"), json.dumps(plan.to_json()))
        write_file(os.path.join(folder, "agent"), agent)
        return {turn.session: create_journal(directory, plan, turn) for turn in plan.first_turns}
    except OSError as error:
        for made in (folder, *(directory.session(turn.session) for turn in plan.first_turns)):
            directory.discard(made)
        text = "cannot store the plan in {}: {}: free some space there"
        raise AgentError(text.format(directory.path, error.strerror)) from None


def create_journal(directory: MarkedDirectory, plan: Plan, turn: PlannedSession) -> Journal:
    """The journal of a session, with its first event."""
    os.mkdir(directory.session(turn.session), 0o700)
    journal = Journal(directory.journal(turn.session))
    protocol = "{}.{}".format(*PROTOCOL)
    journal.write(SessionPlanned, protocol=protocol, session=turn.session, plan=plan.to_json())
    return journal


def _carry_out(
    directory: MarkedDirectory,
    plan: Plan,
    lock: int,
    journals: Dict[str, Journal],
    agent: str,
    conductor: Optional[ConnectedLoadTargets],
    passwords: Mapping[str, str],
) -> None:
    """The detached process: the plan, then whatever comes after it."""
    write_holder(lock, lock_holder_text(plan.id, plan.name, conductor.port if conductor else 0))
    control = run_plan(directory, plan, journals, agent, conductor, passwords)
    if not control.got_signal:
        QueuedPlans(directory).hold_after(plan.id, plan.name, control.plan_stopped)
        fcntl.flock(lock, fcntl.LOCK_UN)  # the guardian has it open, too
        spawn_queue_starter(directory)


def _clean_up(directory: MarkedDirectory, lock: int) -> None:
    """What the guardian does if the agent was killed: its servers end, and their data go."""
    cleaned = clean(directory)
    for text in (*("removed " + each for each in cleaned.removed), *(each.text for each in cleaned.left)):
        print(text, file=sys.stderr)
    fcntl.flock(lock, fcntl.LOCK_UN)
    directory.empty_trash()  # takes longer, and needs no lock


def conductor_of(plan: Plan, conducting: Optional[LoadTargetAdmission]) -> Optional[ConnectedLoadTargets]:
    """Who conducts the load from other machines; None if the plan has none."""
    if not plan.load:
        return None
    if conducting is None:
        raise AgentError(
            "the load targets of this plan must be called when it starts: start it from a desktop"
        )
    return ConnectedLoadTargets.listening(conducting, [each.name for each in plan.load])


class _Work(NamedTuple):
    """A running plan, and the objects that its sessions share."""

    directory: MarkedDirectory
    plan: Plan
    journals: Dict[str, Journal]
    control: ControlRequests
    agent: str
    conductor: Optional[ConnectedLoadTargets]
    passwords: Mapping[str, str]


def run_plan(
    directory: MarkedDirectory,
    plan: Plan,
    journals: Dict[str, Journal],
    agent: str,
    conductor: Optional[ConnectedLoadTargets] = None,
    passwords: Mapping[str, str] = MappingProxyType({}),
) -> ControlRequests:
    """Run the turns of a plan; a failed session never stops it. Returns the requests that came."""
    control = ControlRequests(os.path.join(directory.plan(plan.id), "control"), plan.time_box)
    signal.signal(signal.SIGTERM, lambda *_: control.stop_plan())
    directory.empty_trash()
    work, deciding = (
        _Work(directory, plan, journals, control, agent, conductor, passwords),
        StoppingDecider(directory, plan),
    )
    if conductor:
        control.admitted = conductor.admitted
        conductor.begin()
    run_round = _run_in_slices if plan.order == SLICES else _run_sessions
    for _, turns in groupby(plan.turns, lambda turn: turn.repeat):
        needed = [turn for turn in turns if control.plan_stopped or not _spare(turn, deciding, journals)]
        run_round(work, needed)
        deciding.take_round(needed)
    if conductor:
        conductor.end()
    return control


def _spare(turn: PlannedSession, deciding: StoppingDecider, journals: Dict[str, Journal]) -> bool:
    """End a session that is not needed before it begins."""
    why, journal = deciding.spared(turn), journals.get(turn.session)
    if why and journal is not None:
        with contextlib.suppress(DiskFullError, OSError):
            journal.log(deciding.decisions_text(turn), level="info")
            end(journal, "stopped", why)
    return bool(why)


def _run_sessions(work: _Work, turns: Sequence[PlannedSession]) -> None:
    """Run sessions one after the other; run the next attempt of a disturbed one."""
    again = False
    for turn in turns:
        if again and turn.attempt > 1:
            try:
                work.journals[turn.session] = create_journal(work.directory, work.plan, turn)
            except OSError:  # a full disk: those that are certain to come have their journals
                traceback.print_exc()
        if turn.attempt == 1 or again:
            journal = work.journals.get(turn.session)
            again = journal is not None and _run_turn(work, turn, journal, SliceTurns().join())


def _run_in_slices(work: _Work, turns: Sequence[PlannedSession]) -> None:
    """Run the sessions of a round in turns, each in a thread."""
    baton = SliceTurns()
    threads = [
        Thread(target=_run_in_turn, args=(work._replace(control=work.control.twin()), turn, baton.join()))
        for turn in turns
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _run_in_turn(work: _Work, turn: PlannedSession, place: SessionTurn) -> None:
    place.take()
    try:
        _run_turn(work, turn, work.journals[turn.session], place)
    finally:
        place.end()


def _run_turn(work: _Work, turn: PlannedSession, journal: Journal, place: SessionTurn) -> bool:
    """Run one session; returns whether others disturbed it, so that it must be repeated."""
    work.control.look(journal)
    if work.control.plan_stopped:
        end(journal, "stopped", "the plan was stopped before this session began")
        return False
    where = (turn, work.directory, journal, work.control, place)
    session = SessionRunner(BegunSession(work.plan, *where, work.agent, work.conductor, work.passwords))
    try:
        return session.run() == "completed" and session.is_disturbed
    except Exception as error:
        traceback.print_exc()
        with contextlib.suppress(DiskFullError, OSError):
            end(journal, "failed", "the agent met something it did not expect: {!r}".format(error))
    return False


def end(journal: Journal, outcome: str, reason: str) -> None:
    """Write the last event of a session that did not run, or not to its end."""
    journal.write(SessionEnded, outcome=outcome, reason=reason, events=journal.seq + 1)
    journal.close()
