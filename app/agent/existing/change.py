"""A change of a server that runs already: a program makes it before a session, and unmakes it after.

Dyno itself changes nothing of such a server. The program is its owner's, and gets one word, without a shell.
"""

from __future__ import annotations

import os
from types import MappingProxyType

from app.agent.server.program import CannotStartError, ask, why_ended
from app.agent.system.errors import AgentError
from app.protocol.plan import Plan

MAKE, UNMAKE = "make", "unmake"
LIMIT_S = 300.0  # of one call


def check_change_programs(plan: Plan) -> None:
    """Raise AgentError where one is not there, before anything starts."""
    for each in plan.contenders:
        if each.change_by and not (os.path.isfile(each.change_by) and os.access(each.change_by, os.X_OK)):
            text = "contender {}: change_by {} is no program that can be run on this machine"
            raise AgentError(text.format(each.name, each.change_by))


def call_change_program(path: str, word: str) -> None:
    """Raise AgentError unless it ends with 0."""
    try:
        answer = ask(path, [word], MappingProxyType({}), LIMIT_S)
    except CannotStartError as error:
        raise AgentError("{} {}: {}".format(path, word, error)) from None
    if answer.code:
        raise AgentError("{} {}: {}".format(path, word, why_ended(answer, path)))
