"""The agent's one connection to the server under test: the only home of PyMySQL."""

from __future__ import annotations

import contextlib
import socket
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from app.engines.query import QueryError as QueryError
from app.engines.server import SCHEMA

GREETING_S = 60  # the longest wait for a server to greet; statements of hours wait no longer for it
UNKNOWN_SCHEMA = 1049
REFUSED = (1045, 1130, 1251, 1524, 1698, 2059, 3118, 4151)  # how servers say that an account may not log in
NOT_OURS = "Dyno does not send this to a server that is not its own"
READ_S = 5  # a server that stalls costs the agent this long, then the figures of that second are missing


class Client:
    """A connection over the private socket, made again when it is gone."""

    def __init__(
        self,
        path: str,
        read_s: Optional[float] = READ_S,
        may_send: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.socket = path
        self.read_s = read_s
        self._may_send = may_send
        self.sent = 0  # statements
        self._connection: Any = None

    def query(self, sql: str) -> List[Dict[str, Any]]:
        """The rows of a statement, as dictionaries with the column names in lower case."""
        return _rows(self._execute(sql))

    def change(self, sql: str) -> Tuple[int, List[Dict[str, Any]]]:
        """How many rows a statement says that it has changed, and its own rows if it has any."""
        cursor = self._execute(sql)
        return int(cursor.rowcount), _rows(cursor)

    def pairs(self, sql: str) -> Dict[str, str]:
        """The rows of SHOW STATUS or SHOW VARIABLES: names in lower case."""
        return {str(row[0]).lower(): str(row[1]) for row in self._execute(sql).fetchall()}

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

    def connect_another(self) -> Callable[[], None]:
        """One more connection to the server, which does nothing; the answer closes it."""
        another = Client(self.socket, self.read_s, self._may_send)
        another.query("SELECT 1")
        return another.close

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    def abort(self) -> None:
        """End the connection under a statement that another thread waits for."""
        with contextlib.suppress(Exception):
            self._connection._sock.shutdown(socket.SHUT_RDWR)

    def _execute(self, sql: str) -> Any:
        import pymysql

        if not self._may_send(sql):
            raise QueryError(NOT_OURS, sql)
        self.sent += 1
        try:
            if self._connection is None:
                self._connection = self._connect()
            cursor = self._connection.cursor()
            cursor.execute(sql)
            return cursor
        except (pymysql.err.Error, OSError, ValueError, IndexError) as error:
            if not isinstance(error, (pymysql.err.ProgrammingError, pymysql.err.NotSupportedError)):
                self.close()
            raise QueryError(_say(error, self.read_s), sql) from None

    def _connect(self) -> Any:
        """In the schema of the session, once that is there."""
        import pymysql

        try:
            return self._connected(database=SCHEMA)
        except pymysql.err.OperationalError as error:
            if error.args[0] != UNKNOWN_SCHEMA:
                raise
        return self._connected()

    def _connected(self, **to: Any) -> Any:
        connection = _unconnected(unix_socket=self.socket, autocommit=True, read_timeout=self.read_s, **to)
        connection.connect(_reach(socket.AF_UNIX, self.socket, self.read_s))
        return connection


def _rows(cursor: Any) -> List[Dict[str, Any]]:
    names = [str(column[0]).lower() for column in cursor.description or ()]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


def accepts_without_password(address: str, port: int, user: str) -> bool:
    """Whether a server accepts a user over TCP without a password; QueryError if that cannot be told."""
    import pymysql

    connection = _unconnected(host=address, port=port, read_timeout=READ_S)
    connection.user = user.encode()  # PyMySQL takes '' for the user of the system
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        connection.connect(_reach(family, (address, port), READ_S))
    except (pymysql.err.Error, OSError, ValueError, IndexError) as error:
        if error.args and error.args[0] in REFUSED:
            return False
        raise QueryError(_say(error, READ_S), "user '{}'".format(user)) from None
    connection.close()
    return True


def _unconnected(**place: Any) -> Any:
    """A connection of root without a password, which a server of ours accepts at its private socket."""
    import pymysql

    return pymysql.connect(
        defer_connect=True, user="root", password="", charset="latin1", ssl_disabled=True, **place
    )


def _reach(family: int, address: Any, read_s: Optional[float]) -> socket.socket:
    """Connect and wait for the greeting. PyMySQL leaves its own socket open where nobody listens yet."""
    reached = socket.socket(family)
    try:
        reached.settimeout(_greeting_s(read_s))
        reached.connect(address)
        reached.recv(1, socket.MSG_PEEK)  # a server that hangs accepts, and says nothing
        reached.settimeout(None)
    except OSError:
        reached.close()
        raise
    return reached


def _greeting_s(read_s: Optional[float]) -> float:
    return min(read_s or GREETING_S, GREETING_S)


def _say(error: BaseException, read_s: Optional[float]) -> str:
    if "timed out" in str(error):
        waited_s = _greeting_s(read_s) if isinstance(error, OSError) else read_s or 0
        return "the server did not answer within {:g} s".format(waited_s)
    args: Sequence[Any] = error.args
    return "{} {}".format(*args[:2]) if len(args) > 1 else str(error)
