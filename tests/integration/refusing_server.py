"""A proxy of the tests before a real MariaDB, which refuses what other servers and proxies refuse.

It reads the commands of clients in plain text, answers some by an error, and sends another statement in place
of some others. It has their names, and is none of them:

TIDB: from its documentation (*MySQL Compatibility*) are that it has no stored procedures, functions, triggers
and events, that tables of the Performance Schema are empty, and that EXPLAIN has other columns. That ANALYZE
TABLE and SHOW ENGINE INNODB STATUS have no rows, tables no size and SHOW STATUS few names, is assumed.

VITESS: from its documentation (*MySQL Compatibility*) is that stored procedures are limited to keyspaces of
one shard. That errors begin with VT12001, and that LOCK TABLES, temporary tables and ANALYZE are refused, is
assumed.

DDM: from the documentation of this proxy of Huawei (*Unsupported Items*) are SHOW WARNINGS, ANALYZE TABLE,
triggers, temporary tables and foreign keys. The number and the text of the error are assumed.

UNPREPARED, NO_HINTS: what a proxy may answer that reads SQL; all of it is assumed.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from app.agent.existing.packets import HEADER, error_packet

QUERY, PREPARE = 0x03, 0x16
Error = tuple[int, str]


@dataclass(frozen=True)
class Refusing:
    """What is refused, by how a statement looks; and what is sent instead of another one."""

    errors: dict[str, Error] = field(default_factory=dict)
    prepared: Error | None = None
    instead: dict[str, str] = field(default_factory=dict)

    def answer(self, command: int, sql: str) -> Error | None:
        if command == PREPARE and self.prepared:
            return self.prepared
        return next((each for form, each in self.errors.items() if _fits(form, sql)), None)

    def sent(self, sql: str) -> str:
        return next((other for form, other in self.instead.items() if _fits(form, sql)), sql)


def _fits(form: str, sql: str) -> bool:
    return re.match(form, sql, re.IGNORECASE | re.DOTALL) is not None


_PROGRAMS = r"\s*CREATE\s+(PROCEDURE|FUNCTION|TRIGGER|EVENT)"
TIDB = Refusing(
    errors={
        _PROGRAMS: (1064, "You have an error in your SQL syntax near 'PROCEDURE'"),
    },
    instead={
        r".*\bperformance_schema\.": "SELECT 1 AS name WHERE FALSE",
        r"EXPLAIN ": "SELECT 'Point_Get_1' AS id, '1.00' AS estRows, 'root' AS task, '' AS `access object`",
        r"SHOW ENGINE INNODB STATUS": "SELECT 1 AS type, 1 AS name, 1 AS status WHERE FALSE",
        r"ANALYZE TABLE": "DO 0",
        r"SELECT CAST\(SUM\(data_length": "SELECT '0' AS bytes",
        r"SHOW GLOBAL STATUS": "SHOW GLOBAL STATUS LIKE 'Ssl\\_version'",
    },
)
VITESS = Refusing(
    errors={
        _PROGRAMS: (1105, "VT12001: unsupported: Create Procedure"),
        r"LOCK TABLES": (1105, "VT12001: unsupported: LOCK TABLES"),
        r"CREATE TEMPORARY": (1105, "VT12001: unsupported: temporary table in sharded mode"),
        r"ANALYZE": (1105, "VT12001: unsupported: ANALYZE"),
    }
)
DDM = Refusing(
    errors=dict.fromkeys(
        (r"SHOW (WARNINGS|ERRORS)", r"(ANALYZE|CHECK|OPTIMIZE) ", r"CREATE TEMPORARY", r".*FOREIGN KEY"),
        (4515, "Unsupported statement"),
    )
)
UNPREPARED = Refusing(prepared=(1295, "This command is not supported in the prepared statement protocol yet"))
UNPREPARED_OTHERWISE = Refusing(prepared=(1105, "prepared statements are disabled\x1b[31m in this proxy"))
NO_HINTS = Refusing(errors={r".*\bFORCE INDEX": (1105, "syntax error at position 35 near 'FORCE'")})


@contextmanager
def refusing_server(port: int, refusing: Refusing) -> Iterator[int]:
    """The port of one that stands before a server of this machine."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
        own = int(listening.getsockname()[1])
        over = threading.Event()

        def accept() -> None:
            while True:
                client, _ = listening.accept()
                if over.is_set():
                    return client.close()
                server = socket.create_connection(("127.0.0.1", port))
                threading.Thread(target=_commands, args=(client, server, refusing), daemon=True).start()
                threading.Thread(target=_answers, args=(server, client), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield own
        over.set()
        socket.create_connection(("127.0.0.1", own)).close()
        thread.join()


def _answers(server: socket.socket, client: socket.socket) -> None:
    with client, suppress(OSError):
        while chunk := server.recv(1 << 16):
            client.sendall(chunk)


def _commands(client: socket.socket, server: socket.socket, refusing: Refusing) -> None:
    """A packet with the number 0 begins a command; the others are of the login."""
    with server, suppress(OSError), client.makefile("rb") as reader:
        while header := reader.read(HEADER):
            payload = reader.read(int.from_bytes(header[:3], "little"))
            if header[3] == 0 and payload[0] in (QUERY, PREPARE):
                sql = payload[1:].decode("latin1")
                if error := refusing.answer(payload[0], sql):
                    client.sendall(error_packet(1, *error))
                    continue
                payload = payload[:1] + refusing.sent(sql).encode("latin1")
            server.sendall(len(payload).to_bytes(3, "little") + header[3:] + payload)
