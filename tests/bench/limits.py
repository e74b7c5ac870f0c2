"""How far apart the answers of five searches for a limit are, on one server or on five.

Server and clients have CPUs of their own: on shared ones p99 of the same rate varied from 1.4 to 34 ms.
With --sync-ms commits wait for syncs that take so long on any machine, so that a server can do the same each
time; the directory must be on a tmpfs, but not /dev/shm, where MariaDB maps its log.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import mean, median, stdev
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from app.planner.request.contender import ContenderRequest
from app.planner.request.cores import OWN_CPUS
from app.protocol.events import StepEnded, StepStarted
from app.protocol.step_parts import P99LimitSearch, TriedRate
from tests.bench import rig as rigs
from tests.bench.figure import Figure
from tests.bench.server import WORKLOADS, engines
from tests.integration.slow_fsync import preloaded
from tests.plans import write

SEARCHES, ROWS, THREADS, SECONDS = 5, 200_000, 8, 10
WITHIN_PCT, LONGEST_S = 3.0, 900.0  # goals
SPARE_S = 300.0  # for load and settling of a session
STEP = """
[[step]]
name = "search-{number}"
workload = "{workload}"
limit_ms = {limit_ms}
seconds = {seconds}
warmup = 2
settle_before = true
"""


class Search(NamedTuple):
    ended: StepEnded
    took_s: float

    @property
    def tries(self) -> Sequence[TriedRate]:
        return self.ended.limit.tries if self.ended.limit else []

    def line(self) -> str:
        its, tries = self.ended.limit or P99LimitSearch(), "; ".join(map(_text, self.tries))
        found = f"{its.rate or 0:.0f} of {its.closed_rate:.0f} events/s"
        return f"{self.ended.outcome} in {self.took_s:.0f} s: {found} ({tries}) {self.ended.marks}"


def _text(tried: TriedRate) -> str:
    return f"{tried.rate:.0f} {'passed' if tried.passed else 'failed'} {tried.p99_ms or 0:.2f} ms"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit-ms", type=float, default=5.0, help="of p99, for limits (5)")
    parser.add_argument("--servers", type=int, default=1, help="that share the five searches of limits (1)")
    parser.add_argument("--sync-ms", type=int, default=0, help="of each sync, for limits: InnoDB (0)")


def measure(options: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    with TemporaryDirectory(prefix="dyno-") as name, rigs.made(_with_slow_syncs(options, Path(name))) as rig:
        for engine in engines(options):
            for workload in options.workloads.split(",") if options.workloads else WORKLOADS:
                found += figures_of(f"{engine}, {workload}", _searched(rig, engine, workload))
    return found


def _with_slow_syncs(options: argparse.Namespace, folder: Path) -> argparse.Namespace:
    """A Python for the agent that loads the slow sync into all that it starts."""
    if not options.sync_ms:
        return options
    (folder / "slow").touch()
    environment = preloaded(folder, folder / "slow", syncs=0, pause_ms=options.sync_ms)
    assert environment, "gcc makes the library of slow syncs"
    lines = [f"export {name}='{value}'" for name, value in environment.items()]
    python = write(folder / "python3", "\n".join(("#!/bin/sh", *lines, f'exec {sys.executable} "$@"\n')))
    python.chmod(0o700)
    return argparse.Namespace(**{**vars(options), "python": str(python)})


def _searched(rig: rigs.Rig, engine: str, workload: str) -> list[Search]:
    options = rig.options
    its = {"workload": workload, "limit_ms": options.limit_ms, "seconds": options.seconds or SECONDS}
    steps = "".join(STEP.format(number=1 + at, **its) for at in range(SEARCHES // options.servers))
    size = {"rows": options.rows or ROWS, "threads": (THREADS,), "repeats": options.servers, "cpus": OWN_CPUS}
    contender = ContenderRequest(
        rig.build_with(engine), engine, _preset(rig) if options.sync_ms else "baseline"
    )
    plan = rig.plan(engine, steps, contenders=(contender,), **size)
    with rig.carried_out(plan) as followed:
        events = followed.to_the_end(SEARCHES * (LONGEST_S + SPARE_S))
    found = searches_of(events, {at for at, step in enumerate(plan.steps) if step.limit_ms})
    print(*(each.line() for each in found), sep="\n", flush=True)
    return found


def _preset(rig: rigs.Rig) -> str:
    """Of an InnoDB that syncs each commit."""
    lines = "[mysqld]\ninnodb_buffer_pool_size=256M\ninnodb_flush_log_at_trx_commit=1\nskip_log_bin\n"
    write(rig.home / "presets/innodb/durable.cnf", lines)
    return "durable"


def searches_of(events: Sequence[Any], steps: Collection[int]) -> list[Search]:
    """One after the other."""
    found, began = [], 0.0
    for each in events:
        if isinstance(each, StepStarted) and each.step in steps:
            began = each.t
        elif isinstance(each, StepEnded) and each.step in steps:
            found.append(Search(each, each.t - began))
    return found


def figures_of(name: str, searches: Sequence[Search]) -> list[Figure]:
    limits = [each.ended.limit for each in searches if each.ended.outcome == "completed"]
    answers, n, of = [each.rate for each in limits], len(limits), "searches"
    tries = [len(each.tries) for each in searches]
    found = [Figure(f"{name}: with an answer", n, of, len(searches), of, at_least=SEARCHES, digits=0)]
    if n > 1:
        middle = median(answers)
        off = max(100 * abs(each / middle - 1) for each in answers)
        noise = 100 * stdev(answers) / mean(answers)
        shares = [each.rate / each.closed_rate for each in limits]
        found += [
            Figure(f"{name}: the answer, median", middle, "events/s", n, of, digits=0),
            Figure(f"{name}: an answer is off the median by, at most", off, "%", n, of,
                   at_most=WITHIN_PCT, digits=1),
            Figure(f"{name}: answers vary by (sd)", noise, "%", n, of, digits=1),
            Figure(f"{name}: answer over the rate without a limit, median", median(shares), "", n, of),
            Figure(f"{name}: tries, median", median(tries), "", n, of, digits=0),
            Figure(f"{name}: a search takes, at most", max(each.took_s for each in searches), "s", n, of,
                   at_most=LONGEST_S, digits=0),
        ]  # fmt: skip
    return found


FIGURES = {"limits": measure}
