"""The connection to a team's server: PyMySQL, bounded in time and size."""

from __future__ import annotations

import ssl
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any

import pymysql
from pymysql.constants import CLIENT
from pymysql.protocol import MysqlPacket

from app.core.harmless import harmless

from .address import TeamDatabaseAddress
from .certificate import CertificateAcceptedError, CertificateCheckContext
from .plugin import AccountLoginPlugin
from .store import ReadOnlyAccountError, TeamError, TeamServerAwayError

SQL_MODE = "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,PIPES_AS_CONCAT"
BEGIN = ("SET time_zone = '+00:00'",)  # times are written as UTC
CONNECT_S = 10.0
ANSWER_S = 20.0  # without a byte from the server
MOST = 64 << 20  # bytes of one answer
_PASSWORD_WRONG, _HOST_WRONG, _NO_TABLE, _NO_DATABASE = 1045, 1130, 1146, 1049
_THERE = (1062, 1050)  # a row with this key, a view of this name
_DENIED = (1044, 1142, 1143, 1227, 1290, 1792, 1836)  # by grants, or the server is read-only
_AGAIN = (1205, 1213)  # somebody else was faster: a lock, or a certification of Galera
_AWAY = (1040, 1053, 1129, 1226, 1927, 3169, 4031)  # too many connections, shutdown, killed, idle
_TRIES = 5
_DAMAGED = (ValueError, struct.error, IndexError, KeyError, TypeError, AttributeError, AssertionError,
            RuntimeError, OverflowError, UnicodeError, NameError)  # fmt: skip
_NO_TLS = "it offers no TLS"


class PasswordError(TeamError):
    """The server refuses the account or its password."""


class UnverifiedCertificateError(TeamError):
    """No authority vouches for the certificate."""


class RowExistsError(TeamError):
    """A row with this key is there, or a view of this name."""


class _AgainError(TeamError):
    """Somebody else was faster."""


class _Connection(pymysql.Connection):
    """A connection whose answers are bounded, and that shows its password only where it did so before.

    It logs in only through TLS where TLS is wanted.
    """

    left = MOST
    needs_tls = True
    plugin: AccountLoginPlugin
    _auth_plugin_name = ""  # the server's default
    _is_logging_in = False

    def _read_bytes(self, num_bytes: int) -> bytes:
        self.left -= num_bytes
        if self.left < 0:
            self._force_close()  # type: ignore[attr-defined]
            raise ValueError(f"it has more than {MOST >> 20} MiB")
        found: bytes = super()._read_bytes(num_bytes)  # type: ignore[misc]
        return found

    def _request_authentication(self) -> None:
        if self.needs_tls and not self.server_capabilities & CLIENT.SSL:  # type: ignore[attr-defined]
            raise pymysql.OperationalError(0, _NO_TLS)
        self._auth_plugin_name = self.plugin.begin(self._auth_plugin_name)
        self._is_logging_in = True
        super()._request_authentication()  # type: ignore[misc]
        self._is_logging_in = False

    def _read_packet(self, packet_type: Any = MysqlPacket) -> Any:
        packet: Any = super()._read_packet(packet_type)  # type: ignore[no-untyped-call]
        if self._is_logging_in:
            self.plugin.check(packet.get_all_data())
        return packet


