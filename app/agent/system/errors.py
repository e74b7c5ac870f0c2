"""Errors of the agent: one line each, sent to the desktop."""

from __future__ import annotations


class AgentError(Exception):
    """The agent refuses a request; the text is the one line that the person reads."""

    is_input = False
    is_taken = False


class WrongInputError(AgentError):
    """What the person gave is wrong, not the target: the command line exits with 2."""

    is_input = True


class DirectoryInUseError(AgentError):
    """Another process holds the directory: later it may not."""

    is_taken = True
