"""Workloads and sequences as whole sessions, small, from the command line to the history."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog, Sequence, SequenceStep, Workload
from app.catalog.approval import hash_of
from app.protocol.events import Fact, ProgressEvent, SessionPlanned, StepEnded
from tests.installed import MARIADB
from tests.integration.desktop import Desktop, own_marks
from tests.integration.generated import ENGINES, classic
from tests.plans import write
from tests.sequences import INDEX, LOAD, own_sequence

SERVERS = [
    *(pytest.param("", engine, id=f"mariadb-{engine}") for engine in ENGINES),
    *(
        pytest.param(build, "innodb", id=f"{build}-innodb", marks=pytest.mark.build(build))
        for build in ("mysql-5.6", "mysql-8.0", "mysql-9.7")
    ),
]
# a search needs real rates, counting a quarter of an hour: both have tests of their own; the short form of
# the insert benchmark has all of its steps
APART = ("limit", "work", "insert-benchmark")
SEQUENCES = [each for each in Catalog().sequences()[0] if each.shipped and each.name not in APART]
ROWS = 3000
LIMIT_S = 1500
LACKS_TRANSACTIONS = "has no transactions, so that"
LACKS_COMMAND = "cannot back up: "  # a check of builds without one
ANSWER_S = 20  # that a server may take after a kill
CALM_RATE = 200  # as fast as it goes they would take the CPUs of other tests; that is seen elsewhere
COMMANDS = ("select", "update", "insert", "delete", "begin", "commit")
FEW = 60  # statements of who asks for figures, rows of the statistics of tables
MET = 0.05  # of events: in so few rows clients meet, and MyRocks lets one of the two try again
SCANS = own_sequence(
    "scans", LOAD, INDEX, 'workload = "scan"', 'workload = "scan-count"\nthreads = [1, 2]',
    'workload = "delete-only"\nevents = 9000', 'name = "fewer"\nworkload = "scan"', tables=3, rows=ROWS,
)  # fmt: skip
# every row takes its time
SLOW = {
    "slow.toml": """\
name = "slow"
title = "Reading slowly"
kind = "scan"
lua = "slow.lua"
unit = "rows/s"
""",
    "slow.lua": """\
local dyno = require("dyno")
dyno.declare({})
local is_done = false
function dyno.prepare() end
function event()
   if is_done then
      return true
   end
   dyno.connection:query("SELECT COUNT(*) FROM sbtest1 WHERE SLEEP(0.001) > 0")
   is_done = true
