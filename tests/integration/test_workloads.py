"""The Lua of the workloads under a real sysbench and server: what it does, and that its figures are true."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.protocol.plan import START
from app.protocol.sysbench import MOST_SEED, STARTED
from tests.integration.generated import (
    ROWS,
    TABLES,
    WORKLOADS,
    Outcome,
    Server,
    Work,
    classic,
    drive,
    fill,
    percentile,
    shipped,
    start,
)

COUNTS = ("events", "reads", "writes", "other", "errors", "reconnects", "control")
DRIVEN = [workload for workload in classic() if workload.kind == "drive"]
EVENTS = 300
CLASSIC = {"load", "index", "update-index", "update-nonindex", "write-only", "read-write", "read-only"}
CLASSIC |= {"point-query", "insert"}


def statements(line: dict[str, Any]) -> int:
    return int(line["reads"] + line["writes"] + line["other"])


OPERATED = (
    "ledger",
    "open-transaction",
)  # of roles beside an operation: tests/integration/test_operations.py


def test_load_fills_the_classic_tables(server: Server) -> None:
    outcome = fill(server, "innodb", with_index=False, options={"rows_per_insert": 700})
    assert outcome.total["rows"] == {"read": 0, "inserted": TABLES * ROWS, "updated": 0, "deleted": 0}
    assert (outcome.total["events"], statements(outcome.total)) == (10, 10)
    found = server.query("SELECT COUNT(*), MIN(id), MAX(id), MIN(k) > 0, MAX(k) <= 3000 FROM dyno.sbtest2")
    assert found == [(ROWS, 1, ROWS, 1, 1)]
    c, pad = server.query("SELECT c, pad FROM dyno.sbtest1 WHERE id = 1234")[0]
    assert re.fullmatch(r"(\d{11}-){9}\d{11}", c)
    assert re.fullmatch(r"(\d{11}-){4}\d{11}", pad)
    created = server.query("SHOW CREATE TABLE dyno.sbtest1")[0][1]
    assert "ENGINE=InnoDB" in created
    assert "CHARSET=latin1" in created


def test_table_options_reach_create_table(server: Server) -> None:
    fill(server, "innodb", options={"table_options": "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8"})
    created = server.query("SHOW CREATE TABLE dyno.sbtest2")[0][1]
    assert "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8" in created
    assert "KEY `k_2` (`k`)" in created


def test_keys_are_told_their_column_family(server: Server) -> None:
    fill(server, "rocksdb", options={"column_family": "packed"})
    created = server.query("SHOW CREATE TABLE dyno.sbtest2")[0][1]
    assert "PRIMARY KEY (`id`) COMMENT 'cfname=packed'" in created


@pytest.mark.parametrize(("tables", "threads"), [(3, 2), (1, 4)])
def test_load_and_index_share_tables_among_threads(server: Server, tables: int, threads: int) -> None:
    outcome = fill(server, "rocksdb", tables=tables, threads=threads)
    assert outcome.total["rows"]["inserted"] == server.count_rows(tables) == tables * ROWS
    for i in range(1, tables + 1):
        assert f"KEY `k_{i}` (`k`)" in server.query(f"SHOW CREATE TABLE dyno.sbtest{i}")[0][1]


def test_rows_depend_on_the_seed_and_not_on_the_threads(server: Server) -> None:
    def rows(seed: int, threads: int) -> list[Any]:
        fill(server, "myisam", with_index=False, seed=seed, threads=threads)
        return [server.query(f"CHECKSUM TABLE dyno.sbtest{i}")[0][1] for i in (1, 2)]

    first = rows(11, 1)
    assert len(set(first)) == 2
    assert rows(11, 2) == first
    assert not set(rows(12, 1)) & set(first)


SENT_AS_TEXT = {"insert": "com_insert", "connect": "com_select"}  # all others send prepared ones


@pytest.mark.parametrize("workload", DRIVEN, ids=lambda workload: workload.name)
def test_every_workload_runs_on_every_engine(server: Server, filled: str, workload: Any) -> None:
    sent_as = SENT_AS_TEXT.get(workload.name, "com_stmt_execute")
    names = ("handler_write", "handler_update", "handler_delete", sent_as, "rows_sent")
    rows, alone, before = server.count_rows(), server.counters(*names), server.counters(*names)
    sent_alone = before["rows_sent"] - alone["rows_sent"]  # to who asks for the counters
    outcome = drive(server, shipped(workload.name, filled, events=EVENTS))
    assert outcome.code == 0, outcome.said
    total, written = outcome.total, outcome.total["rows"]
    after = server.counters(*names)
    assert total["events"] == sum(count for _, count in total["buckets"]) == EVENTS
    assert server.count_rows() - rows == written["inserted"] - written["deleted"]
    if total["errors"] == 0:
        assert statements(total) == EVENTS * workload.queries_per_event
        own = total["threads"] if sent_as == "com_select" else 0  # what a thread asks when it begins
        assert after[sent_as] - before[sent_as] == statements(total) + own
        assert after["handler_write"] - before["handler_write"] == written["inserted"]
        assert after["handler_update"] - before["handler_update"] == written["updated"]
        assert after["handler_delete"] - before["handler_delete"] == written["deleted"]
        sent = after["rows_sent"] - before["rows_sent"] - sent_alone
        asked = 2 if workload.name == "planted" else 1  # rows when a thread begins, if it is not too late
        assert sent - written["read"] in (asked, 2 * asked)
    assert workload.writes == (sum(written.values()) > written["read"])
    assert workload.changes_rows == (written["inserted"] != written["deleted"])
    assert workload.removes_rows == (written["inserted"] < written["deleted"])
    if workload.removes_rows:
        fill(server, filled)  # others count on them


def test_rows_read_are_those_the_server_read(server: Server, filled: str) -> None:
    before = server.counters("handler_read_key")["handler_read_key"]
    total = drive(server, shipped("point-query", filled, events=EVENTS)).total
    assert total["rows"]["read"] == EVENTS
    assert server.counters("handler_read_key")["handler_read_key"] - before == EVENTS


def test_range_size_is_the_rows_of_a_range(server: Server, filled: str) -> None:
    options = {"range_size": 7, "point_selects": 0, "sum_ranges": 0, "order_ranges": 0, "distinct_ranges": 0}
    work = shipped("read-only", filled, events=50, options=options, rows=ROWS - 10)
    assert drive(server, work).total["rows"]["read"] == 50 * 7


def test_skip_trx_leaves_out_begin_and_commit(server: Server, filled: str) -> None:
    work = shipped("write-only", filled, threads=1, seed=9, events=50, options={"skip_trx": True})
    total = drive(server, work).total
    assert (statements(total), total["control"], total["rows"]["updated"]) == (200, 0, 100)


def test_transactions_count_begin_and_commit(server: Server, filled: str) -> None:
    total = drive(server, shipped("read-only", filled, events=50)).total
    assert (total["control"], total["other"], total["reads"]) == (100, 100, 700)


@pytest.mark.parametrize("rand_type", ["special", "pareto"])
def test_random_distributions(server: Server, filled: str, rand_type: str) -> None:
    work = shipped("update-nonindex", filled, events=EVENTS, options={"rand_type": rand_type})
    assert drive(server, work).total["rows"]["updated"] == EVENTS


def check_parts(outcome: Outcome, work: Work) -> None:
    """The measured seconds never exceed the total, and what they leave is less than a second and a bit."""
    total, measured = outcome.total, [line for line in outcome.of("second") if line["measured"]]
    warm = [line for line in outcome.of("second") if not line["measured"]]
    assert abs(total["time_s"] - work.seconds) < 0.5
    assert work.seconds - 1 <= len(measured) <= work.seconds + 1
    assert 0 <= total["time_s"] - sum(line["interval_s"] for line in measured) < 1.5
    for name in COUNTS:
        assert sum(line[name] for line in measured) <= total[name]
    for name, count in total["rows"].items():
        assert sum(line["rows"][name] for line in measured) <= count
    # the two reporting threads of sysbench count at the same moment, on a busy machine 25 ms apart
    assert sum(line["events"] for line in warm) <= outcome.of("measured")[0]["events"] * 1.05


@pytest.mark.parametrize("seconds", [1, *(pytest.param(each, marks=pytest.mark.full) for each in (2, 1, 2))])
def test_measured_seconds_are_parts_of_the_total(server: Server, seconds: int) -> None:
    fill(server, "innodb")
    work = shipped("update-index", "innodb", seconds=seconds, warmup=1)
    before = server.counters("handler_update")["handler_update"]
    outcome = drive(server, work)
    check_parts(outcome, work)
    updated = server.counters("handler_update")["handler_update"] - before
    assert updated == outcome.of("measured")[0]["rows"]["updated"] + outcome.total["rows"]["updated"]
    counted = sum(count for _, count in outcome.total["buckets"])
    assert counted == pytest.approx(outcome.total["events"], rel=0.02)


# events that take as long as they are told to, in place of statements
TIMED_LUA = """
local ffi = require("ffi")
local dyno = require("dyno")
ffi.cdef("int usleep(unsigned int); int clock_gettime(int, int64_t *);")
dyno.declare({slow_s = {"", 0}, recorded = {"", ""}})
local now, began, recorded = ffi.new("int64_t[2]"), nil, {}
local function clock()
   ffi.C.clock_gettime(1, now)
   return tonumber(now[0]) + tonumber(now[1]) / 1e9
