"""Planted causes in real sessions: Why names each of them among its first three."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pymysql
import pytest

from tests.integration.desktop import Desktop
from tests.integration.planted import LIMIT_S, LOOK_S, Bench, Plant
from tests.integration.slow_fsync import HAS_COMPILER, ON_DISK, preloaded
from tests.neighbours import burning
from tests.sequences import INDEX, LOAD
from tests.slow_link import slow_link
from tests.waiting import beside

CPU_GROUPS, IO_GROUPS = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup/blkio")


@pytest.fixture
def bench(desktop: Desktop) -> Bench:
    """Its servers may be in memory."""
    return Bench(desktop, desktop.target)


@pytest.fixture
def on_a_disk(desktop: Desktop) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(dir=ON_DISK, prefix="dyno-test-") as folder:
        desktop.dyno("target", "edit", "local", "--directory", f"{folder}/dyno")
        yield Bench(desktop, Path(folder, "dyno"))


def hold_rows(bench: Bench) -> None:
    bench.held("BEGIN", "UPDATE sbtest1 SET pad = 'x' WHERE id <= 2000")


@pytest.mark.full
def test_held_row_locks(bench: Bench) -> None:
    bench.check_planted("row-lock", "update-nonindex", hold_rows)


@pytest.mark.full
@pytest.mark.alone
def test_a_small_buffer_pool(on_a_disk: Bench) -> None:
    base, planted = (
        on_a_disk.measure("point-query", size={"rows": 100_000}, innodb_buffer_pool_size=pool)
        for pool in ("64M", "8M")
    )
    on_a_disk.check("small-cache", base, planted, "point-query")


@pytest.mark.full
@pytest.mark.alone
def test_a_small_table_cache(bench: Bench) -> None:
    """No cause with a name: the counter of opened tables points to the variable."""
    size = {"tables": 16, "rows": 500}
    base, planted = (bench.measure("point-query", size=size, table_open_cache=n) for n in ("400", "10"))
    bench.check("table_open_cache", base, planted, "point-query")


@pytest.mark.full
@pytest.mark.alone
def test_the_general_log(bench: Bench) -> None:
    base, planted = (bench.measure("point-query", general_log=on) for on in ("OFF", "ON"))
    bench.check("general_log", base, planted, "point-query")


@pytest.mark.full
@pytest.mark.alone
def test_a_thread_pool(bench: Bench) -> None:
    """Its clients have no threads of their own."""
    base, planted = (
        bench.measure("point-query", size={"threads": 8}, thread_handling=how, thread_pool_size="1")
        for how in ("one-thread-per-connection", "pool-of-threads")
    )
    bench.check("thread_handling", base, planted, "point-query")


@contextmanager
def grouped(folder: Path) -> Iterator[Path]:
    """A control group that this process is in, and what it starts."""
    group = folder / f"dyno-test-{os.urandom(4).hex()}"
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text("0")
    except OSError as error:
        pytest.skip(f"no control groups: {error}")
    try:
        yield group
    finally:
        (folder / "cgroup.procs").write_text("0")
        with suppress(OSError):
            group.rmdir()


@pytest.mark.root
@pytest.mark.full
@pytest.mark.alone
def test_a_cpu_quota(bench: Bench) -> None:
    with grouped(CPU_GROUPS) as group:

        def limit(bench: Bench) -> None:
            (group / "cpu.cfs_quota_us").write_text("30000")
            bench.stop.wait()
            (group / "cpu.cfs_quota_us").write_text("-1")

        bench.check_planted("quota", "point-query", limit)


@pytest.mark.full
@pytest.mark.alone
def test_other_programs(bench: Bench, tmp_path: Path) -> None:
    base = bench.measure("point-query")
    with burning(tmp_path):
        planted = bench.measure("point-query")
    bench.check("other-programs", base, planted, "point-query")


def plant_slow_syncs(bench: Bench, folder: Path, **slow_by: int) -> Plant:
    """While the plant is there, each sync takes longer."""
    slow = bench.target.parent / "slow"
    environment = preloaded(folder, slow, **slow_by)
    bench.desktop.prepare_agent(f"import os\nos.environ.update({environment!r})\n", folder)

    def slow_down(bench: Bench) -> None:
        slow.touch()
        bench.stop.wait()
        slow.unlink()

    return slow_down


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.skipif(not HAS_COMPILER, reason="no compiler")
def test_slow_syncs(on_a_disk: Bench, tmp_path: Path) -> None:
    slow = plant_slow_syncs(on_a_disk, tmp_path)
    size = {"threads": 1, "seconds": 3}
    on_a_disk.check_planted("sync", "update-nonindex", slow, size=size, innodb_flush_log_at_trx_commit="1")


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.skipif(not HAS_COMPILER, reason="no compiler")
@pytest.mark.parametrize("engine", ["innodb", "rocksdb"])
def test_why_names_the_sync_for_clients_behind_one_that_syncs(
    on_a_disk: Bench, tmp_path: Path, engine: str
) -> None:
    plants = [plant_slow_syncs(on_a_disk, tmp_path)]
    given = {"size": {"threads": 8, "seconds": 10}, f"{engine}_flush_log_at_trx_commit": "1"}
    session = on_a_disk.measure("update-nonindex", engine, plants, **given)  # type: ignore[arg-type]
    (found,) = on_a_disk.desktop.json("compare", session, "--why", "update-nonindex")["steps"]
    assert found["causes"][0]["name"] in ("sync", "slow-sync"), found["causes"]
    assert found["named_share"][0] >= 0.9, found


@pytest.mark.full
@pytest.mark.alone
def test_a_missing_index(bench: Bench) -> None:
    def drop(bench: Bench) -> None:
        bench.held("DROP INDEX k_1 ON sbtest1", seconds=LIMIT_S)

    bench.check_planted("many-rows", "points-covered-si", drop, steps=(LOAD, INDEX))


@pytest.mark.full
@pytest.mark.alone
def test_metadata_locks(bench: Bench) -> None:
    def lock(bench: Bench) -> None:
        bench.held("LOCK TABLES sbtest1 WRITE")

    bench.check_planted("metadata-lock", "point-query", lock, options=("--instruments", "waits"))


@pytest.mark.full
@pytest.mark.alone
def test_table_locks(bench: Bench) -> None:
    def read_slowly(bench: Bench) -> None:
        bench.held("SELECT SLEEP(0.2) FROM sbtest1 LIMIT 1", seconds=0)

    bench.check_planted("table-lock", "update-nonindex", read_slowly, engine="myisam")


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.skipif(not HAS_COMPILER, reason="no compiler")
def test_a_full_redo_log(on_a_disk: Bench, tmp_path: Path) -> None:
    """The disk syncs slowly in both: only a small log has to wait for it."""
    slow = plant_slow_syncs(on_a_disk, tmp_path, syncs=0, pause_ms=100)
    base, planted = (
        on_a_disk.measure(
            "update-nonindex",
            plants=(slow,),
            size={"rows": 100_000, "threads": 1, "seconds": 4},
            innodb_log_file_size=size,
            innodb_flush_log_at_trx_commit="2",
        )
        for size in ("256M", "4M")
    )
    on_a_disk.check("full-redo", base, planted, "update-nonindex")


@pytest.mark.full
@pytest.mark.alone
def test_a_compaction_storm(on_a_disk: Bench) -> None:
    """A disk that compaction may hardly use, and one that it needs all the time."""
    tight = (
        "level0_file_num_compaction_trigger=2;level0_slowdown_writes_trigger=3;level0_stop_writes_trigger=4"
    )
    base, planted = (
        on_a_disk.measure(
            "update-nonindex",
            "rocksdb",
            size={"threads": 2, "seconds": 4},
            rocksdb_rate_limiter_bytes_per_sec="1000000",
            rocksdb_default_cf_options=options,
            rocksdb_flush_log_at_trx_commit="2",
        )
        for options in ("write_buffer_size=64m", f"write_buffer_size=64k;{tight}")
    )
    on_a_disk.check("stalls", base, planted, "update-nonindex")


@pytest.mark.full
@pytest.mark.alone
def test_a_small_key_cache(bench: Bench) -> None:
    size, steps = {"rows": 100_000, "threads": 1}, (LOAD, INDEX)
    base, planted = (
        bench.measure("points-covered-si", "myisam", steps=steps, size=size, key_buffer_size=cache)
        for cache in ("64M", "64K")
    )
    bench.check("small-cache", base, planted, "points-covered-si")


@contextmanager
def held_snapshot(bench: Bench) -> Iterator[None]:
    """The next server has a reader for whom no row version may be purged."""

    def hold(stop: threading.Event) -> None:
        while not stop.wait(LOOK_S):
            if bench.ready_socket() is None:
                continue
            with suppress(pymysql.err.Error, OSError), bench.connect() as holder:
                holder.cursor().execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
                while not stop.wait(LOOK_S):
                    holder.ping(reconnect=False)  # its server may end

    with beside(hold):
        yield


@pytest.mark.full
@pytest.mark.alone
def test_purge_that_is_held_back(bench: Bench) -> None:
    steps = (LOAD, INDEX, 'workload = "update-index"\nseconds = 5')

    def measure() -> str:
        size = {"threads": 1, "seconds": 3}
        return bench.measure("range-covered-si", steps=steps, size=size, innodb_flush_log_at_trx_commit="2")

    base = measure()
    with held_snapshot(bench):
        planted = measure()
    bench.check("purge", base, planted, "range-covered-si")


@pytest.mark.full
@pytest.mark.alone
def test_the_query_cache(bench: Bench) -> None:
    """While it is defragmented nobody can look into it."""

    def defragment(bench: Bench) -> None:
        bench.held(*("FLUSH QUERY CACHE",) * 100, seconds=0)

    base, planted = (
        bench.measure(
            "point-query",
            plants=(defragment,),
            size={"rows": 20_000, "threads": 2},
            options=("--instruments", "waits"),
            query_cache_type=type_,
            query_cache_size=size,
        )
        for type_, size in (("0", "0"), ("1", "64M"))
    )
    bench.check("query-cache", base, planted, "point-query")


@pytest.mark.full
@pytest.mark.alone
def test_a_connection_storm(bench: Bench) -> None:
    def connect(bench: Bench) -> None:
        bench.connect().close()

    bench.check_planted("connections", "point-query", *(connect,) * 4)


@pytest.mark.full
@pytest.mark.alone
def test_clients_that_wait_for_their_rate(bench: Bench) -> None:
    base, planted = (bench.measure("point-query", lines=lines) for lines in ("", "rate = 400"))
    bench.check("rate", base, planted, "point-query")


@pytest.mark.full
@pytest.mark.alone
def test_a_slow_link(bench: Bench) -> None:
    base = bench.measure("point-query")
    with slow_link(bench.ready_socket):
        planted = bench.measure("point-query")
    bench.check("link", base, planted, "point-query")


@pytest.mark.root
@pytest.mark.full
@pytest.mark.alone
def test_a_limit_of_reads(on_a_disk: Bench) -> None:
    device = os.stat(ON_DISK).st_dev
    with grouped(IO_GROUPS) as group:

        def limit(bench: Bench) -> None:
            path = group / "blkio.throttle.read_iops_device"
            path.write_text(f"{os.major(device)}:{os.minor(device)} 200")
            bench.stop.wait()
            path.write_text(f"{os.major(device)}:{os.minor(device)} 0")

        on_a_disk.check_planted(
            "slow-reads",
            "point-query",
            limit,
            size={"rows": 200_000},
            innodb_buffer_pool_size="8M",
            innodb_flush_method="O_DIRECT",
        )
