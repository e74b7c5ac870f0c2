"""Stores imported and published sessions: each gets a journal, and a note of its source."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from app.core.private import write_private
from app.core.shipped import shipped_folder
from app.history.recorded.writing import JournalStorer
from app.history.store import journals
from app.history.store.history import History
from app.imported.session import ForeignSession, ImportedJournal, foreign_journal_of
from app.imported.table import read_foreign_sessions

from .importing import Imported, mark_imported


def import_foreign(history: History, found: Sequence[ForeignSession], file: Path) -> list[Imported]:
    """Import all of them or none; existing ones stay as they are."""
    history.journals.mkdir(mode=0o700, exist_ok=True)
    with history.transaction():
        return [_keep(history, session, foreign_journal_of(session), file.name) for session in found]


def import_shipped(history: History) -> list[Imported]:
    """The published results that come with Dyno."""
    files = sorted((shipped_folder("resources") / "published").glob("*.csv"))
    return [each for file in files for each in import_foreign(history, read_foreign_sessions(file), file)]


def _keep(history: History, session: ForeignSession, journal: ImportedJournal, source: str) -> Imported:
    id_ = journal.session
    if history.one("SELECT 1 FROM session WHERE id = ?", (id_,)):
        return Imported(id_, new=False)
    path = journals.path_of(history.journals, id_)
    part = path.with_name(f".{id_}.{os.getpid()}.import")
    try:
        write_private(part, journal.raw)
        JournalStorer(history).store_journal(journal.plan, id_, part)
        history.connection.execute("DELETE FROM deleted WHERE session = ?", (id_,))
        _mark(history, session, journal, source)
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
    journals.path_of(history.trash, id_).unlink(missing_ok=True)
    return Imported(id_, new=True)


def _mark(history: History, session: ForeignSession, journal: ImportedJournal, source: str) -> None:
    sha256 = hashlib.sha256(journal.raw).hexdigest()
    mark_imported(history, journal.session, source, sha256)
    if session.source:
        history.connection.execute(
            "INSERT INTO published VALUES (?, ?, ?)",
            (journal.session, source, json.dumps(dict(session.source))),
        )
