"""Power cuts of real servers under load: what full durability keeps, what less loses, who broke a promise."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.history.steps.conditions import conditions_text
from app.protocol.events import Event, Fact, SessionPlanned, StepEnded
from app.protocol.plan import Plan
from app.protocol.step_parts import OperationResult
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.slow_fsync import HAS_COMPILER, preloaded_losing
from tests.integration.test_studies import contender_of
from tests.plans import write
from tests.sequences import CALM, INDEX, LOAD, own_sequence

pytestmark = pytest.mark.root
CUT = f"""\
name = "power-cut"
kind = "power-cut"
after = 3
seconds = 20

[[step.role]]
name = "ledger"
workload = "ledger"
{CALM}

[[step.role]]
name = "writer"
workload = "update-index"
{CALM}
"""
LIMIT_S = 300  # MySQL takes its time on a busy machine
STEPS = 3  # load, index, this one
# pages and log through the cache of the system: what is not synced is lost
BUFFERED = {
    "innodb_buffer_pool_size": "64M",
    "innodb_flush_method": "fsync",
    "innodb_log_file_buffering": "ON",
}
FULL = {**BUFFERED, "innodb_flush_log_at_trx_commit": "1", "skip_log_bin": "ON"}
LAZY = {"innodb_flush_log_at_trx_commit": "0", "innodb_flush_log_at_timeout": "600"}
SERVERS = [
    pytest.param("", id="mariadb"),
    *(
        pytest.param(build, marks=[pytest.mark.build(build), pytest.mark.full])
        for build in ("mysql-5.6", "mysql-8.0", "mysql-9.7")
    ),
]


def words(
    desktop: Desktop, cnf: Mapping[str, str], contender: str = f"{MARIADB}:innodb", **options: str
) -> list[str]:
    lines = "".join(f"loose_{name}={value}\n" for name, value in cnf.items())
    write(desktop.home / "presets/innodb/cut.cnf", f"[mysqld]\n{lines}")
    write(desktop.home / "sequences/cut.toml", own_sequence("cut", LOAD, INDEX, CUT))
    return [*desktop.plan(f"{contender}:cut", sequence="cut", **options), "--allow-busy"]


def last(desktop: Desktop) -> tuple[dict[str, Any], list[Event], OperationResult]:
    """The latest session, its events, and what came of the cut."""
    session = max(desktop.sessions(), key=lambda each: str(each["id"]))
    events = desktop.events(session["id"])
    (found,) = (each.operation for each in events if isinstance(each, StepEnded) and each.operation)
    return session, events, found


def fact(events: list[Event], name: str) -> Any:
    (found,) = (each.value for each in events if isinstance(each, Fact) and each.name == name)
    return found


def loop_mounts(directory: Path) -> list[str]:
    """Below a directory of Dyno: other plans have theirs."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if "/dev/loop" in line and f"{directory}/sessions/" in line]


@contextmanager
def touched_in_the_last_step(desktop: Desktop, file: Path) -> Iterator[None]:
    """The file is there from the begin of the last step on."""
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.05):
            texts = [path.read_text() for path in desktop.target.glob("sessions/*/journal.jsonl")]
            if any(text.count('"kind":"step_started"') == STEPS for text in texts):
                file.touch()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


@pytest.mark.full
@pytest.mark.parametrize("build", SERVERS)
def test_full_durability_keeps_every_row_that_was_answered(
    desktop: Desktop, build_path: Callable[[str], Path], build: str
) -> None:
    contender = contender_of(desktop, build_path, build, "innodb")
    desktop.dyno("run", *words(desktop, FULL, contender), limit_s=LIMIT_S)
    session, events, found = last(desktop)
    assert session["state"] == "completed"
    assert (found.promised, found.on_loop) == (True, True)
    assert (found.missing, found.returned, found.unsent) == (0, 0, 0)
    assert found.acknowledged and found.acknowledged > 100
    assert found.first_answer_s and found.phases["mount"] < found.first_answer_s
    (planned,) = (Plan.from_json(each.plan) for each in events if isinstance(each, SessionPlanned))
    assert fact(events, "loop_disk")["bytes"] == planned.loop_bytes > 512 << 20
    assert loop_mounts(desktop.target) == []
    assert not list(desktop.target.glob("sessions/*/disk.ext4"))


