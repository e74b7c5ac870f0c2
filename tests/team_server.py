"""A real server for a team's history, on a port of loopback: MariaDB or MySQL, with TLS or without."""

from __future__ import annotations

import datetime
import ipaddress
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymysql
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.agent.server.bootstrap import bootstrap
from app.agent.server.options import known_options
from app.agent.server.program import server_start_command
from app.protocol.answers import Build
from tests.waiting import wait_until

WRITER, READER, PASSWORD = "anna", "ben", "a secret"


class Database:
    """A server of the test's own with an empty database `team`, a writer and a reader."""

    def __init__(self, build: Build, folder: Path, tls: bool, cache: str) -> None:
        self.folder, self.build, self.tls = folder, build, tls
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        my_cnf = folder / "my.cnf"
        where = f"[mysqld]\nbasedir={build.base}\ndatadir={folder / 'data'}\n"
        my_cnf.write_text(where + "user=root\n" * (os.geteuid() == 0))
        (folder / "data").mkdir()
        known = known_options(build)
        bootstrap(build.server, build.base, str(my_cnf), known, {})
        certify(folder)
        lines = [
            f"socket={folder / 's'}", f"port={self.port}", "bind-address=127.0.0.1",
            f"log-error={folder / 'error.log'}", f"pid-file={folder / 'pid'}",
            f"innodb-buffer-pool-size={cache}", "innodb-flush-log-at-trx-commit=2",
            *(["mysqlx=OFF", "secure-file-priv=NULL"] if "mysqlx" in known else []),
            *([f"ssl-cert={folder / 'cert.pem'}", f"ssl-key={folder / 'key.pem'}"] if tls else []),
        ]  # fmt: skip
        self.set(*lines)
        self.start()
        self.query("CREATE DATABASE team")
        for user, grants in (
            (WRITER, "SELECT, INSERT, UPDATE, CREATE, CREATE VIEW"),
            (READER, "SELECT"),
        ):
            self.query(f"CREATE USER {user}@localhost IDENTIFIED BY '{PASSWORD}'",
                       f"GRANT {grants} ON team.* TO {user}@localhost")  # fmt: skip

    def address(self, user: str = WRITER) -> str:
        return f"mysql://{user}@127.0.0.1:{self.port}/team"

    def query(self, *statements: str) -> list[tuple[Any, ...]]:
        with self._connected() as connection:
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def query_rows(self, statement: str) -> list[dict[str, Any]]:
        """The rows with the names of their columns."""
        with self._connected() as connection:
            cursor = connection.cursor(pymysql.cursors.DictCursor)
            cursor.execute(statement)
            return list(cursor.fetchall())

    def _connected(self) -> pymysql.Connection[Any]:
        place = str(self.folder / "s")
        return pymysql.connect(unix_socket=place, user="root", autocommit=True, database="mysql")

    def start(self, *options: str) -> None:
        command = [
            *server_start_command(self.build.server),
            f"--defaults-file={self.folder / 'my.cnf'}",
            *options,
        ]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        wait_until(self._answers, f"the server answers: {self.folder / 'error.log'}", 120)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(60)
            self._process = None

    def set(self, *lines: str) -> None:
        """Add lines to its my.cnf, for its next start."""
        with (self.folder / "my.cnf").open("a") as file:
            file.write("\n".join(lines) + "\n")

    def _answers(self) -> bool:
        assert self._process is not None and self._process.poll() is None, (
            self.folder / "error.log"
        ).read_text()
        with socket.socket(socket.AF_UNIX) as tried:
            return tried.connect_ex(str(self.folder / "s")) == 0


@contextmanager
def started(build: Build, tls: bool = True, cache: str = "64M") -> Iterator[Database]:
    folder = Path(tempfile.mkdtemp(prefix="dyno-t-"))  # short: a socket lies in it
    database = Database(build, folder, tls, cache)
    try:
        yield database
    finally:
        database.stop()
        shutil.rmtree(folder)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def certify(folder: Path) -> str:
    """Write cert.pem and key.pem that nobody vouches for; returns the fingerprint."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a team")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=9))
        .add_extension(here, False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    return "SHA256:" + certificate.fingerprint(hashes.SHA256()).hex(":").upper()
