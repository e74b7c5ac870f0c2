"""Data sets that are kept, on real servers: loaded once, copied after that, refused where not as kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.agent.snapshots.snapshots import Snapshots
from app.agent.system.directory import MARKER, MarkedDirectory
from app.protocol.events import Event, Fact, LogEvent
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.disks import fill
from tests.integration.sshd import Sshd
from tests.sequences import LOAD, SETTLED, own_sequence
from tests.waiting import wait_until

LOADED = ("load", "index", "settle.index")
ROWS = 4000  # 2 tables x 2,000


def begin_from_snapshots(desktop: Desktop, contender: str, **options: object) -> list[dict[str, Any]]:
    """Two repeats; the sessions in the order of their turns."""
    options = {"sequence": "settled", "start_state": "snapshot", "repeats": 2, **options}
    words = desktop.plan(contender, seconds=1, warmup=0, **options)
    desktop.dyno("run", *words)
    return in_order(desktop)[-2:]


def in_order(desktop: Desktop) -> list[dict[str, Any]]:
    """The sessions as they were carried out."""
    return sorted(desktop.sessions(), key=lambda each: str(each["started_at"]))


def fact(events: list[Event], name: str) -> Any:
    return [event.value for event in events if isinstance(event, Fact) and event.name == name][-1]


def steps(desktop: Desktop, session: str) -> dict[str, dict[str, Any]]:
    found: list[dict[str, Any]] = desktop.json("session", "show", session)["steps"]
    return {each["name"]: each for each in found}


def check_pair(desktop: Desktop, sessions: list[dict[str, Any]]) -> str:
    """The first has loaded and kept, the second has begun from that; both have measured. Gives the key."""
    made, begun = (steps(desktop, each["id"]) for each in sessions)
    (snapshot,) = desktop.json("snapshot", "list", "--target", sessions[0]["target"])
    key = str(snapshot["key"])
    assert [each["state"] for each in sessions] == ["completed"] * 2
    assert snapshot["problem"] == ""
    assert snapshot["session"] == sessions[0]["id"]
    assert snapshot["size_bytes"] > 1 << 20
    assert {made[name]["state"] for name in LOADED} == {"completed"}
    assert {(begun[name]["state"], begun[name]["reason"]) for name in LOADED} == {
        ("skipped", "from the snapshot of this data")
    }
    assert begun["snapshot"]["value"] > 0
    assert made["snapshot"]["reason"] == f"kept as snapshot {key}"
    for each in (made, begun):
        assert each["snapshot"]["state"] == "completed"
        assert each["point-query"]["value"] > 0
        assert each["update-index"]["value"] > 0
        assert each["update-index"]["rows"] == ROWS
    check_facts(desktop, sessions, key)
    return key


def check_facts(desktop: Desktop, sessions: list[dict[str, Any]], key: str) -> None:
    made, begun = (desktop.events(each["id"]) for each in sessions)
    assert fact(made, "start_state")["load"] == f"fresh, kept as snapshot {key}"
    assert fact(begun, "start_state")["load"] == f"snapshot {key}, copied"
    for events in (made, begun):
        assert sum(fact(events, "rows_counted").values()) == ROWS
        assert "CREATE TABLE" in fact(events, "create_table")
        assert not [event for event in events if isinstance(event, LogEvent) and event.level == "error"]


def snapshot_of(desktop: Desktop, key: str) -> Path:
    return desktop.target / "snapshots" / key


@pytest.mark.full
@pytest.mark.disk
def test_innodb_of_mariadb_then_one_that_was_touched(desktop: Desktop) -> None:
    """What is not as it was kept is refused before the start, in the journal, and made anew."""
    key = check_pair(desktop, begin_from_snapshots(desktop, f"{MARIADB}:innodb"))
    once = desktop.plan(sequence="settled", seconds=1, warmup=0, start_state="snapshot")
    assert f"starts from the snapshot {key}" in desktop.dyno("run", *once, "--dry-run").stdout
    os.utime(snapshot_of(desktop, key) / "data" / "ibdata1")
    refused = f"snapshot {key} has changed since it was stored: ibdata1 was changed"
    assert f"warn  snapshot: innodb: {refused}" in desktop.dyno("run", *once, "--dry-run").stdout
    desktop.dyno("run", *once)
    session = in_order(desktop)[-1]["id"]
    logs = [
        event for event in desktop.events(session) if isinstance(event, LogEvent) and event.source == "agent"
    ]
    said = [
        log.text for log in logs if log.level != "info" and not log.text.startswith("disturbed: ")
    ]  # by other tests
    assert said == [f"{refused}: the snapshot is not used, the tables are loaded"]
    assert steps(desktop, session)["load"]["state"] == "completed"
    (snapshot,) = desktop.json("snapshot", "list")
    assert (snapshot["key"], snapshot["session"], snapshot["problem"]) == (key, session, "")
    check_deleting(desktop, key)


def check_deleting(desktop: Desktop, key: str) -> None:
    assert "no snapshot begins with 'ffffffffff'" in desktop.refused("snapshot", "delete", "ffffffffff")
    lock = MarkedDirectory(str(desktop.target)).lock({"plan": "P", "pid": os.getpid()})
    assert lock is not None
    refused = desktop.refused("snapshot", "delete", key, code=1)
    assert "is in use" in refused
    os.close(lock)
    desktop.dyno("snapshot", "delete", key[:6])
    assert desktop.json("snapshot", "list") == []
    assert not snapshot_of(desktop, key).exists()


@pytest.mark.full
def test_rocksdb_on_a_target_behind_a_real_sshd(desktop: Desktop, sshd: Sshd, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    sshd.add_target("far", str(tmp_path / "far" / "dyno"))
    key = check_pair(desktop, begin_from_snapshots(desktop, f"{MARIADB}:rocksdb", target="far"))
    desktop.dyno("snapshot", "delete", key, "--target", "far")
    assert desktop.json("snapshot", "list", "--target", "far") == []


@pytest.mark.full
def test_myisam_of_mariadb(desktop: Desktop) -> None:
    check_pair(desktop, begin_from_snapshots(desktop, f"{MARIADB}:myisam"))


def build_name(desktop: Desktop, base: Path) -> str:
    """What a fetched build is called once the target knows it."""
    desktop.dyno("target", "edit", "local", "--search-path", str(base))
    builds = desktop.json("target", "survey", "local")["builds"]
    return next(str(each["name"]) for each in builds if each["base"].startswith(str(base)))


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.build(name)) for name in ("mysql-5.6", "mysql-8.0", "mysql-9.7")],
)
def test_mysql_over_loopback(desktop: Desktop, build_path: Callable[[str], Path], name: str) -> None:
    """The user that may come in has another password in each session, the binary log another place."""
    build = build_name(desktop, build_path(name))
    check_pair(desktop, begin_from_snapshots(desktop, f"{build}:innodb", transport="loopback"))


@pytest.mark.full
@pytest.mark.root
def test_without_room_for_a_second_copy_the_session_goes_on(desktop: Desktop, small_disk: Path) -> None:
    desktop.dyno("target", "edit", "local", "--directory", str(small_disk))
    words = desktop.plan(seconds=1, warmup=0, pause=2, start_state="snapshot")
    running = desktop.begin("run", *words)

    def are_made() -> bool:
        """Not those of the rehearsal, which has no journal."""
        sessions = small_disk.glob("sessions/*/journal.jsonl")
        return any((each.parent / "data" / "dyno").exists() for each in sessions)

    wait_until(are_made, "the tables are made", 180)
    filler = small_disk.parent / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 160 << 20)
    assert running.wait(120) == 0
    (session,) = desktop.sessions()
    found = steps(desktop, session["id"])
    assert found["snapshot"]["state"] == "completed"
    assert found["snapshot"]["reason"].startswith("not kept: the disk has no space for a second copy of ")
    assert found["update-index"]["value"] > 0
    assert "not kept" in fact(desktop.events(session["id"]), "start_state")["load"]
    assert list(small_disk.glob("snapshots/*")) == []


FILLING = """\
import os

