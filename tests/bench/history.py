"""What the history costs: bytes a value, a live second, catching up, the list of 10,000 sessions."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from app.following.follower import JournalStreamReader
from app.history.recorded.writing import JournalStorer
from app.history.steps.series import series
from app.history.store.distributions import pack
from app.history.store.history import History
from app.protocol import latency
from app.protocol.events import Sample, encode
from app.protocol.plan import Plan, Step
from tests import journals
from tests.bench.figure import Figure
from tests.installed import DYNO

SERIES = 50
SECONDS = 36_000  # of a 10-hour session
STEP_S = 600
READ = 1 << 16  # bytes of one read of a connection
LISTED = 10_000
DRAWN = {10: "disk.read_kb", 11: "disk.write_kb", 20: "host.cpu_pct", 21: "server.cpu_pct",
         22: "sysbench.cpu_pct", 40: "load.latency_p95_ms"}  # fmt: skip


def noisy(seconds: int, random: np.random.Generator) -> tuple[list[dict[str, Any]], np.ndarray]:
    """Declarations and values of 50 series as a bench has them, on the noisy side.

    20 rates and 10 gauges of a drifting mean with 7 % of noise and two decimals, 10 of one decimal or none,
    5 of a few distinct values (percentiles come from buckets), 5 that are nearly always zero.
    """
    kinds = [(50_000, 2)] * 10 + [(900, 2)] * 10 + [(55, 2)] * 10 + [(80, 1)] * 5 + [(120_000, 0)] * 5
    rows = []
    for base, digits in kinds:
        drift = np.cumsum(random.normal(0, base * 0.002, seconds))
        rows.append(np.round(np.abs(base + drift + random.normal(0, base * 0.07, seconds)), digits))
    buckets = np.round(0.3 * 1.07 ** np.arange(12), 3)
    rows += [random.choice(buckets, seconds) for _ in range(5)]
    rows += [np.where(random.random(seconds) < 0.01, random.integers(1, 9, seconds), 0) for _ in range(5)]
    digits = [digits for _, digits in kinds] + [3] * 5 + [0] * 5
    declared = [
        {"name": f"s.series{at}", "unit": "1/s", "kind": "rate", "direction": "", "digits": each}
        for at, each in enumerate(digits)
    ]
    declared[0]["name"] = "load.queries"
    return declared, np.array(rows).T


def ten_hours(step_s: int, events: int = 0) -> tuple[Plan, list[bytes]]:
    """A session of 10 hours with 50 series, as the lines of its journal; events: with their latencies."""
    return a_session(SECONDS, step_s, events)


def latency_codes(events: int) -> list[str]:
    """Latencies of this many events a second, around 0.3 ms, one of a hundred far above: 500 seconds."""
    random = np.random.default_rng(2)
    codes = []
    for _ in range(500):
        ms = np.exp(random.normal(-1.2, 0.25, events))
        slow = random.random(events) < 0.01
        ms[slow] *= 1 + 3 * random.pareto(2, slow.sum())
        bounds, counts = np.unique(np.round(ms, 3), return_counts=True)
        codes.append(latency.encode(latency.counts_of(zip(bounds.tolist(), counts.tolist(), strict=True))))
    return codes


def a_session(seconds: int, step_s: int, events: int = 0, seed: int = 1) -> tuple[Plan, list[bytes]]:
    """50 series, seven of them with the names that the Live page draws."""
    codes = latency_codes(events) if events else [None]
    steps = [
        Step(f"step{at}", "drive", workload="point-query", seconds=step_s, coordinates={"threads": 1})
        for at in range(seconds // step_s)
    ]  # fmt: skip
    plan = journals.plan(its_steps=steps)
    declared, values = noisy(seconds, np.random.default_rng(seed))
    for at, name in DRAWN.items():
        declared[at]["name"] = name
    maker = journals.Maker(plan).begin(declared)
    rows = iter(values.tolist())
    for at in range(len(steps)):
        maker.start_step(at)
        for s in range(step_s):
            maker.t += 1.0
            dt = round(maker.random.gauss(1, 0.0004), 4)
            values = [missing(v, maker.random) for v in next(rows)]
            code = maker.random.choice(codes)
            maker.add(Sample, step=at, s=s, dt=dt, values=values, latency=code)
        maker.end_step(at)
    maker.end()
    return plan, [encode(event) for event in maker.events]


def missing(value: float, random: Any) -> float | None:
    """A sampler that fails now and then."""
    return None if random.random() < 0.0005 else value


def measure_size(options: argparse.Namespace) -> list[Figure]:
    """A 10-hour session of 50 series: bytes of the packed values and of the whole file, time to read."""
    plan, lines = ten_hours(STEP_S)
    session, values = plan.turns[0].session, SECONDS * SERIES
    with TemporaryDirectory() as folder, History(Path(folder)) as history:
        JournalStorer(history).append(plan.id, session, 0, b"".join(lines))
        ((packed,),) = history.query("SELECT sum(length(content)) FROM block")
        history.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = history.path.stat().st_size
        began = time.perf_counter()
        for step in plan.steps:
            series(history, session, step.name)
        read_s = time.perf_counter() - began
    return [
        Figure("packed values", packed / values, "bytes a value", values, "values", at_most=3),
        Figure("the whole file", size / values, "bytes a value", values, "values"),
        Figure("10 hours of 50 series", size / 2**20, "MiB", 1, "session", digits=2),
        Figure("one series of all its steps, read", read_s, "s", len(plan.steps), "steps", at_most=0.5),
    ]


def measure_latencies(options: argparse.Namespace) -> list[Figure]:
    """What the latencies of a second take: in the journal, in the history, and of the time to catch up."""
    found = []
    for events in (300, 3_000, 30_000):
        codes = latency_codes(events)
        name = f"latencies of {events:,} events a second"
        in_journal = sum(map(len, codes)) / len(codes)
        found += [
            Figure(f"{name}, journal", in_journal, "bytes a second", len(codes), "seconds", digits=0),
            Figure(f"{name}, history", len(pack(codes)) / len(codes), "bytes a second", len(codes), "seconds",
                   at_most=300, digits=0),
        ]  # fmt: skip
    return [*found, _catch_up(STEP_S, goal=None), _catch_up(STEP_S, goal=None, events=3_000)]


def measure_live_second(options: argparse.Namespace) -> list[Figure]:
    """One second of a running step stored: journal, staging and offset, as the follower does it."""
    plan, lines = ten_hours(3600, events=3_000)
    session, times, offset = plan.turns[0].session, [], 0
    with TemporaryDirectory() as folder, History(Path(folder)) as history:
        writer = JournalStorer(history)
        for line in lines[:7300]:  # two steps end in between
            began = time.perf_counter()
            writer.append(plan.id, session, offset, line)
            times.append((time.perf_counter() - began) * 1000)
            offset += len(line)
            time.sleep(0.001)  # not one after the other, as in life
    times = sorted(times[10:])
    n = len(times)
    return [
        Figure("a live second stored, median", median(times), "ms", n, "seconds"),
        Figure("a live second stored, p99", times[round(n * 0.99)], "ms", n, "seconds", at_most=1),
        Figure("a live second stored, longest", times[-1], "ms", n, "seconds"),
    ]


def measure_catch_up(options: argparse.Namespace) -> list[Figure]:
    """From the bytes of the connection to the history: 10 hours fetched at once."""
    return [_catch_up(STEP_S, goal=100_000), _catch_up(60, goal=None)]


def _catch_up(step_s: int, goal: float | None, events: int = 0) -> Figure:
    plan, lines = ten_hours(step_s, events)
    rates = []
    for _ in range(3):
        with TemporaryDirectory() as folder, History(Path(folder)) as history:
            pump = JournalStreamReader(plan.id, [plan.turns[0].session], JournalStorer(history))
            read = _reads(framed(plan.turns[0].session, lines))
            began = time.perf_counter()
            while not pump.pump(read).ended:
                pass
            rates.append(len(lines) / (time.perf_counter() - began))
    size = sum(map(len, lines)) / len(lines)
    extra = ", with latencies" if events else ""
    name = f"catching up, steps of {step_s} s, {size:.0f} bytes a line{extra}"
    return Figure(name, max(rates), "lines/s", len(lines), "lines", at_least=goal, digits=0)


def framed(session: str, lines: list[bytes]) -> bytes:
    """As the agent sends it: about 1 MiB of a journal at once."""
    parts, offset = [], 0
    for at in range(0, len(lines), 1500):
        raw = b"".join(lines[at : at + 1500])
        parts.append(b'{"session": "%s", "offset": %d, "bytes": %d}\n' % (session.encode(), offset, len(raw)))
        parts.append(raw)
        offset += len(raw)
    return b"".join([*parts, b'{"end": true}\n'])


def _reads(data: bytes) -> Callable[[float], bytes]:
    parts: Iterator[bytes] = (data[at : at + READ] for at in range(0, len(data), READ))

    def read(timeout_s: float) -> bytes:
        for part in parts:
            return part
        raise TimeoutError

    return read


def measure_session_list(options: argparse.Namespace) -> list[Figure]:
    """`dyno session list` of 10,000 sessions in a new process, its file not in the page cache."""
    dyno = [*DYNO, "session", "list"]
    with TemporaryDirectory() as folder:
        fill(Path(folder))
        environment = {**os.environ, "DYNO_HOME": folder}
        times: dict[str, list[float]] = {"pass": [], "list": [], "json": []}
        for _ in range(9):
            times["pass"].append(_timed([sys.executable, "-c", "pass"], environment))
            for name, command in (("list", dyno), ("json", [*dyno, "--json"])):
                _evict(Path(folder) / "history.sqlite")
                times[name].append(_timed(command, environment))
    return [
        Figure(f"10,000 sessions, {name}, beyond `python -c pass`", median(each) - median(times["pass"]), "s",
               len(each), "starts", at_most=0.3)
        for name, each in times.items() if name != "pass"
    ]  # fmt: skip


def fill(home: Path, sessions: int = LISTED) -> None:
    """Short sessions through the door that all take."""
    contenders = [
        journals.contender(engine, preset) for engine in ("innodb", "rocksdb") for preset in "abcde"
    ]
    with History(home) as history:
        history.connection.execute("PRAGMA synchronous = OFF")
        for number in range(1, sessions // 20 + 1):
            plan = journals.plan(contenders, repeats=2, number=number)
            for turn in plan.turns:
                maker = journals.Maker(plan, turn.session).begin()
                maker.start_step(0)
                maker.end_step(0)
                maker.end()
                JournalStorer(history).append(plan.id, turn.session, 0, maker.raw)
        history.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _timed(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def _evict(path: Path) -> None:
    """Ask the kernel to forget the file."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)


FIGURES = {
    "history-size": measure_size,
    "latencies": measure_latencies,
    "live-second": measure_live_second,
    "catch-up": measure_catch_up,
    "session-list": measure_session_list,
}
