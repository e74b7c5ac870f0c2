"""A session done again by its script, on a bare machine: the same statements per event, without Dyno."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.protocol.events import SessionPlanned, StepEnded
from app.protocol.step_parts import to_json
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.sequences import LOAD, SETTLED, own_sequence

SEQUENCE = own_sequence(
    "again", LOAD, SETTLED,
    'workload = "read-write"\nthreads = [1]',  # transactions that meet are begun again, and count twice
    'workload = "update-index"',
)  # fmt: skip
MORE = """
[[step]]
workload = "scan"

[[step]]
name = "swept"
workload = "point-selects"
cores = [1]

[[step.variation]]
name = "plain"

[[step.variation]]
name = "set"
options = {db_ps_mode = "disable"}
variables = {sort_buffer_size = "4M"}

[[step.variation]]
name = "restarted"
restart_with = {table_open_cache = 500}

[[step]]
name = "insert"
workload = "insert"
"""
# statements as the server counts them; those of Dyno itself and of the client are none of these
PER_EVENT = ("stmt_execute", "insert", "update", "delete", "begin", "commit")
IN_ALL = ("stmt_prepare", "create_table", "create_index", "alter_table", "drop_table")
COUNTED = ("reads", "writes", "other", "errors")

Counts = dict[str, float]
Build = Callable[[str], Path]


def by_dyno(desktop: Desktop) -> list[tuple[str, Counts]]:
    """The steps that sysbench carried out: statements per event, and those that come once."""
    (session,) = desktop.sessions()
    events = desktop.events(session["id"])
    (planned,) = [each for each in events if isinstance(each, SessionPlanned)]
    steps = planned.plan["steps"]
    ended = [each for each in events if isinstance(each, StepEnded) and steps[each.step]["lua"]]
    assert {each.outcome for each in ended} == {"completed"}
    return [(steps[each.step]["name"], counts(to_json(each.totals), each.status)) for each in ended]


def by_script(results: Path) -> list[tuple[str, Counts]]:
    found = []
    for told in sorted(results.glob("*.jsonl")):
        total = json.loads(told.read_text().splitlines()[-1])
        assert total["type"] == "total"
        before, after = (_status(told.with_suffix(f".{when}")) for when in ("before", "after"))
        status = {name: float(value) - float(before[name]) for name, value in after.items() if name in before}
        found.append((told.stem, counts(total, status)))
    return found


def _status(file: Path) -> dict[str, str]:
    lines = [line.split("\t") for line in file.read_text().splitlines()]
    return {line[0].lower(): line[1] for line in lines if line[0].startswith("Com_")}


def counts(totals: dict[str, Any], status: dict[str, float]) -> Counts:
    events = totals["events"]
    assert events > 0
    return {
        **{f"{name} per event": totals[name] / events for name in COUNTED},
        **{f"{name} per event": status.get(f"com_{name}", 0) / events for name in PER_EVENT},
        **{name: status.get(f"com_{name}", 0) for name in IN_ALL},
    }


def carry_out(folder: Path, shell: str = "dash") -> subprocess.CompletedProcess[str]:
    """With nothing of this environment; a Python that is called would be seen."""
    trap = folder.parent / "trap"
    trap.mkdir()
    for name in ("python", "python3", "dyno"):
        (trap / name).write_text(f"#!/bin/sh\ntouch {trap}/sprung\n")
        (trap / name).chmod(0o755)
    line = [
        "env",
        "-i",
        f"PATH={trap}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        shell,
        str(folder / "run.sh"),
    ]
    done = subprocess.run(
        line, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (trap / "sprung").exists()
    return done


def repeat(desktop: Desktop, tmp_path: Path, contender: str, shell: str = "dash", **options: object) -> str:
    """Carried out by Dyno, then by its script; the answer is what the script said."""
    desktop.dyno("run", "--sequence", "again", "--contender", contender, *words(options))
    desktop.dyno("session", "script", "last", "--out", str(tmp_path / "out"))
    said = carry_out(tmp_path / "out", shell).stdout
    results = tmp_path / "out" / "work" / "results"
    ours, theirs = by_dyno(desktop), by_script(results)
    assert len(ours) == len(theirs) > 0
    (analysed,) = results.glob("*-index.analysed")
    assert [line.split("\t")[2] for line in analysed.read_text().splitlines()] == ["status"] * 2
    for (name, expected), (file, found) in zip(ours, theirs, strict=True):
        assert found == pytest.approx(expected, abs=1e-6), (name, file)
    return said


def words(options: dict[str, object]) -> list[str]:
    return [word for name, value in options.items() for word in (f"--{name}", str(value))]


def write_sequence(desktop: Desktop, more: str = "") -> None:
    (desktop.home / "sequences" / "again.toml").write_text(SEQUENCE + more)


@pytest.mark.full
def test_a_script_does_the_same_as_its_session(desktop: Desktop, tmp_path: Path) -> None:
    write_sequence(desktop)
    said = repeat(desktop, tmp_path, f"{MARIADB}:innodb")
    assert "queries/s" in said and "done: results are in" in said
    (socket,) = re.findall("^socket=(.*)$", (tmp_path / "out" / "work" / "my.cnf").read_text(), re.MULTILINE)
    assert socket.startswith("/tmp/dyno-script-") and not Path(socket).parent.exists()
    again = subprocess.run(["sh", tmp_path / "out" / "run.sh"], capture_output=True, text=True, cwd="/")
    assert again.returncode == 1 and "name another directory" in again.stderr


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
@pytest.mark.parametrize(
    ("engine", "shell"), [("innodb", "bash"), ("rocksdb", "dash"), ("myisam", "dash"), ("aria", "dash")]
)
def test_sweeps_and_scans_of_every_engine(desktop: Desktop, tmp_path: Path, engine: str, shell: str) -> None:
    write_sequence(desktop, MORE)
    repeat(desktop, tmp_path, f"{MARIADB}:{engine}", shell)


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.build(name)) for name in ("mysql-5.6", "mysql-8.0", "mysql-9.7")],
)
@pytest.mark.parametrize("engine", ["innodb", "myisam"])
def test_builds_with_and_without_a_client(
    desktop: Desktop, tmp_path: Path, build_path: Build, name: str, engine: str
) -> None:
    """Of these only 8.0 has one, as its tarball lays it out."""
    write_sequence(desktop, MORE)
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path(name)))
    builds = [each["name"] for each in desktop.json("target", "survey", "local")["builds"]]
    (found,) = [each for each in builds if each.startswith(name)]
    repeat(desktop, tmp_path, f"{found}:{engine}")


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.parametrize("options", [{"transport": "loopback"}, {"start-state": "snapshot"}])
def test_over_loopback_and_from_a_snapshot(
    desktop: Desktop, tmp_path: Path, options: dict[str, object]
) -> None:
    write_sequence(desktop)
    repeat(desktop, tmp_path, f"{MARIADB}:innodb", **options)


ROLES = """\
name = "together"
figure = "reader"
cap_s = 60

