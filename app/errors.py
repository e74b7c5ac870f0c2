"""The errors a person gets to read: one line each, what happened, to what, what to do."""

from __future__ import annotations


class DynoError(Exception):
    """Something went wrong that is no defect of Dyno; its text is the one line shown."""

    exit_code = 1


class InputError(DynoError):
    """The person gave something that cannot be used; nothing was started."""

    exit_code = 2


class LinkError(DynoError):
    """The target did not answer, or stopped answering: a fact of the link, never of a session."""


class TargetError(DynoError):
    """The target answered, and what was asked for cannot be had there."""
