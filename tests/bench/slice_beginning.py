"""What the beginning of a slice costs: its first tenth of a second against all of it, on one live server.

The turns A B B A are slices of these two lengths, each after a pause in which the server is stopped, as while
another contender has the machine, or only its clients wait.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

from tests.bench.figure import Figure
from tests.bench.pairs import BLOCK, ratio_of
from tests.integration.gated import Gated, Line, gated
from tests.integration.generated import Server, fill, percentile, shipped, started_server

LENGTHS = {"A": 0.1, "B": 1.0}  # seconds
AWAY_S = 1.0
PAUSES = {"server stopped": True, "clients wait": False}


def measure(workloads: tuple[str, ...], rows: int, blocks: int) -> Iterator[list[Figure]]:
    """The figures of one workload after the other."""
    with started_server() as server:
        for name in workloads:
            fill(server, "innodb", rows=rows)
            with gated(server, shipped(name, "innodb", rows=rows)) as run:
                run.slice(AWAY_S)  # the first clients find nothing in memory
                for pause, is_stopped in PAUSES.items():
                    turns = [[_slice(server, run, is_stopped, turn) for turn in BLOCK] for _ in range(blocks)]
                    yield figures_of(f"{name}, {pause}", turns)


def _slice(server: Server, run: Gated, is_stopped: bool, turn: str) -> Line:
    if is_stopped:
        os.kill(server.pid, signal.SIGSTOP)
    time.sleep(AWAY_S)
    if is_stopped:
        os.kill(server.pid, signal.SIGCONT)
    return run.slice(LENGTHS[turn])


def figures_of(name: str, blocks: list[list[Line]]) -> list[Figure]:
    """Its rate and its latencies, each over that of a whole slice."""
    found = []
    for what, of in KINDS.items():
        ratio = ratio_of([(of(a1), of(b1), of(b2), of(a2)) for a1, b1, b2, a2 in blocks])
        for end, value in (("", ratio.value), (", from (95 %)", ratio.low), (", to (95 %)", ratio.high)):
            label = f"{name}: {what} of the first 0.1 s over that of 1 s{end}"
            found.append(Figure(label, value, "", ratio.pairs, "pairs", digits=2))
    return found


def _rate(line: Line) -> float:
    return float(line["events"] / line["interval_s"])


def _percentile(percent: int) -> Callable[[Line], float]:
    return lambda line: percentile(line["buckets"], percent)


KINDS = {"rate": _rate, **{f"p{percent}": _percentile(percent) for percent in (50, 95, 99)}}
