"""What the relay before a server that runs already costs: point queries by it with TLS, and straight by TCP.

python -m tests.bench existing-relay --seconds 6
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from app.agent.existing.meter import cpu_s
from app.agent.existing.relay import Relay
from app.agent.server.mysql import ServerPlace, certificate_of
from tests.bench.figure import Figure
from tests.bench.pairs import BLOCK, ratio_of
from tests.installed import BUILD
from tests.integration.delaying_relay import delaying_relay
from tests.team_server import Database, started

HOST, PASSWORD, SCHEMA = "127.0.0.1", "of the bench", "bench"
SECONDS, BLOCKS, CLIENTS = 6, 3, (1, 16)
ONE_WAYS_MS = (0.0, 1.0)  # of a network before the server
_QUERIES, _SECONDS = re.compile(r"total:\s+(\d+)"), re.compile(r"total time:\s+([\d.]+)s")


class Way(NamedTuple):
    """By the relay to a port, and straight to it."""

    port: int
    relay: Relay

    def words(self, name: str) -> list[str]:
        if name == "A":
            return [f"--mysql-socket={self.relay.socket}", "--mysql-user=root", "--mysql-db=dyno"]
        account = ["--mysql-user=bench", f"--mysql-password={PASSWORD}", f"--mysql-db={SCHEMA}"]
        return [f"--mysql-host={HOST}", f"--mysql-port={self.port}", *account]


class Turn(NamedTuple):
    mean_us: float  # of a query
    relay_us: float  # CPU of the relay for a query


def measure(options: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    with started(BUILD, cache="256M") as server:
        _prepare(server)
        for one_way_ms in ONE_WAYS_MS:
            with _way(server, one_way_ms) as way:
                for clients in CLIENTS:
                    name = f"{_clients_text(clients)}, {2 * one_way_ms:g} ms of network"
                    found += _figures(name, way, clients, options.seconds or SECONDS)
    return found


def _clients_text(count: int) -> str:
    return f"{count} client{'s' * (count > 1)}"


def _prepare(server: Database) -> None:
    server.query(
        f"CREATE DATABASE {SCHEMA}",
        f"CREATE USER bench@localhost IDENTIFIED BY '{PASSWORD}'",
        f"GRANT ALL ON {SCHEMA}.* TO bench@localhost",
    )
    account = ["--mysql-user=root", f"--mysql-db={SCHEMA}", f"--mysql-socket={server.folder / 's'}"]
    _sysbench("prepare", *account)


@contextmanager
def _way(server: Database, one_way_ms: float) -> Iterator[Way]:
    with ExitStack() as stack:
        port = server.port
        if one_way_ms:
            port = stack.enter_context(delaying_relay(port, one_way_ms / 1000))
        private = stack.enter_context(tempfile.TemporaryDirectory(prefix="dyno-"))
        pin = certificate_of(HOST, port).split()[0]
        relay = Relay(private, ServerPlace(HOST, port, SCHEMA, "bench", pin), PASSWORD)
        stack.callback(relay.stop)
        relay.start()
        yield Way(port, relay)


def _figures(name: str, way: Way, clients: int, seconds: int) -> Iterator[Figure]:
    blocks = [[_turn(way, each, clients, seconds) for each in BLOCK] for _ in range(BLOCKS)]
    a1, b1, b2, a2 = zip(*blocks, strict=True)
    relayed, straight = (*a1, *a2), (*b1, *b2)
    ratio = ratio_of([(w.mean_us, x.mean_us, y.mean_us, z.mean_us) for w, x, y, z in blocks])
    yield Figure(f"{name}: a query, straight", _mean_us(straight), "us", len(straight), "turns")
    yield Figure(f"{name}: a query, by the relay", _mean_us(relayed), "us", len(relayed), "turns")
    yield Figure(f"{name}: by the relay over straight", ratio.value, "", ratio.pairs, "pairs")
    cpu = sum(each.relay_us for each in relayed) / len(relayed)
    yield Figure(f"{name}: CPU of the relay", cpu, "us a query", len(relayed), "turns")


def _mean_us(turns: Sequence[Turn]) -> float:
    return sum(each.mean_us for each in turns) / len(turns)


def _turn(way: Way, name: str, clients: int, seconds: int) -> Turn:
    before = cpu_s(way.relay.pids)
    said = _sysbench("run", *way.words(name), f"--threads={clients}", f"--time={seconds}")
    queries, took = _QUERIES.search(said), _SECONDS.search(said)
    assert queries and took, said
    count = int(queries[1])
    mean_us = 1e6 * float(took[1]) * clients / count  # the report's own mean has two digits of a millisecond
    return Turn(mean_us, 1e6 * (cpu_s(way.relay.pids) - before) / count)


def _sysbench(what: str, *words: str) -> str:
    line = ["sysbench", "oltp_point_select", "--tables=2", "--table-size=20000", *words, what]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


FIGURES = {"existing-relay": measure}
