"""A team's store on a MySQL or MariaDB server: its statements."""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import astuple, fields
from typing import Any

from app.core.harmless import harmless
from app.core.ids import new_id

from . import answers, schema
from .address import TeamDatabaseAddress
from .certificate import CertificateCheckContext
from .connection import RowExistsError, TeamDatabaseConnection
from .edits import Edit
from .listing import TeamSessionLists
from .store import (
    PAGE,
    ROW,
    Announced,
    AuthorTakenError,
    JournalRow,
    ReadOnlyAccountError,
    TeamError,
    TeamSessionLine,
)

_EDIT = ", ".join(field.name for field in fields(Edit))
_ANNOUNCED = "id, plan, author, announced, person, size, unlocked_offset"


class TeamServerStore:
    """The store of a team, on a server."""

    def __init__(
        self,
        address: TeamDatabaseAddress,
        password: str,
        context: CertificateCheckContext | None,
        known_plugin: str = "",
    ) -> None:
        self._address = address
        self._connection = TeamDatabaseConnection(address, password, context, known_plugin)
        self._identity = ""

    @property
    def plugin(self) -> str:
        """The authentication plugin of the account."""
        return self._connection.plugin

    @property
    def lists(self) -> TeamSessionLists:
        """Its sessions as lists, page by page."""
        return TeamSessionLists(self._connection)

    def close(self) -> None:
        self._connection.close()

    # of the store

    def identity(self) -> str:
        self._identity = self._identity or self._read_identity()
        return self._identity

    def _about(self) -> dict[str, Any]:
        return {str(name): value for name, value in self._connection.rows("SELECT name, value FROM about")}

    def _read_identity(self) -> str:
        about = self._about()
        version = str(about.get("version", ""))
        if not version.isdigit() or "identity" not in about:
            problem = f"{self._where()} has no history of Dyno"
            raise TeamError(
                f"{problem}: create it by `dyno history use`", window_text=f"{problem}: choose Share again"
            )
        if int(version) > schema.VERSION:
            raise TeamError(
                f"{self._where()} has version {version:.9}, this Dyno reads {schema.VERSION}: update Dyno"
            )
        return answers.checked_text(about["identity"], 64)

    def identity_if_any(self) -> str:
        """The identity of the history there; '' if none is complete. Raises TeamError for foreign tables."""
        columns = self._connection.rows(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()"
        )
        names = {str(table) for table, _ in columns}
        has_about = {str(column) for table, column in columns if table == "about"} == {"name", "value"}
        about = self._about() if has_about else {}
        if "identity" in about:
            return self.identity()
        is_begun = has_about and about.keys() <= {"version"}  # its creation was interrupted
        strange = sorted(names - schema.NAMES if is_begun else names)
        if strange:
            shown = harmless(", ".join(strange[:3]), 200) + ", ..." * (len(strange) > 3)
            raise TeamError(
                f"{self._where()} has tables of others ({shown}): nothing was changed; name an empty database"
            )
        return ""

    def create(self) -> None:
        """Create the tables that are missing; whoever may only read finds them there."""
        try:
            for statement in schema.STATEMENTS:
                with suppress(RowExistsError):
                    self._connection.do(statement)
            for name, value in (("version", str(schema.VERSION)), ("identity", new_id())):
                self._connection.do("INSERT IGNORE INTO about VALUES (%s, %s)", name, value)
        except ReadOnlyAccountError:
            try:
                self.identity()
            except TeamError:
                raise TeamError(
                    f"{self._where()} has no history of Dyno yet, and {self._address.user} may not"
                    " create it: ask an account with CREATE to use it first"
                ) from None

    def edit_numbers(self) -> dict[str, int]:
        return answers.last_edit_numbers(
            self._connection.rows("SELECT author, max(number) FROM edit GROUP BY author")
        )

    def edits(self, author: str, after: int) -> list[Edit]:
        rows = self._connection.rows(
            f"SELECT {_EDIT} FROM edit WHERE author = %s AND number > %s ORDER BY number LIMIT {PAGE}",
            author, after,
        )  # fmt: skip
        return answers.checked(answers.edit_from_row, rows)

    def add_edit(self, edit: Edit) -> None:
        self._connection.together(lambda: self._add_edit(edit))

    def _add_edit(self, edit: Edit) -> None:
        marks = ", ".join(["%s"] * len(fields(Edit)))
        try:
            self._connection.do(f"INSERT INTO edit ({_EDIT}) VALUES ({marks})", *astuple(edit))
        except RowExistsError:
            if self.edits(edit.author, edit.number - 1)[:1] != [edit]:
                raise AuthorTakenError(
                    f"edit {edit.number} of {edit.author} is another one on the server"
                ) from None
        found = (edit.clock, *edit.id, edit.value)
        if not self._connection.do(
            "INSERT IGNORE INTO in_force (kind, subject, item, clock, author, number, value)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)",
            edit.kind, edit.subject, edit.item, *found,
        ):  # fmt: skip
            self._connection.do(
                "UPDATE in_force SET clock = %s, author = %s, number = %s, value = %s"
                " WHERE kind = %s AND subject = %s AND item = %s AND (clock, author, number) < (%s, %s, %s)",
                *found, edit.kind, edit.subject, edit.item, *edit.rank,
            )  # fmt: skip
        if edit.kind == "deleted":
            self._mark_deleted(edit.subject)

    def _mark_deleted(self, session: str) -> None:
        """Say in the line of a session whether it is deleted, so that lists need not look it up."""
        self._connection.do(
            "UPDATE line SET is_deleted = EXISTS (SELECT 1 FROM in_force WHERE kind = 'deleted'"
            " AND subject = %s AND value IS NOT NULL) WHERE id = %s",
            session, session,
        )  # fmt: skip

    def session_numbers(self) -> dict[str, int]:
        return answers.last_edit_numbers(
            self._connection.rows("SELECT author, max(announced) FROM line GROUP BY author")
        )

    def sessions(self, author: str, after: int) -> list[Announced]:
        rows = self._connection.rows(
            f"SELECT {_ANNOUNCED} FROM line WHERE author = %s AND announced > %s"
            f" ORDER BY announced LIMIT {PAGE}",
            author, after,
        )  # fmt: skip
        return answers.checked(answers.announcement_from_row, rows)

    def session(self, session: str) -> Announced | None:
        rows = self._connection.rows(f"SELECT {_ANNOUNCED} FROM line WHERE id = %s", session)
        return next(iter(answers.checked(answers.announcement_from_row, rows)), None)

    def rows(self, session: str, offset: int) -> list[JournalRow]:
        rows = self._connection.rows(
            "SELECT `offset`, size, chain FROM piece WHERE session = %s AND `offset` >= %s"
            f" ORDER BY `offset` LIMIT {PAGE}",
            session, offset,
        )  # fmt: skip
        return answers.checked(answers.checked_journal_row, rows)

    def content(self, session: str, row: JournalRow) -> bytes:
        rows = self._connection.rows(
            "SELECT content FROM piece WHERE session = %s AND `offset` = %s", session, row.offset,
            most=2 * ROW,
        )  # fmt: skip
        return answers.checked(unpacked, rows or [("",)])[0]

    def add_row(self, session: str, row: JournalRow, content: bytes) -> bool:
        try:
            self._connection.do(
                "INSERT INTO piece (session, `offset`, size, chain, content) VALUES (%s, %s, %s, %s, %s)",
                session, row.offset, row.size, row.chain, zlib.compress(content),
            )  # fmt: skip
        except RowExistsError:
            return False
        return True

    def announce(self, session: Announced, line: TeamSessionLine) -> None:
        if line.headlines or not self._update(session, line):
            self._connection.together(lambda: self._announce(session, line))

    def _announce(self, session: Announced, line: TeamSessionLine) -> None:
        if not self._update(session, line):
            self._insert(session, line)
        for group, *figures in line.headlines:
            self._connection.do(
                "INSERT INTO headline VALUES (%s, %s, %s, %s, %s)"
                " ON DUPLICATE KEY UPDATE qps = %s, n = %s, steps = %s",
                session.session, group[: schema.LONGEST], *figures, *figures,
            )  # fmt: skip

    def _update(self, session: Announced, line: TeamSessionLine) -> int:
        named, values = _named(session, line)
        return self._connection.do(f"UPDATE line SET {named} WHERE id = %s", *values, session.session)

    def _insert(self, session: Announced, line: TeamSessionLine) -> None:
        named, values = _named(session, line)
        self._connection.do(
            f"INSERT INTO line SET id = %s, person = %s, {named}", session.session, session.person, *values
        )
        self._mark_deleted(session.session)
        self._connection.do(
            "INSERT IGNORE INTO plan VALUES (%s, %s, %s)", session.plan, line.plan_hash, line.plan
        )

    def _where(self) -> str:
        return f"the database {self._address.database} of {self._address.place}"


def unpacked(content: Any) -> bytes:
    """The bytes of a row, never more than a row may have."""
    if type(content) is not bytes:
        raise ValueError("a row of a journal is missing")
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(content, ROW + 1)
    except zlib.error as error:
        raise ValueError(f"a row of a journal is damaged: {error}") from None
    if len(raw) > ROW or not unpacker.eof:
        raise ValueError("a row of a journal is damaged or too long")
    return raw


def _named(session: Announced, line: TeamSessionLine) -> tuple[str, list[Any]]:
    """The columns of a line, and their values."""
    columns = {
        "plan": session.plan, "author": session.author, "announced": session.number, "size": session.size,
        "unlocked_offset": session.unlocked_offset,
        **{name: _short(value) for name, value in line.columns.items()},
        "began_at": line.columns["started_at"] or line.columns["planned_at"],
    }  # fmt: skip
    return ", ".join(f"`{name}` = %s" for name in columns), list(columns.values())


def _short(value: Any) -> Any:
    """A text of a list, as long as its column."""
    return value[: schema.LONGEST] if isinstance(value, str) else value
