"""What matters in a comparison by the variables in force, recorded from real servers without any preset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from app.planner.checks.parity import check_contender_parity, reported_compression, variable_meanings
from app.planner.estimate.estimate import ContenderSize
from app.protocol.answers import Check, RehearsalResult
from app.protocol.plan import Contender
from app.variables.variables import MATTERS
from tests import journals

RECORDED = Path(__file__).parents[2] / "data" / "variables.tsv"
ROCKSDB = "mariadb-10.11"  # of the recorded ones it has the plugin


def recorded() -> dict[str, dict[str, str]]:
    """By build: the answer to SHOW GLOBAL VARIABLES."""
    head, *lines = (line.split("\t") for line in RECORDED.read_text().splitlines())
    return {
        build: {line[0]: line[at] for line in lines if line[at] != "\\N"}
        for at, build in enumerate(head)
        if at
    }


SERVERS = recorded()


def in_force(
    *builds: str, changes: Mapping[str, Mapping[str, str]] | None = None, cnf: str = "[mysqld]\n"
) -> list[Check]:
    """The checks of contenders of these builds with their recorded variables and some others."""
    contenders = [
        replace(journals.contender("innodb"), name=each, fingerprint=each, cnf=cnf) for each in builds
    ]
    told = [RehearsalResult([], {**SERVERS[each], **(changes or {}).get(each, {})}) for each in builds]
    return check_contender_parity(contenders, sizes(contenders), told)


def sizes(contenders: list[Contender]) -> list[ContenderSize]:
    return [ContenderSize(each.name, 1, 2, 3, 4, {}) for each in contenders]


def warned(found: list[Check]) -> dict[str, str]:
    """What differs, by its name."""
    parts = (each.text.partition(": ") for each in found if (each.name, each.state) == ("settings", "warn"))
    return {what: text for what, _, text in parts}


def test_gtid_that_only_one_server_has_by_default_is_found() -> None:
    """A public comparison of 2025 had to be corrected for it."""
    told = warned(in_force("mysql-5.7.29", "mysql-9.7.4"))
    assert told["GTID"].startswith("mysql-5.7.29: off; mysql-9.7.4: on (each transaction gets an identifier")
    assert told["binary log"].startswith("mysql-5.7.29: off; mysql-9.7.4: written (")


def test_other_redo_is_found() -> None:
    """A public comparison of 2026 had to be corrected for it."""
    told = warned(in_force("mysql-5.5.9", "mysql-5.6.24", "mysql-8.0.33", "mysql-9.7.4"))
    assert told["redo capacity"].startswith(
        "mysql-5.5.9: 10.0 MiB; mysql-5.6.24: 96.0 MiB; mysql-8.0.33, mysql-9.7.4: 100.0 MiB (a smaller redo"
    )


def test_the_same_redo_under_other_names_is_the_same() -> None:
    changes = {
        "mysql-5.7.29": {"innodb_log_file_size": str(48 << 20), "innodb_log_files_in_group": "2"},
        "mysql-9.7.4": {"innodb_redo_log_capacity": str(96 << 20)},
    }
    found = in_force("mysql-5.7.29", "mysql-9.7.4", "mariadb-11.8.9", changes=changes)  # it has 96 MiB
    assert "redo capacity" not in warned(found)


def test_older_options_of_redo_count_where_only_they_are_set() -> None:
    """As in MySQL 8.0.33, which shows the capacity of its default all the same."""
    older = {"innodb_log_file_size": str(1 << 30)}
    found = in_force("mysql-5.7.29", "mysql-8.0.33", changes={"mysql-8.0.33": older})
    assert "mysql-8.0.33: 2.0 GiB" in warned(found)["redo capacity"]


@pytest.mark.parametrize("build", SERVERS)
def test_every_server_answers_and_agrees_with_itself(build: str) -> None:
    contender = journals.contender("innodb")
    told = variable_meanings(contender, SERVERS[build])
    for_everybody = {"commit", "redo capacity", "GTID", "file access", "TLS", "checksums", "isolation"}
    assert for_everybody <= set(told) and all(told.values())
    twice = [replace(contender, name=name) for name in "ab"]
    (only,) = check_contender_parity(twice, sizes(twice), [RehearsalResult([], SERVERS[build])] * 2)
    assert (only.name, only.state) == ("settings", "pass")


def test_what_servers_of_ten_years_have_otherwise_is_named() -> None:
    told = warned(in_force("mysql-5.5.9", "mariadb-10.2.11", "mysql-9.7.4", "mariadb-11.8.9"))
    assert set(told) >= {
        *("binary log", "GTID", "redo capacity", "checksums", "I/O capacity", "adaptive hash index"),
        *("change buffer", "purge threads", "character set", "TLS", "Performance Schema", "file access"),
        *("snapshot isolation", "native AIO", "persistent statistics", "file per table"),
    }


@pytest.mark.parametrize(
    ("variable", "value", "what"),
    [
        ("innodb_flush_log_at_trx_commit", "2", "commit"),
        ("sync_binlog", "0", "sync_binlog"),
        ("innodb_doublewrite", "DETECT_ONLY", "doublewrite"),
        ("innodb_checksum_algorithm", "none", "checksums"),
        ("transaction_isolation", "READ-COMMITTED", "isolation"),
        ("innodb_flush_method", "O_DIRECT_NO_FSYNC", "file access"),
        ("innodb_io_capacity", "200", "I/O capacity"),
        ("innodb_adaptive_hash_index", "ON", "adaptive hash index"),
        ("innodb_change_buffering", "none", "change buffer"),
        ("innodb_purge_threads", "4", "purge threads"),
        ("innodb_page_cleaners", "4", "page cleaner threads"),
        ("character_set_server", "latin1", "character set"),
        ("tls_version", "", "TLS"),
        ("performance_schema", "OFF", "Performance Schema"),
        ("large_pages", "ON", "huge pages"),
        ("gtid_mode", "OFF", "GTID"),
        ("gtid_mode", "ON_PERMISSIVE", "GTID"),
        ("innodb_buffer_pool_size", str(1 << 30), "cache"),
        ("general_log", "ON", "statement logs"),
        ("binlog_transaction_compression", "ON", "binary log compression"),
    ],
)
def test_one_variable_in_force_is_enough(variable: str, value: str, what: str) -> None:
    twice = [replace(journals.contender("innodb"), name=name) for name in "ab"]
    variables = SERVERS["mysql-9.7.4"]
    assert variables[variable] != value
    told = [RehearsalResult([], variables), RehearsalResult([], {**variables, variable: value})]
    found = check_contender_parity(twice, sizes(twice), told)
    assert set(warned(found)) == {what}
    assert all(each.todo and "\n" not in each.text for each in found)


def test_variables_of_another_engine_say_nothing() -> None:
    """InnoDB is in every server: how it writes does not matter where it is idle."""
    twice = [replace(journals.contender("rocksdb"), name=name) for name in "ab"]
    told = [RehearsalResult([], {**SERVERS[ROCKSDB], "innodb_doublewrite": each}) for each in ("ON", "OFF")]
    (only,) = check_contender_parity(twice, sizes(twice), told)
    assert only.state == "pass"


def test_compression_that_one_side_has_is_named() -> None:
    both = [journals.contender("innodb"), journals.contender("rocksdb")]
    both = [replace(each, name=each.engine) for each in both]
    said = ("row format dynamic", "every level Snappy; files by Snappy")
    told = [RehearsalResult([], SERVERS[ROCKSDB], each) for each in said]
    found = warned(check_contender_parity(both, sizes(both), told))
    assert found["compression"].startswith("innodb: none; rocksdb: every level Snappy; files by Snappy (")


@pytest.mark.parametrize(
    ("said", "is_compressed"),
    [
        ("", False),
        ("row format compact", False),
        ("row format compressed; pages of 8 KiB, zlib level 6", True),
        ("page compression lz4", True),
        ("level 0 none, 1 none; files not compressed", False),
        ("level 0 none, 1 LZ4; the last level Zlib", True),
    ],
)
def test_words_of_engines_that_mean_compression(said: str, is_compressed: bool) -> None:
    assert (reported_compression(said) != "none") == is_compressed


def test_defaults_that_changed_are_counted_and_listed() -> None:
    (found,) = (each for each in in_force("mysql-5.7.29", "mysql-9.7.4") if each.name == "defaults")
    assert found.state == "pass" and found.text.startswith(f"{len(found.answers)} other variables differ by")
    told = {each.option: each.text for each in found.answers}
    assert told["table_open_cache"] == "mysql-5.7.29: 2000; mysql-9.7.4: 4000"
    assert not {"version", "innodb_redo_log_capacity", "server_uuid", "datadir", "hostname"} & set(told)


def test_what_a_preset_names_is_no_default() -> None:
    cnf = "[mysqld]\nskip-log-bin\ntable-open-cache = 400\n"
    (found,) = (each for each in in_force("mysql-5.7.29", "mysql-9.7.4", cnf=cnf) if each.name == "defaults")
    assert "table_open_cache" not in [each.option for each in found.answers]


def test_contenders_of_one_build_have_the_same_defaults() -> None:
    changes = {"mysql-9.7.4": {"table_open_cache": "7"}}
    found = in_force("mysql-9.7.4", "mysql-9.7.4", changes=changes)
    assert not [each for each in found if each.name == "defaults"]


def test_a_server_that_did_not_start_ends_it() -> None:
    twice = [replace(journals.contender("innodb"), name=name) for name in "ab"]
    assert (
        check_contender_parity(
            twice, sizes(twice), [RehearsalResult([], SERVERS[ROCKSDB]), RehearsalResult([])]
        )
        == []
    )


@pytest.mark.parametrize(
    "value", ["inf", "nan", "9" * 5000, "9" * 5000 + "k", "\u00b2", "x" * 90_000, "\x1b[2J"]
)
def test_whatever_a_server_answers_the_texts_stay_short(value: str) -> None:
    changes = {"mysql-9.7.4": dict.fromkeys(SERVERS["mysql-9.7.4"], value)}
    found = in_force("mysql-5.7.29", "mysql-9.7.4", changes=changes)
    assert max(len(each.text) for each in found) < 500
    assert all(len(each.text) < 500 for one in found for each in one.answers)


def test_every_row_says_why_and_what_to_do() -> None:
    assert all(each.why and each.todo for each in MATTERS)
    assert len({each.what for each in MATTERS}) == len(MATTERS)
