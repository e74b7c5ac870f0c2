from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.history.machines.measured import MachineHistory
from app.planner.checks.checks import Check, check_plan
from app.planner.checks.parity import IN_FORCE
from app.planner.estimate.estimate import estimate
from app.planner.kinds.canary import estimated_with_canary
from app.planner.request.contender import ContenderRequest
from app.planner.resolve.resolve import resolve
from app.planner.resolve.valgrind import contenders_in_force, rehearsal_in_force
from app.protocol.answers import RehearsalResult
from tests.plans import GB, MARIADB, request, survey, unresolved, write

DUEL = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")


def checks(
    *texts: str, on: dict[str, Any] | None = None, noise: float | None = 0.01, **options: Any
) -> list[Check]:
    """The checks of the duel on a calibrated machine that differs from the quiet one in `on`."""
    target = survey(**(on or {}))
    plan = resolve(request(*texts, **options), target, Catalog())
    return check_plan(plan, target, estimate(plan, target, MachineHistory(noise)))


def one(name: str, found: list[Check]) -> Check:
    (only,) = (check for check in found if check.name == name)
    return only


def parity(
    first: str, second: str, home: Path, build: str = "mysql-5.6.24", engine: str = "innodb"
) -> set[str]:
    """What two presets differ in."""
    for name, text in (("one", first), ("two", second)):
        write(home / f"presets/{engine}/{name}.cnf", f"[mysqld]\n{text}\n")
    found = checks(f"{build}:{engine}:one", f"{build}:{engine}:two")
    return {check.text.split(":")[0] for check in found if check.name == "settings" and check.state == "warn"}


def test_a_quiet_machine_passes_everything() -> None:
    found = checks()
    assert {check.state for check in found} == {"pass"}
    assert {check.name for check in found} >= {"python", "sysbench", "memory", "disk", "load", "clock"}


def test_what_is_no_pass_says_what_to_do() -> None:
    bad = {
        "governor": "powersave",
        "turbo": True,
        "huge_pages": "always",
        "load": [3.0],
        "clock_ahead_s": -3600.0,
    }
    found = [check for check in checks(on=bad) if check.state != "pass"]
    assert {check.name for check in found} == {"governor", "turbo", "huge pages", "load", "clock"}
    assert {check.state for check in found} == {"warn"}
    assert all(check.todo and "\n" not in check.text for check in found)


@pytest.mark.parametrize(
    ("change", "name", "text"),
    [
        ({"sysbench": None}, "sysbench", "sysbench is missing"),
        ({"sysbench": "0.4.12"}, "sysbench", "sysbench 0.4.12 is too old"),
        ({"python": "3.7.3"}, "python", "Python 3.7.3 is too old"),
        ({"memory_bytes": GB}, "memory", "of 1.0 GiB available"),
        ({"disk": {"free_bytes": 50 << 20}}, "disk", "50.0 MiB free"),
    ],
)
def test_what_cannot_be_done_fails(change: dict[str, Any], name: str, text: str) -> None:
    preset = ContenderRequest("mysql-5.6.24", "innodb", "large")
    import os

    write(
        Path(os.environ["DYNO_HOME"]) / "presets/innodb/large.cnf", "[mysqld]\ninnodb_buffer_pool_size=2G\n"
    )
    found = one(name, checks(on=change, contenders=(preset,)))
    assert found.state == "fail"
    assert text in found.text
    assert found.todo


def test_versions_that_say_more_are_read() -> None:
    assert one("sysbench", checks(on={"sysbench": "1.0.20-6f8e4e2"})).state == "pass"
    assert one("sysbench", checks(on={"sysbench": "1.1.0"})).state == "pass"
    assert one("python", checks(on={"python": "3.8.0"})).state == "pass"


def test_memory_that_others_have_taken_is_a_warning() -> None:
    found = one("memory", checks(on={"memory_available_bytes": GB}))
    assert (found.state, found.contender) == ("warn", f"{MARIADB}-innodb")


def test_key_caches_of_tables_are_beside_the_one_that_they_share_else() -> None:
    options = {"sequence": "oltp-read-only-8-tables", "cores": [1], "rows": 1000}
    on = {"topology": [[[0], [1]]], "memory_bytes": 4 * GB, "memory_available_bytes": 4 * GB}
    states = [
        one("memory", checks(f"{MARIADB}:{engine}", on=on, **options)).state
        for engine in ("innodb", "myisam")
    ]
    assert states == ["pass", "fail"]


