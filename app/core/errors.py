"""The errors a person gets to read: one line each, what happened, to what, what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class DynoError(Exception):
    """An expected error; its text is the one line shown."""

    exit_code = 1
    window_text = ""  # the line for who sits before the window, where the usual one names a command

    def __init__(self, text: str = "", *, window_text: str = "") -> None:
        super().__init__(text)
        self.window_text = window_text


class InputError(DynoError):
    """The person gave something that cannot be used; nothing was started."""

    exit_code = 2

    def __init__(self, text: str, field: str = "", *, window_text: str = "") -> None:
        super().__init__(text, window_text=window_text)
        self.field = field  # of the plan, where it is about one: a window marks it
        self.line = 0  # of the text that was read, where it is about one


@contextmanager
def add_field_to_errors(field: str) -> Iterator[None]:
    """Add this field to an error raised here, unless it names one."""
    try:
        yield
    except InputError as error:
        error.field = error.field or field
        raise


@contextmanager
def add_line_to_errors(line: int) -> Iterator[None]:
    """Add this line of a text to an error raised here."""
    try:
        yield
    except InputError as error:
        error.line = line
        raise


class LinkError(DynoError):
    """The target did not answer, or stopped answering."""


class TargetError(DynoError):
    """The target answered, but cannot do what was requested."""
