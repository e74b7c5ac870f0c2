"""Two schemas of one server that runs already: equals, beside a neighbour that comes and goes.

python -m tests.bench existing-equals --plans 20
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from app.agent.server.mysql import certificate_of
from app.comparison.verdicts.compare import compare
from app.history.lists.sessions import sessions
from app.history.store.history import History
from app.stats.at_target.verdicts import COLOURED
from tests.bench.figure import Figure
from tests.installed import BUILD, DYNO
from tests.sequences import INDEX, LOAD, own_sequence
from tests.team_server import Database, started
from tests.waiting import beside

PLANS = 20
FALSE_OF_100 = 9
DRIVEN = ("point-query", "update-index")
SIZE = {"tables": 2, "rows": 20_000, "threads": [2], "seconds": 3, "warmup": 1}
PASSWORD, HOST = "of the bench", "127.0.0.1"
LONGEST_S = 1200.0  # of a plan
STAYS_S = (2.0, 15.0)  # the neighbour, and so long it is away
BURST = 200


class Verdicts(NamedTuple):
    """Of the cells of one plan."""

    judged: int
    told_apart: int
    alone: int  # cells without the mark that others were there


def measure(options: argparse.Namespace) -> list[Figure]:
    count = options.plans or PLANS
    with tempfile.TemporaryDirectory(prefix="dyno-bench-") as folder, started(BUILD, cache="256M") as server:
        home = _prepare(Path(folder), server)
        with beside(lambda ended: _neighbour(server, ended)):
            found = [_carried_out(home, options) for _ in range(count)]
    false = sum(each.told_apart > 0 for each in found)
    cells, judged = count * len(DRIVEN), sum(each.judged for each in found)
    alone = sum(each.alone for each in found)
    return [
        Figure("plans of equals with a false result", 100 * false / count, "%", count, "plans",
               at_most=FALSE_OF_100, digits=1),
        Figure("cells that were judged", 100 * judged / cells, "%", cells, "cells", digits=1),
        Figure("cells of which no session had others beside it", 100 * alone / cells, "%", cells, "cells",
               digits=1),
    ]  # fmt: skip


def _prepare(folder: Path, server: Database) -> Path:
    home = folder / "home"
    (home / "sequences").mkdir(parents=True)
    driven = [f'workload = "{each}"' for each in DRIVEN]
    (home / "sequences/equals.toml").write_text(own_sequence("equals", LOAD, INDEX, *driven, **SIZE))
    password = folder / "password"
    password.touch(0o600)
    password.write_text(PASSWORD)
    os.environ.update(DYNO_HOME=str(home), DYNO_PASSWORD_FILE=str(password))
    server.query(
        "CREATE DATABASE one", "CREATE DATABASE other", "CREATE DATABASE theirs",
        "CREATE TABLE theirs.t (id INT PRIMARY KEY, v INT)", "INSERT INTO theirs.t VALUES (1, 0)",
        f"CREATE USER bench@localhost IDENTIFIED BY '{PASSWORD}'",
        "GRANT ALL ON one.* TO bench@localhost", "GRANT ALL ON other.* TO bench@localhost",
    )  # fmt: skip
    for name in ("one", "other"):
        _dyno(home, "server", "add", name, f"mysql://bench@{HOST}:{server.port}/{name}", may_fail=True)
        _dyno(home, "server", "trust", name, f"SHA256:{certificate_of(HOST, server.port).split()[0]}")
        _dyno(home, "server", "show", name)
    return home


def _dyno(home: Path, *words: str, may_fail: bool = False) -> None:
    done = subprocess.run(
        [*DYNO, *words], cwd=home, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    if done.returncode and not may_fail:
        raise SystemExit(f"dyno {' '.join(words)}: {done.stdout[-500:]}{done.stderr[-500:]}")


def _neighbour(server: Database, ended: threading.Event) -> None:
    """Works for a while and rests for a while, as long as each other."""
    chosen = random.Random(1)
    while not ended.is_set():
        until = threading.Event()
        timer = threading.Timer(chosen.uniform(*STAYS_S), until.set)
        timer.start()
        while not until.is_set() and not ended.is_set():
            server.query(*["UPDATE theirs.t SET v = v + 1", "SELECT v FROM theirs.t"] * BURST)
        timer.cancel()
        ended.wait(chosen.uniform(*STAYS_S))


def _carried_out(home: Path, options: argparse.Namespace) -> Verdicts:
    busy = ["--allow-busy"] * bool(options.allow_busy)
    rounds = str(options.rounds)
    _dyno(home, "run", "@one", "@other", "--sequence", "equals", "--repeats", rounds, *busy)
    with History(home) as history:
        newest = sessions(history)[-1]["plan"]
        ids = [each["id"] for each in sessions(history, plan=newest)]
        cells = [row.cells[1] for row in compare(history, ids, ids[0]).rows if row.kind == "drive"]
    words = [cell.verdict for cell in cells]
    print(*words, flush=True)
    judged = sum(word not in (None, "marked") for word in words)
    alone = sum("not-alone" not in cell.marks for cell in cells)
    return Verdicts(judged, sum(word in COLOURED for word in words), alone)


FIGURES = {"existing-equals": measure}
