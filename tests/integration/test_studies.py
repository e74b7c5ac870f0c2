"""The sequences of the studies as whole sessions, small, from the command line to the history."""

from __future__ import annotations

from typing import Any

import pytest

from app.catalog import Catalog
from app.protocol.events import Fact

from .desktop import Desktop

ENGINES = ("innodb", "rocksdb", "myisam")
STUDIES = ("small-datum", "small-datum-2017-03", "small-datum-2017-11", "small-datum-2026")
ROWS = 3000
SCANS = """\
name = "scans"
title = "Both kinds of scan"
tables = 3
rows = 3000

[[step]]
workload = "load"

[[step]]
workload = "scan"

[[step]]
workload = "scan-count"
threads = [1, 2]
"""


def carry_out(desktop: Desktop, sequence: str, engine: str, **options: object) -> list[dict[str, Any]]:
    """The steps of a session of one sequence that went well in all of them."""
    words = ["run", "--sequence", sequence, "--contender", f"mariadb-10.11.19:{engine}"]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    desktop.dyno(*words, limit_s=280)
    (entry,) = desktop.sessions()
    assert (entry["state"], entry["failed_steps"]) == ("completed", 0)
    steps: list[dict[str, Any]] = desktop.json("session", "show", entry["id"])["steps"]
    failed = [(step["name"], step["reason"]) for step in steps if step["state"] != "completed"]
    assert not failed
    return steps


@pytest.mark.parametrize("engine", ENGINES)
def test_scans_end_by_themselves_and_tell_rows(desktop: Desktop, engine: str) -> None:
    (desktop.home / "sequences/scans.toml").write_text(SCANS)
    steps = carry_out(desktop, "scans", engine, threads=8, seconds=60)[1:]
    assert [(step["name"], step["coordinates"]) for step in steps] == [
        ("scan", {"threads": 3}),
        ("scan-count", {"threads": 1}),
        ("scan-count", {"threads": 2}),
    ]
    for step in steps:
        assert (step["unit"], step["queries"], step["seconds"] < 30) == ("rows/s", 3, True)
        assert step["value"] == pytest.approx(3 * ROWS / step["seconds"], rel=0.01)


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sequence", STUDIES)
def test_a_study_goes_to_its_end(desktop: Desktop, sequence: str, engine: str) -> None:
    steps = carry_out(desktop, sequence, engine, rows=ROWS, tables=2, seconds=1, warmup=0, threads=2)
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
