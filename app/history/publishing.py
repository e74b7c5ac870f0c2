"""Taking in what others have published: kept as journals, and marked with where it comes from."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

from ..published import PublishedSession, PublishedTable, journal_of, read_table
from ..shipped import shipped_folder
from . import journals
from .history import History
from .importing import Imported
from .writing import Writer


def import_table(history: History, file: Path) -> list[Imported]:
    """The sessions of a table, all or none; those that are there already stay as they are."""
    table = read_table(file)
    history.journals.mkdir(mode=0o700, exist_ok=True)
    with history.transaction():
        return [_keep(history, table, session, file) for session in table.sessions]


def import_shipped(history: History) -> list[Imported]:
    """The published results that come with Dyno."""
    folder = shipped_folder("resources") / "published"
    return [each for file in sorted(folder.glob("*.csv")) for each in import_table(history, file)]


def _keep(history: History, table: PublishedTable, session: PublishedSession, file: Path) -> Imported:
    id_, plan, raw = journal_of(table, session)
    path = journals.path_of(history.journals, id_)
    if history.one("SELECT 1 FROM session WHERE id = ?", (id_,)):
        return Imported(id_, new=False)
    part = path.with_name(f".{id_}.{os.getpid()}.import")
    try:
        part.write_bytes(raw)
        Writer(history).take_in(plan, id_, part)
        history.connection.execute("DELETE FROM deleted WHERE session = ?", (id_,))
        _mark(history, id_, table, file, hashlib.sha256(raw).hexdigest())
        part.rename(path)
        journals.path_of(history.trash, id_).unlink(missing_ok=True)
    finally:
        part.unlink(missing_ok=True)
    return Imported(id_, new=True)


def _mark(history: History, session: str, table: PublishedTable, file: Path, sha256: str) -> None:
    history.connection.execute(
        "INSERT INTO published VALUES (?, ?, ?)", (session, file.name, json.dumps(table.source))
    )
    history.connection.execute(
        "INSERT INTO imported (session, at, source, sha256) VALUES (?, ?, ?, ?)",
        (session, time.time(), file.name, sha256),
    )
