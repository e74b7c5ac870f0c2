"""The operation ddl: one statement on one table of the plan, while its roles go on.

Dyno finds the algorithm by what the server did, not by what it was asked for: a copy of the table changes
each of its rows; a table that is rebuilt in place has another file; else only its definition changes.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, Dict, List, Optional

from app.agent.server.mysql import Client, QueryError
from app.agent.system.errors import AgentError
from app.engines.server import SCHEMA
from app.protocol.ddl import COLUMN, INDEX, OPTIMIZE, read_ddl
from app.protocol.plan import Step

from .facts import tables_of
from .operation import COUNT_ROWS, GONE_S, BackgroundWork, LongOperation, first_line, quoted_tables
from .running import RunningSession

USUAL = "sbtest1"  # the table that is changed, if there is one of this name
READ_S = 3600.0  # for a count of rows, and for putting the table back
_FIND = (
    "SELECT 1 AS n FROM information_schema.{} WHERE table_schema = DATABASE() AND table_name = '{}'"
    " AND {}_name = '{}' LIMIT 1"
)
_IS_THERE = "{} has the {} {} already: choose another name"
_STATE = "SELECT state FROM information_schema.PROCESSLIST WHERE id = {}"
_OTHER_ROWS = "the table has {:,} rows after the ddl, and {:,} before it"
_STAYS = "what the ddl added to {} could not be dropped, later steps have it: {}"
_LOCKED = "a metadata lock of {} was still held after the ddl: {}"


class DdlOperation(LongOperation):
    """Sends the statement, on a connection of its own."""

    def __init__(self, session: RunningSession, step: Step, answered: Callable[[], bytes]) -> None:
        super().__init__(session, step, answered)
        self._alters = Client(session.server.socket, read_s=None)
        self._id = 0  # of its connection
        self._table = self._name = ""  # as statements name it, and as its files do
        self._rows_before = self._changed_rows = 0
        self._files: List[int] = []  # inodes, before it
        self._algorithm = ""
        self._sizes: Dict[str, Optional[float]] = {"size_before": None, "size_after": None}

    def prepare(self) -> None:
        try:
            self._ddl = read_ddl(self._step.statement, self._step.algorithm)
        except ValueError as error:
            raise AgentError("the statement of the ddl {}".format(error)) from None
        names = tables_of(self._server.client)
        if not names:
            raise AgentError("there is no table that a ddl could change")
        self._name = USUAL if USUAL in names else names[0]
        (self._table,) = quoted_tables([self._name])
        if self._is_there(self._server.client):
            raise AgentError(_IS_THERE.format(self._name, self._ddl.form, self._ddl.name))
        self._rows_before = self._rows()
        self._id = int(self._alters.query("SELECT CONNECTION_ID() AS id")[0]["id"])
        self._files = self._inodes()

    def carry_out(self) -> None:
        self._sizes["size_before"] = self.size()
        self._begin_now()
        self._follow(BackgroundWork(self._alter))
        if self.seconds is not None:
            self._algorithm = self._taken()
            self._sizes["size_after"] = self.size()

    def _alter(self) -> None:
        self._changed_rows, said = self._alters.change(self._ddl.on(self._table))
        for row in said:
            if str(row.get("msg_type", "")).lower() == "error":
                raise AgentError(str(row.get("msg_text", "")))

    def _taken(self) -> str:
        """The algorithm; '' where what the server did does not tell it."""
        if self._ddl.form == OPTIMIZE:
            return ""  # it says nothing of rows
        if self._changed_rows > 0:
            return "COPY"
        if self._ddl.form != COLUMN:
            return "INPLACE" if self._rows_before else ""
        files = self._inodes()
        if not files or not self._rows_before:
            return ""
        return "INSTANT" if files == self._files else "INPLACE"

    def _inodes(self) -> List[int]:
        """Of the files of the table, without its definition."""
        found = []
        with contextlib.suppress(OSError), os.scandir(os.path.join(self._server.data, SCHEMA)) as entries:
            for entry in entries:
                stem, _, ending = entry.name.partition(".")
                if stem == self._name and ending != "frm":
                    found.append(entry.inode())
        return sorted(found)

    def interrupt(self) -> None:
        self._client.try_run("KILL {}".format(self._id))

    def waits_text(self) -> str:
        with contextlib.suppress(QueryError, IndexError):
            state = str(self._client.query(_STATE.format(self._id))[0]["state"] or "")
            return " in its state {!r}".format(state[:100]) if state else ""
        return ""

    def error_text(self, error: Exception) -> str:
        return "the server refused the ddl: {}".format(first_line(error))

    def result(self) -> Dict[str, Any]:
        return {**super().result(), "algorithm": self._algorithm, **self._sizes}

    # after its clients have ended

    def check(self) -> str:
        if not self.rows_stay:
            return ""
        after = self._rows()
        return "" if after == self._rows_before else _OTHER_ROWS.format(after, self._rows_before)

    def clean(self) -> None:
        """Take away what the statement has added; its lock proves that nobody else has one."""
        self._alters.close()
        if not self._id:
            return
        client = Client(self._server.socket, READ_S)
        try:
            client.run("SET SESSION lock_wait_timeout = {:.0f}".format(GONE_S))
            client.run("LOCK TABLES {} WRITE".format(self._table), "UNLOCK TABLES")
        except QueryError as error:
            self.problem = self.problem or _LOCKED.format(self._name, first_line(error))
        try:
            if self._is_there(client):
                client.run(self._ddl.undone_on(self._table))
        except QueryError as error:
            self.problem = self.problem or _STAYS.format(self._name, first_line(error))
        finally:
            client.close()

    def _is_there(self, client: Client) -> bool:
        ddl = self._ddl
        if ddl.form not in (COLUMN, INDEX):
            return False
        part = "COLUMNS" if ddl.form == COLUMN else "STATISTICS"
        return bool(client.query(_FIND.format(part, self._name, ddl.form, ddl.name)))

    def _rows(self) -> int:
        client = Client(self._server.socket, READ_S)
        try:
            return int(client.query(COUNT_ROWS.format(self._table))[0]["n"])
        finally:
            client.close()