end
""",
}
SLOWLY = own_sequence("slowly", LOAD, 'workload = "slow"', tables=1, rows=ROWS)

EVERY = own_sequence("every", rows=ROWS)


def carry_out(desktop: Desktop, sequence: str, contender: str, **options: object) -> list[dict[str, Any]]:
    """The steps of a session of one sequence that went well in all of them."""
    words = ["run", "--sequence", sequence, "--contender", contender]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    code = desktop.dyno(*words, code=None, limit_s=LIMIT_S).returncode
    (entry,) = desktop.sessions()
    steps: list[dict[str, Any]] = desktop.json("session", "show", entry["id"])["steps"]
    failed = [(step["name"], step["reason"]) for step in steps if step["state"] != "completed"]
    # a kill may leave MyISAM with an index that is corrupt, which its steps then say
    assert (entry["state"], entry["failed_steps"] > 0, code) == ("completed", bool(failed), int(bool(failed)))
    assert all("myisam" in contender and "is corrupt" in reason for _, reason in failed), failed
    return steps


def assert_rate(step: dict[str, Any], rows: int) -> None:
    """A scan of so few rows takes a millisecond, and its seconds are kept to a tenth of one."""
    rounding = 0.00005 / step["seconds"]
    assert step["value"] == pytest.approx(rows / step["seconds"], rel=0.01 + rounding)


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
def test_scans_end_by_themselves_and_tell_rows(desktop: Desktop, engine: str) -> None:
    (desktop.home / "sequences/scans.toml").write_text(SCANS)
    load, _, *steps, deleted, fewer = carry_out(
        desktop, "scans", f"{MARIADB}:{engine}", threads=8, seconds=60
    )
    assert [(step["name"], step["coordinates"]) for step in steps] == [
        ("scan", {"threads": 3}),
        ("scan-count", {"threads": 1}),
        ("scan-count", {"threads": 2}),
    ]
    for step in steps:
        assert (step["unit"], step["queries"], step["seconds"] < 30) == ("rows/s", 3, True)
        assert_rate(step, 3 * ROWS)
    assert load["rows"] == 3 * ROWS > deleted["rows"] == fewer["rows"]
    assert own_marks(deleted["marks"]) == [
        "out-of-rows"
    ]  # of as many keys as there are rows, each third is never drawn
    assert_rate(fewer, fewer["rows"])


@pytest.mark.full
def test_the_rows_that_the_server_reads_tell_how_far_a_scan_is(desktop: Desktop) -> None:
    for name, text in SLOW.items():
        write(desktop.home / "workloads" / name, text)
    (desktop.home / "sequences/slowly.toml").write_text(SLOWLY)
    workload = Catalog(desktop.home).workload("slow")
    desktop.dyno("workload", "approve", "slow", hash_of(Catalog(desktop.home).workload_files(workload)))
    (_, scan) = carry_out(desktop, "slowly", f"{MARIADB}:innodb")
    (entry,) = desktop.sessions()
    told = [e for e in desktop.events(entry["id"]) if isinstance(e, ProgressEvent) and e.step == 1]
    assert len(told) >= 2
    assert {(each.total, each.unit) for each in told} == {(ROWS, "rows")}
    assert [each.done for each in told] == sorted(each.done for each in told)
    assert 0 < told[0].done < ROWS
    rows = desktop.json("session", "series", entry["id"], "slow", "--series", "load.rows")["values"]
    assert max(filter(None, rows)) > 100  # a thousand a second, and no query has ended
    assert scan["value"] == pytest.approx(ROWS / scan["seconds"], rel=0.01)


def every_workload() -> str:
    """A sequence of all of the classic tables, a second each; what changes the number of rows comes last."""
    order = {"load": 0, "index": 1}
    found = sorted(classic(), key=lambda each: (order.get(each.kind, 2), each.changes_rows))
    steps = [
        f'\n[[step]]\nworkload = "{each.name}"\n' + ("events = 400\n" if each.kind == "drive" else "")
        for each in found
    ]
    return EVERY + "".join(steps)


def contender_of(desktop: Desktop, build_path: Callable[[str], Path], build: str, engine: str) -> str:
    """A contender of this computer: of Debian's MariaDB, or of a build that was fetched."""
    if not build:
        return f"{MARIADB}:{engine}"
    base = str(build_path(build))
    desktop.dyno("target", "edit", "local", "--search-path", base)
    builds = desktop.json("target", "survey", "local")["builds"]
    found = next(each["name"] for each in builds if each["base"] == base)
    return f"{found}:{engine}"


def check_by_server(step: StepEnded, workload: Workload) -> None:
    """What the server counted over a step is what the step says it did."""
    totals = step.totals
    sent = totals.reads + totals.writes + totals.other
    counted = sum(step.status.get(f"com_{command}", 0) for command in COMMANDS)
    assert sent == totals.events * workload.queries_per_event, workload.name
    assert sent <= counted <= sent + FEW, workload.name
    for done in ("inserted", "updated", "deleted"):
        counted = step.status.get(f"innodb_rows_{done}", 0)
        # InnoDB counts rows without a lock: now and then it loses one
        assert abs(counted - totals.rows[done]) <= FEW, (workload.name, done)