class TeamDatabaseConnection:
    """A connection: statements, and a few of them in one transaction."""

    def __init__(
        self,
        address: TeamDatabaseAddress,
        password: str,
        context: CertificateCheckContext | None,
        known_plugin: str = "",
    ) -> None:
        self.address = address
        self._connection = _connect(address, password, context, known_plugin)
        for statement in BEGIN:
            self.do(statement)

    @property
    def plugin(self) -> str:
        """The authentication plugin of the account."""
        return self._connection.plugin.name

    def close(self) -> None:
        if self._connection.open:  # a lost or refused connection is closed already
            self._connection.close()

    def rows(self, statement: str, *values: Any, most: int = MOST) -> Sequence[Sequence[Any]]:
        return self._run(statement, values, most)[1]

    def do(self, statement: str, *values: Any) -> int:
        return self._run(statement, values, MOST)[0]

    def _run(self, statement: str, values: Sequence[Any], most: int) -> tuple[int, Sequence[Sequence[Any]]]:
        self._connection.left = most
        try:
            with self._connection.cursor() as cursor:
                changed = cursor.execute(statement, values or None)
                return changed, cursor.fetchall()
        except (pymysql.Error, OSError, EOFError) as error:
            raise _told(self.address, error) from None
        except _DAMAGED as error:
            self.close()
            raise _unreadable(self.address, error) from None

    def together(self, work: Callable[[], None]) -> None:
        """A few rows in one transaction; again where somebody else was faster."""
        for at in range(_TRIES):
            try:
                self.do("START TRANSACTION")
                work()
                self.do("COMMIT")
                return
            except (_AgainError, RowExistsError):
                self._roll_back()
                time.sleep(0.01 * 2**at)
            except BaseException:
                self._roll_back()
                raise
        raise TeamServerAwayError(f"{self.address.place} is too busy: others write the same rows")

    def _roll_back(self) -> None:
        try:
            self.do("ROLLBACK")
        except TeamError:
            pass  # it is gone, and its transaction with it


def _connect(
    address: TeamDatabaseAddress,
    password: str,
    context: CertificateCheckContext | None,
    known_plugin: str = "",
) -> _Connection:
    connection = _Connection(
        host=address.host, port=address.port, user=address.user, password=password,
        database=address.database, charset="utf8mb4", autocommit=True, ssl=context,
        connect_timeout=CONNECT_S, read_timeout=ANSWER_S, write_timeout=ANSWER_S, binary_prefix=True,
        sql_mode=SQL_MODE, program_name="dyno", defer_connect=True,
        client_flag=CLIENT.FOUND_ROWS,
    )  # fmt: skip
    connection.needs_tls = context is not None
    connection.plugin = AccountLoginPlugin(address, known_plugin)
    try:
        connection.connect()
    except (pymysql.Error, OSError, EOFError) as error:
        raise _told(address, error) from None
    except _DAMAGED as error:
        raise _unreadable(address, error) from None
    return connection


def inspect_certificate(address: TeamDatabaseAddress, context: CertificateCheckContext) -> None:
    """Look at the certificate of a server and send nothing; raises what is wrong with it."""
    context.only_looks = True
    try:
        _connect(address, "", context)
    except CertificateAcceptedError:
        return


def _unreadable(address: TeamDatabaseAddress, error: Exception) -> TeamServerAwayError:
    return TeamServerAwayError(f"the answer of {address.place} cannot be read: {harmless(str(error), 200)}")


def _told(address: TeamDatabaseAddress, error: Exception) -> TeamError:
    """What happened, in one line."""
    original = getattr(error, "original_exception", error)
    if isinstance(original, ssl.SSLCertVerificationError):
        return UnverifiedCertificateError(harmless(original.verify_message, 200))
    code, text = error.args[:2] if len(error.args) > 1 else (0, str(error))
    if not isinstance(code, int):  # PyMySQL was not meant to be answered like that
        return _unreadable(address, error)
    text = harmless(str(text), 300)
    if code == _PASSWORD_WRONG:
        return PasswordError(f"{address.place} refuses {address.user} or the password: {text}")
    if code == _HOST_WRONG:
        return TeamError(f"{address.place} lets nobody in from this computer: {text}")
    if code in _DENIED:
        return ReadOnlyAccountError(
            f"{address.user} may not write to {address.database} of {address.place}: {text}"
        )
    if code in _THERE:
        return RowExistsError(text)
    if code in _AGAIN:
        return _AgainError(text)
    if code in (_NO_TABLE, _NO_DATABASE):
        return TeamError(f"{address.place} has no history of Dyno in {address.database}: {text}")
    if text == _NO_TLS:
        need = f"{address.place} offers no TLS: give it a certificate"
        return TeamError(
            f"{need} (--no-tls: only on this computer)",
            window_text=f"{need} (Connect without TLS: only to a server of this computer)",
        )
    if code >= 1000 and not 2000 <= code < 3000 and code not in _AWAY:
        return TeamError(f"{address.place} refuses a statement: {text}")
    return TeamServerAwayError(
        f"the server {address.place} does not answer: {getattr(original, 'strerror', None) or text}"
    )
