"""The way to the agent of a target: connected, its file brought there, closed again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from app.core import settings
from app.core.errors import InputError

if TYPE_CHECKING:
    from .agent import RemoteAgent
    from .connection import Connection
    from .target import Ask, OnProgress, Target


@contextmanager
def reached(
    target: Target,
    ask: Ask,
    directory: str = "",
    sha: str | None = None,
    on_progress: OnProgress = lambda _stage, _what: None,
) -> Iterator[RemoteAgent]:
    """The agent of a target over a connection of the calling thread, which is closed at the end.

    Without `directory` that of the target's default one; `sha` names the agent file of a session.
    """
    agent = agent_of(target, ask, directory, sha, on_progress)
    with closing(agent.connection):
        on_progress("deploy", agent.directory)
        agent.deploy()
        yield agent


def agent_of(
    target: Target,
    ask: Ask,
    directory: str = "",
    sha: str | None = None,
    on_progress: OnProgress = lambda _stage, _what: None,
) -> RemoteAgent:
    """The same for callers that close the connection; pushes the agent file on first use."""
    from .agent import RemoteAgent

    connection = connect(target, ask, on_progress)
    return RemoteAgent(connection, directory or target.directory, target.interpreter, sha)


def connect(target: Target, ask: Ask, on_progress: OnProgress = lambda _stage, _what: None) -> Connection:
    """A connection of the calling thread to a target; `ask` is called where a secret is needed."""
    from .connection import LocalConnection

    if target.is_local:
        _make_home()
        return LocalConnection(target.name)
    from .dial import connect_ssh

    return connect_ssh(target, ask, on_progress)


def _make_home() -> None:
    """The default directory of this computer is in it; an agent makes no more than that directory."""
    path = settings.home()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path} cannot be made: {error.strerror}: set DYNO_HOME to another one") from None
