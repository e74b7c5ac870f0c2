"""Sessions between a history and a team's server: journals in rows, each with the hash of all before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.core.errors import DynoError
from app.history.store.history import History, HistoryError

from . import local_edits, local_sessions
from .local_sessions import JournalDiffersError, UnsentSession, chained
from .store import Announced, JournalRow, TeamError, TeamServerAwayError, TeamStore
from .synced import OnProgress, TeamSyncResult

_TRIES = 5  # where others write the same journal


class TeamSessionExchange:
    """The sessions of one exchange."""

    def __init__(
        self, history: History, store: TeamStore, person: str, done: TeamSyncResult, on_progress: OnProgress
    ) -> None:
        self._history, self._store, self._person = history, store, person
        self._done, self._on_progress = done, on_progress

    def fetch(self) -> None:
        """Fetch the sessions of others, as far as they have come."""
        for author, last in self._store.session_numbers().items():
            number = local_sessions.sessions_read_up_to(self._history, author)
            while number < last and (page := self._store.sessions(author, number)):
                for announced in page:
                    if announced.number <= number or announced.author != author:
                        raise TeamError(f"the team's server lists sessions of {author} out of order")
                    number = announced.number
                    self._fetch(announced)
                local_sessions.keep_seen(self._history, author, number)
        self.fetch_some(local_sessions.missing_team_sessions(self._history))

    def fetch_some(self, sessions: Iterable[str]) -> None:
        """Fetch these sessions, or what has come of them since."""
        for session in sessions:
            announced = self._store.session(session)
            if announced is not None:
                self._fetch(announced)

    def _fetch(self, announced: Announced) -> None:
        """Fetch a session; one that cannot be read stays away, and the others come."""
        local_sessions.store_team_announcement(self._history, announced)
        if not local_sessions.comes_from_team(self._history, announced):
            return
        self._on_progress(f"fetching sessions: {self._done.fetched_sessions + 1:,}")
        try:
            self._fetch_rows(announced)
        except (HistoryError, TeamServerAwayError):
            raise
        except DynoError as error:
            self._refuse(announced.session, error)
            return
        self._done.fetched_sessions += 1
        self._done.is_changed = True

    def _fetch_rows(self, announced: Announced) -> None:
        _, chain = local_sessions.agreed_journal_prefix(self._history, announced.session)
        for row in self._rows(announced):
            local_sessions.check_room(self._history)
            content = self._store.content(announced.session, row)
            chain = chained(chain, content)
            if len(content) != row.size or chain != row.chain:
                raise JournalDiffersError(
                    f"session {announced.session}: its journal on the server is damaged"
                )
            local_sessions.store_journal_piece(self._history, announced, row, content)
        local_sessions.store_team_announcement(self._history, announced)  # its end, now that it is here

    def _rows(self, announced: Announced) -> Iterator[JournalRow]:
        """The rows that are not here yet: each where the one before ended."""
        offset, _ = local_sessions.agreed_journal_prefix(self._history, announced.session)
        while offset < announced.size:
            page = self._store.rows(announced.session, offset)
            if not page:
                raise JournalDiffersError(
                    f"session {announced.session}: the server lacks bytes that it lists"
                )
            for row in page:
                if row.offset != offset:
                    raise JournalDiffersError(
                        f"session {announced.session}: its journal on the server has a gap"
                    )
                yield row
                offset += row.size

    def _refuse(self, session: str, error: DynoError) -> None:
        local_sessions.store_sharing_refusal(self._history, session, str(error))
        self._done.problems.append(str(error))

    def push(self) -> None:
        """Give the team what it lacks of this computer's sessions."""
        waiting = local_sessions.sessions_team_lacks(self._history)
        for at, own in enumerate(waiting):
            self._on_progress(f"sharing sessions: {at + 1:,} of {len(waiting):,}")
            try:
                self._push(own)
            except JournalDiffersError as error:
                self._refuse(own.session, error)

    def _push(self, own: UnsentSession) -> None:
        place = own.agreed, own.chain
        for at in range(_TRIES):
            if at or not own.agreed:  # else only this computer has written so far, or `add_row` finds out
                place = self._agree(own, *place)
            if place[0] > own.size:  # somebody else has read more of its target
                local_sessions.keep_announced_stamp(self._history, own.session, own.stamp)
                return
            place = self._push_rows(own, *place)
            if place[0] == own.size:
                self._announce(own)
                return

    def _announce(self, own: UnsentSession) -> None:
        number = local_sessions.last_announced_number(self._history) + 1
        author = local_edits.desktop_id(self._history)
        person = own.person or self._person
        announced = Announced(own.session, own.plan, author, number, person, own.size, own.unlocked_offset)
        line = local_sessions.line_of(self._history, own.session, own.has_new_headlines)
        self._store.announce(announced, line)
        local_sessions.keep_last_announcement(self._history, author, number)
        local_sessions.keep_announced_stamp(self._history, own.session, own.stamp)
        self._done.pushed_sessions += 1

    def _agree(self, own: UnsentSession, agreed: int, chain: bytes) -> tuple[int, bytes]:
        """Compare what the server has beyond the agreed bytes with those here; raises JournalDiffersError.

        More than own.size: the server has more than this computer.
        """
        while agreed < own.size and (page := self._store.rows(own.session, agreed)):
            for row in page:
                mine = local_sessions.shared_journal_bytes(self._history, own.session, row, own.size)
                is_whole = len(mine) == row.size
                if row.offset != agreed or not self._is_same(own, row, chain, mine):
                    raise JournalDiffersError(
                        f"session {own.session}: the team has another one of this id, neither is replaced"
                    )
                if not is_whole:
                    return row.offset + row.size, chain
                agreed, chain = row.offset + row.size, row.chain
        if agreed != own.agreed:
            self._keep_agreed(own, agreed, chain)
        return agreed, chain

    def _is_same(self, own: UnsentSession, row: JournalRow, chain: bytes, mine: bytes) -> bool:
        """Whether a row begins with the bytes here, by its hash where all of it is here."""
        if len(mine) == row.size:
            return chained(chain, mine) == row.chain
        return self._store.content(own.session, row).startswith(mine)

    def _push_rows(self, own: UnsentSession, agreed: int, chain: bytes) -> tuple[int, bytes]:
        """Add rows until somebody else has added one at the same place."""
        for begin, content in local_sessions.journal_chunks(self._history, own.session, agreed, own.size):
            row = JournalRow(begin, len(content), chained(chain, content))
            if not self._store.add_row(own.session, row, content):
                return agreed, chain
            agreed, chain = begin + len(content), row.chain
            self._keep_agreed(own, agreed, chain)
        return agreed, chain

    def _keep_agreed(self, own: UnsentSession, agreed: int, chain: bytes) -> None:
        local_sessions.store_shared_journal_length(
            self._history, own.session, own.person or self._person, agreed, chain
        )
