"""What Dyno takes from a running step: its processes work and are stopped in turns of two seconds.

One server and one sysbench go on all the while: what differs between two of their processes plays no part. A
process that goes on does what it has missed, so its cost counts in full.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymysql

from tests.bench.figure import Figure, ratio_figures
from tests.bench.pairs import BLOCK, ratio_of
from tests.bench.processes import all_processes, of_dyno
from tests.bench.server import STEP, WORKLOADS, engines

from . import rig as rigs

TURN_S = 2.0
RUN_IN = 5  # seconds of the step before the first turn
RATIO = 0.99
QUERIES = "SHOW GLOBAL STATUS LIKE 'Questions'"


def measure_sampling(options: argparse.Namespace) -> list[Figure]:
    """QPS with all of Dyno at work (a follower too) over QPS with it stopped."""
    found: list[Figure] = []
    with rigs.made(options) as rig:
        for engine in engines(options):
            for workload in WORKLOADS:
                found += _ratio_of(rig, engine, workload, max(1, (options.pairs + 1) // 2))
    return found


def _ratio_of(rig: rigs.Rig, engine: str, workload: str, blocks: int) -> list[Figure]:
    seconds = round(blocks * len(BLOCK) * TURN_S + 60)
    plan = rig.plan(engine, STEP.format(name=workload, workload=workload, seconds=seconds))
    with rig.carried_out(plan) as followed:
        followed.wait(
            lambda e: e.kind == "sample" and e.step == len(plan.steps) - 1 and e.s >= RUN_IN, workload
        )
        with _connected(rig.directory) as cursor, _turned(rig) as turn:
            found = [tuple(turn(way == "A", cursor) for way in BLOCK) for _ in range(blocks)]
    return ratio_figures(f"{engine}: {workload}, Dyno at work over stopped", ratio_of(found), RATIO)  # type: ignore[arg-type]


@contextmanager
def _turned(rig: rigs.Rig) -> Iterator[Any]:
    """Gives what measures a turn; in the end all of Dyno's processes go on."""
    pids = [pid for pid, each in of_dyno(rig.directory, rig.sshd.pid).items() if not each.is_sshd]
    assert len(pids) > 1, "an agent, and a follower"

    def send(number: signal.Signals) -> None:
        for pid in pids:
            os.kill(pid, number)

    def turn(is_on: bool, cursor: Any) -> float:
        send(signal.SIGCONT if is_on else signal.SIGSTOP)
        first, began = _queries(cursor), time.monotonic()
        time.sleep(TURN_S)
        return (_queries(cursor) - first) / (time.monotonic() - began)

    try:
        yield turn
    finally:
        send(signal.SIGCONT)


def _queries(cursor: Any) -> int:
    cursor.execute(QUERIES)
    return int(cursor.fetchone()[1])


@contextmanager
def _connected(directory: str) -> Iterator[Any]:
    """A connection to the server that runs from a directory."""
    option = "--defaults-file="
    commands = [each.command for each in all_processes().values() if f"{option}{directory}/" in each.command]
    my_cnf = next(word for command in commands for word in command.split() if word.startswith(option))
    lines = [line.partition("=") for line in Path(my_cnf.removeprefix(option)).read_text().splitlines()]
    socket = next(value.strip() for name, _, value in lines if name.strip() == "socket")
    with pymysql.connect(unix_socket=socket, user="root") as connection, connection.cursor() as cursor:
        yield cursor


FIGURES = {"sampling": measure_sampling}
