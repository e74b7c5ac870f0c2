"""A team's store in memory: what a server stores, for tests that need none."""

from __future__ import annotations

from dataclasses import replace

from app.team.edits import Edit
from app.team.store import (
    PAGE,
    Announced,
    AuthorTakenError,
    JournalRow,
    ReadOnlyAccountError,
    TeamServerAwayError,
    TeamSessionLine,
)


class MemoryStore:
    """Keeps edits, sessions and rows as the tables of a server do; it can go away, and be read-only."""

    def __init__(self, identity: str = "team-1") -> None:
        self.name = identity
        self.all_edits: dict[tuple[str, int], Edit] = {}
        self.all_sessions: dict[str, Announced] = {}
        self.lines: dict[str, TeamSessionLine] = {}
        self.journals: dict[str, dict[int, tuple[JournalRow, bytes]]] = {}
        self.is_read_only = False
        self.calls_left = 1 << 60  # until it goes away

    def _called(self, is_write: bool = False) -> None:
        self.calls_left -= 1
        if self.calls_left < 0:
            raise TeamServerAwayError("the team's server does not answer")
        if is_write and self.is_read_only:
            raise ReadOnlyAccountError("denied")

    def identity(self) -> str:
        self._called()
        return self.name

    def edit_numbers(self) -> dict[str, int]:
        self._called()
        return _last((each.author, each.number) for each in self.all_edits.values())

    def edits(self, author: str, after: int) -> list[Edit]:
        self._called()
        found = [each for each in self.all_edits.values() if each.author == author and each.number > after]
        return sorted(found, key=lambda each: each.number)[:PAGE]

    def add_edit(self, edit: Edit) -> None:
        self._called(is_write=True)
        if self.all_edits.setdefault(edit.id, edit) != edit:
            raise AuthorTakenError("another one")

    def session_numbers(self) -> dict[str, int]:
        self._called()
        return _last((each.author, each.number) for each in self.all_sessions.values())

    def sessions(self, author: str, after: int) -> list[Announced]:
        self._called()
        found = [each for each in self.all_sessions.values() if each.author == author and each.number > after]
        return sorted(found, key=lambda each: each.number)[:PAGE]

    def session(self, session: str) -> Announced | None:
        self._called()
        return self.all_sessions.get(session)

    def rows(self, session: str, offset: int) -> list[JournalRow]:
        self._called()
        rows = self.journals.get(session, {})
        return [rows[at][0] for at in sorted(rows) if at >= offset][:PAGE]

    def content(self, session: str, row: JournalRow) -> bytes:
        self._called()
        return self.journals[session][row.offset][1]

    def add_row(self, session: str, row: JournalRow, content: bytes) -> bool:
        self._called(is_write=True)
        rows = self.journals.setdefault(session, {})
        return rows.setdefault(row.offset, (row, content)) == (row, content)

    def announce(self, session: Announced, line: TeamSessionLine) -> None:
        self._called(is_write=True)
        known = self.all_sessions.get(session.session)
        person = known.person if known else session.person
        self.all_sessions[session.session] = replace(session, person=person)
        if line.headlines or session.session not in self.lines:
            self.lines[session.session] = line


def _last(numbered: object) -> dict[str, int]:
    last: dict[str, int] = {}
    for author, number in numbered:  # type: ignore[attr-defined]
        last[author] = max(number, last.get(author, 0))
    return last
