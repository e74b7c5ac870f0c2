"""The journals of this computer's history: what the team lacks of them, and those that come from the team."""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.units import bytes_text
from app.history.lists.sessions import STATE_OF
from app.history.recorded.writing import JournalStorer
from app.history.store import journals
from app.history.store.history import History, HistoryError

from .local_edits import keep, kept
from .store import ROW, Announced, JournalRow, TeamError, TeamSessionLine

# columns of a session that lists show and sort by, as the history has them
COLUMNS = (
    "name", "ordinal", "repeat", "reason", "failed_steps", "target", "contender", "build", "family",
    "version", "engine", "preset", "table_options", "cores", "sequence", "contender_key", "work_key",
    "machine_key", "protocol", "agent", "planned_at", "started_at", "ended_at", "ended_t",
)  # fmt: skip
LEAST_FREE = 1 << 30  # bytes of the disk that journals of others leave
_PLAN_BYTES = 1 << 20
# changes when something does that lists show
_STAMP = f"""
    {STATE_OF} || ' ' || offset || ' ' || coalesce(unlocked_offset, -1) || ' ' || journal.refused
        || '|' || coalesce((
            SELECT group_concat(grouping || qps) FROM headline WHERE session = session.number), '')"""
_OWN = f"""
    SELECT journal.session, journal.plan, offset, coalesce(unlocked_offset, -1),
        coalesce(team_session.person, ''), coalesce(agreed, 0), coalesce(chain, x''), {_STAMP},
        coalesce(announced, '')
    FROM journal JOIN session ON session.id = journal.session LEFT JOIN link ON link.session = journal.session
        LEFT JOIN team_session ON team_session.session = journal.session
    WHERE coalesce(team_session.refused, '') = '' AND (NOT coalesce(is_from_team, 0) OR offset > agreed)
        AND coalesce(announced, '') != {_STAMP}
    ORDER BY session.number"""


@dataclass(frozen=True)
class UnsentSession:
    """A session that the team lacks, in whole or in part."""

    session: str
    plan: str
    size: int
    unlocked_offset: int
    person: str  # who brought it to the team; '': nobody yet
    agreed: int
    chain: bytes
    stamp: str
    announced: str  # the stamp of the last time

    @property
    def has_new_headlines(self) -> bool:
        return self.stamp.partition("|")[2] != self.announced.partition("|")[2]


class JournalDiffersError(TeamError):
    """The team has a session of this id with other content: neither replaces the other."""


def sessions_team_lacks(history: History) -> list[UnsentSession]:
    """Sessions of this computer that the team lacks, in whole or in part, the oldest first."""
    return [UnsentSession(*row) for row in history.query(_OWN)]


def line_of(history: History, session: str, with_headlines: bool = True) -> TeamSessionLine:
    """What lists show of a session."""
    columns = ", ".join((f"{STATE_OF} AS state", *COLUMNS))
    number, plan, *values = history.query(
        f"SELECT number, plan, {columns} FROM session WHERE id = ?", (session,)
    )[0]
    headlines = history.query(
        "SELECT grouping, qps, n, steps FROM headline WHERE session = ? ORDER BY grouping", (number,)
    )
    hash_, content = history.query("SELECT hash, content FROM plan WHERE id = ?", (plan,))[0]
    named = dict(zip(("state", *COLUMNS), values, strict=True))
    headlines = headlines if with_headlines else []
    return TeamSessionLine(
        named, [tuple(row) for row in headlines], hash_, content if len(content) <= _PLAN_BYTES else b""
    )


def chained(chain: bytes, content: bytes) -> bytes:
    """The hash of a journal up to the end of these bytes, from that up to their begin."""
    return hashlib.sha256(chain + content).digest()