def test_cpus_of_their_own_are_suggested_on_small_machines() -> None:
    small = {"topology": [[[0], [1]]]}
    assert "share 2 CPUs; separate CPUs" in one("cpus", checks(on=small)).text
    for on, options in (
        (small, {"cpus": "own"}),
        (small, {"cores": [1]}),
        ({"topology": [[[0, 1]]]}, {}),
        ({"topology": [[[at] for at in range(8)]]}, {}),
    ):
        assert not [each for each in checks(on=on, **options) if each.name == "cpus"]


def test_a_disk_too_small_is_a_failure_unless_the_person_insists() -> None:
    target = survey()
    plan = resolve(request(seconds=60), target, Catalog())
    needed = estimate(plan, target).disk_bytes
    for free, is_allowed, state in (
        (needed - 1, False, "fail"),
        (needed - 1, True, "warn"),
        (needed + 1, False, "warn"),
        (2 * needed, False, "pass"),
    ):
        there = survey(disk={"free_bytes": free})
        found = check_plan(plan, there, estimate(plan, target), allow_small_disk=is_allowed)
        assert one("disk", found).state == state
    assert one("disk", checks(on={"disk": None})).state == "warn"


def test_more_threads_than_files_may_be_open_fail() -> None:
    found = one("open files", checks(on={"open_files": 1024}, threads=[1, 1000]))
    assert (found.state, "2,024" in found.text, "nofile" in found.todo) == ("fail", True, True)
    for enough in ({"open_files": 2024}, {"open_files": None}, {"open_files": 1024, "is_root": True}):
        assert not [check for check in checks(on=enough, threads=[1000]) if check.name == "open files"]


def test_lines_of_a_preset_that_are_not_sent_are_told(dyno_home: Path) -> None:
    text = "# title: x\n[mysqld]\ndatadir=/data\nback_log=1\nlog_bin=/x/bl\n[mysqld-5.6]\ntmpdir=/tmp\n"
    write(dyno_home / "presets/innodb/own.cnf", text)
    found = one("preset", checks(f"{MARIADB}:innodb:own", f"{MARIADB}:rocksdb"))
    assert (found.state, found.contender) == ("warn", f"{MARIADB}-innodb")
    assert found.text == (
        "Dyno changes or drops lines of the my.cnf own: "
        "line 3: datadir=/data: Dyno sets it to a path in the session's directory; "
        "line 5: log_bin=/x/bl: Dyno uses only the file name: log_bin=bl"
    )
    assert found.todo == "remove these lines from the my.cnf"
    assert not [check for check in checks(*DUEL) if check.name == "preset"]


@pytest.mark.parametrize(("offset", "state"), [(0, "pass"), (4, "pass"), (-3600, "warn"), (3600, "warn")])
def test_the_clocks_are_compared(offset: int, state: str) -> None:
    assert one("clock", checks(on={"clock_ahead_s": float(offset)})).state == state


def test_an_hour_off_is_told_with_its_side() -> None:
    assert "3,600 s ahead" in one("clock", checks(on={"clock_ahead_s": 3600.0})).text
    assert one("clock", checks(on={"clock_ahead_s": None})).state == "warn"


# the memory of servers


def of_memory(on: dict[str, Any] | None = None, **asked: str) -> list[tuple[str, str, str]]:
    """What is said where one contender asks for it."""
    found = checks(on=on, contenders=(ContenderRequest(MARIADB, "innodb", **asked),))
    return [(each.state, each.text, each.todo) for each in found if each.name == "server memory"]


def test_what_a_target_lacks_is_named() -> None:
    bare = {"allocators": {}, "numactl": None, "memory_limit_problem": "cannot create a cgroup in /x: No"}
    ((state, text, todo),) = of_memory(bare, allocator="tcmalloc")
    assert (state, text) == ("fail", "the allocator tcmalloc is not installed on the target")
    assert "libtcmalloc-minimal4" in todo
    ((state, text, _),) = of_memory(bare, numa="interleave=all")
    assert (state, text) == ("fail", "numactl is not installed on the target")
    ((state, text, _),) = of_memory(bare, memory_limit="4G")
    assert (state, text) == ("fail", "a memory limit is not possible: cannot create a cgroup in /x: No")
    assert of_memory(bare) == of_memory(bare, allocator="/x.so") == []