[[step.role]]
name = "reader"
workload = "point-query"
rate = 200

[[step.role]]
name = "inserter"
workload = "insert"
rate = 40
arrivals = "each-second"
events = 100

[[step.role]]
name = "updater"
workload = "update-index"
follows = "inserter"
apart = 3
"""


@pytest.mark.full
def test_roles_run_at_the_same_time_in_a_script_too(desktop: Desktop, tmp_path: Path) -> None:
    (desktop.home / "sequences" / "again.toml").write_text(own_sequence("again", LOAD, SETTLED, ROLES))
    desktop.dyno("run", "--sequence", "again", "--contender", f"{MARIADB}:innodb")
    desktop.dyno("session", "script", "last", "--out", str(tmp_path / "out"))
    said = carry_out(tmp_path / "out").stdout
    ours = {name: found["writes per event"] for name, found in by_dyno(desktop)}
    assert ours["together.inserter"] == 1
    results = tmp_path / "out" / "work" / "results"
    totals = {}
    for told in results.glob("*-together*.jsonl"):
        lines = [json.loads(line) for line in told.read_text().splitlines()]
        totals[told.stem.rpartition(".")[2]] = next(line for line in lines if line["type"] == "total")
    assert (totals["inserter"]["events"], totals["updater"]["events"]) == (100, 100)
    assert 2 <= totals["inserter"]["time_s"] < 4 and 300 < totals["reader"]["events"] < 900
    assert re.search("together.*inserter\n +100 events of 1 queries", said)
