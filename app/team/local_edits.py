"""The edits in this computer's history: found, merged with those of others, applied to the owned tables."""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import astuple, fields
from typing import Any

from app.core.ids import new_id
from app.history.lists.edits import bring_back, delete_ended
from app.history.lists.sessions import state_of
from app.history.recorded.counting import recount
from app.history.store.history import History

from .edits import STEP, Edit, EditError, check_team_edit, lost, merge_team_edits, shared_note_id

_COLUMNS = ", ".join(field.name for field in fields(Edit))
_OF_EDIT = ", ".join(f"edit.{field.name}" for field in fields(Edit))
# what people have added here, in the words of edits
_HERE = """
    SELECT session AS subject, 'name' AS kind, '' AS item, as_json(name) AS value FROM session_name
    UNION ALL SELECT session, 'tag', tag, 'true' FROM session_tag
    UNION ALL SELECT session, 'note', note_item(at, text), as_json_list(at, text) FROM session_note
    UNION ALL SELECT session, 'cut', CAST(step AS TEXT), as_json_list(first_s, last_s, reason) FROM cut
        WHERE number IN (SELECT max(number) FROM cut GROUP BY session, step)
    UNION ALL SELECT session, 'imported', '', as_json_list(at, source, sha256) FROM imported
    UNION ALL SELECT session, 'published', '', as_json_list(source, content) FROM published
    UNION ALL SELECT session, 'deleted', '', 'true' FROM deleted"""
_COUNTS = "in_force JOIN edit ON edit.author = in_force.author AND edit.number = in_force.number"
_OF_FORCE = "in_force.subject, in_force.kind, in_force.item"
_ADDED = f"""
    SELECT subject, kind, item, value FROM ({_HERE})
    EXCEPT SELECT {_OF_FORCE}, value FROM {_COUNTS}"""
_TAKEN_AWAY = f"""
    SELECT {_OF_FORCE} FROM {_COUNTS} WHERE is_applied AND value IS NOT NULL
        AND (in_force.kind = 'deleted' OR in_force.subject NOT IN (SELECT session FROM deleted))
    EXCEPT SELECT subject, kind, item FROM ({_HERE})"""
_WAITING = f"""
    SELECT {_OF_EDIT} FROM {_COUNTS} WHERE NOT is_applied AND in_force.kind """


def desktop_id(history: History) -> str:
    """The id of this desktop; created on first use."""
    history.connection.execute("INSERT OR IGNORE INTO team VALUES ('author', ?)", (new_id(),))
    return str(history.query("SELECT value FROM team WHERE name = 'author'")[0][0])


def collect_local_edits(history: History, person: str) -> int:
    """Turn what people have changed here since the last time into edits; returns how many."""
    _add_functions(history)
    with history.transaction():
        author = desktop_id(history)
        found = [(*register, None) for register in history.query(_TAKEN_AWAY)] + history.query(_ADDED)
        if not found:
            return 0
        number, clock = _last(history, author)
        now = time.time()
        for at, (subject, kind, item, value) in enumerate(found):
            over = history.one(
                "SELECT author, number FROM in_force WHERE subject = ? AND kind = ? AND item = ?",
                (subject, kind, item),
            )
            edit = Edit(
                author, number + 1 + at, clock + 1, now, person, subject, kind, item, value,
                *(over or ("", 0)),
            )  # fmt: skip
            _store(history, edit, is_applied=True)
            if kind == "deleted":  # what was added comes again with the session
                history.connection.execute(
                    "UPDATE in_force SET is_applied = 0 WHERE subject = ? AND kind != 'deleted'", (subject,)
                )
        return len(found)


def _add_functions(history: History) -> None:
    """Values are written by Python: SQLite rounds numbers, on some machines otherwise than on others."""
    add = history.connection.create_function
    add("note_item", 2, shared_note_id, deterministic=True)
    add("as_json", 1, _as_json, deterministic=True)
    add("as_json_list", -1, lambda *values: _as_json(values), deterministic=True)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _last(history: History, author: str) -> tuple[int, int]:
    """The last number of an author, and the latest clock of all."""
    number, clock = history.query(
        "SELECT (SELECT coalesce(max(number), 0) FROM edit WHERE author = ?),"
        " (SELECT coalesce(max(clock), 0) FROM edit)",
        (author,),
    )[0]
    return number, clock


