"""Rebuilds all derived tables from the journals; what the person added stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.core.errors import InputError
from app.history.store import journals
from app.history.store.history import History, HistoryBusyError, HistoryError
from app.history.store.schema import FIRST, MIGRATIONS, OWNED_TABLES, VERSION
from app.protocol.checked import decode_json
from app.protocol.events import MAX_LINE

from .writing import JournalStorer

_OLD = "of a Dyno before 0.1.0"


@dataclass
class Rebuilt:
    """The number of rebuilt sessions, and a line for each that failed."""

    sessions: int = 0
    problems: list[str] = field(default_factory=list)


def rebuild(directory: Path) -> Rebuilt:
    """Read all kept journals again; a damaged or old file is set aside and what can be saved taken over."""
    rebuilt = Rebuilt()
    file = directory / "history.sqlite"
    fault = history_file_fault(file)
    damaged = _set_aside(file, "old" if fault == _OLD else "damaged") if fault else None
    with History(directory) as history:
        if damaged is not None:
            rebuilt.problems += [f"the history file was {fault}; it is now {damaged}"]
            rebuilt.problems += _take_over(history, damaged)
        _replay_all(history, rebuilt)
        known = [session for (session,) in history.connection.execute("SELECT id FROM session")]
        rebuilt.problems += [
            f"session {session} has no journal here: not rebuilt"
            for session in known
            if not journals.path_of(history.journals, session).exists()
        ]
        if damaged is not None:
            rebuilt.problems += [
                f"session {session} has no journal here: only {damaged} has what is left of it"
                for session in sorted(_sessions_of(damaged).difference(known))
                if not JournalStorer(history).is_deleted(session)
            ]
    return rebuilt


def _replay_all(history: History, rebuilt: Rebuilt) -> None:
    plans = dict(history.connection.execute("SELECT session, plan FROM journal"))
    writer = JournalStorer(history)
    for path in sorted(history.journals.glob("*.jsonl")):
        if writer.is_deleted(path.stem):
            rebuilt.problems.append(f"{path}: deleted; to restore it: dyno session undelete {path.stem}")
        else:
            _replay(history, writer, path, plans, rebuilt)
    with history.transaction() as connection:
        connection.execute("DELETE FROM plan WHERE id NOT IN (SELECT plan FROM session)")


def _replay(
    history: History, writer: JournalStorer, path: Path, plans: dict[str, str], rebuilt: Rebuilt
) -> None:
    """Replay one journal; what cannot be read is reported and stays in its file."""
    try:
        plan = _plan_of(path)
        with history.transaction() as connection:
            before = writer.seq(path.stem)
            connection.execute("SAVEPOINT before")
            writer.replay(plans.get(path.stem) or plan, path.stem)
            problem = _unread(writer, path)
            if before and not writer.seq(path.stem):
                connection.execute("ROLLBACK TO before")
                problem = f"{problem}; the stored session is unchanged"
            else:
                rebuilt.sessions += bool(writer.seq(path.stem))
    except (InputError, OSError) as error:
        problem = str(error)
    if problem:
        rebuilt.problems.append(f"{path}: {problem}")


def _unread(writer: JournalStorer, path: Path) -> str:
    """Why part of a journal was not read; its bytes stay."""
    refusal, read, size = writer.refusal(path.stem), writer.offset(path.stem), journals.size_of(path)
    if refusal:
        return f"{refusal}; its {size:,} bytes stay in the file"
    if not size:
        return "is empty"
    if read < size:
        return f"its last line is incomplete; {size - read:,} of its {size:,} bytes stay unread in the file"
    return ""


def _plan_of(path: Path) -> str:
    """The plan id in its first event; empty if it cannot be read."""
    with path.open("rb") as file:
        try:
            return str(decode_json(file.readline(MAX_LINE))["plan"]["id"])
        except (ValueError, KeyError, TypeError):
            return ""


def _sessions_of(path: Path) -> set[str]:
    """The ids in a history file, as far as they can be read."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return {session for (session,) in connection.execute("SELECT id FROM session")}
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return set()


def _set_aside(path: Path, state: str) -> Path:
    """Move a history file away; returns its new path."""
    number = 1
    while (damaged := path.with_name(f"history-{state}-{number}.sqlite")).exists():
        number += 1
    for ending in ("-wal", "-shm", ""):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(damaged.with_name(damaged.name + ending))
    return damaged


def history_file_fault(path: Path) -> str:
    """What is wrong with a history file; '' if it is sound and lacks no table, or is not there."""
    if not path.exists():
        return ""
    try:
        with closing(sqlite3.connect(path)) as connection:
            if connection.execute("PRAGMA quick_check").fetchone()[0] != "ok":
                return "damaged"
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if 0 < version < FIRST:
                return _OLD
            lost = _lost_of(connection, version)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise HistoryBusyError(f"{path}: another process has locked it, try again") from None
        return "damaged"
    names = ", ".join(lost[:3]) + ", ..." * (len(lost) > 3)
    return f"damaged, it lacks {names}" if lost else ""


def _lost_of(connection: sqlite3.Connection, version: int) -> list[str]:
    """The tables and indexes that a history file of its version has, and this one has not."""
    with closing(sqlite3.connect(":memory:")) as whole:
        for number, migration in MIGRATIONS.items():
            if number <= version <= VERSION:  # a newer one is refused later
                whole.executescript(migration)
        lost = sorted(_parts_in(whole) - _parts_in(connection))
    return [each for each in lost if each.startswith("table")] or lost  # an index goes with its table


def _parts_in(connection: sqlite3.Connection) -> set[str]:
    """`table step`, `index session_by_time`."""
    found = connection.execute("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL")
    return {f"{kind} {name}" for kind, name in found}


def unstored_journals(directory: Path) -> list[Path]:
    """The journals that a history file knows nothing of, such as after somebody emptied it."""
    path = directory / "history.sqlite"
    known: set[str] = set()
    with (
        suppress(sqlite3.DatabaseError),
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as read,
    ):
        known = {session for (session,) in read.execute("SELECT session FROM journal")}
    return [each for each in sorted((directory / "journals").glob("*.jsonl")) if each.stem not in known]


def _take_over(history: History, damaged: Path) -> list[str]:
    """Copy the owned tables of a damaged file, as far as they can be read."""
    try:
        history.connection.execute("ATTACH ? AS damaged", (str(damaged),))
    except (sqlite3.DatabaseError, HistoryError, UnicodeDecodeError) as error:
        return [f"the damaged history could not be read at all: {error}"]
    problems = []
    for table in OWNED_TABLES:
        try:
            if _has_table(history, table):
                history.connection.execute(
                    f"INSERT OR IGNORE INTO main.{table} SELECT * FROM damaged.{table}"  # noqa: S608
                )
        except (sqlite3.DatabaseError, HistoryError, UnicodeDecodeError) as error:
            problems.append(f"table {table} of the damaged history could not be read: {error}")
    history.connection.execute("DETACH damaged")
    return problems


def _has_table(history: History, table: str) -> bool:
    """Whether the file has a table; older versions lack some."""
    found = history.connection.execute("SELECT 1 FROM damaged.sqlite_master WHERE name = ?", (table,))
    return found.fetchone() is not None
