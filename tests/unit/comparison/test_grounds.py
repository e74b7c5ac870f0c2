"""Causes that nobody gave a name: counters that moved, and variables that differ."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from typing import Any

import pytest

from app.comparison.texts.causes_text import cause_sentence, causes_table
from app.comparison.why.causes import CausesEntry
from app.comparison.why.grounds import ColumnSettings, differing
from app.engines.governs import ACTS, ANY, GOVERNS, LARGE, OFF, ON, SMALL
from app.history.store.history import History
from app.remote.bundle import current_bundle
from tests.unit.comparison.seen import SLOW, Seen, found, names, with_time

COMPUTED = with_time(running=1700.0, runnable=2050.0)
INNOCENT = {"innodb_io_capacity": "1000", "join_buffer_size": "524288", "max_connect_errors": "100"}
SHIFTED = {"innodb_io_capacity": "900", "join_buffer_size": "393216", "max_connect_errors": "120"}


def entry_of(entry: CausesEntry, name: str) -> Any:
    return next(each for each in entry["causes"] if each["name"] == name)


def test_a_counter_names_the_variable_that_governs_it(history: History) -> None:
    """Other programs take a little more; the server opens two tables for each query."""
    base = Seen(
        status={"opened_tables": 20.0, "com_select": 5000.0},
        variables={"table_open_cache": "4000", **INNOCENT},
        others={"cpu_pct": 20.0, "cpus": 2},
    )
    planted = Seen(
        COMPUTED,
        status={"opened_tables": 9500.0, "com_select": 5000.0},
        variables={"table_open_cache": "2", **SHIFTED},
        others={"cpu_pct": 30.0, "cpus": 2},
    )
    entry = found(history, base, planted)
    first = entry["causes"][0]
    assert first["name"] == "table_open_cache" and first["in_force"] == ["4000", "2"]
    assert first["explains"] == pytest.approx(1, abs=0.05) and first["n"] == [1, 1]
    said = cause_sentence(first)
    assert said.startswith("table_open_cache is 2 (base 4000): 1.90 Opened_tables per query (base 0.0040), ")
    assert any(
        remark.startswith("table_open_cache: tables are closed and opened anew")
        for remark in causes_table("x", entry).remarks
    )


@pytest.mark.parametrize(("per_query", "is_one"), [(2.0, False), (400.0, True)])
def test_what_dyno_itself_reads_is_no_cause(history: History, per_query: float, is_one: bool) -> None:
    """A newer server has more rows of status and threads: 2,000 a second, where clients scan nothing."""
    scans = [{"handler_read_rnd_next": 5000 * rows, "com_insert": 5000.0} for rows in (0.01, per_query)]
    entry = found(history, Seen(status=scans[0]), Seen(COMPUTED, status=scans[1]))
    assert ("handler_read_rnd_next" in names(entry)) == is_one


def test_bytes_by_file_are_grounds_too(history: History) -> None:
    """The binary log has its variable; temporary files have none that differs, and are named alone."""
    slow = with_time(disk=3000.0)
    calm = Seen(by_name=True, files={"sql/io_cache:written": 5e4}, variables={"log_bin": "OFF"})
    planted = Seen(
        slow,
        by_name=True,
        files={"sql/binlog:written": 2e6, "sql/io_cache:written": 8e6},
        variables={"log_bin": "ON"},
    )
    entry = found(history, calm, planted)
    said = cause_sentence(entry_of(entry, "log_bin"))
    assert said.startswith(
        "log_bin is ON (base OFF): 400.0 bytes written (sql/binlog) per query (base 0), "
    ), said
    other = entry_of(entry, "file/sql/io_cache:written")
    assert other["title"] == "Bytes written (sql/io_cache)" and other["figures"] == [10.0, 1600.0]


def test_a_variable_that_hardly_differs_moves_no_counter(history: History) -> None:
    """A tenth less cannot be why eighty times the tables are opened."""
    variables = [
        {"table_open_cache": value, "some_new_switch": on} for value, on in (("440", "OFF"), ("400", "ON"))
    ]
    base = Seen(status={"opened_tables": 100.0, "com_select": 5000.0}, variables=variables[0])
    entry = found(history, base, Seen(COMPUTED, status={"opened_tables": 8000.0}, variables=variables[1]))
    assert names(entry)[0] == "some_new_switch" and entry_of(entry, "table_open_cache")["known_by"] == "time"


def test_a_variable_acts_where_the_time_went(history: History) -> None:
    """No counter is about the general log; the others differ by little."""
    entry = found(
        history,
        Seen(variables={"general_log": "OFF", **INNOCENT}),
        Seen(COMPUTED, variables={"general_log": "ON", **SHIFTED}),
    )
    assert names(entry)[0] == "general_log"
    assert cause_sentence(entry["causes"][0]).startswith(
        "general_log is ON (base OFF): 3,765 us per query for CPU, locks and the disk (base 165.0), "
    )


def test_the_value_that_costs_less_is_no_cause(history: History) -> None:
    entry = found(
        history,
        Seen(variables={"general_log": "ON", "table_open_cache": "2"}),
        Seen(COMPUTED, variables={"general_log": "OFF", "table_open_cache": "4000"}),
    )
    assert names(entry)[:2] == ["cpu", "work"]
    assert (
        "Known to differ, not known to act here: general_log, table_open_cache."
        in causes_table("x", entry).remarks
    )


def test_a_variable_that_acts_elsewhere_is_behind_the_states(history: History) -> None:
    """Read threads shorten waits for the disk, but the server computes."""
    variables = [{"innodb_read_io_threads": value} for value in ("64", "1")]
    entry = found(history, Seen(variables=variables[0]), Seen(COMPUTED, variables=variables[1]))
    assert names(entry) == ["cpu", "work", "innodb_read_io_threads"]


def test_an_unknown_variable_is_named_where_nothing_is_better(history: History) -> None:
    seen = [{"some_new_switch": value, **INNOCENT} for value in ("OFF", "ON")]
    entry = found(history, Seen(variables=seen[0]), Seen(COMPUTED, variables=seen[1]))
    assert names(entry)[0] == "some_new_switch"
    assert causes_table("x", entry).remarks[1] == "Known to differ, not known to act here: some_new_switch."


def test_an_unknown_variable_is_behind_a_cause_with_proof(history: History) -> None:
    seen = [{"some_new_switch": value, **INNOCENT} for value in ("OFF", "ON")]
    locked = Seen(with_time(lock=3605.0), kinds={"row_lock": 18_000.0}, variables=seen[1])
    better = found(history, Seen(kinds={"row_lock": 0.0}, variables=seen[0]), locked)
    assert names(better) == ["row-lock", "some_new_switch"]


def test_a_counter_of_a_like_name_points_to_an_unknown_variable(history: History) -> None:
    variables = [{"new_spill_cache": value, "other_limit": value} for value in ("1000", "1")]
    base = Seen(status={"new_spill_cache_disk": 0.0, "com_select": 5000.0}, variables=variables[0])
    planted = Seen(COMPUTED, status={"new_spill_cache_disk": 4000.0}, variables=variables[1])
    entry = found(history, base, planted)
    assert names(entry)[0] == "new_spill_cache"
    assert entry_of(entry, "new_spill_cache")["counter"] == "new_spill_cache_disk"


def test_what_the_server_counts_without_clients_is_no_ground(history: History) -> None:
    """The rate explains it: as many a second, in a tenth of the queries."""
    base = Seen(status={"handler_read_rnd_next": 500.0, "innodb_buffer_pool_pages_dirty": 10.0})
    planted = Seen(
        COMPUTED, status={"handler_read_rnd_next": 5000.0, "innodb_buffer_pool_pages_dirty": 900.0}
    )
    assert names(found(history, base, planted)) == ["cpu", "work"]


def test_a_counter_is_named_where_no_variable_differs(history: History) -> None:
    base = Seen(status={"sort_merge_passes": 0.0, "made_up": 0.0})
    planted = Seen(COMPUTED, status={"sort_merge_passes": 9000.0, "made_up": 4000.0})
    entry = found(history, base, planted)
    assert names(entry) == ["sort_merge_passes", "cpu", "work", "made_up"]
    assert cause_sentence(entry["causes"][0]).startswith("Sort_merge_passes: 1.80 per query (base 0), 9")
    assert cause_sentence(entry_of(entry, "made_up")) == "Made_up: 0.8000 per query (base 0)"
    assert entry_of(entry, "made_up")["explains"] == 0.0


def test_a_wait_by_name_is_a_sign_too(history: History) -> None:
    """Waits that are not among the longest are short."""
    file = {"wait/io/file/sql/query_log": 800.0}
    base = Seen(by_name=True, variables={"general_log": "OFF"})
    entry = found(history, base, Seen(COMPUTED, named=file, by_name=True, variables={"general_log": "ON"}))
    first = entry["causes"][0]
    assert (first["name"], first["known_by"]) == ("general_log", "counter")
    assert first["figures"] == [0.0, 800.0]


def test_a_thread_pool_is_named_and_its_cpu_is_known(history: History) -> None:
    """The clients have no threads of their own, so only the CPU of the server is known."""
    base = Seen(spent={"cpu_us": 100.0}, variables={"thread_handling": "one-thread-per-connection"})
    planted = Seen({}, {"cpu_us": 1900.0}, variables={"thread_handling": "pool-of-threads"})
    entry = found(history, base, planted)
    assert names(entry) == ["thread_handling", "server-cpu"] and entry["pools"] == ["", "pool-of-threads"]
    assert entry_of(entry, "server-cpu")["explains"] == pytest.approx(0.5)
    assert causes_table("x", entry).remarks[2] == (
        "No time of clients here: its connections share the threads of a pool (pool-of-threads),"
        " so only its CPU is known."
    )


def test_where_results_are_alike_nothing_is_compared(history: History) -> None:
    base, planted = Seen(variables={"a": "1"}), Seen(variables={"a": "2"})
    assert "a" not in names(found(history, base, planted, rates=(SLOW, SLOW)))


def test_of_two_builds_only_what_a_preset_sets_differs() -> None:
    of_mariadb = ColumnSettings({"a": "1", "b": "1"}, {"b": "1"}, ("MariaDB", "10.11", "x"))
    of_mysql = ColumnSettings({"a": "2", "b": "2"}, {"b": "2"}, ("MySQL", "8.0", "x"))
    assert [each.name for each in differing(of_mariadb, of_mysql)] == ["b"]
    same = ColumnSettings(of_mysql.variables, {"b": "2"}, of_mariadb.build)
    assert [(each.name, each.is_set) for each in differing(of_mariadb, same)] == [("a", False), ("b", True)]


def test_what_a_newer_server_has_under_another_name_or_not_at_all_is_no_difference() -> None:
    """MySQL 9 has neither a query cache nor the older names of its redo capacity."""
    older = {"innodb_log_file_size": str(48 << 20), "innodb_log_files_in_group": "2", "query_cache_size": "0"}
    newer = {"innodb_redo_log_capacity": str(96 << 20)}
    base = ColumnSettings(older, older, ("MySQL", "5.6", "innodb"))
    other = ColumnSettings(newer, newer, ("MySQL", "9.7", "innodb"))
    assert differing(base, other) == []
    with_cache = {**older, "query_cache_size": "1048576", "query_cache_type": "ON"}
    base = ColumnSettings(with_cache, with_cache, base.build)
    assert [each.name for each in differing(base, other)] == ["query_cache_size", "query_cache_type"]


def test_an_option_that_is_no_variable_differs() -> None:
    """`performance_schema_instrument` is in no SHOW VARIABLES."""
    base, other = ColumnSettings(), ColumnSettings({"some_instrument": "%=ON"}, {"some_instrument": "%=ON"})
    assert [each.text for each in differing(base, other)] == ["some_instrument is %=ON (base not set)"]


def test_the_table_is_sound() -> None:
    rows = list(dict.fromkeys(GOVERNS.values()))
    counts = Counter(name for row in rows for name in row.variables)
    assert [name for name, count in counts.items() if count > 1] == []
    assert all(
        row.worse in (SMALL, LARGE, ON, OFF, ANY) and row.why and set(row.acts) <= set(ACTS) for row in rows
    )
    assert all(name == name.lower() for row in rows for name in row.variables)


def test_the_agent_goes_without_the_table() -> None:
    with zipfile.ZipFile(io.BytesIO(current_bundle().content)) as archive:
        assert "app/engines/governs.py" not in archive.namelist()
