"""The history file: opening, migrating, transactions. One `History` a thread, never shared."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..errors import DynoError
from .schema import MIGRATIONS, VERSION

BUSY_S = 10.0  # how long a writer waits for another


class HistoryError(DynoError):
    """The history file cannot be used, or did not take what was to be kept."""


class BusyError(HistoryError):
    """Another process has been writing for longer than anybody waits: trying again helps."""


class History:
    """A connection to `DIRECTORY/history.sqlite`, made or brought up to date where needed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / "history.sqlite"
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise HistoryError(
                f"{directory} cannot be made: {error.strerror}; name another directory in DYNO_HOME"
            ) from None
        try:
            self.connection = _connect(self.path)
        except (OSError, sqlite3.Error) as error:
            raise _told(self.path, error) from None
        try:
            migrate(self.connection, self.path)
        except sqlite3.Error as error:
            self.connection.close()
            raise _told(self.path, error) from None
        except BaseException:
            self.connection.close()
            raise

    @property
    def journals(self) -> Path:
        """The folder of the kept journals."""
        return self.directory / "journals"

    @property
    def trash(self) -> Path:
        """The folder of the journals of deleted sessions, until they are past undoing."""
        return self.directory / "trash"

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it is kept, or nothing; other writers wait."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        except (sqlite3.DatabaseError, OSError) as error:
            raise _told(self.path, error) from None

    def query(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a SELECT."""
        try:
            return self.connection.execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise _told(self.path, error) from None

    def one(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a SELECT, where there is any."""
        rows = self.query(statement, values)
        return rows[0] if rows else None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the history for several queries, whatever is written meanwhile."""
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


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, cached_statements=256)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        _write_ahead(connection)
        # a power cut may take the last transactions; their bytes are still in the journal on the target
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Readers and a writer at once. SQLite does not wait with this for others who make the same file."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > until:
                raise
        time.sleep(0.01)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the file to this version, after a copy of it as it was; refuse a newer one."""
    if _version(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)  # another process may have been faster
        if version > VERSION:
            raise HistoryError(
                f"{path}: this history is of version {version}, this Dyno reads {VERSION}: update Dyno"
            )
        if 0 < version < VERSION:
            _back_up(path, path.with_name(f"history-{version}.sqlite"))
        for number in range(version, VERSION):
            MIGRATIONS[number](connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _back_up(path: Path, copy: Path) -> None:
    """As the file is without what is being written: its writer cannot copy it while it writes."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _told(path: Path, error: Exception) -> Exception:
    """In one line what happened to the file; a statement of ours that is wrong stays a defect."""
    code = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_").split("_")[0]
    if code == "ERROR" or isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
        return error
    if code == "BUSY":
        return BusyError(f"{path}: another Dyno is writing, try again")
    return HistoryError(f"{path}: {error}: {_ADVICE.get(code, _LOOK)}")


_LOOK = "see `dyno doctor`"
_ADVICE = {
    "FULL": "free some room on its disk",
    "CORRUPT": "make it anew with `dyno doctor --rebuild`",
    "NOTADB": "make it anew with `dyno doctor --rebuild`",
}