@pytest.mark.full
@pytest.mark.parametrize(("build", "engine"), SERVERS[3:])
def test_every_workload_on_other_servers(
    desktop: Desktop, build_path: Callable[[str], Path], build: str, engine: str
) -> None:
    (desktop.home / "sequences/every.toml").write_text(every_workload())
    carry_out(desktop, "every", contender_of(desktop, build_path, build, engine))
    (entry,) = desktop.sessions()
    events = desktop.events(entry["id"])
    steps = next(event for event in events if isinstance(event, SessionPlanned)).plan["steps"]
    rows = 2 * ROWS
    for ended in (event for event in events if isinstance(event, StepEnded)):
        workload = Catalog().workload(steps[ended.step]["workload"])
        assert ended.value and ended.value > 0, workload.name
        if workload.kind == "drive" and not ended.totals.errors:
            check_by_server(ended, workload)
        rows += (ended.rows["in_tables"] - rows) if workload.changes_rows else 0
        assert ended.rows["in_tables"] == rows, workload.name


# every sequence there is, small, to its end


def names_of(step: SequenceStep) -> list[str]:
    """Those of its workload, or of its roles."""
    named = step.names_in_plan if step.workload or step.role else ()
    return [*named[step.is_operation :]]


def sizes_of(sequence: Sequence) -> dict[str, str | int]:
    """Small, and with a point or two of each sweep."""
    sizes: dict[str, str | int] = {"rows": ROWS, "seconds": 1, "warmup": 0, "threads": 2}
    if not any(Catalog().workload(step.workload).tables for step in sequence.steps if step.workload):
        sizes["tables"] = 2
    if sequence.name == "small-datum-2017-03":
        sizes["threads"] = 1  # its special keys are few: clients would collide
    elif len(sequence.threads or ()) > 1:
        sizes["threads"] = "2,4"
    if any(step.is_operation for step in sequence.steps):
        sizes["seconds"] = ANSWER_S
    if sequence.cores:
        sizes["cores"] = "2,1"
    if not any(step.events or step.role for step in sequence.steps):
        sizes["rate"] = CALM_RATE
    return sizes


