"""Plans on a target that anybody started, and which of them this desktop has not fetched to their end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.history.lists.sessions import sessions
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.answers import SessionJournalSize
from app.protocol.states import ENDED
from app.remote.reach import reached
from app.remote.target import Ask, Target

from .left import LeftPlans


@dataclass(frozen=True)
class RemotePlan:
    """A plan on a target, and the agent file that started it."""

    target: Target
    directory: str
    plan: str
    name: str
    sha: str
    locked: bool  # it is being carried out
    sessions: list[SessionJournalSize]
    until_decided: bool = False  # some of the sessions may not be needed

    @property
    def planned(self) -> list[SessionJournalSize]:
        """The sessions with a journal; later attempts get one when they begin."""
        return [each for each in self.sessions if each.size]


def find_plans(target: Target, ask: Ask) -> Iterator[RemotePlan]:
    """Every plan in every directory of a target."""
    for directory in target.directories:
        with reached(target, ask, directory) as agent:
            for each in agent.list():
                yield RemotePlan(
                    target,
                    agent.directory,
                    each.plan,
                    each.name,
                    each.agent,
                    each.locked,
                    each.sessions,
                    each.until_decided,
                )


def is_fully_fetched(found: RemotePlan, home: Path) -> bool:
    """Whether the plan is over and all its bytes are stored or deleted here: nothing to fetch."""
    if found.locked:
        return False
    with History(home) as history:
        known = {each["id"]: each["state"] for each in sessions(history, plan=found.plan)}
        writer = JournalStorer(history)
        return all(
            not each.size  # an attempt that did not come
            or writer.is_deleted(each.session)
            or (
                (writer.refusal(each.session) or known.get(each.session) in ENDED)
                and writer.offset(each.session) >= each.size
            )
            for each in found.sessions
        )


def should_follow_plan(found: RemotePlan, home: Path) -> bool:
    """Whether to follow it without a request: it runs, or this desktop started or began to fetch it."""
    if found.locked:
        return True
    with History(home) as history:
        is_known = bool(sessions(history, plan=found.plan)) or LeftPlans(home).has(found.plan)
    return is_known and not is_fully_fetched(found, home)