def test_what_a_target_has_is_left_to_the_agent() -> None:
    has = {"allocators": {"jemalloc": "/x.so"}, "numactl": "/usr/bin/numactl", "memory_limit_problem": ""}
    assert of_memory(has, allocator="jemalloc", numa="membind=0") == []
    assert of_memory(allocator="jemalloc", numa="membind=0") == []  # a survey that does not say


def test_a_memory_limit_leaves_room_for_the_server(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/own.cnf", "[mysqld]\ninnodb_buffer_pool_size=1G\n")
    states = {
        limit: of_memory(memory_limit=limit, preset="own")[0][0] for limit in ("900M", "1100M", "4G", "16G")
    }
    assert states == {"900M": "fail", "1100M": "warn", "4G": "pass", "16G": "warn"}


def test_contenders_that_have_their_memory_otherwise_have_no_parity() -> None:
    other = ContenderRequest(MARIADB, "innodb", allocator="jemalloc", memory_limit="8G")
    found = checks(contenders=(ContenderRequest(MARIADB, "innodb"), other))
    texts = [each.text for each in found if each.name == "settings"]
    usual = f"{MARIADB}-innodb-system: as the build and the machine have it"
    who = f"server memory: {usual}; {MARIADB}-innodb-jemalloc: allocator jemalloc, memory limit 8.0 GiB"
    assert f"{who} (allocators and limits cost time)" in texts


# the power


def test_a_target_that_cannot_cut_the_power_is_refused() -> None:
    without = {"power_cut_problem": "/dev/loop-control is missing: modprobe loop on the target"}
    found = one("power cut", checks(on=without, sequence="power-cut"))
    assert (found.state, found.text) == (
        "fail",
        "the power cannot be cut on this target: /dev/loop-control is missing: modprobe loop on the target",
    )
    assert "leave out the steps of kind power-cut" in found.todo
    assert "power cut" not in {each.name for each in checks(on=without)}  # no step needs it
    assert "power cut" not in {
        each.name for each in checks(on={"power_cut_problem": ""}, sequence="power-cut")
    }
    assert "power cut" not in {each.name for each in checks(sequence="power-cut")}  # an older survey


def test_the_file_of_the_data_has_room_beyond_the_estimate() -> None:
    target = survey()
    plan = resolve(request(sequence="power-cut"), target, Catalog())
    sized, found = estimated_with_canary(plan, target)
    (size,) = found.contenders
    rest = size.session_bytes - size.parts["room"]
    assert sized.loop_bytes == size.session_bytes >= rest * 1.25 + (512 << 20)
    assert sized.loop_bytes % (1 << 20) == 0
    assert (sized.work_key, sized.hash) == (plan.work_key, plan.hash)
    usual = resolve(request(), target, Catalog())
    assert (usual.on_loop, estimated_with_canary(usual, target)[0].loop_bytes) == (False, 0)


def test_a_power_cut_has_no_snapshot() -> None:
    why = unresolved(sequence="power-cut", start="snapshot")
    assert "data on a file system of their own, which has no snapshots" in why


# repeats

_FOUND = "one of 8 results four times in five, where repeats vary by 1.0%, as its calibration says"


@pytest.mark.parametrize(
    ("repeats", "state", "text"),
    [
        (1, "warn", "1 of each gives no verdict: the noise between repeats stays unknown"),
        (2, "warn", "2 of each cannot separate a difference from noise: no verdict"),
        (3, "pass", f"3 of each find a difference of 4.7% in {_FOUND}"),
        (6, "pass", f"6 of each find a difference of 2.6% in {_FOUND}"),
    ],
)
def test_what_so_many_repeats_can_tell_is_seen_before_they_are_made(
    repeats: int, state: str, text: str
) -> None:
    found = one("repeats", checks(*DUEL, repeats=repeats))
    assert (found.state, found.text) == (state, text)
    assert found.todo.startswith("choose 3 or more") == (state == "warn")


def test_without_sessions_nothing_is_promised() -> None:
    """Nor is 1 % of noise assumed: it was 80 to 300 % on some machines."""
    found = one("repeats", checks(*DUEL, repeats=5, noise=None))
    told = "the first plan will tell, or a calibration of local"
    text = f"which difference 5 of each find is not known here yet: {told}"
    assert (found.state, found.text) == ("info", text)
    said = one("repeats", checks(*DUEL, repeats=5, noise=0.8)).text
    assert said.startswith("5 of each find a difference of a factor of ")


def test_a_time_limit_for_too_few_rounds_is_warned_of() -> None:
    found = one("repeats", checks(*DUEL, repeats="until decided", time_limit=60))
    assert (found.state, found.todo) == ("warn", "choose a longer time limit, or none")
    assert "1 min" in found.text and "3 repeats" in found.text
    assert one("repeats", checks(*DUEL, repeats="until decided", time_limit=80_000)).state == "pass"


def test_grouped_order_tells_less_than_its_repeats_could() -> None:
    found = one("repeats", checks(*DUEL, repeats=5, order="grouped"))
    assert (
        found.text == f"5 of each find a difference of 65.9% in {_FOUND} and the machine by 10% between plans"
    )


def test_what_is_compared_with_nothing_needs_no_repeats() -> None:
    assert not [check for check in checks(repeats=3) if check.name == "repeats"]


def test_grouped_order_is_warned_of_where_drift_can_deceive() -> None:
    found = one("order", checks(*DUEL, repeats=2, order="grouped"))
    assert (found.state, found.todo) == ("warn", "set the order to interleaved (A B B A)")
    for harmless in (
        checks(*DUEL, repeats=2),
        checks(*DUEL, order="grouped"),
        checks(DUEL[0], repeats=2, order="grouped"),
    ):
        assert not [check for check in harmless if check.name == "order"]


# parity


def test_equal_presets_have_parity() -> None:
    found = checks("mysql-5.6.24:innodb", "mysql-9.7.4:innodb", f"{MARIADB}:innodb")
    assert not [check for check in found if check.name == "settings"]
    assert one(IN_FORCE, found).text == "not known before a rehearsal"


def test_one_contender_needs_none() -> None:
    assert not [check for check in checks() if check.name == "settings"]


def test_baselines_of_two_engines_differ_in_file_access_and_commit() -> None:
    """And MyRocks writes its log once a second only, where InnoDB writes it at each commit."""
    commit, files = (check for check in checks(*DUEL) if check.name == "settings")
    assert f"{MARIADB}-rocksdb: written and flushed each second" in commit.text
    assert files.text.startswith(f"file access: {MARIADB}-innodb: direct; {MARIADB}-rocksdb: buffered (")


def test_a_count_is_checked_by_what_is_in_force_under_valgrind() -> None:
    """No load disturbs it, and InnoDB has the file access of the others, and a small buffer pool."""
    target = survey(load=[9.0, 9.0, 9.0], governor="powersave", valgrind="3.19.0")
    plan = resolve(request(*DUEL, sequence="work", repeats=2), target, Catalog())
    found = estimate(plan, target, MachineHistory(0.5, self_test="of point queries"))
    _, warned = (each for each in check_plan(plan, target, found) if each.state not in ("pass", "info"))
    assert warned.text.startswith(f"cache: {MARIADB}-innodb: 256.0 MiB; {MARIADB}-rocksdb: 2.0 GiB")
    innodb, rocksdb = (each.cache_bytes for each in found.contenders)
    assert innodb == 256 << 20 < rocksdb
    assert found.least_text == "2 starts find a difference of 0.3%, if they agree"
    said = RehearsalResult([], {"innodb_flush_method": "O_DIRECT", "rocksdb_use_direct_reads": "OFF"})
    assert rehearsal_in_force(plan, said).variables == {**said.variables, "innodb_flush_method": "fsync"}
    timed = resolve(request(*DUEL), target, Catalog())
    assert rehearsal_in_force(timed, said) is said and contenders_in_force(timed) == timed.contenders


def test_an_engine_without_a_log_is_told() -> None:
    texts = [check.text for check in checks(f"{MARIADB}:innodb", f"{MARIADB}:myisam")]
    assert any("myisam: no log: nothing is safe at commit" in text for text in texts)


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ("innodb_flush_log_at_trx_commit=1", "innodb_flush_log_at_trx_commit=2", "commit"),
        ("innodb_flush_log_at_trx_commit=0", "", "commit"),
        ("log_bin=bl", "skip_log_bin", "binary log"),
        ("log_bin=bl\nsync_binlog=1", "log_bin=bl\nsync_binlog=0", "sync_binlog"),
        ("innodb_doublewrite=0", "innodb-doublewrite=ON", "doublewrite"),
        ("skip_innodb_doublewrite", "innodb_doublewrite", "doublewrite"),
        ("character_set_server=utf8", "character_set_server=latin1", "character set"),
        ("ssl=0", "ssl=1", "TLS"),
        ("performance_schema=OFF", "performance_schema", "Performance Schema"),
        ("query_cache_type=1\nquery_cache_size=16M", "query_cache_type=0", "query cache"),
        ("innodb_flush_method=O_DIRECT", "innodb_flush_method=fsync", "file access"),
    ],
)
def test_a_difference_is_told(dyno_home: Path, first: str, second: str, what: str) -> None:
    assert parity(first, second, dyno_home) == {what}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("innodb_flush_log_at_trx_commit=1", ""),
        ("sync_binlog=1", "sync_binlog=0"),
        ("character_set_server=latin1", ""),
        ("innodb_doublewrite", "innodb_doublewrite=1"),
        ("query_cache_size=0", "query_cache_type=0"),
        ("log_bin", "log_bin=other"),
        ("performance_schema", "loose_performance-schema=ON"),
    ],
)
def test_what_means_the_same_is_no_difference(dyno_home: Path, first: str, second: str) -> None:
    assert parity(first, second, dyno_home) == set()


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ("rocksdb_flush_log_at_trx_commit=1", "rocksdb_flush_log_at_trx_commit=2", "commit"),
        ("rocksdb_write_disable_wal=1", "", "commit"),
        ("rocksdb_use_direct_reads=1", "", "file access"),
    ],
)
def test_a_difference_of_rocksdb_is_told(dyno_home: Path, first: str, second: str, what: str) -> None:
    assert parity(first, second, dyno_home, MARIADB, "rocksdb") == {what}


