"""Roles on a server that hangs, on a full disk, over SSH, and one that seldom does anything."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.approval import hash_of
from app.protocol.events import Sample, SeriesDeclared
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.disks import fill
from tests.integration.on_target import begun, ended
from tests.integration.sshd import Sshd
from tests.integration.test_roles import ENDLESS, READER, UPDATING, carried_out, ends, with_roles
from tests.plans import write
from tests.sequences import INDEX, LOAD, own_sequence
from tests.waiting import wait_until

MIXED = 2  # the step with roles, behind load and index
UPDATER = 'name = "writer"\nworkload = "update-index"\nthreads = 1\nrate = 50\narrivals = "even"\nseconds = 3'
SELDOM = {
    "seldom.toml": """\
name = "seldom"
title = "A row every two seconds"
kind = "drive"
lua = "seldom.lua"
unit = "queries/s"
queries_per_event = 1
writes = true
changes_rows = true
""",
    "seldom.lua": """\
local dyno = require("dyno")
dyno.declare({})
function dyno.prepare() end
function event()
   dyno.connection:query("DO SLEEP(2)")
   local text = "INSERT INTO sbtest1 (k, c, pad) VALUES (1, 'a', 'b')"
   dyno.insert_text(text, #text)
end
""",
}


def keep(desktop: Desktop, *roles: str) -> list[str]:
    """Keep the sequence; the words that carry it out."""
    text = own_sequence("mine", LOAD, INDEX, with_roles("mixed", *roles), 'workload = "point-query"')
    (desktop.home / "sequences/mine.toml").write_text(text)
    return ["run", "--sequence", "mine", "--contender", f"{MARIADB}:innodb", "--allow-busy"]


@pytest.mark.full
def test_a_server_that_hangs_ends_its_step_in_time_and_goes_on_with_the_next(desktop: Desktop) -> None:
    running = desktop.begin(*keep(desktop, READER, UPDATER))
    wait_until(begun(desktop, MIXED), "the step with roles has begun", 120)
    held = desktop.server_pid()
    os.kill(held, signal.SIGSTOP)
    try:
        journal = next(desktop.target.glob("sessions/*/journal.jsonl"))
        next_step = f'"step":{MIXED + 2}'
        wait_until(lambda: _has(journal, "step_started", next_step), "the next step has begun", 220)
    finally:
        os.kill(held, signal.SIGCONT)
    running.communicate(timeout=90)
    (entry,) = desktop.sessions()
    found = ends(desktop, entry["id"])
    assert found[2].outcome == found[3].outcome == "failed"
    assert found[2].reason.startswith("the server answered neither its clients nor Dyno for "), found[2]
    assert found[4].outcome == "completed" and entry["state"] == "completed"


def _has(journal: Path, *words: str) -> bool:
    """Whether a line has all of these words."""
    return any(all(word in line for word in words) for line in journal.read_text().splitlines())


@pytest.mark.full
@pytest.mark.root
def test_a_full_disk_ends_all_roles_of_the_step_with_its_reason(desktop: Desktop, small_disk: Path) -> None:
    desktop.dyno("target", "edit", "local", "--directory", str(small_disk))
    running = desktop.begin(*keep(desktop, READER, ENDLESS, UPDATING), "--allow-small-disk")
    wait_until(begun(desktop, MIXED, small_disk), "the step with roles has begun", 180)
    fill(small_disk.parent, left=1 << 20)
    wait_until(ended(desktop, small_disk), "the session has ended", 180)
    assert running.wait(60) == 1
    (entry,) = desktop.sessions()
    found = ends(desktop, entry["id"])
    assert found.keys() == {0, 1, 2, 3, 4}  # load, index, three roles
    assert {found[at].outcome for at in (2, 3, 4)} == {"failed"}
    assert {found[at].reason for at in (2, 3, 4)} == {entry["reason"]} and "is full" in entry["reason"]


@pytest.mark.full
def test_roles_are_carried_out_on_a_target_over_ssh(desktop: Desktop, sshd: Sshd) -> None:
    sshd.add_target("far", sshd.directory)
    desktop.dyno(*keep(desktop, READER, UPDATER), "--target", "far")
    (entry,) = desktop.sessions()
    reader, writer = (ends(desktop, entry["id"])[at] for at in (2, 3))
    assert (entry["target"], reader.outcome, writer.outcome) == ("far", "completed", "completed")
    assert writer.totals.events > 0 and reader.totals.events > 0


@pytest.mark.full
def test_a_role_of_half_an_event_a_second_has_empty_seconds_and_no_gaps(desktop: Desktop) -> None:
    for name, text in SELDOM.items():
        write(desktop.home / "workloads" / name, text)
    catalog = Catalog(desktop.home)
    desktop.dyno("workload", "approve", "seldom", hash_of(catalog.workload_files(catalog.workload("seldom"))))
    seldom = 'name = "seldom"\nworkload = "seldom"\nthreads = 1\nevents = 3'
    (entry,) = carried_out(desktop, with_roles("rare", READER, seldom))
    events = desktop.events(str(entry["id"]))
    reader, rare = (ends(desktop, entry["id"])[at] for at in (2, 3))
    assert rare.totals.events == rare.totals.rows["inserted"] == 3 and 6 <= rare.seconds < 9
    assert rare.value == pytest.approx(2 * 3 / rare.seconds, rel=0.01)  # with its DO SLEEP
    assert rare.seconds - 0.1 <= reader.seconds < rare.seconds + 2
    (declared,) = (each for each in events if isinstance(each, SeriesDeclared))
    at = [each.name for each in declared.series].index("load.queries{seldom}")
    rates = [each.values[at] for each in events if isinstance(each, Sample) and each.step == 2]
    told = [rate for rate in rates[:6] if rate is not None]  # a busy machine may be late with one
    assert 0.0 in told and any(told) and len(told) >= 4