@pytest.mark.full
@pytest.mark.parametrize("build", SERVERS)
def test_less_than_that_loses_rows_and_the_session_goes_on(
    desktop: Desktop, build_path: Callable[[str], Path], build: str
) -> None:
    contender = contender_of(desktop, build_path, build, "innodb")
    desktop.dyno("run", *words(desktop, {**FULL, **LAZY}, contender), limit_s=LIMIT_S)
    session, _, found = last(desktop)
    assert (session["state"], found.promised) == ("completed", False)
    assert found.missing and found.missing > 0


@pytest.mark.skipif(not HAS_COMPILER, reason="needs gcc")
@pytest.mark.parametrize("build", [SERVERS[0], SERVERS[2]])
def test_a_server_that_does_not_sync_is_found_and_named(
    desktop: Desktop, build_path: Callable[[str], Path], build: str, tmp_path: Path
) -> None:
    contender = contender_of(desktop, build_path, build, "innodb")
    lost = tmp_path / "lost"
    environment = preloaded_losing(tmp_path, lost)
    desktop.prepare_agent(f"import os\nos.environ.update({environment!r})\n", tmp_path)
    with touched_in_the_last_step(desktop, lost):
        desktop.dyno("run", *words(desktop, FULL, contender), code=1, limit_s=LIMIT_S)
    session, _, found = last(desktop)
    assert (session["state"], found.promised) == ("failed", True)
    assert found.missing and found.missing > 0
    assert session["reason"].startswith("power-cut")
    assert "InnoDB promised every answered commit after a power-cut, and of the ledger" in session["reason"]


def test_snapshots_are_refused(desktop: Desktop) -> None:
    why = desktop.refused("run", *words(desktop, FULL, start_state="snapshot"))
    assert (
        "step power-cut cuts the power of data on a file system of their own, which has no snapshots" in why
    )


BUYERS = """\
name = "cut-in-orders"
kind = "power-cut"
after = 4
seconds = 12

[[step.role]]
name = "buyer"
workload = "orders-specified"
threads = THREADS
"""
HELD = "10 conditions held after the load and after the last step"
TORN = (
    "10 conditions held after the load; after the last step 10 of 10 conditions had no answer: the clients of"
    " cut-in-orders threads=1 were ended in the middle of transactions, which MyISAM does not have"
)


@pytest.mark.full
@pytest.mark.parametrize(
    ("engine", "cnf", "threads", "said"),
    [
        ("innodb", {**FULL, **LAZY}, 4, HELD),
        ("rocksdb", {"rocksdb_flush_log_at_trx_commit": "0"}, 4, HELD),
        ("myisam", {}, 1, TORN),
    ],
)
def test_a_power_cut_takes_whole_orders_and_no_part_of_one(
    desktop: Desktop, engine: str, cnf: Mapping[str, str], threads: int, said: str
) -> None:
    lines = "".join(f"loose_{name}={value}\n" for name, value in cnf.items())
    plugin = "plugin_load_add=ha_rocksdb\n" if engine == "rocksdb" else ""
    write(desktop.home / f"presets/{engine}/cut.cnf", f"[mysqld]\n{plugin}{lines}")
    load = 'workload = "orders-load"\noptions = {form = "specified", foreign_keys = false}'
    drive = f'workload = "orders-specified"\nthreads = [{threads}]'
    sequence = own_sequence("cut", load, BUYERS.replace("THREADS", str(threads)), drive)
    write(desktop.home / "sequences/cut.toml", sequence)
    plan = desktop.plan(f"{MARIADB}:{engine}:cut", sequence="cut", rows=1000)
    desktop.dyno("run", *plan, "--allow-busy", limit_s=LIMIT_S)
    assert conditions_text(desktop.json("session", "show", "last")["conditions"]) == said
