"""`dyno follow`, `stop`, `skip`, `profile`, `note`: plans that run on a target."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError, TargetError
from app.core.nearest import did_you_mean
from app.core.settings import home
from app.core.units import count_text
from app.remote.reach import agent_of, reached
from app.remote.target import Target

from .compare import show_result_of
from .parser import (
    UnsetOptionText,
    add_directory,
    add_quiet,
    add_target,
    add_verb,
    add_wide,
    non_empty_option,
)
from .screen import ask_secret, complain, quietly, say, say_wrapped
from .session import opened_history
from .status import add_status_command, target_of

if TYPE_CHECKING:
    from app.following.adoption import RemotePlan
    from app.protocol.plan import Plan
    from app.remote.agent import RemoteAgent


def add_words(words: Any) -> None:
    where = (add_target, add_directory)
    follow = add_verb(words, follow_plan, "fetch and watch the plan of a target", *where, add_wide)
    follow.add_argument("plan", nargs="?", help="plan id (default: the plan that runs)")
    add_quiet(follow, "print only the result")
    add_status_command(words)
    stop = add_verb(words, stop_plan, "stop the plan that runs, or one session of it", *where)
    stop.add_argument(
        "--session", nargs="?", const=UnsetOptionText(), type=non_empty_option(str), metavar="NAME",
        help="stop only the session that runs; the plan goes on with the next one. With NAME: only if it is"
        " that one",
    )  # fmt: skip
    stop.add_argument(
        "--after-step", action="store_true", help="with --session: let the current step end first"
    )
    add_verb(words, skip_plan, "skip the step that runs", *where)
    add_verb(words, profile_step, "sample where the server spends its time in the step that runs", *where)
    note = add_verb(words, note_plan, "add a note to the session that runs", *where)
    note.add_argument("text", help="text of the note")


_STOPPED = {
    "step": "the session ends after the current step",
    "plan": "the plan ends; plans that wait in the queue are held: dyno queue resume",
    "session": "the session ends",
}


@contextmanager
def _at_the_active(arguments: argparse.Namespace) -> Iterator[tuple[RemotePlan, RemoteAgent]]:
    """The plan that runs, and the agent of its target."""
    from app.following.adoption import find_plans

    active = [found for found in find_plans(target_of(arguments), ask_secret) if found.locked]
    if not active:
        raise TargetError(f"no plan runs on {arguments.target}")
    found = active[0]
    with reached(found.target, ask_secret, found.directory, found.sha) as agent:
        yield found, agent


def stop_plan(arguments: argparse.Namespace) -> None:
    if arguments.after_step and arguments.session is None:
        raise InputError("--after-step ends one session of the plan: add --session")
    what = "plan" if arguments.session is None else "step" if arguments.after_step else "session"
    with _at_the_active(arguments) as (found, agent):
        if arguments.session:
            _check_it_runs(arguments.session, found, agent)
        agent.stop(found.plan, what)
    say_wrapped(f"{found.name}: {_STOPPED[what]}")


def _check_it_runs(session: str, found: RemotePlan, agent: RemoteAgent) -> None:
    """Refuse to stop another session than the one that is named."""
    from app.following.now import progress_now
    from app.history.lists.sessions import SUFFIX

    progress = progress_now(home(), found, agent)
    names = {each.id: progress.name(each.id) for each in progress.sessions.values() if each.state == "active"}
    if session not in {*names, *names.values(), *(each[-SUFFIX:] for each in names)}:
        raise InputError(f"{session} does not run now; running: {', '.join(names.values()) or 'no session'}")


def skip_plan(arguments: argparse.Namespace) -> None:
    with _at_the_active(arguments) as (found, agent):
        agent.skip(found.plan)


def profile_step(arguments: argparse.Namespace) -> None:
    from app.following.now import progress_now
    from app.protocol.plan import WITHOUT_WORK

    with _at_the_active(arguments) as (found, agent):
        progress = progress_now(home(), found, agent)
        steps = [(each.id, progress.step(each.step)) for each in progress.at_hand if each.step >= 0]
        if not steps or steps[0][1].kind in WITHOUT_WORK:
            raise TargetError(
                "no step runs whose stacks could be sampled: wait for the next one (dyno status)"
            )
        agent.profile(found.plan)
    (session, step), *_ = steps
    say_wrapped(
        f"asked for the stacks of {step.label} until it ends: its figure is not judged; then:"
        f" dyno session stacks {progress.name(session)} {shlex.quote(step.label)}"
    )


def note_plan(arguments: argparse.Namespace) -> None:
    from app.protocol.events import note_problem

    if problem := note_problem(arguments.text):
        raise InputError(problem)
    with _at_the_active(arguments) as (found, agent):
        agent.note(found.plan, arguments.text)


def follow_plan(arguments: argparse.Namespace) -> int:
    """The plan named, or the active one, or else everything that has not been fetched to its end."""
    from app.following.adoption import find_plans, is_fully_fetched

    target = target_of(arguments)
    plans = list(find_plans(target, ask_secret))
    if arguments.plan:
        wanted = [found for found in plans if found.plan == arguments.plan]
        if not wanted:
            meant = did_you_mean(arguments.plan, (found.plan for found in plans))
            raise InputError(f"there is no plan {arguments.plan!r} on {target.name}{meant}: see dyno status")
    else:
        wanted = [found for found in plans if not is_fully_fetched(found, home())]
    if not wanted:
        with quietly(arguments.quiet):
            say(f"everything of {target.name} is in the history")
        for latest in sorted(each.plan for each in plans)[-1:]:
            show_result_of(latest)
    codes = [0]
    for found in wanted:
        sessions, is_named = [each.session for each in found.sessions], bool(arguments.directory)
        with quietly(arguments.quiet):
            code = watch_sessions(found.target, found.directory, found.plan, sessions, found.sha, is_named)
        if code is None:
            break
        codes.append(code)
        show_result_of(found.plan)
    return max(codes)


def watch_plan(target: Target, directory: str, plan: Plan, sha: str, is_named: bool = False) -> int | None:
    return watch_sessions(target, directory, plan.id, [turn.session for turn in plan.turns], sha, is_named)


def watch_sessions(
    target: Target, directory: str, plan: str, sessions: list[str], sha: str, is_named: bool = False
) -> int | None:
    """Follow until the plan ends; 1 if a session failed, None if the person detached.

    `is_named`: the person named the directory, and has to name it again to come back.
    """
    from app.following.follower import Follower
    from app.following.load_again import LoadTargetReconnector
    from app.history.recorded.counting import unsteady_steps
    from app.history.recorded.recounting import recount_if_waiting
    from app.planner.checks.load_targets import reach_by_target_name

    from .watch import PlanEventPrinter, follow

    def reach() -> Any:
        return agent_of(target, ask_secret, directory, sha)

    sessions = without_deleted(sessions)
    again = LoadTargetReconnector(home(), sessions, reach, reach_by_target_name(ask_secret))
    with opened_history() as history:
        recount_if_waiting(history, sessions)
        watch = PlanEventPrinter(say, lambda: unsteady_steps(history, plan))
        ended = follow(
            lambda publish: Follower(
                home(), plan, sessions, reach, again.heard(publish),
                stored=lambda history: watch.go_on_from(history, plan, sessions),
            ),
            watch,
        )  # fmt: skip
    if not ended:
        back = how_to_come_back(target.name, directory if is_named else "")
        say(f"detached: the plan goes on at {target.name}; {back}")
        return None
    return exit_code_of_sessions(sessions)


def without_deleted(sessions: list[str]) -> list[str]:
    """The sessions without those deleted here, which it prints."""
    from app.history.recorded.writing import JournalStorer

    with opened_history() as history:
        writer = JournalStorer(history)
        deleted = [session for session in sessions if writer.is_deleted(session)]
    for session in deleted:
        say(f"session {session} is deleted here; to restore it: dyno session undelete {session}")
    return [session for session in sessions if session not in deleted]


def exit_code_of_sessions(wanted: list[str]) -> int:
    """0 if all sessions and steps went well and are in the history."""
    from app.history.lists.sessions import sessions
    from app.history.steps.figures import plan_of
    from app.protocol.states import NOT_NEEDED

    with opened_history() as history:
        found = sessions(history, ids=wanted) if wanted else []
        turns = plan_of(history, found[0]["id"])["turns"] if found else []
    for each in found:
        if each["state"] == "lost":
            say(f"{each['name']}: lost: {each['reason']}; its samples are kept")
    well = [
        each
        for each in found
        if (each["state"] == "completed" and not each["failed_steps"]) or each["reason"] in NOT_NEEDED
    ]
    attempts = {turn["session"] for turn in turns if turn.get("attempt", 1) > 1}  # that may not come
    missing = without_deleted(sorted(set(wanted) - attempts - {each["id"] for each in found}))
    if missing:
        names = ", ".join(missing[:3]) + ", ..." * (len(missing) > 3)
        complain(f"dyno: the target sent nothing of {count_text(len(missing), 'session')}: {names}")
    return int(bool(missing) or len(well) < len(found))


def how_to_come_back(target: str, directory: str = "") -> str:
    """How to follow again or stop; `directory`: only if it is not the target's own."""
    words = f"--target {target}" + (f" --directory {shlex.quote(directory)}" if directory else "")
    return f"come back with: dyno follow {words}   end it with: dyno stop {words}"
