"""What a team's server stores, as the exchange sees it: edits, sessions, and their journals in rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from app.core.errors import DynoError

from .edits import Edit

ROW = 1 << 20  # bytes of a journal in one row, at most
PAGE = 200  # edits, sessions or rows that are asked for at once


class TeamError(DynoError):
    """The team's history cannot be reached or used; work goes on with this computer's own."""


class UntrustedServerError(TeamError):
    """The server is not, or may not be, the right one: a person must decide, and it gets no password."""


class TeamServerAwayError(TeamError):
    """The server does not answer, or stopped answering: later it may."""


class ReadOnlyAccountError(TeamError):
    """The account may read the team's history, not write to it."""


class AuthorTakenError(TeamError):
    """Another desktop has just written under this author and number: it was copied from this one."""


@dataclass(frozen=True)
class Announced:
    """A session of the team, as its server lists it."""

    session: str
    plan: str
    author: str  # the desktop that brought the latest bytes
    number: int  # of its announcements
    person: str  # who brought the session first
    size: int  # bytes of the journal
    unlocked_offset: int  # the lock of the plan was seen free when this much was read; -1: it was not


@dataclass(frozen=True)
class JournalRow:
    """A row of a journal without its bytes."""

    offset: int
    size: int
    chain: bytes


@dataclass(frozen=True)
class TeamSessionLine:
    """What lists show of a session: columns of the history's table, QPS by group, its plan."""

    columns: Mapping[str, Any]
    headlines: Sequence[tuple[str, float | None, int, int]]  # group, QPS, steps with one, steps
    plan_hash: str
    plan: bytes  # packed JSON; empty where it is too long for a row


class TeamStore(Protocol):
    """A team's server. All that it returns is checked; each write is one small transaction."""

    def identity(self) -> str:
        """What tells this store from any other."""

    def edit_numbers(self) -> dict[str, int]:
        """The last edit of each author."""

    def edits(self, author: str, after: int) -> list[Edit]:
        """The next edits of an author, at most PAGE."""

    def add_edit(self, edit: Edit) -> None:
        """Add an edit; the same one again changes nothing, another in its place raises TakenError."""

    def session_numbers(self) -> dict[str, int]:
        """The last announcement of each author."""

    def sessions(self, author: str, after: int) -> list[Announced]:
        """The next announcements of an author, at most PAGE."""

    def session(self, session: str) -> Announced | None:
        """One session."""

    def rows(self, session: str, offset: int) -> list[JournalRow]:
        """The rows of a journal that begin at `offset` or later, in order, at most PAGE."""

    def content(self, session: str, row: JournalRow) -> bytes:
        """The bytes of a row: exactly its size."""

    def add_row(self, session: str, row: JournalRow, content: bytes) -> bool:
        """Add a row; False if somebody else was faster."""

    def announce(self, session: Announced, line: TeamSessionLine) -> None:
        """List a session, or what has changed of it."""