def take(history: History, edits: Iterable[Edit]) -> bool:
    """Merge the edits of others; returns whether anything here has changed."""
    with history.transaction():
        most = _last(history, "")[1] + STEP
        for edit in edits:
            if check_team_edit(edit).clock > most:
                raise EditError(f"edit {edit.number} of {edit.author} has a clock that no desktop reaches")
            _take(history, edit)
        return _apply(history)


def apply_pending_edits(history: History) -> bool:
    """Apply edits whose session has come since; returns whether there were any."""
    with history.transaction():
        return _apply(history)


def _take(history: History, edit: Edit) -> None:
    rows = history.query(
        f"SELECT {_OF_EDIT} FROM {_COUNTS} WHERE in_force.subject = ? AND in_force.kind = ?"
        " AND in_force.item = ?",
        edit.register,
    )
    in_force = {found.register: found for found in (Edit(*row) for row in rows)}
    if merge_team_edits(in_force, [edit]):
        _store(history, edit, is_applied=False)
    else:
        _keep(history, edit)


def _store(history: History, edit: Edit, is_applied: bool) -> None:
    """Store an edit that counts from now on."""
    _keep(history, edit)
    history.connection.execute(
        "INSERT OR REPLACE INTO in_force VALUES (?, ?, ?, ?, ?, ?)", (*edit.register, *edit.id, is_applied)
    )


def _keep(history: History, edit: Edit) -> None:
    history.connection.execute(
        f"INSERT OR IGNORE INTO edit ({_COLUMNS}) VALUES ({', '.join('?' * len(fields(Edit)))})",
        astuple(edit),
    )


def _apply(history: History) -> bool:
    """Do to the history what counts: deletions first, which bring sessions back too."""
    deletions = _waiting(history, "= 'deleted'")
    done = sum(_delete(history, edit) for edit in deletions)
    edits = _waiting(history, "!= 'deleted' AND in_force.subject IN (SELECT id FROM session)")
    for edit in edits:
        value = None if edit.value is None else json.loads(edit.value)
        _DO[edit.kind](history, edit.subject, edit.item, value)
        _is_done(history, edit)
    return bool(done or edits)


def _waiting(history: History, which: str) -> list[Edit]:
    return [Edit(*row) for row in history.query(_WAITING + which)]


def _is_done(history: History, edit: Edit) -> None:
    history.connection.execute(
        "UPDATE in_force SET is_applied = 1 WHERE subject = ? AND kind = ? AND item = ?", edit.register
    )


def _delete(history: History, edit: Edit) -> bool:
    """Delete a session or bring it back; one that is under way here waits for its end."""
    session = edit.subject
    is_deleted = history.one("SELECT 1 FROM deleted WHERE session = ?", (session,)) is not None
    if edit.value is None:
        if is_deleted:
            bring_back(history, session)
    elif state_of(history, session) in ("active", "waiting"):
        return False
    elif not is_deleted:
        row = history.one("SELECT plan FROM session WHERE id = ?", (session,))
        delete_ended(history, session, row[0] if row else "", edit.at)
        history.connection.execute("DELETE FROM plan WHERE id NOT IN (SELECT plan FROM session)")
    _is_done(history, edit)
    if edit.value is not None:
        history.connection.execute(
            "UPDATE in_force SET is_applied = 0 WHERE subject = ? AND kind != 'deleted'", (session,)
        )
    return True


def _tag(history: History, session: str, item: str, value: Any) -> None:
    history.connection.execute("DELETE FROM session_tag WHERE session = ? AND tag = ?", (session, item))
    if value is not None:
        history.connection.execute("INSERT INTO session_tag VALUES (?, ?)", (session, item))


