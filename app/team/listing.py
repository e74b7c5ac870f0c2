"""Lists of a team's sessions, read on its server page by page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from app.core.errors import InputError
from app.core.harmless import harmless
from app.history.lists.browsing import Filter, SessionLine, build_session_lines
from app.history.lists.sessions import SUFFIX, SessionAnnotations, SessionRow, escaped_for_like

from . import list_statements
from .store import TeamError

PAGE = 100  # lines at once
_LONGEST = 100_000  # characters of a text; a note has as many
_WRONG = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError)


class TeamServerConnection(Protocol):
    """A connection to the server."""

    def rows(self, statement: str, *values: Any) -> Sequence[Sequence[Any]]: ...


class TeamSessionLists:
    """The sessions of a team's server, as lists read them."""

    def __init__(self, connection: TeamServerConnection) -> None:
        self._connection = connection

    def page(self, wanted: Filter, begin: int, count: int) -> list[SessionLine]:
        """The lines of a part of the matching sessions, the newest first."""
        where, values = list_statements.where(wanted)
        ids = self._ids(list_statements.IDS.format(where, begin, count), *values)
        if not ids:
            return []
        added = SessionAnnotations(self._of_ids(list_statements.ADDED, ids))
        rows = self._of_ids(list_statements.SESSIONS, ids)
        entries = [added.entry(SessionRow(*row)) for row in rows]
        found = build_session_lines(self._of_ids(list_statements.HEADLINES, ids), entries)
        return [found[id_] for id_ in ids if id_ in found]

    def find(self, reference: str) -> list[str]:
        """The sessions of an id, of its last 6 characters, or of the id of a plan."""
        ending = f"%{escaped_for_like(reference)}" if len(reference) == SUFFIX else reference
        return self._ids(list_statements.FOUND, reference, reference, ending)

    def _of_ids(self, statement: str, ids: list[str]) -> list[tuple[Any, ...]]:
        return self._rows(
            statement.format(ids=list_statements.sql_placeholders(ids)), *ids * statement.count("{ids}")
        )

    def _ids(self, statement: str, *values: str) -> list[str]:
        return [str(id_) for (id_,) in self._rows(statement, *values)]

    def _rows(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        return [tuple(map(_checked, row)) for row in self._connection.rows(statement, *values)]


def team_session_page(
    lists: TeamSessionLists, wanted: Filter, begin: int = 0, count: int = PAGE
) -> list[SessionLine]:
    """Some of the matching sessions, the newest first."""
    try:
        found = lists.page(wanted, begin, count)
    except _WRONG as error:
        raise TeamError(
            f"the team's server lists what no Dyno has written: {harmless(str(error), 200)}"
        ) from None
    return found[:count]


def find_team_sessions(lists: TeamSessionLists, reference: str) -> list[str]:
    """The sessions of an id, of its last 6 characters, or of the id of a plan."""
    found = lists.find(reference)
    if not found:
        raise InputError(f"the team has no session {reference!r}: see `dyno history list`")
    return found


def _checked(value: Any) -> Any:
    """A value of a list: a short text, or a number that can be shown."""
    if isinstance(value, str) and len(value) <= _LONGEST:
        return value
    if value is None or (isinstance(value, (int, float)) and math.isfinite(value)):
        return value
    raise ValueError(f"a value is {type(value).__name__}")
