"""What it costs to ask a server which clients commit, as the agent does once a second."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import pymysql

from app.agent.server.mysql import Client
from app.engines.server import ThreadSource, committing_threads, supported_thread_sources
from tests.bench.figure import Figure
from tests.bench.processes import cpu_s
from tests.bench.team import build_of
from tests.team_server import Database, started

CONNECTIONS = (8, 64, 512)  # at rest
ASKED = 300


def measure(options: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    with started(build_of(options.server), tls=False) as database:
        database.query(f"SET GLOBAL max_connections = {2 * max(CONNECTIONS)}")
        for count in CONNECTIONS:
            with _connected(database, count):
                found += _figures(database, count)
    return found


def _figures(database: Database, connections: int) -> Iterator[Figure]:
    """Its seconds of CPU are a share of a core."""
    with closing(Client(str(database.folder / "s"))) as client:
        sources = supported_thread_sources(client.query)
        assert sources, "this build tells no thread ids"
        for whose, source in (("none of which commits", sources[-1]), ("if all commit", _all(sources[-1]))):
            for part, seconds in zip(("agent", "server"), _asked(database, client, source), strict=True):
                name = f"{database.build.name}, {connections} clients, {whose}: CPU of the {part}"
                yield Figure(name, 100 * seconds / ASKED, "% of a core", ASKED, "questions", digits=3)


def _all(source: ThreadSource) -> ThreadSource:
    """As if each connection had the state that is looked for."""
    return source._replace(commits=re.sub(r"\w*state IN \(.*\)", "1", source.commits))


def _asked(database: Database, client: Client, source: ThreadSource) -> tuple[float, float]:
    """Seconds of CPU of all questions, in this process and in the server."""
    server = int((database.folder / "pid").read_text())
    committing_threads(client.query, [source])  # connects
    ours, its = time.process_time(), cpu_s(server)
    for _ in range(ASKED):
        committing_threads(client.query, [source])
    return time.process_time() - ours, cpu_s(server) - its


@contextmanager
def _connected(database: Database, count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(pymysql.connect(unix_socket=str(database.folder / "s"), user="root"))
        yield


FIGURES = {"asking": measure}
