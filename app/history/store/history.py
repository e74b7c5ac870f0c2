"""The history file: opening, migrating, transactions. One `History` a thread, never shared."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from app.core.errors import DynoError

from .damage import CHECK, REBUILD, with_advice
from .schema import DERIVED_TABLES, FIRST, MIGRATIONS, OWNED_TABLES, VERSION

BUSY_S = 10.0  # how long a writer waits for another


class HistoryError(DynoError):
    """The history file cannot be used or written."""


class HistoryBusyError(HistoryError):
    """Another process has been writing for too long: try again."""


def _telling(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method: damage of the file becomes an error of one line."""

    def checked(cursor: sqlite3.Cursor, *arguments: Any) -> Any:
        try:
            return method(cursor, *arguments)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            path = getattr(cursor.connection, "path", None)
            raise error if path is None else _told(path, error) from None

    return checked


class _Cursor(sqlite3.Cursor):
    execute = _telling(sqlite3.Cursor.execute)
    executemany = _telling(sqlite3.Cursor.executemany)
    fetchone = _telling(sqlite3.Cursor.fetchone)
    fetchall = _telling(sqlite3.Cursor.fetchall)
    __next__ = _telling(sqlite3.Cursor.__next__)


class _Connection(sqlite3.Connection):
    path: Path | None = None  # once it is open

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        cursor: sqlite3.Cursor = self.cursor(_Cursor).execute(*arguments)
        return cursor

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        cursor: sqlite3.Cursor = self.cursor(_Cursor).executemany(*arguments)
        return cursor


class History:
    """A connection to `DIRECTORY/history.sqlite`, which is created or migrated if necessary."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / "history.sqlite"
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise HistoryError(
                f"cannot create {directory}: {error.strerror}; set DYNO_HOME to another directory"
            ) from None
        try:
            self.connection = _connect(self.path)
        except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
            raise _told(self.path, error) from None
        try:
            self._migrate()
        except BaseException:
            self.connection.close()
            raise

    def _migrate(self) -> None:
        """Bring the file to this version; refuse a newer one, and those before the first."""
        if self._version() == VERSION:
            return
        with self.transaction() as connection:
            version = self._version()  # another process may have been faster
            if version > VERSION:
                raise HistoryError(
                    f"{self.path} has version {version}, this Dyno reads up to {VERSION}: update Dyno"
                )
            if 0 < version < FIRST:
                raise with_advice(HistoryError, f"{self.path} is of a Dyno before 0.1.0", REBUILD)
            if 0 < version < VERSION:
                _back_up(self.path, self.path.with_name(f"history-{version}.sqlite"))
            for number, migration in MIGRATIONS.items():
                for statement in migration.split(";\n") if number > version else ():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def _version(self) -> int:
        row = self.one("PRAGMA user_version")
        return int(row[0]) if row else 0

    @property
    def journals(self) -> Path:
        """The folder of the kept journals."""
        return self.directory / "journals"

    @property
    def trash(self) -> Path:
        """The folder of the journals of deleted sessions, until they are deleted for good."""
        return self.directory / "trash"

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction; other writers wait."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        except OSError as error:
            raise _told(self.path, error) from None

    def query(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a SELECT."""
        return self.connection.execute(statement, values).fetchall()

    def one(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a SELECT, or None."""
        rows = self.query(statement, values)
        return rows[0] if rows else None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Several queries on one state of the history, whatever is written meanwhile."""
        self.connection.execute("BEGIN")
        try:
            yield self.connection
        finally:
            self.connection.execute("COMMIT")

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _make_private(path: Path) -> None:
    """Make the file private; SQLite gives the files next to it the same mode."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    if path.stat().st_mode & 0o077:
        with suppress(PermissionError):  # it belongs to another user, who keeps its mode
            path.chmod(0o600)


def _connect(path: Path) -> sqlite3.Connection:
    _make_private(path)
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, cached_statements=256, factory=_Connection
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        _write_ahead(connection)
        # a power cut may take the last transactions; their bytes are still in the journal on the target
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    connection.path = path
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to WAL, which allows readers and a writer; SQLite does not wait for others here."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > until:
                raise
        time.sleep(0.01)


def _back_up(path: Path, copy: Path) -> None:
    """Copy the owned tables; `dyno doctor --rebuild` restores the rest from the journals.

    By a connection of its own: its writer cannot copy a file while it writes.
    """
    copy.unlink(missing_ok=True)
    _make_private(copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as kept:
        kept.execute("PRAGMA journal_mode = MEMORY")  # half a copy is made again, never completed
        kept.execute("ATTACH ? AS history", (str(path),))
        kept.execute("BEGIN")
        tables = kept.execute("SELECT type, name, sql FROM history.sqlite_master WHERE sql IS NOT NULL")
        for kind, name, statement in tables.fetchall():
            kept.execute(statement)
            if kind == "table" and name in OWNED_TABLES:
                kept.execute(f"INSERT INTO main.{name} SELECT * FROM history.{name}")  # noqa: S608
        kept.execute(f"PRAGMA user_version = {kept.execute('PRAGMA history.user_version').fetchone()[0]}")
        kept.execute("COMMIT")


def _told(path: Path, error: Exception) -> Exception:
    """What happened to the file, in one line; a wrong statement of ours stays a defect."""
    code = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_").split("_")[0]
    lost = str(error).removeprefix("no such table: ").removeprefix("main.")
    if code == "ERROR" and lost in (*OWNED_TABLES, *DERIVED_TABLES):
        return with_advice(HistoryError, f"{path} lacks the table {lost}", REBUILD)
    if code == "ERROR" or isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
        return error
    if isinstance(error, UnicodeDecodeError):  # in what SQLite itself says of a damaged file
        return with_advice(HistoryError, f"{path} is damaged", REBUILD)
    if code == "BUSY":
        return HistoryBusyError(f"{path}: another process is writing to it, try again")
    return with_advice(HistoryError, f"{path}: {error}", _ADVICE.get(code, CHECK))


_ADVICE = {
    "FULL": "free some space on its disk",
    "CORRUPT": REBUILD,
    "NOTADB": REBUILD,
    "": REBUILD,  # a text that is not UTF-8
}
