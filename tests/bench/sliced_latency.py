"""Latencies in slices over those of a run without a gate: turns A B B A on one live server."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace

from tests.bench.figure import Figure
from tests.bench.pairs import BLOCK, ratio_of
from tests.integration.gated import Gated, gated, merged
from tests.integration.generated import Server, Work, drive, fill, percentile, shipped, started_server

PERCENTILES = (50, 95, 99)
SLICES, AWAY_S, WARMUP_S = 3, 0.5, 1  # of a turn: slices of a second, what lies between them, without a gate
OFF_PCT = 3.0  # goal
Buckets = list[list[float]]


def measure(workloads: tuple[str, ...], rows: int, blocks: int) -> Iterator[list[Figure]]:
    """The figures of one workload after the other."""
    with started_server() as server:
        for name in workloads:
            fill(server, "innodb", rows=rows)
            yield figures_of(name, list(_blocks(server, shipped(name, "innodb", rows=rows), blocks)))


def _blocks(server: Server, work: Work, blocks: int) -> Iterator[list[Buckets]]:
    with gated(server, work) as run:
        for _ in range(blocks):
            yield [_sliced(server, run) if turn == "A" else _plain(server, work) for turn in BLOCK]


def _sliced(server: Server, run: Gated) -> Buckets:
    """The server is stopped before each slice, as while another contender has the machine."""
    lines = []
    for _ in range(SLICES):
        os.kill(server.pid, signal.SIGSTOP)
        time.sleep(AWAY_S)
        os.kill(server.pid, signal.SIGCONT)
        lines.append(run.slice(1))
    return merged(lines)


def _plain(server: Server, work: Work) -> Buckets:
    buckets: Buckets = drive(server, replace(work, seconds=SLICES, warmup=WARMUP_S)).total["buckets"]
    return buckets


def figures_of(name: str, blocks: list[list[Buckets]]) -> list[Figure]:
    found = []
    for percent in PERCENTILES:
        times = [tuple(percentile(turn, percent) for turn in block) for block in blocks]
        ratio = ratio_of([(a1, b1, b2, a2) for a1, b1, b2, a2 in times])
        label = f"{name}: p{percent} in slices over that without a gate"
        off = 100 * abs(ratio.value - 1)
        found += [
            Figure(label, ratio.value, "", ratio.pairs, "pairs", digits=3),
            Figure(f"{label}, from (95 %)", ratio.low, "", ratio.pairs, "pairs", digits=3),
            Figure(f"{label}, to (95 %)", ratio.high, "", ratio.pairs, "pairs", digits=3),
            Figure(f"{label}, off", off, "%", ratio.pairs, "pairs", at_most=OFF_PCT, digits=1),
        ]
    return found
