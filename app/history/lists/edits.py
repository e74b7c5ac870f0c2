"""What a person adds to a session: its name, tags, notes, cuts, colours; and taking it away."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from app.core.errors import DynoError, InputError
from app.history.lists.sessions import SUFFIX, find, sessions
from app.history.recorded.counting import Cut, cuttable_step, recount
from app.history.recorded.planned import COLOURS
from app.history.recorded.writing import JournalStorer
from app.history.store import journals
from app.history.store.history import History

MAX_NAME = 100  # characters of a name or tag
MAX_NOTE = 100_000
UNDO_S = 7 * 86_400.0  # in which a deleted session can be restored
_LINE = re.compile(r"[^\x00-\x1f\x7f]+")
# the owned tables of one session, and what of their rows comes back with it
_ADDED = {
    "session_name": "session, name",
    "session_tag": "session, tag",
    "session_note": "session, at, text",
    "cut": "session, step, first_s, last_s, reason",
    "imported": "session, at, source, sha256",
    "published": "session, source, content",
    "link": "session, unlocked_offset",
}


def rename(history: History, reference: str, name: str) -> None:
    """Rename a session; an empty name restores the name from its plan."""
    session = find(history, reference)
    with history.transaction() as connection:
        if not name:
            connection.execute("DELETE FROM session_name WHERE session = ?", (session,))
            return
        if name == "last":
            raise InputError("`last` always means the latest session: choose another name")
        connection.execute(
            "INSERT OR REPLACE INTO session_name VALUES (?, ?)", (session, checked_text_line(name, "name"))
        )


def tag(history: History, reference: str, name: str) -> None:
    """Add a tag; one that exists changes nothing."""
    session = find(history, reference)
    with history.transaction() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO session_tag VALUES (?, ?)", (session, checked_text_line(name, "tag"))
        )


def untag(history: History, reference: str, name: str) -> None:
    session = find(history, reference)
    with history.transaction() as connection:
        removed = connection.execute("DELETE FROM session_tag WHERE session = ? AND tag = ?", (session, name))
        if not removed.rowcount:
            raise InputError(f"session {session} has no tag {name!r}")


def note(history: History, reference: str, text: str, at: float | None = None) -> None:
    if not text.strip() or len(text) > MAX_NOTE:
        raise InputError(f"a note must have 1 to {MAX_NOTE:,} characters")
    session = find(history, reference)
    with history.transaction() as connection:
        connection.execute(
            "INSERT INTO session_note (session, at, text) VALUES (?, ?, ?)",
            (session, time.time() if at is None else at, text),
        )


def count_only_seconds(history: History, reference: str, step: int, wanted: Cut) -> None:
    """Count only these seconds of a step from now on; replaces an earlier cut."""
    session = find(history, reference)
    reason = checked_text_line(wanted.reason, "reason") if wanted.reason else ""
    with history.transaction() as connection:
        found = cuttable_step(history, session, step)
        found.seconds.check(wanted)
        connection.execute("DELETE FROM cut WHERE session = ? AND step = ?", (session, step))
        connection.execute(
            "INSERT INTO cut (session, step, first_s, last_s, reason) VALUES (?, ?, ?, ?, ?)",
            (session, step, wanted.first_s, wanted.last_s, reason),
        )
        recount(connection, found.number)


def undo_cut(history: History, reference: str, step: int) -> None:
    """All seconds of a step count again."""
    session = find(history, reference)
    with history.transaction() as connection:
        found = cuttable_step(history, session, step)
        gone = connection.execute("DELETE FROM cut WHERE session = ? AND step = ?", (session, step))
        if not gone.rowcount:
            raise InputError("all seconds of this step count already")
        recount(connection, found.number)


def colours(history: History) -> dict[str, int]:
    """The colour index of every known contender, by its key."""
    return dict(history.query("SELECT contender_key, colour FROM colour"))


def set_colour(history: History, contender_key: str, colour: int) -> None:
    if not 0 <= colour < COLOURS:
        raise InputError(f"colour must be 0 to {COLOURS - 1}, got {colour}")
    with history.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO colour VALUES (?, ?)", (contender_key, colour))


def delete(history: History, reference: str) -> str:
    """Delete a session until `undelete` or an import; not while its plan runs."""
    session = find(history, reference)
    with history.transaction() as connection:
        entry = sessions(history, ids=[session])[0]
        state = entry["state"]
        if state in ("active", "waiting"):
            raise DynoError(
                f"session {session} is {state}: stop its plan first, `dyno stop`",
                window_text=f"session {entry['name']} is {state}: stop its plan first, on the Live page",
            )
        delete_ended(history, session, entry["plan"], time.time())
        connection.execute("DELETE FROM plan WHERE id NOT IN (SELECT plan FROM session)")
    return session


def delete_ended(history: History, session: str, plan: str, at: float) -> None:
    """Delete a session that ended; the caller holds a transaction."""
    _empty_trash(history, time.time() - UNDO_S)
    history.connection.execute(
        "INSERT OR REPLACE INTO deleted (session, plan, at, added) VALUES (?, ?, ?, ?)",
        (session, plan, at, json.dumps(_take_added(history, session))),
    )
    history.connection.execute("DELETE FROM journal WHERE session = ?", (session,))
    history.connection.execute("DELETE FROM session WHERE id = ?", (session,))
    _move(session, history.journals, history.trash)


def undelete(history: History, session: str) -> bool:
    """Restore a deleted session; False if its bytes are gone and it can only come again."""
    with history.transaction():
        return bring_back(history, session)


def bring_back(history: History, session: str) -> bool:
    """`undelete`; the caller holds a transaction."""
    connection = history.connection
    row = connection.execute("SELECT plan, added FROM deleted WHERE session = ?", (session,)).fetchone()
    if row is None:
        raise InputError(f"session {session} is not deleted")
    plan, added = row
    connection.execute("DELETE FROM deleted WHERE session = ?", (session,))
    for table, rows in json.loads(added or "{}").items():
        marks = ", ".join("?" * len(_ADDED[table].split(",")))
        connection.executemany(
            f"INSERT OR IGNORE INTO {table} ({_ADDED[table]}) VALUES ({marks})",  # noqa: S608
            rows,
        )
    _move(session, history.trash, history.journals)
    JournalStorer(history).replay(plan, session)
    return journals.path_of(history.journals, session).exists()


def find_deleted(history: History, reference: str) -> str:
    """The id of a deleted session, from its id or its last 6 characters."""
    ids: list[str] = [id_ for (id_,) in history.query("SELECT session FROM deleted ORDER BY at DESC")]
    fits = [id_ for id_ in ids if reference in (id_, id_[-SUFFIX:])]
    if len(fits) == 1:
        return fits[0]
    there = ", ".join((fits or ids)[:5])
    raise InputError(f"no deleted session {reference!r}, the latest are: {there or 'none'}")


def _take_added(history: History, session: str) -> dict[str, list[tuple[Any, ...]]]:
    """Delete and return the owned rows of a session."""
    taken = {}
    for table, columns in _ADDED.items():
        taken[table] = history.query(f"SELECT {columns} FROM {table} WHERE session = ?", (session,))  # noqa: S608
        history.connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))  # noqa: S608
    return taken


def _empty_trash(history: History, before: float) -> None:
    """Delete for good what was deleted before that moment; the deletion itself stays recorded."""
    rows = history.query("SELECT session FROM deleted WHERE at < ? AND added != ''", (before,))
    for (session,) in rows:
        history.connection.execute("UPDATE deleted SET added = '' WHERE session = ?", (session,))
        journals.path_of(history.trash, session).unlink(missing_ok=True)


def _move(session: str, source: Path, to: Path) -> None:
    """Move the journal, if there is one, to the other folder."""
    path = journals.path_of(source, session)
    if path.exists():
        to.mkdir(mode=0o700, exist_ok=True)
        path.rename(journals.path_of(to, session))


def session_annotations(history: History, session: str) -> dict[str, Any]:
    """All that a person added, for an export."""
    name = history.one("SELECT name FROM session_name WHERE session = ?", (session,))
    tags = history.query("SELECT tag FROM session_tag WHERE session = ? ORDER BY tag", (session,))
    notes = history.query("SELECT at, text FROM session_note WHERE session = ? ORDER BY number", (session,))
    cuts = history.query(
        "SELECT step, first_s, last_s, reason FROM cut WHERE session = ? ORDER BY number", (session,)
    )
    keys = ("step", "first_s", "last_s", "reason")
    return {
        "name": name[0] if name else None,
        "tags": [each for (each,) in tags],
        "notes": [{"at": at, "text": text} for at, text in notes],
        "cuts": [dict(zip(keys, row, strict=True)) for row in cuts],
    }


def checked_text_line(text: str, what: str) -> str:
    """One line of printable text; raises InputError for any other."""
    text = text.strip()
    if not _LINE.fullmatch(text) or len(text) > MAX_NAME:
        raise InputError(f"a {what} must be one line of 1 to {MAX_NAME} characters")
    return text
