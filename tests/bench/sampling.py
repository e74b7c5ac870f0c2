"""What Dyno takes from a running step: its processes work and are stopped in turns of two seconds.

One server and one sysbench go on all the while: what differs between two of their processes plays no part. A
process that goes on also does what it has missed: its CPU in its turns, over that without any stops, says how
much more that is.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pymysql

from tests.bench.figure import Figure, ratio_figures
from tests.bench.pairs import BLOCK, ratio_of
from tests.bench.processes import all_processes, cpu_s, of_dyno
from tests.bench.server import STEP, WORKLOADS, engines
from tests.integration.planted import socket_of

from . import rig as rigs

TURN_S = 2.0
USUAL_S = 20.0
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
    seconds = round(blocks * len(BLOCK) * TURN_S + USUAL_S + 60)
    plan = rig.plan(engine, STEP.format(name=workload, workload=workload, seconds=seconds))
    with rig.carried_out(plan) as followed:
        followed.wait(
            lambda e: e.kind == "sample" and e.step == len(plan.steps) - 1 and e.s >= RUN_IN, workload
        )
        with _connected(rig.directory) as cursor, _Dyno(rig).turned() as dyno:
            usual = dyno.cpu_pct(USUAL_S)
            found = [dyno.block(cursor) for _ in range(blocks)]
            in_turns = 100 * dyno.spent_s / (2 * blocks * TURN_S)
    name, n = f"{engine}: {workload}", round(2 * blocks * TURN_S)
    return [
        *ratio_figures(f"{name}, Dyno at work over stopped", ratio_of(found), RATIO),
        Figure(f"{name}, CPU of Dyno without stops", usual, "% of a core", round(USUAL_S), "s"),
        Figure(f"{name}, CPU of Dyno in its turns", in_turns, "% of a core", n, "s"),
    ]


class _Dyno:
    """The processes of Dyno on the target that carry out and follow a plan."""

    def __init__(self, rig: rigs.Rig) -> None:
        there = of_dyno(rig.directory, rig.sshd.pid)
        self._pids = [pid for pid, each in there.items() if not each.is_sshd]
        self.spent_s = 0.0  # CPU, in turns at work
        assert len(self._pids) > 1, "an agent, and a follower"

    @contextmanager
    def turned(self) -> Iterator[_Dyno]:
        """In the end all go on."""
        try:
            yield self
        finally:
            self._send(signal.SIGCONT)

    def cpu_pct(self, seconds: float) -> float:
        """Of one core."""
        before = self._cpu_s()
        time.sleep(seconds)
        return 100 * (self._cpu_s() - before) / seconds

    def block(self, cursor: Any) -> tuple[float, float, float, float]:
        """A B B A; a turn gives queries per second."""
        a1, b1, b2, a2 = (self._turn(way == "A", cursor) for way in BLOCK)
        return a1, b1, b2, a2

    def _turn(self, is_on: bool, cursor: Any) -> float:
        before = self._cpu_s()
        self._send(signal.SIGCONT if is_on else signal.SIGSTOP)
        first, began = _queries(cursor), time.monotonic()
        time.sleep(TURN_S)
        rate = (_queries(cursor) - first) / (time.monotonic() - began)
        self.spent_s += self._cpu_s() - before if is_on else 0.0
        return rate

    def _cpu_s(self) -> float:
        return sum(map(cpu_s, self._pids))

    def _send(self, number: signal.Signals) -> None:
        for pid in self._pids:
            os.kill(pid, number)


def _queries(cursor: Any) -> int:
    cursor.execute(QUERIES)
    return int(cursor.fetchone()[1])


@contextmanager
def _connected(directory: str) -> Iterator[Any]:
    """A connection to the server that runs from a directory."""
    of_it = f"--defaults-file={directory}/"
    pid = next(pid for pid, each in all_processes().items() if of_it in each.command)
    with pymysql.connect(unix_socket=str(socket_of(pid)), user="root") as connection:
        yield connection.cursor()


FIGURES = {"sampling": measure_sampling}