def test_what_a_preset_does_not_name_is_left_to_the_rehearsal(dyno_home: Path) -> None:
    """A version may have any default: nothing is guessed of it."""
    assert parity("gtid_mode=ON\nlog_bin=bl\nperformance_schema=ON", "back_log=80", dyno_home) == set()


def test_servers_with_other_cores_are_told() -> None:
    def on_cores(*cores: str) -> Check:
        named = zip("ab", cores, strict=True)
        asked = tuple(ContenderRequest("mysql-9.7.4", "innodb", name=n, cores=c) for n, c in named)
        return one("settings", checks(contenders=asked))

    found = on_cores("0", "")
    assert (found.state, found.text) == ("warn", "cores: a: 0; b: all (fewer CPUs do less work)")
    assert found.todo == "give all the same cores, unless you compare cores"


def test_sides_of_fits_in_cache_are_told(dyno_home: Path) -> None:
    write(
        dyno_home / "presets/innodb/small.cnf",
        "[mysqld]\ninnodb_flush_method=O_DIRECT\ninnodb_buffer_pool_size=64M",
    )
    write(
        dyno_home / "presets/innodb/large.cnf",
        "[mysqld]\ninnodb_flush_method=O_DIRECT\ninnodb_buffer_pool_size=2G",
    )
    names = ("mysql-5.6.24:innodb:small", "mysql-5.6.24:innodb:large")

    def told(rows: int) -> list[str]:
        return [check.text for check in checks(*names, rows=rows) if "fits" in check.text]

    assert told(1_000_000) == [
        "fits in cache: mysql-5.6.24-innodb-small: the data does not fit;"
        " mysql-5.6.24-innodb-large: the data fits (one contender reads from memory, the other from files)"
    ]
    assert told(1_000) == []
    assert told(100_000_000) == []


def test_the_operating_systems_cache_counts_for_buffered_files() -> None:
    """RocksDB's files are cached a second time where InnoDB's are not."""
    texts = [check.text for check in checks(*DUEL, rows=10_000_000, tables=2)]
    told = f"fits in cache: {MARIADB}-innodb: the data does not fit; {MARIADB}-rocksdb: the data fits"
    assert f"{told} (one contender reads from memory, the other from files)" in texts
