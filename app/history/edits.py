"""What a person adds to a session: its name, tags, notes, cuts, colours; and taking it away."""

from __future__ import annotations

import re
import time
from typing import Any

from ..errors import InputError
from . import journals
from .history import History
from .planned import COLOURS
from .sessions import find, sessions

MAX_NAME = 100  # characters of a name or tag
MAX_NOTE = 100_000
_LINE = re.compile(r"[^\x00-\x1f\x7f]+")


def rename(history: History, reference: str, name: str) -> None:
    """Give it a name of its own; the plan's name for it comes back with an empty one."""
    session = find(history, reference)
    with history.transaction() as connection:
        if not name:
            connection.execute("DELETE FROM session_name WHERE session = ?", (session,))
            return
        if name == "last":
            raise InputError("`last` always means the latest session: give another name")
        connection.execute(
            "INSERT OR REPLACE INTO session_name VALUES (?, ?)", (session, checked(name, "name"))
        )


def tag(history: History, reference: str, name: str) -> None:
    """Adding a tag that is there already changes nothing."""
    session = find(history, reference)
    with history.transaction() as connection:
        connection.execute("INSERT OR IGNORE INTO session_tag VALUES (?, ?)", (session, checked(name, "tag")))


def untag(history: History, reference: str, name: str) -> None:
    session = find(history, reference)
    with history.transaction() as connection:
        removed = connection.execute("DELETE FROM session_tag WHERE session = ? AND tag = ?", (session, name))
        if not removed.rowcount:
            raise InputError(f"session {session} has no tag {name!r}")


def note(history: History, reference: str, text: str, at: float | None = None) -> None:
    if not text.strip() or len(text) > MAX_NOTE:
        raise InputError(f"a note has 1 to {MAX_NOTE} characters")
    session = find(history, reference)
    with history.transaction() as connection:
        connection.execute(
            "INSERT INTO session_note (session, at, text) VALUES (?, ?, ?)",
            (session, time.time() if at is None else at, text),
        )


def cut(history: History, reference: str, step: int, first_s: int, last_s: int, reason: str) -> None:
    """Leave seconds of a step out, and say why; the seconds stay."""
    if first_s > last_s:
        raise InputError(f"a cut from second {first_s} to {last_s} ends before it begins")
    session = find(history, reference)
    with history.transaction() as connection:
        connection.execute(
            "INSERT INTO cut (session, step, first_s, last_s, reason) VALUES (?, ?, ?, ?, ?)",
            (session, step, first_s, last_s, checked(reason, "reason")),
        )


def set_colour(history: History, contender_key: str, colour: int) -> None:
    if not 0 <= colour < COLOURS:
        raise InputError(f"the palette has the colours 0 to {COLOURS - 1}, not {colour}")
    with history.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO colour VALUES (?, ?)", (contender_key, colour))


def delete(history: History, reference: str) -> None:
    """Take a session away, its kept journal and what was added to it; not while its plan is carried out."""
    session = find(history, reference)
    with history.transaction() as connection:
        state = sessions(history, ids=[session])[0]["state"]
        if state in ("active", "waiting"):
            raise InputError(f"session {session} is {state}: stop its plan first, `dyno stop --plan`")
        for table in ("session_name", "session_tag", "session_note", "cut", "imported", "published", "link"):
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))  # noqa: S608
        connection.execute("DELETE FROM journal WHERE session = ?", (session,))
        connection.execute("DELETE FROM session WHERE id = ?", (session,))
        connection.execute("DELETE FROM plan WHERE id NOT IN (SELECT plan FROM session)")
        journals.path_of(history.journals, session).unlink(missing_ok=True)


def added(history: History, session: str) -> dict[str, Any]:
    """All that a person added, as it goes into an export."""
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


def checked(text: str, what: str) -> str:
    """One line of printable text; raises InputError where it is none."""
    text = text.strip()
    if not _LINE.fullmatch(text) or len(text) > MAX_NAME:
        raise InputError(f"a {what} is one line of 1 to {MAX_NAME} characters")
    return text
