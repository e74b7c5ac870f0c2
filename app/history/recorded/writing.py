"""Storing journals: the raw bytes, their events and the offset, together or not at all."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from app.history.store import journals
from app.history.store.decoding import Events, Line, decode_events
from app.history.store.history import History
from app.protocol.checked import decode_json
from app.protocol.events import ProtocolError, check_protocol

from .recording import HistoryRecorder, JournalError

CHUNK = 4 << 20  # bytes read at once from a kept journal


@dataclass
class _Place:
    """How much of a session's journal is stored."""

    plan: str = ""
    offset: int = 0
    seq: int = 0
    refused: str = ""


class JournalStorer:
    """Stores journals. Several may store the same one: each checks the file for its length."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._recorders: dict[str, HistoryRecorder] = {}
        self._version = -1  # of the data, as other connections have left it

    def offset(self, session: str) -> int:
        """The offset of the next bytes."""
        return self._place(session).offset

    def seq(self, session: str) -> int:
        """The number of the last stored event."""
        return self._place(session).seq

    def refusal(self, session: str) -> str:
        """Why Dyno stores the rest of the journal without reading it; '' if it reads it."""
        return self._place(session).refused

    def is_deleted(self, session: str) -> bool:
        """Whether a person deleted it: only `undelete` or an import restores it."""
        return self._history.one("SELECT 1 FROM deleted WHERE session = ?", (session,)) is not None

    def offsets(self, sessions: Iterable[str]) -> dict[str, int]:
        """The stored bytes of each journal."""
        return {session: self.offset(session) for session in sessions}

    def append(self, plan: str, session: str, offset: int, raw: bytes, with_known: bool = False) -> Events:
        """Store bytes that are at `offset` of the journal; returns the events that were new.

        `with_known`: the others too, which somebody else has stored.
        From the first line that cannot be read on, the bytes are kept and not read: see `refusal`.
        A session that was deleted stays away.
        """
        path = self._path(session)
        with self._history.transaction():
            if self.is_deleted(session):
                return Events()
            place = self._place(session)
            before = place.offset
            new = _continuing(session, place, offset, raw)
            known = raw[: len(raw) - len(new)] if with_known and not place.refused else b""
            try:
                journals.write_and_truncate(path, before, new)
                return Events(decode_events(known)) + self._store_readable(plan, session, place, new)
            except BaseException:
                self._recorders.pop(session, None)
                journals.cut(path, before)
                raise

    def recover(self, plan: str, session: str) -> None:
        """Make journal and stored events agree again, after a crash or an update of Dyno."""
        path = self._path(session)
        with self._history.transaction():
            if self.is_deleted(session):
                return
            place = self._place(session)
            if place.offset:
                journals.cut(path, place.offset)
            if place.refused or journals.size_of(path) != place.offset:
                self.replay(place.plan or plan, session)
                journals.cut(path, self.offset(session))

    def replay(self, plan: str, session: str) -> None:
        """Store the kept journal anew, as far as it can be read; the caller holds a transaction."""
        self._forget(session)
        place = _Place(plan)
        for raw in journals.chunks_of_lines(self._path(session), CHUNK):
            self._store_readable(plan, session, place, raw)

    def store_journal(self, plan: str, session: str, path: Path) -> None:
        """Store all of a journal that is elsewhere; the caller holds a transaction."""
        place = _Place(plan)
        for raw in journals.chunks_of_lines(path, CHUNK):
            self._store(plan, session, place, raw)
        if place.refused:
            raise JournalError(place.refused)

    def _store_readable(self, plan: str, session: str, place: _Place, raw: bytes) -> Events:
        """Store these lines, or those before the first refused one; its bytes count as stored."""
        try:
            return self._try_to_store(plan, session, place, raw)
        except JournalError:
            pass
        stored: list[Line] = []
        lines = io.BytesIO(raw).readlines()
        for at, line in enumerate(lines):
            try:
                stored += self._try_to_store(plan, session, place, line).lines
            except JournalError as error:
                place.refused = str(error)
                self._store(plan, session, place, b"".join(lines[at:]))
                break
        return Events(stored)

    def _try_to_store(self, plan: str, session: str, place: _Place, raw: bytes) -> Events:
        """Store all of these lines or none; if none, the place stays the same."""
        before = replace(place)
        self._history.connection.execute("SAVEPOINT piece")
        try:
            return self._store(plan, session, place, raw)
        except BaseException:
            vars(place).update(vars(before))
            self._recorders.pop(session, None)
            self._history.connection.execute("ROLLBACK TO piece")
            raise
        finally:
            self._history.connection.execute("RELEASE piece")

    def _store(self, plan: str, session: str, place: _Place, raw: bytes) -> Events:
        if not raw:
            return Events()
        if place.offset == 0 and not place.refused:
            place.refused = _refusal(raw)
        lines = [] if place.refused else _decode(session, place.seq, raw)
        if lines:
            self._recorder(session).record(lines)
            place.seq = lines[-1].seq
        place.offset += len(raw)
        self._history.connection.execute(
            "INSERT INTO journal VALUES (?, ?, ?, ?, ?) ON CONFLICT (session) DO UPDATE"
            " SET offset = excluded.offset, seq = excluded.seq, refused = excluded.refused",
            (session, plan, place.offset, place.seq, place.refused),
        )
        return Events(lines)

    def _recorder(self, session: str) -> HistoryRecorder:
        """The recorder of the last batch, unless another process has written since."""
        version = int(self._history.connection.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._version = version
            self._recorders.clear()
        if session not in self._recorders:
            self._recorders[session] = HistoryRecorder(self._history.connection, session)
        return self._recorders[session]

    def _forget(self, session: str) -> None:
        self._recorders.pop(session, None)
        self._history.connection.execute("DELETE FROM session WHERE id = ?", (session,))
        self._history.connection.execute("DELETE FROM journal WHERE session = ?", (session,))

    def _place(self, session: str) -> _Place:
        row = self._history.connection.execute(
            "SELECT plan, offset, seq, refused FROM journal WHERE session = ?", (session,)
        ).fetchone()
        return _Place(*row) if row else _Place()

    def _path(self, session: str) -> Path:
        return journals.path_of(self._history.journals, session)


def _continuing(session: str, place: _Place, offset: int, raw: bytes) -> bytes:
    """The part of these bytes that is not stored yet."""
    if offset > place.offset:
        raise JournalError(
            f"the journal of session {session} has a gap: {place.offset} bytes are stored,"
            f" the next begin at {offset}"
        )
    return raw[place.offset - offset :]


def _refusal(raw: bytes) -> str:
    """Why this Dyno cannot read a journal with this beginning, whatever its events."""
    try:
        check_protocol(str(decode_json(raw[: raw.index(b"\n")])["protocol"]))
    except ProtocolError as error:
        return str(error)
    except (ValueError, KeyError, TypeError):
        pass  # no first event at all: said when it is decoded
    return ""


def _decode(session: str, seq: int, raw: bytes) -> list[Line]:
    """The events after `seq`, without earlier ones; a gap is an error."""
    try:
        lines = decode_events(raw)
    except ProtocolError as error:
        raise JournalError(
            f"the journal of session {session} cannot be read from event {seq + 1} on: {error}"
        ) from None
    if [line.seq for line in lines] == list(range(seq + 1, seq + 1 + len(lines))):
        return lines
    new = []
    for line in lines:
        if line.seq > seq + 1:
            raise JournalError(f"the journal of session {session} lacks event {seq + 1}, {line.seq} follows")
        if line.seq == seq + 1:
            new.append(line)
            seq += 1
    return new


# what a follower learns besides the journals: whether the plan still runs, and the target's clock


def record_unlocked_journals(history: History, sessions: Iterable[str]) -> None:
    """Store that the lock was free after all these journals were read: those without an end are lost."""
    with history.transaction() as connection:
        for session in sessions:
            connection.execute(
                "INSERT INTO link SELECT session, offset FROM journal WHERE session = ?"
                " ON CONFLICT (session) DO UPDATE SET unlocked_offset = excluded.unlocked_offset",
                (session,),
            )


def keep_clock_offset(history: History, plan: str, at: float, offset_s: float) -> None:
    """Store the offset of the target's clock, measured at a connect."""
    with history.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO clock_offset (plan, at, offset_s) VALUES (?, ?, ?)", (plan, at, offset_s)
        )
