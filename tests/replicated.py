"""A real primary with replicas on loopback: MariaDB or MySQL, by file and position.

with replicated(build, 2) as servers:
    servers.primary.query(...)            # tests.team_server.Database
    servers.await_replicas()              # until each has what the primary has
    servers.delay(servers.replicas[1], 3) # it applies all 3 s late
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from app.protocol.answers import Build
from tests.team_server import Database, started
from tests.waiting import wait_until

PASSWORD = "replicating"


@dataclass(frozen=True)
class Replicated:
    """A primary and its replicas."""

    primary: Database
    replicas: list[Database]
    is_mariadb: bool

    def status(self, replica: Database) -> dict[str, Any]:
        """As the replica tells it itself, names in the words of today."""
        rows = replica.query_rows("SHOW SLAVE STATUS" if self.is_mariadb else "SHOW REPLICA STATUS")
        return {
            name.replace("Master", "Source").replace("Slave", "Replica"): v for name, v in rows[0].items()
        }

    def replicate(self, replica: Database) -> None:
        word = "MASTER" if self.is_mariadb else "SOURCE"
        old = self.is_mariadb or self.primary.build.version.startswith("8.")
        (row,) = self.primary.query_rows("SHOW MASTER STATUS" if old else "SHOW BINARY LOG STATUS")
        change = "CHANGE MASTER TO" if self.is_mariadb else "CHANGE REPLICATION SOURCE TO"
        key = "" if self.is_mariadb else ", GET_SOURCE_PUBLIC_KEY=1"
        replica.query(
            f"{change} {word}_HOST='127.0.0.1', {word}_PORT={self.primary.port}, {word}_USER='follower',"
            f" {word}_PASSWORD='{PASSWORD}', {word}_LOG_FILE='{row['File']}',"
            f" {word}_LOG_POS={row['Position']}{key}"
        )
        self.tell(replica, "START")

    def tell(self, replica: Database, verb: str, thread: str = "") -> None:
        """START, STOP, RESET; `thread`: only the one that fetches or the one that applies."""
        replica.query(f"{verb} {'SLAVE' if self.is_mariadb else 'REPLICA'} {thread}")

    def delay(self, replica: Database, seconds: int) -> None:
        self.tell(replica, "STOP")
        if self.is_mariadb:
            replica.query(f"CHANGE MASTER TO MASTER_DELAY={seconds}")
        else:
            replica.query(f"CHANGE REPLICATION SOURCE TO SOURCE_DELAY={seconds}")
        self.tell(replica, "START")

    def await_replicas(self) -> None:
        self.primary.query("CREATE TABLE IF NOT EXISTS team.reached (n INT)", "DELETE FROM team.reached")
        self.primary.query("INSERT INTO team.reached VALUES (1)")
        for each in self.replicas:
            wait_until(lambda each=each: _has_row(each), "the replica has the row", 180)


def _has_row(replica: Database) -> bool:
    there = replica.query("SHOW TABLES FROM team LIKE 'reached'")
    return bool(there and replica.query("SELECT n FROM team.reached"))


@contextmanager
def replicated(build: Build, count: int = 2) -> Iterator[Replicated]:
    """Each replica is read only."""
    with ExitStack() as stack:
        primary, *replicas = (stack.enter_context(started(build, cache="128M")) for _ in range(1 + count))
        is_mariadb = build.family == "MariaDB"
        for number, each in enumerate((primary, *replicas), 1):
            each.stop()
            each.set("log-bin=binlog", "binlog-format=ROW", f"server-id={number}")
            each.set(*["read-only=ON"] * (each is not primary))
            each.start()
        primary.query(
            f"CREATE USER follower@localhost IDENTIFIED BY '{PASSWORD}'",
            "GRANT REPLICATION SLAVE ON *.* TO follower@localhost",
        )
        servers = Replicated(primary, replicas, is_mariadb)
        for each in replicas:
            servers.replicate(each)
        servers.await_replicas()
        yield servers
