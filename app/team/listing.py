"""Lists of a team's sessions, read on its server page by page, by the queries of the history."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from app.core.errors import InputError
from app.core.harmless import harmless
from app.history.lists.browsing import Filter, Order, SessionLine
from app.history.lists.browsing import page as page_of
from app.history.lists.sessions import SUFFIX, escaped

from .dialect import translated
from .store import TeamError

PAGE = 100  # lines at once
_LONGEST = 100_000  # characters of a text; a note has as many
_WRONG = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError)


class Rows(Protocol):
    """A connection to the server."""

    def rows(self, statement: str, *values: Any) -> Sequence[Sequence[Any]]: ...


class Lists:
    """The tables of a team's server, as `app.history.lists.browsing` asks for them."""

    def __init__(self, connection: Rows) -> None:
        self._connection = connection

    def query(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        rows = self._connection.rows(translated(statement), *values)
        return [tuple(map(_checked, row)) for row in rows]


def page(lists: Lists, wanted: Filter, begin: int = 0, count: int = PAGE) -> list[SessionLine]:
    """Some of the matching sessions, the newest first."""
    try:
        found = page_of(lists, wanted, Order(), begin, count)
    except _WRONG as error:
        raise TeamError(
            f"the team's server lists what no Dyno has written: {harmless(str(error), 200)}"
        ) from None
    return found[:count]


def find(lists: Lists, reference: str) -> list[str]:
    """The sessions of an id, of its last 6 characters, or of the id of a plan."""
    ending = f"%{escaped(reference)}" if len(reference) == SUFFIX else reference
    rows = lists.query(
        "SELECT id FROM session WHERE id = ? OR plan = ? OR id LIKE ? LIMIT 0, 1000",
        (reference, reference, ending),
    )
    if not rows:
        raise InputError(f"the team has no session {reference!r}: see `dyno history list`")
    return [str(id_) for (id_,) in rows]


def _checked(value: Any) -> Any:
    """A value of a list: a short text, or a number that can be shown."""
    if isinstance(value, str) and len(value) <= _LONGEST:
        return value
    if value is None or (isinstance(value, (int, float)) and math.isfinite(value)):
        return value
    raise ValueError(f"a value is {type(value).__name__}")
