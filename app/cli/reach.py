"""Reaching targets from the command line: connections, the agent there, its survey."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..targets import Target, Targets, agent_on, connect
from .screen import ask_secret

if TYPE_CHECKING:
    from ..remote.agent import Agent


@contextmanager
def agent_of(target: Target, directory: str = "", sha: str | None = None) -> Iterator[Agent]:
    """The agent of a target over a connection of its own."""
    connection = connect(target, ask_secret)
    try:
        agent = agent_on(connection, target, directory, sha)
        agent.deploy()
        yield agent
    finally:
        connection.close()


def survey_of(name: str) -> dict[str, Any]:
    """The survey of a target, as scripts read it; kept, so that the window knows it too."""
    from ..surveys import Surveys, survey_target

    target = Targets().get(name)
    survey = survey_target(target, ask_secret)
    Surveys().keep(target, survey)
    return survey.content
