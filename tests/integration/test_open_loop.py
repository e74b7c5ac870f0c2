"""A rate outside slices: its schedule, latency since an event was due, a rate that is too high."""

from __future__ import annotations

import json
import math
import os
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.integration.generated import (
    WORKLOADS,
    Outcome,
    Server,
    Work,
    drive,
    p99_of_stop,
    percentile,
    shipped,
    start,
)

pytestmark = pytest.mark.usefixtures("tables")

SCHEDULE_LUA = """
sysbench.cmdline.options = {report_fd = {"", 1}}
require("dyno-figures")
local schedule = require("dyno-schedule")
function event()
   for _ = 1, 4000 do
      io.write(string.format("%.9f\\n", schedule.take(0, math.huge)))
   end
   return true
end
"""


def schedule(folder: Path, *options: str) -> list[float]:
    """The moments at which the first 4,000 events are due."""
    (folder / "schedule.lua").write_text(SCHEDULE_LUA)
    line = ["sysbench", "schedule.lua", "--threads=1", "--time=0", "--events=1", "--verbosity=1"]
    line += ["--report-fd=2", *options]
    environment = {**os.environ, "LUA_PATH": f"{WORKLOADS}/?.lua;;"}
    done = subprocess.run(
        [*line, "run"], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return [float(text) for text in done.stdout.split()]


def gaps(moments: list[float]) -> list[float]:
    return [after - before for before, after in zip([0.0, *moments], moments, strict=False)]


def test_poisson_arrivals_have_exponential_gaps(tmp_path: Path) -> None:
    """Kolmogorov and Smirnov: the largest distance to the distribution, at 1 %; the seed is fixed."""
    first, again, other = (
        schedule(tmp_path, "--event-rate=500", f"--rand-seed={seed}") for seed in (7, 7, 8)
    )
    assert first == again != other
    found = sorted(gaps(first))
    expected = [1 - math.exp(-500 * gap) for gap in found]
    places = [at / len(found) for at in range(len(found) + 1)]
    distance = max(
        max(after - each, each - before)
        for each, before, after in zip(expected, places, places[1:], strict=False)
    )
    assert distance < 1.63 / len(found) ** 0.5
    beside = gaps(first)  # neighbours have nothing to do with each other
    mean = sum(beside) / len(beside)
    together = sum((a - mean) * (b - mean) for a, b in pairwise(beside))
    assert abs(together / sum((each - mean) ** 2 for each in beside)) < 0.04


def test_even_arrivals_are_even(tmp_path: Path) -> None:
    moments = schedule(tmp_path, "--event-rate=250", "--rand-seed=7", "--arrivals=even")
    assert moments == pytest.approx([(at + 1) / 250 for at in range(len(moments))])


@pytest.fixture(autouse=True)
def _wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNO_WORKLOAD", "point-query")


def rated(rate: int, arrivals: str = "even", **more: object) -> Work:
    work = shipped("point-query", "innodb", options={"event_rate": rate, "arrivals": arrivals})
    return replace(work, lua="dyno-rate.lua", **more)  # type: ignore[arg-type]


def behind_s(outcome: Outcome) -> float:
    return float(outcome.of("schedule")[-1]["behind_s"])


def stopped(server: Server) -> tuple[float, dict[str, Any]]:
    """A step at a rate with a stop of the server: how long it was, and the total."""
    process, reader = start(server, rated(300, threads=8, seconds=4))
    with process, open(reader) as pipe:
        assert json.loads(pipe.readline())["type"] == "second"
        stop_s = server.stop(0.2)
        *_, behind, total = [json.loads(line) for line in pipe]
    not_begun = behind["behind_s"] * 300  # a busy machine may be behind when the time is over
    assert total["events"] == pytest.approx(1200 - not_begun, abs=12)  # each client has one that has begun
    return stop_s, total


def test_a_stop_of_the_server_moves_p99_to_its_computed_value(server: Server) -> None:
    """Once of five times: on a busy machine others make events late, and the stop is not as long as asked."""
    found: list[tuple[float, float, float]] = []
    while not found or abs(found[-1][0] - 1) > 0.05 or abs(found[-1][1] - 1) > 0.1 or found[-1][2] > 20:
        assert len(found) < 5, found
        stop_s, total = stopped(server)
        p99, most = percentile(total["buckets"], 99), total["latency_ms"]["max"]
        expected_ms = p99_of_stop(stop_s, total["events"], 300)
        found.append((p99 / expected_ms, most / stop_s / 1000, percentile(total["buckets"], 50)))


def test_a_rate_is_kept_in_a_warm_up_and_after_it(server: Server) -> None:
    outcome = drive(server, rated(400, "poisson", threads=4, seconds=2, warmup=1))
    assert outcome.code == 0, outcome.said
    total = outcome.total
    assert abs(total["events"] - 800) < 4.5 * 800**0.5
    # sysbench empties buckets and counters one after the other: an event of each client may come in between
    assert sum(count for _, count in total["buckets"]) == pytest.approx(total["events"], abs=4)
    assert total["latency_ms"]["min"] <= total["latency_ms"]["avg"] <= total["latency_ms"]["max"]
    assert behind_s(outcome) < 0.1


def test_a_rate_that_is_too_high_ends_in_time_with_a_backlog(server: Server) -> None:
    outcome = drive(server, rated(3_000_000, threads=2, seconds=1))
    assert outcome.code == 0, outcome.said
    assert 0.9 < outcome.total["time_s"] < 2
    done_s = outcome.total["events"] / 3_000_000
    assert behind_s(outcome) == pytest.approx(1 - done_s, abs=0.02)
    assert outcome.total["latency_ms"]["max"] == pytest.approx(1000, rel=0.1)


def test_a_step_bounded_by_events_ends_after_them(server: Server) -> None:
    outcome = drive(server, rated(50, threads=16, events=20))
    assert outcome.total["events"] == 20
    assert 0.3 < outcome.total["time_s"] < 2
