"""What targets have of plans that were left to them: fetched before the history is read."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from app.core.errors import DynoError
from app.core.settings import home

from .screen import ask_secret, complain

if TYPE_CHECKING:
    from app.following.adoption import RemotePlan
    from app.following.left import LeftPlan
    from app.remote.agent import RemoteAgent
    from app.remote.target import Target

READERS = frozenset(
    ("session", "plan", "history", "compare", "gate", "changes", "chart", "report", "explain", "bisect")
)


def is_reader(arguments: argparse.Namespace) -> bool:
    """Whether the command reads sessions of the history."""
    is_again = arguments.word == "run" and (arguments.again or arguments.against is not None)
    return arguments.word in READERS or bool(is_again)


def fetch_what_was_left() -> None:
    """Fetch; a target that cannot be reached is said on standard error."""
    if not (home() / "left").is_dir():  # almost always: nothing is imported
        return
    from app.following.left import LeftPlans
    from app.remote.secrets import password_file_withheld

    def place(each: LeftPlan) -> tuple[str, str]:
        return each.target, each.directory

    for (target, directory), plans in groupby(sorted(LeftPlans(home()).all(), key=place), place):
        try:
            with password_file_withheld():
                _fetch(target, directory, list(plans))
        except DynoError as error:
            complain(f"dyno: nothing new was fetched from {target}: {error}")


def _fetch(name: str, directory: str, plans: list[LeftPlan]) -> None:
    from app.following.fetching import fetch_left
    from app.following.left import LeftPlans
    from app.targets.store import Targets

    known = {each.name: each for each in Targets().all()}
    if name not in known:
        for each in plans:
            LeftPlans(home()).forget(each.plan)
            complain(f"dyno: plan {each.plan} is not fetched any more: its target {name} was removed")
        return
    target = replace(known[name], directories=[directory])
    fetch_left(target, plans, ask_secret, home(), _agent_of(target))


def _agent_of(target: Target) -> Callable[[RemotePlan], RemoteAgent]:
    from app.remote.reach import agent_of

    def reach(found: RemotePlan) -> RemoteAgent:
        return agent_of(target, ask_secret, found.directory, found.sha)

    return reach


def remember(plan: str, target: str, directory: str, waits: bool = False, at: str | None = None) -> None:
    """A plan that goes on at its target, or `waits` in its queue, and is followed by nobody here."""
    from app.following.left import BEGIN_S, WAIT_S, LeftPlans
    from app.targets.queue import seconds_until

    begins_s = (WAIT_S if waits else BEGIN_S) + (seconds_until(at) if at else 0.0)
    try:
        LeftPlans(home()).add(plan, target, directory, begins_s)
    except DynoError as error:
        complain(f"dyno: the plan is not remembered here, fetch it with dyno follow: {error}")
