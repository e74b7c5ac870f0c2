"""Servers that run already and are equal, beside neighbours that come and go: none may seem different.

python -m tests.bench existing-equals --plans 25
python -m tests.bench existing-equals --plans 25 --equals servers-in-slices
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from app.agent.server.mysql import certificate_of
from app.comparison.verdicts.compare import compare
from app.history.lists.sessions import sessions
from app.history.store.history import History
from app.protocol.plan import SLICES
from app.stats.at_target.verdicts import COLOURED, NOISE, SAME, SMALL
from tests.bench.figure import Figure
from tests.installed import BUILD, DYNO
from tests.integration.delaying_relay import delaying_relay
from tests.sequences import INDEX, LOAD, own_sequence
from tests.team_server import Database, started
from tests.waiting import beside

PLANS, FALSE_OF_100 = 20, 9
JUDGED = (*COLOURED, NOISE, SAME, SMALL)
READING, WRITING = ("point-query", "read-only"), ("point-query", "update-index")
SIZE = {"tables": 2, "rows": 20_000, "threads": [2], "seconds": 3, "warmup": 1}
PASSWORD, HOST = "of the bench", "127.0.0.1"
ONE_WAY_S = 0.001  # of the network before two servers
LONGEST_S = 1200.0  # of a plan
STAYS_S = (2.0, 15.0)  # a neighbour, and so long it is away
CHATTER = ["UPDATE theirs.t SET v = v + 1", "SELECT v FROM theirs.t"] * 200
HEAVY = ["SELECT BENCHMARK(2000000, SHA1('x'))", "UPDATE theirs.t SET v = v + 1"]  # too few to be marked


class Equals(NamedTuple):
    servers: int  # 1: two schemas of it
    order: str
    driven: tuple[str, ...] = WRITING


KINDS = {
    "schemas": Equals(1, "interleaved"),
    "schemas-in-slices": Equals(1, SLICES, READING),
    "servers": Equals(2, "interleaved"),
    "servers-in-slices": Equals(2, SLICES),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--equals", choices=KINDS, help="of existing-equals; none: all")


class Verdicts(NamedTuple):
    """Of the cells of one plan."""

    cells: int
    judged: int
    told_apart: int
    alone: int  # cells without the mark that others were there


def measure(options: argparse.Namespace) -> list[Figure]:
    names = [options.equals] if options.equals else list(KINDS)
    found = {name: _measured(KINDS[name], options) for name in names}
    return [figure for name, verdicts in found.items() for figure in _figures(name, verdicts)] + [
        _false_results("all of them", [each for verdicts in found.values() for each in verdicts])
    ]


def _measured(kind: Equals, options: argparse.Namespace) -> list[Verdicts]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="dyno-bench-"))
        servers = [stack.enter_context(_served()) for _ in range(kind.servers)]
        home = _prepare(Path(folder), kind, servers)
        for at, (server, _) in enumerate(servers):
            stack.enter_context(beside(partial(_neighbour, server, random.Random(at))))
        return [_carried_out(home, kind, options) for _ in range(options.plans or PLANS)]


def _figures(name: str, found: list[Verdicts]) -> Iterator[Figure]:
    cells = sum(each.cells for each in found)
    yield _false_results(name, found)
    for what, count in (
        ("cells that were judged", sum(each.judged for each in found)),
        ("cells without the mark not-alone", sum(each.alone for each in found)),
    ):
        yield Figure(f"{name}: {what}", 100 * count / cells, "%", cells, "cells", digits=1)


def _false_results(name: str, found: list[Verdicts]) -> Figure:
    false = 100 * sum(each.told_apart > 0 for each in found) / len(found)
    what = f"{name}: plans with a false result"
    return Figure(what, false, "%", len(found), "plans", at_most=FALSE_OF_100, digits=1)


@contextmanager
def _served() -> Iterator[tuple[Database, int]]:
    """A server, and the port by which it is reached through a network."""
    with started(BUILD, cache="256M") as server, delaying_relay(server.port, ONE_WAY_S) as port:
        server.query(
            "CREATE DATABASE one", "CREATE DATABASE other", "CREATE DATABASE theirs",
            "CREATE TABLE theirs.t (id INT PRIMARY KEY, v INT)",
            "INSERT INTO theirs.t SELECT seq, 0 FROM seq_1_to_2000",
            f"CREATE USER bench@localhost IDENTIFIED BY '{PASSWORD}'",
            "GRANT ALL ON one.* TO bench@localhost", "GRANT ALL ON other.* TO bench@localhost",
        )  # fmt: skip
        yield server, port


def _prepare(folder: Path, kind: Equals, servers: list[tuple[Database, int]]) -> Path:
    home = folder / "home"
    (home / "sequences").mkdir(parents=True)
    driven = [f'workload = "{each}"' for each in kind.driven]
    (home / "sequences/equals.toml").write_text(own_sequence("equals", LOAD, INDEX, *driven, **SIZE))
    password = folder / "password"
    password.touch(0o600)
    password.write_text(PASSWORD)
    os.environ.update(DYNO_HOME=str(home), DYNO_PASSWORD_FILE=str(password))
    for name, (server, port) in (("one", servers[0]), ("other", servers[-1])):
        reached = port if kind.servers > 1 else server.port
        _dyno(home, "server", "add", name, f"mysql://bench@{HOST}:{reached}/{name}", may_fail=True)
        _dyno(home, "server", "trust", name, f"SHA256:{certificate_of(HOST, reached).split()[0]}")
        _dyno(home, "server", "show", name)
    return home


def _dyno(home: Path, *words: str, may_fail: bool = False) -> None:
    done = subprocess.run(
        [*DYNO, *words], cwd=home, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    if done.returncode and not may_fail:
        raise SystemExit(f"dyno {' '.join(words)}: {done.stdout[-500:]}{done.stderr[-500:]}")


def _neighbour(server: Database, chance: random.Random, ended: threading.Event) -> None:
    """Works for a while with many statements or with few that take a CPU, and rests for a while."""
    while not ended.is_set():
        statements, until = chance.choice([CHATTER, HEAVY]), time.monotonic() + chance.uniform(*STAYS_S)
        while time.monotonic() < until and not ended.is_set():
            server.query(*statements)
        ended.wait(chance.uniform(*STAYS_S))


def _carried_out(home: Path, kind: Equals, options: argparse.Namespace) -> Verdicts:
    busy = ["--allow-busy"] * bool(options.allow_busy)
    how = ["--order", kind.order, "--repeats", str(options.rounds)]
    began = time.monotonic()
    _dyno(home, "run", "@one", "@other", "--sequence", "equals", *how, *busy)
    with History(home) as history:
        newest = sessions(history)[-1]["plan"]
        ids = [each["id"] for each in sessions(history, plan=newest)]
        cells = [row.cells[1] for row in compare(history, ids, ids[0]).rows if row.kind == "drive"]
    words = [cell.verdict for cell in cells]
    print(
        f"{time.monotonic() - began:.0f} s", *(f"{each.verdict} {each.marks}" for each in cells), flush=True
    )
    judged = sum(word in JUDGED for word in words)
    alone = sum("not-alone" not in cell.marks for cell in cells)
    return Verdicts(len(cells), judged, sum(word in COLOURED for word in words), alone)


FIGURES = {"existing-equals": measure}