def refusal(desktop: Desktop, sequence: Sequence, contender: str, sizes: dict[str, str | int]) -> str:
    """Why this contender cannot carry the sequence out, '' where it can."""
    words = [word for name, value in sizes.items() for word in (f"--{name}", str(value))]
    words += ["--sequence", sequence.name, "--contender", contender, "--dry-run"]
    done = desktop.dyno("run", *words, code=None)
    lacks = [line for line in done.stdout.splitlines() if LACKS_COMMAND in line]
    return done.stderr.strip() if done.returncode == 2 else "".join(lacks[:1])


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("build", "engine"), SERVERS)
@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda sequence: sequence.name)
def test_a_sequence_goes_to_its_end(
    desktop: Desktop, build_path: Callable[[str], Path], sequence: Sequence, build: str, engine: str
) -> None:
    contender, sizes = contender_of(desktop, build_path, build, engine), sizes_of(sequence)
    used = [Catalog().workload(step.workload) for step in sequence.steps if step.workload]
    reasons = [workload.engines_because for workload in used if workload.engines]
    said = refusal(desktop, sequence, contender, sizes)
    if LACKS_TRANSACTIONS in said:
        assert any(workload.transactions for workload in used)
        sizes["threads"] = 1  # as the refusal says
        said = refusal(desktop, sequence, contender, sizes)
    if said:
        if LACKS_COMMAND in said:
            assert (build, sequence.name) == ("mysql-5.6", "backup-beside-load")
            return
        assert any(reason in said for reason in reasons), said
        return
    steps = carry_out(desktop, sequence.name, contender, **sizes)
    if any(step["state"] != "completed" for step in steps):
        return  # of a table of MyISAM, as it says
    names = dict.fromkeys(step["name"] for step in steps if step["workload"])
    asked = [name for step in sequence.steps for name in names_of(step)]
    anew = {f"{load}.{step.name}" for step in sequence.steps if step.reload for load in asked}
    assert [name for name in names if name not in anew] == asked
    measured = [
        step for step in steps if step["kind"] in ("drive", "scan") and "/" not in step["name"]
    ]  # not of a kind
    assert all(step["value"] > 0 for step in measured)
    (entry,) = desktop.sessions()
    events = desktop.events(entry["id"])
    planned = next(event for event in events if isinstance(event, SessionPlanned)).plan["steps"]
    ended = [e for e in events if isinstance(e, StepEnded) and e.totals.events]
    # MyRocks ends a transaction that meets a row changed since its snapshot, and few branches have few rows
    hot = {each.name for each in used if each.transactions and engine == "rocksdb"}
    totals = [(planned[e.step], e.totals) for e in ended if not planned[e.step].get("event_kind")]
    met = [step for step, total in totals if total.errors > MET * total.events]
    assert {step["name"] for step in met if step["workload"] not in hot} <= {"delete"}, met
    facts = {event.name: event.value for event in events if isinstance(event, Fact)}
    counted = [rows for table, rows in facts["rows_counted"].items() if not table.startswith("words")]
    assert sum(counted) == [step["rows"] for step in steps if step["rows"] is not None][-1]
    assert facts["transport"] == (sequence.transport or "socket")


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("build", "engine"), SERVERS)
def test_a_soak_of_a_minute_tells_its_seconds(
    desktop: Desktop, build_path: Callable[[str], Path], build: str, engine: str
) -> None:
    contender = contender_of(desktop, build_path, build, engine)
    *others, soak = carry_out(desktop, "soak", contender, rows=ROWS, seconds=60, warmup=0, tables=2)
    assert not any(step["soak"] for step in others)
    found = soak["soak"]
    assert 55 <= found["seconds"] <= 60
    assert 0 <= found["slowest"] < soak["value"]
    assert 0 <= found["below_half_pct"] <= 50 and found["longest_stall_s"] >= 0
    for trend in (found["trend_pct"], found["memory_trend_mb"]):
        assert trend["low"] <= trend["value"] <= trend["high"]
    assert found["size_growth_mb"] is not None
    assert (found["history_list_max"] is not None) == (engine == "innodb")


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("build", "engine"), [each for each in SERVERS if each.values[1] == "innodb"])
def test_the_matrix_of_percona_goes_to_its_end(
    desktop: Desktop, build_path: Callable[[str], Path], build: str, engine: str
) -> None:
    name, _, _ = contender_of(desktop, build_path, build, engine).partition(":")
    few = ("--tables", "1", "--rows", str(ROWS), "--seconds", "1", "--threads", "2")
    said = desktop.dyno("run", "percona-2026.toml", name, *few, limit_s=LIMIT_S).stdout
    assert "percona-2026.toml is scaled to this machine" in said
    entries = desktop.sessions()
    assert {entry["contender"]["preset"] for entry in entries} == {"percona-32g", "percona-12g", "percona-2g"}
    assert {(entry["state"], entry["failed_steps"]) for entry in entries} == {("completed", 0)}


@pytest.mark.full
@pytest.mark.disk
@pytest.mark.timeout(900)
def test_the_insert_benchmark_with_the_settings_of_its_author(desktop: Desktop) -> None:
    words = ("insert-benchmark-c8r32.toml", MARIADB, "--sequence", "insert-benchmark-short")
    desktop.dyno("run", *words, limit_s=LIMIT_S)
    entries = desktop.sessions()
    found = {(entry["contender"]["engine"], entry["contender"]["preset"]) for entry in entries}
    assert found == {("innodb", "c8r32"), ("rocksdb", "c8r32")}
    for entry in entries:
        steps = desktop.json("session", "show", entry["id"])["steps"]
        assert {step["state"] for step in steps} == {"completed"}
        reading = [step for step in steps if re.fullmatch(r"q[rp]\d+", step["name"])]
        assert len(reading) == 6 and not any("bad-statistics" in step["marks"] for step in reading)
