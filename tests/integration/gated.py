"""A process of sysbench whose clients wait at the gate of dyno-slices.lua, and what opens it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from app.protocol.sysbench import STARTED
from tests.integration.generated import WORKLOADS, Outcome, Server, Work, percentile

Line = dict[str, Any]

# each client writes down when its events began; what they do says --does, by number of the client
RECORDED_LUA = """
local ffi = require("ffi")
local dyno = require("dyno")
ffi.cdef("int usleep(unsigned int); int clock_gettime(int, int64_t *);")
dyno.declare({event_ms = {"", 10}, recorded = {"", ""}, does = {"", ""}})
local now, began = ffi.new("int64_t[2]"), {}
local function clock()
   ffi.C.clock_gettime(1, now)
   return tonumber(now[0]) + tonumber(now[1]) / 1e9
end
function dyno.prepare() end
function event()
   began[#began + 1] = string.format("%.6f", clock())
   ffi.C.usleep(sysbench.opt.event_ms * 1000)
   if sysbench.opt.does == "fail" and sysbench.tid == 0 then
      error("the event has failed")
   elseif sysbench.opt.does == "end" and sysbench.tid == 0 then
      return true
   end
end
local done = thread_done
function thread_done()
   if sysbench.opt.recorded ~= "" then
      local file = io.open(sysbench.opt.recorded .. sysbench.tid, "w")
      file:write(table.concat(began, "\\n"))
      file:close()
   end
   done()
end
"""


@dataclass
class Gated:
    """A workload that waits; `gate` is the end of the pipe that tokens are written to."""

    process: subprocess.Popen[str]
    gate: int
    lines: Iterator[str]
    workers: int = 0
    slices: list[Line] = field(default_factory=list)

    def read(self) -> Line:
        return dict(json.loads(next(self.lines)))

    def await_ready(self) -> None:
        line = self.read()
        while line["type"] != "ready":
            line = self.read()
        self.workers = line["workers"]

    def open(self, seconds: float) -> float:
        """Let all clients begin events for so long; the moment at which they end to."""
        deadline = time.monotonic() + seconds
        self.give(deadline)
        return deadline

    def give(self, deadline: float) -> None:
        os.write(self.gate, struct.pack("<d", deadline) * self.workers)

    def slice(self, seconds: float) -> Line:
        """Open the gate, and wait until all clients are back."""
        self.open(seconds)
        return self.finish_slice()

    def finish_slice(self) -> Line:
        line = self.read()
        assert line["type"] == "slice"
        self.workers = line["workers"]
        self.slices.append(line)
        return line

    def end(self) -> Outcome:
        """Close the gate for good, and wait for the end of the process."""
        os.close(self.gate)
        self.gate = -1
        return self.outcome()

    def outcome(self) -> Outcome:
        rest = [json.loads(line) for line in self.lines]
        said, _ = self.process.communicate(timeout=60)
        return Outcome(self.process.returncode, self.slices + rest, said)

    def sum_of(self, name: str) -> float:
        return float(sum(line[name] for line in self.slices))


def command(server: Server, work: Work, gate: int, lines: int, rate: float) -> list[str]:
    options = {**work.options, "gate_fd": gate, "event_rate": rate}
    sliced = replace(work, lua=str(WORKLOADS / "dyno-slices.lua"), seconds=0, warmup=0, options=options)
    line = sliced.command(server.socket, lines)
    return [{"--report-interval=1": "--report-interval=0"}.get(word, word) for word in line]


def start_gated(server: Server, work: Work, rate: float = 0) -> tuple[Gated, int]:
    """The process, its clients not at the gate yet, and the end of the pipe that its lines come out of."""
    tokens, gate = os.pipe()
    reader, writer = os.pipe()
    environment = {"LUA_PATH": f"{WORKLOADS}/?.lua;;", "DYNO_WORKLOAD": work.lua.removesuffix(".lua")}
    environment[STARTED] = str(WORKLOADS / "dyno-slices.lua")
    process = subprocess.Popen(
        command(server, work, tokens, writer, rate),
        cwd=work.folder,
        env={**os.environ, **environment},
        pass_fds=(tokens, writer),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    os.close(tokens)
    os.close(writer)
    return Gated(process, gate, iter(())), reader


@contextmanager
def gated(server: Server, work: Work, rate: float = 0) -> Iterator[Gated]:
    """A workload whose clients wait at the gate."""
    found, reader = start_gated(server, work, rate)
    with found.process, open(reader) as found.lines:
        try:
            found.await_ready()
            yield found
        finally:
            if found.gate >= 0:
                os.close(found.gate)
            found.process.kill()


@pytest.fixture
def recorded_work(tmp_path: Path) -> Work:
    (tmp_path / "recorded.lua").write_text(RECORDED_LUA)
    return Work("recorded.lua", folder=tmp_path, options={"recorded": tmp_path / "began."})


def began(work: Work) -> list[float]:
    """When the events of all clients began."""
    files = list(work.folder.glob("began.*"))
    assert len(files) == work.threads
    return sorted(float(line) for file in files for line in file.read_text().split())


def check_slice(line: Line) -> None:
    """Its times belong together, and its figures are those of its events."""
    assert 0 <= line["interval_s"] <= line["time_s"] + 1e-6
    assert line["active_s"] > 0
    counted = sum(count for _, count in line["buckets"])
    assert counted == line["events"] > 0
    latency = line["latency_ms"]
    assert latency["min"] <= latency["avg"] <= latency["max"] <= line["time_s"] * 1000 * 1.01
    assert line["buckets"][0][0] * 1.02 >= latency["min"]
    few = counted < 100
    around = [
        percentile(line["buckets"], each) for each in ((85, 100) if few else (93, 97))
    ]  # rounded half up
    assert around[0] / 1.02 <= line["p95_ms"] <= around[1]
    mean = sum(upper * count for upper, count in line["buckets"]) / counted
    assert mean == pytest.approx(latency["avg"], rel=0.03)


def merged(lines: list[Line]) -> list[list[float]]:
    buckets: dict[float, float] = {}
    for line in lines:
        for upper, count in line["buckets"]:
            buckets[upper] = buckets.get(upper, 0) + count
    return [[upper, buckets[upper]] for upper in sorted(buckets)]