write, disk = os.pwrite, {disk!r}

def fill_and_write(fd, part, at):
    halves = [each for each in os.listdir(disk + "/dyno/snapshots") if each.endswith(".half")]
    if len(part) > 1 << 20 and bool(halves) == {keeping}:
        os.pwrite = write
        found = os.statvfs(disk)
        with open(disk + "/filler", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, found.f_bavail * found.f_frsize - {left})
    return write(fd, part, at)

os.pwrite = fill_and_write
"""


def fill_while(desktop: Desktop, disk: Path, folder: Path, rows: int, **how: int) -> list[str]:
    """Somebody fills the disk as soon as data are copied there; the words of a run that meets it."""
    desktop.dyno("target", "edit", "local", "--directory", str(disk))
    desktop.prepare_agent(FILLING.format(disk=str(disk.parent), **how), folder)
    return desktop.plan(rows=rows, seconds=1, warmup=0, start_state="snapshot")


@pytest.mark.full
@pytest.mark.root
def test_a_disk_that_is_filled_while_data_are_kept_is_told(
    desktop: Desktop, small_disk: Path, tmp_path: Path
) -> None:
    words = fill_while(desktop, small_disk, tmp_path, rows=100_000, left=40 << 20, keeping=True)
    run = desktop.dyno("run", *words, "--allow-small-disk", code=None)  # it goes on while there is room
    said = run.stdout
    assert "snapshot not kept: the disk has no space for a second copy of " in said
    assert "point-query threads=2 " in said
    assert os.listdir(small_disk / "snapshots") == []


@pytest.mark.full
@pytest.mark.root
def test_a_disk_that_is_filled_while_data_are_laid_leaves_the_snapshot(
    desktop: Desktop, small_disk: Path, tmp_path: Path
) -> None:
    words = fill_while(desktop, small_disk, tmp_path, rows=20_000, left=8 << 20, keeping=False)
    desktop.dyno("run", *words, "--repeats", "2", code=1)
    made, full = in_order(desktop)
    assert (
        full["reason"] == f"the disk with {small_disk}/sessions/{full['id']} is full: free some space there"
    )
    (snapshot,) = desktop.json("snapshot", "list")
    assert (snapshot["session"], snapshot["problem"]) == (made["id"], "")
    assert not [*small_disk.glob("sessions/*/data"), *small_disk.glob("trash/*")]


@pytest.mark.root
def test_a_disk_that_is_full_in_the_middle_leaves_the_data_and_no_half(small_disk: Path) -> None:
    """The room was there when it began."""
    small_disk.mkdir(mode=0o700)
    (small_disk / MARKER).touch()
    directory = MarkedDirectory(str(small_disk))
    data = Path(directory.session("S")) / "data"
    data.mkdir(parents=True)
    tables = {f"sbtest{number}.ibd": os.urandom(20 << 20) for number in range(3)}
    for name, content in tables.items():
        (data / name).write_bytes(content)
    fill(small_disk.parent, 30 << 20)
    with pytest.raises(OSError, match="No space left on device"):
        Snapshots(directory).keep("0123456789abcdef", str(data), {"rows_by_driver": {}}, lambda _: None)
    assert {path.name: path.read_bytes() for path in data.iterdir()} == tables
    assert os.listdir(directory.at("snapshots")) == []


READING = own_sequence("reading", LOAD, SETTLED, 'workload = "point-query"', rows=20000)


@pytest.mark.full
@pytest.mark.root
@pytest.mark.parametrize("engine", ["innodb", "rocksdb"])
def test_blocks_are_shared_where_the_file_system_can_and_nothing_is_written(
    desktop: Desktop, sharing_disk: Path, engine: str
) -> None:
    desktop.dyno("target", "edit", "local", "--directory", str(sharing_disk))
    (desktop.home / "sequences" / "reading.toml").write_text(READING)
    contender = ("--contender", f"{MARIADB}:{engine}", "--allow-busy")
    for sequence, how in (("reading", "shared"), ("settled", "copied")):
        words = ("--sequence", sequence, "--start-state", "snapshot", "--repeats", "2", *contender)
        desktop.dyno("run", *words)
        made, begun = (desktop.events(each["id"]) for each in in_order(desktop)[-2:])
        key = fact(made, "start_state")["load"].rpartition(" ")[2]
        assert fact(begun, "start_state")["load"] == f"snapshot {key}, {how}"
        assert sum(fact(begun, "rows_counted").values()) == sum(fact(made, "rows_counted").values()) > 0
        assert not [event for event in begun if isinstance(event, LogEvent) and event.level == "error"]
    assert {each["problem"] for each in desktop.json("snapshot", "list")} == {""}
