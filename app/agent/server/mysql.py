"""The agent's one connection to the server under test: the only home of PyMySQL."""

from __future__ import annotations

import contextlib
import socket
from typing import Any, Dict, List, Optional, Sequence

from app.engines.query import QueryError as QueryError

CONNECT_S = 5
READ_S = 5  # a server that stalls costs the agent this long, then the figures of that second are missing


class Client:
    """A connection over the private socket, made again when it is gone."""

    def __init__(self, path: str, read_s: Optional[float] = READ_S) -> None:
        self.socket = path
        self.read_s = read_s
        self._connection: Any = None

    def query(self, sql: str) -> List[Dict[str, Any]]:
        """The rows of a statement, as dictionaries with the column names in lower case."""
        rows, names = self._execute(sql)
        return [dict(zip(names, row)) for row in rows]

    def pairs(self, sql: str) -> Dict[str, str]:
        """The rows of SHOW STATUS or SHOW VARIABLES: names in lower case."""
        return {str(row[0]).lower(): str(row[1]) for row in self._execute(sql)[0]}

    def run(self, *statements: str) -> None:
        for sql in statements:
            self._execute(sql)

    def try_run(self, *statements: str) -> Optional[str]:
        """The first of several ways to say a thing that the server takes; None if it takes none."""
        for sql in statements:
            with contextlib.suppress(QueryError):
                self._execute(sql)
                return sql
        return None

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    def _execute(self, sql: str) -> Any:
        import pymysql

        try:
            if self._connection is None:
                self._connection = self._connect()
            cursor = self._connection.cursor()
            cursor.execute(sql)
            names = [str(column[0]).lower() for column in cursor.description or ()]
            return cursor.fetchall(), names
        except (pymysql.err.Error, OSError, ValueError, IndexError) as error:
            if not isinstance(error, (pymysql.err.ProgrammingError, pymysql.err.NotSupportedError)):
                self.close()
            raise QueryError("{} for {}".format(_say(error), sql)) from None

    def _connect(self) -> Any:
        import pymysql

        connection = pymysql.connect(
            defer_connect=True,
            unix_socket=self.socket,
            user="root",
            password="",  # of a server of ours, whose socket is in a directory closed to others
            charset="latin1",
            ssl_disabled=True,
            autocommit=True,
            read_timeout=self.read_s,
        )
        connection.connect(_reach(self.socket))
        return connection


def _reach(path: str) -> socket.socket:
    """PyMySQL leaves its own one open where nobody listens yet."""
    reached = socket.socket(socket.AF_UNIX)
    try:
        reached.settimeout(CONNECT_S)
        reached.connect(path)
        reached.settimeout(None)
    except OSError:
        reached.close()
        raise
    return reached


def _say(error: BaseException) -> str:
    args: Sequence[Any] = error.args
    return "{} {}".format(*args[:2]) if len(args) > 1 else str(error)
