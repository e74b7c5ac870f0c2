"""The agent's one connection to the server under test: the only home of PyMySQL."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from app.engines.query import QueryError as QueryError
from app.engines.server import SCHEMA

from .login_plugins import refused_plugins
from .login_socket import (
    CONNECTION_FAILED,
    GREETING_S,
    MALFORMED,
    NO_PLUGIN,
    TLS_FAILED,
    LoginError,
    LoginSocket,
    harmless,
)

UNKNOWN_SCHEMA = 1049
REFUSED = (1045, 1130, 1251, 1524, 1698, 2059, 3118, 4151)  # how servers say that an account may not log in
NOT_OURS = "Dyno does not send this to a server that is not its own"
READ_S = 5  # a server that stalls costs the agent this long, then the figures of that second are missing


def _has_ended(connection: Any) -> bool:
    """Whether the other side has closed it while it rested: nothing else comes without a statement."""
    waiting = select.poll()
    waiting.register(connection._sock, select.POLLIN)
    return bool(waiting.poll(0))


def _execute_text(connection: Any, sql: str) -> Any:
    cursor = connection.cursor()
    cursor.execute(sql)
    return cursor


def _execute_prepared(connection: Any, sql: str) -> None:
    connection._execute_command(0x16, sql)
    statement, columns = struct.unpack_from("<xIH", connection._read_packet().get_all_data())
    for _ in range(columns + 1 if columns else 0):  # what they are, and the end of that
        connection._read_packet()
    connection._execute_command(0x17, struct.pack("<IBI", statement, 0, 1))
    connection._read_packet()


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

    @property
    def connection_id(self) -> int:
        """As the server counts its connections; 0 while there is none."""
        connection = self._connection
        return connection.server_thread_id[0] if connection is not None else 0

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

    def run_prepared(self, sql: str) -> None:
        """The same by the commands for prepared statements, as sysbench does; its rows are not read."""
        self._execute(sql, _execute_prepared)
        self.close()

    def connect_another(self) -> Callable[[], None]:
        """One more connection to the server, which does nothing; the answer closes it."""
        another = Client(self.socket, self.read_s, self._may_send)
        another.query("SELECT 1")
        return another.close

    def turn_to(self, path: str) -> None:
        """Another server from now on."""
        if path != self.socket:
            self.close()
            self.socket = path

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    def abort(self) -> None:
        """End the connection under a statement that another thread waits for."""
        with contextlib.suppress(Exception):
            self._connection._sock.shutdown(socket.SHUT_RDWR)

    def _execute(self, sql: str, execute: Callable[[Any, str], Any] = _execute_text) -> Any:
        import pymysql

        if not self._may_send(sql):
            raise QueryError(NOT_OURS, sql)
        self.sent += 1
        try:
            if self._connection is not None and _has_ended(self._connection):
                self.close()
            if self._connection is None:
                self._connection = self._connect()
            return execute(self._connection, sql)
        except (pymysql.err.Error, OSError, ValueError, IndexError, struct.error) as error:
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


# a server that runs already


class ServerPlace(NamedTuple):
    """Where a server is that Dyno does not start, and how to log in there."""

    host: str
    port: int
    schema: str
    user: str
    certificate: str  # SHA-256 of the one that it must show; '': no TLS
    max_queries: int = 0  # a second that it may be sent; 0: any

    @property
    def text(self) -> str:
        """As texts name it."""
        return "{} port {}".format(self.host, self.port)


class Greeting(NamedTuple):
    """What a server says first."""

    version: str
    thread_id: int
    flags: int  # of those that a client may have here
    status: int
    collation: int


class Wish(NamedTuple):
    """What a client of the relay wants of its connection."""

    flags: int = 0
    collation: int = 45  # utf8mb4_general_ci


class Entrance:
    """A connection to a server that has greeted, before anything is sent. Raises LoginError."""

    def __init__(self, place: ServerPlace, password: str) -> None:
        self._place = place
        self.answer = ""  # to a question, see `log_in`
        with _login_errors(self._place.text):
            self._socket = LoginSocket(place.host, place.port)
        with self._errors():
            self._connection = _greeted(self._socket, place, password)
            self.greeting = _greeting_of(self._connection)

    def log_in(self, wish: Wish = Wish(), question: str = "") -> Any:  # noqa: B008 - it cannot change
        """The socket (of `socket` or `ssl`), logged in; it waits for its first command, or the one after."""
        with self._errors():
            collation = _ask_for(self._connection, wish, self.greeting.flags)
            if self._place.certificate:
                _begin_tls(self._connection, self._socket, collation)
                self._socket.require_certificate(self._place.certificate)
            _show_collation(self._connection, collation)
            self._connection._request_authentication()
            self.answer = _row_text(self._connection, question) if question else ""
            return self._socket.release()

    def look(self) -> str:
        """Its certificate and TLS version, see `certificate_of`."""
        with self._errors():
            if not _has_tls(self._connection):
                return ""
            _begin_tls(self._connection, self._socket, Wish().collation)
            return "{} {}".format(self._socket.certificate(), self._socket.socket.version())

    def close(self) -> None:
        self._socket.close()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with _login_errors(self._place.text):
                yield
        except BaseException:
            self.close()
            raise


def certificate_of(host: str, port: int) -> str:
    """The SHA-256 of the certificate that a server shows, a blank and the TLS version; '' if it has no TLS.

    Sends no user and no password. Raises LoginError.
    """
    with contextlib.closing(Entrance(ServerPlace(host, port, "", "", ""), "")) as entrance:
        return entrance.look()


def _greeted(reached: LoginSocket, place: ServerPlace, password: str) -> Any:
    """A connection of PyMySQL that has read the greeting, and sent nothing."""
    import pymysql

    connection: Any = pymysql.connect(
        defer_connect=True, host=place.host, port=place.port, database=place.schema or None,
        password=password.encode(), program_name="Dyno",
    )  # fmt: skip
    connection.user = place.user  # PyMySQL takes '' for the user of the system
    connection._sock = connection._rfile = reached
    connection._next_seq_id = 0
    connection._get_server_information()
    connection._auth_plugin_name = "mysql_native_password"  # the server names that of the account
    connection._auth_plugin_map = refused_plugins(bool(password and not place.certificate))
    return connection


def _greeting_of(connection: Any) -> Greeting:
    from pymysql.constants import CLIENT

    possible = CLIENT.CAPABILITIES & ~CLIENT.CONNECT_ATTRS
    possible |= CLIENT.FOUND_ROWS | CLIENT.IGNORE_SPACE | CLIENT.INTERACTIVE | CLIENT.MULTI_STATEMENTS
    possible |= CLIENT.PS_MULTI_RESULTS
    return Greeting(
        harmless(connection.server_version),
        connection.server_thread_id[0],
        connection.server_capabilities & possible,
        connection.server_status,
        connection.server_language,
    )


def _ask_for(connection: Any, wish: Wish, possible: int) -> int:
    """Take over what a client wants to be able to; returns its collation, or one for all names."""
    from pymysql.charset import charset_by_id

    connection.client_flag |= wish.flags & possible
    names = connection.user + (connection.db or "")
    collation = wish.collation if names.isascii() else Wish().collation
    with contextlib.suppress(KeyError):
        connection.encoding = charset_by_id(collation).encoding
    return collation


def _show_collation(connection: Any, collation: int) -> None:
    """PyMySQL knows one collation of a character set: its next packet gets that of the client."""
    write, is_first = connection.write_packet, iter((True,))

    def write_with_collation(packet: bytes) -> None:
        write(packet[:8] + bytes([collation]) + packet[9:] if next(is_first, False) else packet)

    connection.write_packet = write_with_collation


def _row_text(connection: Any, sql: str) -> str:
    """The first values of a statement in one line; '' where the server refuses it."""
    import pymysql

    try:
        connection.query(sql)
    except pymysql.err.MySQLError:
        if connection._sock is None:  # it has ended
            raise
        return ""
    row = (connection._result.rows or [()])[0]
    return " ".join(harmless(str(value))[:64] for value in row[:10])


def _has_tls(connection: Any) -> bool:
    from pymysql.constants import CLIENT

    return bool(connection.server_capabilities & CLIENT.SSL)


def _begin_tls(connection: Any, reached: LoginSocket, collation: int) -> None:
    """Ask for TLS; PyMySQL would go on without it where the server has none."""
    from pymysql.constants import CLIENT

    if not _has_tls(connection):
        raise LoginError(TLS_FAILED, "the server has no TLS, and a password is not sent without")
    connection.client_flag |= CLIENT.SSL
    connection.write_packet(struct.pack("<IIB23s", connection.client_flag, 1 << 24, collation, b""))
    reached.secure()
    connection._secure = True  # it may send a password as it is


@contextlib.contextmanager
def _login_errors(at: str) -> Iterator[None]:
    """A server may say anything: whatever PyMySQL stumbles over there is a LoginError."""
    try:
        yield
    except LoginError:
        raise
    except Exception as error:
        raise _login_error(error, at) from None


def _login_error(error: Exception, at: str) -> LoginError:
    import pymysql

    if isinstance(error, pymysql.err.MySQLError) and isinstance(error.args[0], int):
        return LoginError(int(error.args[0]), str(error.args[1]))
    if isinstance(error, OSError):
        return LoginError(CONNECTION_FAILED, "cannot connect to {}: {}".format(at, error.strerror or error))
    if isinstance(error, RuntimeError):  # a library that is not here
        return LoginError(NO_PLUGIN, str(error))
    return LoginError(MALFORMED, "{} does not answer like a server: {}".format(at, error))