end
function dyno.prepare() began = clock() end
function event()
   local from = clock()
   if from - began < sysbench.opt.slow_s then
      ffi.C.usleep(250000)
   else
      ffi.C.usleep(500 + sysbench.rand.uniform(0, 50) ^ 2)
   end
   recorded[#recorded + 1] = clock() - from
end
local done = thread_done
function thread_done()
   if sysbench.opt.recorded ~= "" then
      local file = io.open(sysbench.opt.recorded, "w")
      file:write(table.concat(recorded, "\\n"))
      file:close()
   end
   done()
end
"""


@pytest.fixture
def timed(server: Server, tmp_path: Path) -> Work:
    server.query("CREATE DATABASE IF NOT EXISTS dyno")
    (tmp_path / "timed.lua").write_text(TIMED_LUA)
    return Work("timed.lua", threads=1, folder=tmp_path)


def test_slow_events_of_the_warmup_are_in_no_bucket(server: Server, timed: Work) -> None:
    work = replace(timed, threads=2, warmup=2, seconds=1, options={"slow_s": 1.2})
    outcome = drive(server, work)
    check_parts(outcome, work)
    assert outcome.of("measured")[0]["events"] > 10
    assert max(upper for upper, _ in outcome.total["buckets"]) < 250
    assert outcome.total["latency_ms"]["max"] < 250
    assert next(line["p95_ms"] for line in outcome.of("second") if not line["measured"]) > 200


def test_without_a_warmup_slow_events_are_in_the_buckets(server: Server, timed: Work) -> None:
    total = drive(server, replace(timed, events=40, options={"slow_s": 0.6})).total
    slow = sum(count for upper, count in total["buckets"] if upper > 250)
    assert slow in (2, 3)  # of a quarter of a second each, begun within 0.6 s: two on a busy machine


def test_percentiles_agree_with_latencies_recorded_one_by_one(server: Server, timed: Work) -> None:
    path = timed.folder / "recorded"
    total = drive(server, replace(timed, events=1000, options={"recorded": path})).total
    recorded = sorted(float(line) * 1000 for line in path.read_text().split())
    assert len(recorded) == 1000
    # between the two looks at the clock its thread may be taken off the CPU: a few events are longer then
    for percent in (50, 90, 95, 99):
        at = percent * 10 - 1
        assert 0.995 * recorded[at] <= percentile(total["buckets"], percent) <= 1.03 * recorded[at + 5]
    mean, latency = sum(recorded) / 1000, total["latency_ms"]
    assert 0.99 * mean <= latency["avg"] <= 1.01 * mean + 0.1
    assert 0.99 * recorded[-1] <= latency["max"] <= 1.01 * recorded[-1] + 50


def keys_of(server: Server, seed: int) -> list[list[int]]:
    """The keys that each thread asked for, as the server was sent them."""
    log = server.folder / "general.log"
    server.query("SET GLOBAL general_log = 1")
    total = drive(server, shipped("point-query", "innodb", seconds=1, seed=seed, tables=1)).total
    server.query("SET GLOBAL general_log = 0")
    text = log.read_text()
    log.unlink()
    server.query("FLUSH GENERAL LOGS")
    assert text.count("SET NAMES latin1") == 2
    threads: dict[str, list[int]] = {}
    for thread, key in re.findall(r"(\d+) Execute\tSELECT c FROM sbtest1 WHERE id=(\d+)", text):
        threads.setdefault(thread, []).append(int(key))
    assert sum(map(len, threads.values())) == total["events"]
    return sorted(threads.values())


def stream_of(seed: int, folder: Path) -> list[str]:
    """The first numbers that sysbench draws with a seed; none where it does not take it."""
    lua = folder / "draw.lua"
    lua.write_text("function event() print(sysbench.rand.uniform(1, 1000000000)) end\n")
    command = [
        "sysbench",
        f"--rand-seed={seed}",
        "--events=5",
        "--threads=1",
        "--verbosity=0",
        str(lua),
        "run",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    return done.stdout.split() if done.returncode == 0 else []


def test_sysbench_takes_every_seed_that_a_step_may_get(tmp_path: Path) -> None:
    edges = (1, 2, MOST_SEED - 1, MOST_SEED)
    streams = [stream_of(seed, tmp_path) for seed in edges]
    assert [len(stream) for stream in streams] == [5] * 4
    assert len({tuple(stream) for stream in streams}) == 4
    assert streams == [stream_of(seed, tmp_path) for seed in edges]
    assert stream_of(MOST_SEED + 1, tmp_path) == []


def test_keys_depend_on_the_seed(server: Server) -> None:
    fill(server, "innodb")
    first, again, other = keys_of(server, 5), keys_of(server, 5), keys_of(server, 6)
    assert len(first) == len(again) == 2
    for one, two in zip(first, again, strict=True):
        common = min(len(one), len(two))
        assert common > 20
        assert one[:common] == two[:common]
    assert first[0][:20] != first[1][:20]
    assert not {tuple(keys[:20]) for keys in first} & {tuple(keys[:20]) for keys in other}


# InnoDB sees deadlocks (1213, rolled back by it), RocksDB waits for them to pass (1205, left open by it)
@pytest.mark.parametrize(("engine", "threads"), [("innodb", 8), ("rocksdb", 3)])
def test_deadlocks_are_counted_and_rolled_back(server: Server, engine: str, threads: int) -> None:
    fill(server, engine, rows=8, tables=1)
    commands = ("com_begin", "com_commit", "com_rollback")
    before = server.counters(*commands)
    work = shipped("write-only", engine, threads=threads, seconds=2, tables=1, rows=8)
    work = replace(work, options={**work.options, "delete_inserts": 4})
    outcome = drive(server, work)
    assert outcome.code == 0, outcome.said
    total, after = outcome.total, server.counters(*commands)
    assert total["errors"] > 0
    assert total["rows"]["inserted"] == total["rows"]["deleted"] == 4 * total["events"]
    assert total["control"] == sum(after[name] - before[name] for name in commands)
    assert after["com_rollback"] - before["com_rollback"] == total["errors"]
    assert server.count_rows(1) == 8


def test_ignored_errors_of_an_engine_without_transactions(server: Server) -> None:
    fill(server, "myisam", rows=2, tables=1)
    work = shipped("write-only", "myisam", threads=8, seconds=2, tables=1, rows=2)
    outcome = drive(server, work)
    assert outcome.code == 0, outcome.said
    rows = outcome.total["rows"]
    assert outcome.total["errors"] > 0
    assert server.count_rows(1) == 2 + rows["inserted"] - rows["deleted"]
    fatal = drive(server, replace(work, ignored=(1213,)))
    assert fatal.code == 1
    assert "FATAL" in fatal.said
    assert "1062" in fatal.said
    assert not fatal.of("total")


def test_sigpipe_ends_it_when_nobody_reads(server: Server) -> None:
    fill(server, "innodb")
    process, reader = start(server, shipped("point-query", "innodb", seconds=60), restore_signals=False)
    with process:
        with os.fdopen(reader) as pipe:
            assert json.loads(pipe.readline())["type"] == "second"
        assert process.wait(10) == -signal.SIGPIPE


def test_the_sequences_name_what_is_there() -> None:
    catalog = Catalog()
    names = {workload.name for workload in catalog.workloads()[0]}
    sequences = {sequence.name: sequence.steps for sequence in catalog.sequences()[0]}
    used = {name: {step.workload for step in steps if step.workload} for name, steps in sequences.items()}
    assert used["quick"] == CLASSIC
    assert all(workloads <= names for workloads in used.values())
    benchmark = {each for each in names if each.startswith("insert-benchmark")}
    assert set().union(*used.values()) | {"insert-prepared", "delete-each", *OPERATED} | benchmark == names
    growing = [name for name, workloads in used.items() if "insert" in workloads]
    assert {sequences[name][-1].workload for name in growing} == {"insert"}


COLLECTING_LUA = """
local plain = tostring
function tostring(value) -- sysbench calls it for each default: what is not referred to is collected at once
   local text = plain(value)
   collectgarbage()
   collectgarbage()
   for i = 1, 200 do
      local _ = ("%03d"):format(i + 100)
   end
   return text
end
local options = {}
for i = 1, 40 do
   options["option_" .. i] = {"none", 900 + i}
end
sysbench.cmdline.options = options
function event()
   for i = 1, 40 do
      assert(sysbench.opt["option_" .. i] == 900 + i, "a default is another one's")
   end
end
"""


def test_defaults_of_options_stay_what_they_are(tmp_path: Path) -> None:
    """sysbench 1.0.20 alone gives 38 of these 40 options the default of another one."""
    (tmp_path / "own.lua").write_text(COLLECTING_LUA)
    done = subprocess.run(
        ["sysbench", "--events=1", "--time=0", str(WORKLOADS / START), "run"],
        cwd=tmp_path, env={**os.environ, STARTED: "own.lua"}, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
