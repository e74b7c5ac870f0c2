"""Files that can be taken in, told apart by their names: an exported session, a published table."""

from __future__ import annotations

from pathlib import Path

from .history import History
from .importing import Imported, import_session
from .publishing import import_table


def take_in(history: History, file: Path) -> list[Imported]:
    """The sessions of a file; raises InputError where it is not what its name says."""
    if file.suffix.lower() == ".csv":
        return import_table(history, file)
    return [import_session(history, file)]