def _note(history: History, session: str, item: str, value: Any) -> None:
    rows = history.query("SELECT number, at, text FROM session_note WHERE session = ?", (session,))
    same = [number for number, at, text in rows if shared_note_id(at, text) == item]
    if value is None:
        history.connection.executemany(
            "DELETE FROM session_note WHERE number = ?", [(each,) for each in same]
        )
    elif not same:
        history.connection.execute(
            "INSERT INTO session_note (session, at, text) VALUES (?, ?, ?)", (session, *value)
        )


def _cut(history: History, session: str, item: str, value: Any) -> None:
    connection = history.connection
    connection.execute("DELETE FROM cut WHERE session = ? AND step = ?", (session, int(item)))
    if value is not None:
        connection.execute(
            "INSERT INTO cut (session, step, first_s, last_s, reason) VALUES (?, ?, ?, ?, ?)",
            (session, int(item), *value),
        )
    step = history.one(
        "SELECT step.number FROM step JOIN session ON session.number = step.session"
        " WHERE session.id = ? AND position = ?",
        (session, int(item)),
    )
    if step is not None:
        recount(connection, step[0])


def _replaced(table: str) -> Callable[[History, str, str, Any], None]:
    """Writes the one row of a session in an owned table; None: none."""

    def replace(history: History, session: str, _item: str, value: Any) -> None:
        history.connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
        if value is not None:
            values = value if isinstance(value, list) else (value,)
            marks = ", ".join("?" * (len(values) + 1))
            history.connection.execute(f"INSERT INTO {table} VALUES ({marks})", (session, *values))

    return replace


_DO: dict[str, Callable[[History, str, str, Any], None]] = {
    "name": _replaced("session_name"),
    "tag": _tag,
    "note": _note,
    "cut": _cut,
    "imported": _replaced("imported"),
    "published": _replaced("published"),
}


# for the exchange


def last_edit_by_author(history: History) -> dict[str, int]:
    """The last edit of each author."""
    return dict(history.query("SELECT author, max(number) FROM edit GROUP BY author"))


def edits_after(history: History, author: str, number: int, most: int) -> list[Edit]:
    rows = history.query(
        f"SELECT {_COLUMNS} FROM edit WHERE author = ? AND number > ? ORDER BY number LIMIT ?",
        (author, number, most),
    )
    return [Edit(*row) for row in rows]


def kept(history: History, name: str) -> str:
    """A value of this desktop by name; '' where there is none."""
    row = history.one("SELECT value FROM team WHERE name = ?", (name,))
    return str(row[0]) if row else ""


def keep(history: History, name: str, value: object) -> None:
    history.connection.execute("INSERT OR REPLACE INTO team VALUES (?, ?)", (name, str(value)))


def last_pushed_edit(history: History) -> int:
    """The last edit of this desktop that the server has."""
    return int(kept(history, "pushed") or 0)


def become_another(history: History, number: int) -> None:
    """Give this desktop a new id, and its edits from `number` on: another one goes by the old id."""
    with history.transaction() as connection:
        old, new = desktop_id(history), new_id()
        connection.execute("UPDATE team SET value = ? WHERE name = 'author'", (new,))
        keep(history, "pushed", 0)
        connection.execute("DELETE FROM team WHERE name = 'announced'")
        for table, columns in (("edit", ""), ("in_force", ""), ("edit", "over_")):
            connection.execute(
                f"UPDATE {table} SET {columns}author = ?, {columns}number = {columns}number - ?"
                f" WHERE {columns}author = ? AND {columns}number >= ?",
                (new, number - 1, old, number),
            )


# for people


def edits_of(history: History, session: str) -> list[Edit]:
    """All edits of a session, by their clock."""
    rows = history.query(
        f"SELECT {_COLUMNS} FROM edit WHERE subject = ? ORDER BY clock, author, number", (session,)
    )
    return [Edit(*row) for row in rows]


def overruled_edits(history: History, session: str) -> list[Edit]:
    """Edits of a session that somebody's simultaneous edit has overruled."""
    return lost(edits_of(history, session))