def journal_chunks(history: History, session: str, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
    """The bytes of a stored journal as rows for the team: whole lines, at most ROW bytes."""
    with _journal(history, session).open("rb") as file:
        while begin < end:
            file.seek(begin)
            raw = file.read(min(ROW, end - begin))
            piece = raw if begin + len(raw) == end else journals.whole_lines(raw) or raw
            if not piece:
                raise TeamError(f"the journal of session {session} is shorter than the history expects")
            yield begin, piece
            begin += len(piece)


def shared_journal_bytes(history: History, session: str, row: JournalRow, size: int) -> bytes:
    """The bytes here that a row of the team has there; fewer where only `size` are stored here."""
    with _journal(history, session).open("rb") as file:
        file.seek(row.offset)
        return file.read(min(row.size, max(0, size - row.offset)))


def check_room(history: History) -> None:
    """Raise HistoryError where journals of others would fill the disk."""
    free = shutil.disk_usage(history.directory).free
    if free < LEAST_FREE:
        raise HistoryError(
            f"{history.directory} has less than {bytes_text(LEAST_FREE)} free: the team's sessions wait"
        )


def _journal(history: History, session: str) -> Path:
    return journals.path_of(history.journals, session)


def store_shared_journal_length(
    history: History, session: str, person: str, agreed: int, chain: bytes
) -> None:
    """Store how much of a journal the team has, byte by byte the same."""
    with history.transaction() as connection:
        connection.execute(
            "INSERT INTO team_session VALUES (?, ?, 0, ?, ?, '', '') ON CONFLICT (session) DO UPDATE"
            " SET agreed = excluded.agreed, chain = excluded.chain",
            (session, person, agreed, chain),
        )


def keep_announced_stamp(history: History, session: str, stamp: str) -> None:
    with history.transaction() as connection:
        connection.execute("UPDATE team_session SET announced = ? WHERE session = ?", (stamp, session))


def store_sharing_refusal(history: History, session: str, why: str) -> None:
    """Store why a session is not shared."""
    with history.transaction() as connection:
        connection.execute(
            "INSERT INTO team_session VALUES (?, '', 0, 0, x'', '', ?)"
            " ON CONFLICT (session) DO UPDATE SET refused = excluded.refused",
            (session, why),
        )


# of others


def comes_from_team(history: History, announced: Announced) -> bool:
    """Whether bytes of a session come from the team: never of one that came from a target or a file here."""
    if history.one("SELECT 1 FROM deleted WHERE session = ?", (announced.session,)):
        return False
    offset = JournalStorer(history).offset(announced.session)
    return announced.size > offset and (not offset or _is_from_team(history, announced.session))


def missing_team_sessions(history: History) -> list[str]:
    """Sessions of the team that are not here, such as those that somebody has restored."""
    rows = history.query(
        "SELECT session FROM team_session WHERE refused = '' AND session NOT IN (SELECT id FROM session)"
        " AND session NOT IN (SELECT session FROM deleted)"
    )
    return [session for (session,) in rows]


def unfinished_team_sessions(history: History) -> list[str]:
    """Sessions from the team that had not ended when they came."""
    rows = history.query(
        "SELECT session FROM team_session JOIN session ON id = session"
        " WHERE is_from_team AND refused = '' AND state IN ('waiting', 'active')"
    )
    return [session for (session,) in rows]


def _is_from_team(history: History, session: str) -> bool:
    row = history.one("SELECT is_from_team FROM team_session WHERE session = ?", (session,))
    return row is not None and bool(row[0])


def agreed_journal_prefix(history: History, session: str) -> tuple[int, bytes]:
    """How much of a session of others is here, and the hash of that."""
    row = history.one("SELECT agreed, chain FROM team_session WHERE session = ?", (session,))
    size, chain = row or (0, b"")
    return size, chain


def store_journal_piece(history: History, announced: Announced, row: JournalRow, content: bytes) -> None:
    """Store bytes of a journal of others, checked as those of a target; a session begins with its plan."""
    writer = JournalStorer(history)
    writer.append(announced.plan, announced.session, row.offset, content)
    if history.one("SELECT 1 FROM session WHERE id = ?", (announced.session,)) is None:
        why = writer.refusal(announced.session)
        _drop(history, announced.session)
        raise TeamError(why or f"the journal of session {announced.session} has no begin")
    with history.transaction() as connection:
        connection.execute(
            "INSERT INTO team_session VALUES (?, ?, 1, ?, ?, '', '') ON CONFLICT (session) DO UPDATE"
            " SET is_from_team = 1, agreed = excluded.agreed, chain = excluded.chain, refused = ''",
            (announced.session, announced.person, row.offset + row.size, row.chain),
        )


def _drop(history: History, session: str) -> None:
    """Forget bytes that are the journal of no session."""
    with history.transaction() as connection:
        connection.execute("DELETE FROM journal WHERE session = ?", (session,))
        _journal(history, session).unlink(missing_ok=True)


def store_team_announcement(history: History, announced: Announced) -> None:
    """Store who brought a session to the team, and whether its plan was seen at its end."""
    with history.transaction() as connection:
        connection.execute(
            "INSERT INTO team_session VALUES (?, ?, 0, 0, x'', '', '') ON CONFLICT (session) DO UPDATE"
            " SET person = excluded.person",
            (announced.session, announced.person),
        )
        if announced.unlocked_offset >= 0 and _is_from_team(history, announced.session):
            connection.execute(
                "INSERT INTO link VALUES (?, ?) ON CONFLICT (session) DO UPDATE"
                " SET unlocked_offset = excluded.unlocked_offset",
                (announced.session, announced.unlocked_offset),
            )


def sessions_read_up_to(history: History, author: str) -> int:
    """How far the sessions of an author were read."""
    row = history.one("SELECT sessions FROM team_seen WHERE author = ?", (author,))
    return row[0] if row else 0


def keep_seen(history: History, author: str, number: int) -> None:
    with history.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO team_seen VALUES (?, ?)", (author, number))


def team_server_id(history: History) -> str:
    """The identity of the server that this history is shared with; '' before the first exchange."""
    return kept(history, "server")


def last_announced_number(history: History) -> int:
    """The number of the last session that this desktop announced."""
    return int(kept(history, "announced") or 0)


def keep_last_announcement(history: History, author: str, number: int) -> None:
    with history.transaction():
        keep(history, "announced", number)
        history.connection.execute("INSERT OR REPLACE INTO team_seen VALUES (?, ?)", (author, number))


def restart_team_sharing(history: History, identity: str, with_all: bool) -> None:
    """Compare anew what the server has; `with_all`: give it what came from another team too."""
    with history.transaction() as connection:
        keep(history, "server", identity)
        keep(history, "announced", 0)
        connection.execute("DELETE FROM team_seen")
        connection.execute("UPDATE team_session SET announced = '', refused = ''")
        connection.execute(
            "UPDATE team_session SET agreed = 0, chain = x'', is_from_team = 0 WHERE ? OR NOT is_from_team",
            (with_all,),
        )
