"""Imports any file: an exported session, a published table, sysbench output; a folder of such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import InputError
from app.history.store.history import History
from app.imported.outputs import read_output, read_output_folder
from app.imported.sysbench import is_sysbench_output
from app.imported.table import read_foreign_sessions

from .importing import Imported, import_session
from .publishing import import_foreign


@dataclass(frozen=True)
class FileImportResult:
    """The imported sessions of a file, and a line for each part that could not be read."""

    sessions: list[Imported]
    problems: tuple[str, ...] = ()


def import_any(history: History, file: Path) -> FileImportResult:
    """Import a file; raises InputError if nothing in it can be imported."""
    if file.is_dir() and (exports := sorted(file.glob("*.dyno.zip"))):
        return _import_exports(history, exports)
    if file.is_dir():
        found = read_output_folder(file)
        return FileImportResult(import_foreign(history, [found.session], file), tuple(found.problems))
    if file.suffix.lower() == ".csv":
        return FileImportResult(import_foreign(history, read_foreign_sessions(file), file))
    if is_sysbench_output(file):
        return FileImportResult(import_foreign(history, [read_output(file)], file))
    return FileImportResult([import_session(history, file)])


def _import_exports(history: History, files: Sequence[Path]) -> FileImportResult:
    """All that can be read of them; raises InputError if none can."""
    taken, problems = [], []
    for file in files:
        try:
            taken.append(import_session(history, file))
        except InputError as error:
            problems.append(str(error))
    if not taken:
        raise InputError(problems[0])
    return FileImportResult(taken, tuple(problems))
