"""The latency buckets of each second, against events that are recorded one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from app.protocol.latency import Counts, add, bucket_at, buckets_of, counts_of, without
from app.stats.percentiles import distribution
from tests.integration.generated import Outcome, Server, Work, drive

WARMUP_S, SECONDS, STALL_AT_S = 1, 4, 3.4  # of sysbench's time: the stall is in second 2 of the step
# events of 0.5 to 3 ms, one of them 200 ms longer; the latency of each is recorded
LUA = """
local ffi = require("ffi")
local dyno = require("dyno")
dyno.declare({})
ffi.cdef("int usleep(unsigned int); int clock_gettime(int, int64_t *);")
local now, began, stalled, recorded = ffi.new("int64_t[2]"), nil, false, {}
local function clock()
   ffi.C.clock_gettime(1, now)
   return tonumber(now[0]) + tonumber(now[1]) / 1e9
end
function dyno.prepare() began = clock() end
function event()
   local from = clock()
   ffi.C.usleep(500 + sysbench.rand.uniform(0, 50) ^ 2)
   if from - began > %s and not stalled then
      stalled = true
      ffi.C.usleep(200000)
   end
   recorded[#recorded + 1] = clock() - from
end
local done = thread_done
function thread_done()
   local file = io.open("recorded", "w")
   file:write(table.concat(recorded, "\\n"))
   file:close()
   done()
end
"""


@pytest.fixture(scope="module")
def stalled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = tmp_path_factory.mktemp("recorded")
    (found / "stalled.lua").write_text(LUA % STALL_AT_S)
    return found


@pytest.fixture(scope="module")
def outcome(server: Server, stalled: Path) -> Outcome:
    server.query("CREATE DATABASE IF NOT EXISTS dyno")
    return drive(server, Work("stalled.lua", threads=1, warmup=WARMUP_S, seconds=SECONDS, folder=stalled))


def measured(outcome: Outcome) -> list[Counts]:
    """The seconds after the warm-up; the last one is what the total has more."""
    seconds = [counts_of(line["buckets"]) for line in outcome.of("second") if line["measured"]]
    left = counts_of(outcome.total["buckets"])
    for each in seconds:
        before, left = left, without(left, each)
        assert sum(before.values()) == sum(each.values()) + sum(left.values())
    return [*seconds, left]


def test_the_seconds_are_parts_of_the_step(outcome: Outcome) -> None:
    seconds, whole = measured(outcome), counts_of(outcome.total["buckets"])
    assert len(seconds) in (SECONDS, SECONDS + 1)
    for each, line in zip(seconds, (line for line in outcome.of("second") if line["measured"]), strict=False):
        counted = pytest.approx(line["events"], rel=0.1)  # a moment before the buckets
        assert sum(each.values()) == counted
    together: Counts = {}
    for each in seconds:
        add(together, each)
    assert together == whole


def test_a_stall_of_200_ms_is_in_its_second(outcome: Outcome) -> None:
    slowest = bucket_at(200)
    slow = [sum(each[bucket] for bucket in each if bucket >= slowest) for each in measured(outcome)]
    at = int(STALL_AT_S) - WARMUP_S
    assert slow[:SECONDS] == [int(second == at) for second in range(SECONDS)]


def stretches(seconds: list[Counts], recorded: list[float]) -> Iterator[tuple[Counts, list[float]]]:
    """Every stretch of whole seconds: its buckets added up, and the events recorded in it."""
    ends = [0, *accumulate(sum(each.values()) for each in seconds)]
    for first in range(len(seconds)):
        for end in range(first + 1, len(seconds) + 1):
            together: Counts = {}
            for each in seconds[first:end]:
                add(together, each)
            yield together, recorded[ends[first] : ends[end]]


def test_percentiles_of_any_stretch_are_those_of_its_recorded_events(outcome: Outcome, stalled: Path) -> None:
    seconds = measured(outcome)
    events = [float(line) * 1000 for line in (stalled / "recorded").read_text().split()]
    recorded = events[len(events) - sum(counts_of(outcome.total["buckets"]).values()) :]
    compared = 0
    for counts, its_events in stretches(seconds, recorded):
        ordered = sorted(its_events)
        for percent, found in zip((50, 95, 99), distribution(buckets_of(counts), (50, 95, 99)), strict=False):
            at = max(-(-len(ordered) * percent // 100) - 1, 0)
            # outside of the two looks at the clock an event may lose its CPU: one or two are longer then
            low, high = bucket_at(ordered[at]), bucket_at(ordered[min(at + 2, len(ordered) - 1)])
            assert low - 1 <= bucket_at(found) <= high + 1
            compared += 1
    assert compared > 20


def test_the_lines_say_so_where_sysbench_has_emptied_its_buckets(outcome: Outcome) -> None:
    lines: list[dict[str, Any]] = outcome.of("second")
    assert all("buckets" in line for line in lines if line["measured"])
    assert [line.get("buckets") for line in lines if not line["measured"]] in ([None], [])
