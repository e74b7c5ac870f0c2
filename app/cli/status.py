"""`dyno status`: the plan that runs on a target, how far it is, and what waits behind it."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.core.errors import DynoError
from app.core.settings import home
from app.remote.reach import reached
from app.remote.target import Target
from app.targets.store import Targets

from .parser import add_directory, add_json, add_target, add_verb, whole_number
from .queue import fetch_target_queue, show_queue
from .screen import ask_secret, print_json, print_table, say

if TYPE_CHECKING:
    from app.following.adoption import RemotePlan
    from app.following.progress import PlanProgress
    from app.protocol.answers import Queue

_EVERY_S = 5


def add_status_command(words: Any) -> None:
    text = "show the plan that runs on a target: its step, rate and time left, and the queue"
    parser = add_verb(words, status_plan, text, add_target, add_directory, add_json)
    parser.add_argument(
        "--watch", nargs="?", type=whole_number(1, 3600), const=_EVERY_S, metavar="SECONDS",
        help=f"show it again every so many seconds (default: {_EVERY_S}) until no plan runs, or Ctrl+C",
    )  # fmt: skip


def target_of(arguments: argparse.Namespace) -> Target:
    """The target, with only the given directory if there is one."""
    target = Targets().get(arguments.target)
    return replace(target, directories=[arguments.directory]) if arguments.directory else target


def status_plan(arguments: argparse.Namespace) -> None:
    try:
        while _show_once(arguments) and arguments.watch:
            time.sleep(arguments.watch)
    except KeyboardInterrupt:
        if not arguments.watch:
            raise


def _show_once(arguments: argparse.Namespace) -> bool:
    """Whether a plan runs."""
    from app.following.adoption import find_plans

    plans = list(find_plans(target_of(arguments), ask_secret))
    active = [found for found in plans if found.locked]
    progress = [_progress(found) for found in active]
    if arguments.json:
        queue = fetch_target_queue(arguments) if active else None
        print_json([_entry(*each, queue) for each in zip(active, progress, strict=True)])
        return bool(active)
    if not active:
        say(f"no plan runs on {arguments.target}; plans stored there: {len(plans)}")
    else:
        print_table(("plan", "name", "sessions"), [(f.plan, f.name, _ended_text(f)) for f in active])
        say(*(_line(each) for each in progress))
    if (waiting := fetch_target_queue(arguments)).plans:
        show_queue(arguments.target, waiting)
    return bool(active)


def _progress(found: RemotePlan) -> PlanProgress | DynoError:
    """How far the plan is; the error where its journals cannot be read."""
    from app.following.now import progress_now

    try:
        with reached(found.target, ask_secret, found.directory, found.sha) as agent:
            return progress_now(home(), found, agent)
    except DynoError as error:
        return error


def _line(progress: PlanProgress | DynoError) -> str:
    from app.following.now import line_of

    return f"how far it is: {progress}" if isinstance(progress, DynoError) else line_of(progress)


def _ended_text(found: RemotePlan) -> str:
    ended, most = sum(each.ended for each in found.sessions), "at most " if found.until_decided else ""
    return f"{ended} of {most}{len(found.planned)} ended"


def _entry(found: RemotePlan, progress: PlanProgress | DynoError, queue: Queue | None) -> dict[str, Any]:
    from app.following.now import progress_entry
    from app.protocol.answers import to_json

    return {
        "plan": found.plan, "name": found.name, "directory": found.directory,
        "sessions": [to_json(each) for each in found.sessions], "until_decided": found.until_decided,
        "now": None if isinstance(progress, DynoError) else progress_entry(progress),
        "problem": str(progress) if isinstance(progress, DynoError) else None,
        "queue": to_json(queue) if queue else None,
    }  # fmt: skip
