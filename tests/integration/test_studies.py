"""The sequences of the studies as whole sessions, small, from the command line to the history."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.catalog.approval import hash_of
from app.protocol.events import Fact, Progress
from tests.plans import write

from .desktop import Desktop

ENGINES = ("innodb", "rocksdb", "myisam")
STUDIES = ("small-datum", "small-datum-2017-03", "small-datum-2017-11", "small-datum-2026")
MARIADB = "mariadb-10.11.19:"
ROWS = 3000
SCANS = """\
name = "scans"
title = "Both kinds of scan"
tables = 3
rows = 3000

[[step]]
workload = "load"

[[step]]
workload = "index"

[[step]]
workload = "scan"

[[step]]
workload = "scan-count"
threads = [1, 2]

[[step]]
workload = "delete-only"
events = 9000

[[step]]
name = "fewer"
workload = "scan"
"""
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
SLOWLY = """\
name = "slowly"
title = "A scan that takes seconds"
tables = 1
rows = 3000

[[step]]
workload = "load"

[[step]]
workload = "slow"
"""


def carry_out(desktop: Desktop, sequence: str, contender: str, **options: object) -> list[dict[str, Any]]:
    """The steps of a session of one sequence that went well in all of them."""
    words = ["run", "--sequence", sequence, "--contender", contender]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    desktop.dyno(*words, limit_s=280)
    (entry,) = desktop.sessions()
    assert (entry["state"], entry["failed_steps"]) == ("completed", 0)
    steps: list[dict[str, Any]] = desktop.json("session", "show", entry["id"])["steps"]
    failed = [(step["name"], step["reason"]) for step in steps if step["state"] != "completed"]
    assert not failed
    return steps


def assert_rate(step: dict[str, Any], rows: int) -> None:
    """A scan of so few rows takes a millisecond, and its seconds are kept to a tenth of one."""
    rounding = 0.00005 / step["seconds"]
    assert step["value"] == pytest.approx(rows / step["seconds"], rel=0.01 + rounding)


@pytest.mark.parametrize("engine", ENGINES)
def test_scans_end_by_themselves_and_tell_rows(desktop: Desktop, engine: str) -> None:
    (desktop.home / "sequences/scans.toml").write_text(SCANS)
    load, _, *steps, deleted, fewer = carry_out(desktop, "scans", MARIADB + engine, threads=8, seconds=60)
    assert [(step["name"], step["coordinates"]) for step in steps] == [
        ("scan", {"threads": 3}),
        ("scan-count", {"threads": 1}),
        ("scan-count", {"threads": 2}),
    ]
    for step in steps:
        assert (step["unit"], step["queries"], step["seconds"] < 30) == ("rows/s", 3, True)
        assert_rate(step, 3 * ROWS)
    assert load["rows"] == 3 * ROWS > deleted["rows"] == fewer["rows"]
    assert deleted["marks"] == ["out-of-rows"]  # of as many keys as there are rows, each third is never drawn
    assert_rate(fewer, fewer["rows"])


def test_the_rows_that_the_server_reads_tell_how_far_a_scan_is(desktop: Desktop) -> None:
    for name, text in SLOW.items():
        write(desktop.home / "workloads" / name, text)
    (desktop.home / "sequences/slowly.toml").write_text(SLOWLY)
    workload = Catalog(desktop.home).workload("slow")
    desktop.dyno("workload", "approve", "slow", hash_of(Catalog(desktop.home).workload_files(workload)))
    (_, scan) = carry_out(desktop, "slowly", MARIADB + "innodb")
    (entry,) = desktop.sessions()
    told = [e for e in desktop.events(entry["id"]) if isinstance(e, Progress) and e.step == 1]
    assert len(told) >= 2
    assert {(each.total, each.unit) for each in told} == {(ROWS, "rows")}
    assert [each.done for each in told] == sorted(each.done for each in told)
    assert 0 < told[0].done < ROWS
    rows = desktop.json("session", "series", entry["id"], "slow", "--series", "load.rows")["values"]
    assert max(filter(None, rows)) > 100  # a thousand a second, and no query has ended
    assert scan["value"] == pytest.approx(ROWS / scan["seconds"], rel=0.01)


def every_workload() -> str:
    """A sequence of all workloads; those that change the number of rows come last."""
    found = [each for each in Catalog().workloads()[0] if "tables" in (each.makes, *each.needs)]
    order = {"load": 0, "index": 1}
    found.sort(key=lambda each: (order.get(each.kind, 2), each.changes_rows))
    head = f'name = "every"\ntitle = "All"\ntables = 2\nrows = {ROWS}\nthreads = [2]\nwarmup = 0\n'
    bound = {"drive": "events = 200\n"}
    steps = (f'\n[[step]]\nworkload = "{each.name}"\n{bound.get(each.kind, "")}' for each in found)
    return head + "".join(steps)


@pytest.mark.parametrize(
    ("name", "version"),
    [
        pytest.param("mysql-5.6", "5.6.", marks=pytest.mark.build("mysql-5.6")),
        pytest.param("mysql-9.7", "9.", marks=pytest.mark.build("mysql-9.7")),
    ],
)
def test_every_workload_on_other_servers(
    desktop: Desktop, build_path: Callable[[str], Path], name: str, version: str
) -> None:
    (desktop.home / "sequences/every.toml").write_text(every_workload())
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path(name)))
    builds = desktop.json("target", "survey", "local")["builds"]
    build = next(each["name"] for each in builds if each["version"].startswith(version))
    steps = carry_out(desktop, "every", f"{build}:innodb")
    workloads = {workload.name: workload for workload in Catalog().workloads()[0]}
    for step in steps:
        workload = workloads[step["workload"]]
        assert step["value"] > 0, step["name"]
        if workload.kind == "drive" and step["errors"] == 0:
            assert step["queries"] == 200 * workload.queries_per_event


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sequence", STUDIES)
def test_a_study_goes_to_its_end(desktop: Desktop, sequence: str, engine: str) -> None:
    threads = 1 if sequence == "small-datum-2017-03" else 2  # its special keys are few: clients would collide
    sizes = {"rows": ROWS, "tables": 2, "seconds": 1, "warmup": 0, "threads": threads}
    steps = carry_out(desktop, sequence, MARIADB + engine, **sizes)
    names = [step.name for step in Catalog().sequence(sequence).steps]
    assert [step["name"] for step in steps if step["kind"] != "settle"] == names
    measured = [step for step in steps if step["kind"] in ("drive", "scan")]
    assert all(step["value"] > 0 for step in measured)
    assert not any("error-ridden" in step["marks"] for step in measured if step["name"] != "delete")
    (entry,) = desktop.sessions()
    facts = {e.name: e.value for e in desktop.events(entry["id"]) if isinstance(e, Fact)}
    added = {step["name"]: step["rows"] for step in steps if step["rows"]}
    assert sum(facts["rows_counted"].values()) == added["insert"]
    assert facts["transport"] == ("loopback" if "2017" in sequence else "socket")
