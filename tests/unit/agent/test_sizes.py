"""Sizes by part, from data directories laid out as the servers do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.agent.sampling.sizes import PARTS, data_file_category, sizes

BLOCK = 4096


def lay(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * BLOCK)


def blocks(found: dict[str, int]) -> dict[str, int]:
    """In blocks of one file, parts without any left out."""
    return {part: count // BLOCK for part, count in found.items() if count}


def test_innodb_of_mysql_5_6(tmp_path: Path) -> None:
    lay(tmp_path, "ibdata1", "ib_logfile0", "ib_logfile1", "auto.cnf", "mysql/user.MYD", "mysql/user.MYI")
    lay(tmp_path, "dyno/sbtest1.ibd", "dyno/sbtest1.frm", "dyno/db.opt", "performance_schema/db.opt")
    assert blocks(sizes(str(tmp_path))) == {"tables": 3, "shared": 1, "redo": 2, "other": 4, "total": 10}


def test_innodb_of_mysql_9(tmp_path: Path) -> None:
    lay(tmp_path, "ibdata1", "ibtmp1", "mysql.ibd", "undo_001", "undo_002", "ib_buffer_pool")
    lay(tmp_path, "#innodb_redo/#ib_redo10", "#innodb_redo/#ib_redo11_tmp", "#innodb_temp/temp_1.ibt")
    lay(tmp_path, "#ib_16384_0.dblwr", "#ib_16384_1.dblwr", "binlog.000001", "binlog.000012", "binlog.index")
    lay(tmp_path, "dyno/sbtest1.ibd", "dyno/sbtest2.ibd", "sys/sys_config.ibd")
    assert blocks(sizes(str(tmp_path))) == {
        "tables": 2, "shared": 1, "redo": 2, "undo": 2, "binlog": 3, "temporary": 2, "other": 5, "total": 17,
    }  # fmt: skip


def test_an_engine_with_a_file_for_each_database(tmp_path: Path) -> None:
    """Mroonga numbers its files as servers number binary logs, which snapshots leave out."""
    lay(tmp_path, "dyno.mrn", "dyno.mrn.0000100", "dyno.mrn.000010A", "dyno.mrn.conf", "mysql.mrn.0000100")
    lay(tmp_path, "dyno/sbtest1.frm", "dyno.000001", "dyno.index", "dyno.state", "dyno.000001.idx")
    assert blocks(sizes(str(tmp_path))) == {"tables": 5, "binlog": 4, "other": 1, "total": 10}
    assert data_file_category("mysql.mrn.0000100") == "other"


def test_mariadb_with_rocksdb(tmp_path: Path) -> None:
    lay(
        tmp_path,
        "ibdata1",
        "ib_logfile0",
        "undo001",
        "aria_log.00000001",
        "aria_log_control",
        "ddl_recovery.log",
    )
    lay(tmp_path, "#rocksdb/000012.sst", "#rocksdb/000013.sst", "#rocksdb/000014.log", "#rocksdb/MANIFEST-4")
    lay(tmp_path, "#rocksdb/archive/000003.log", "#rocksdb/LOG", "#rocksdb/000015.dbtmp")
    lay(tmp_path, "mariadb-bin.000001", "bl.000002", "bl.index", "bl.state", "dyno/sbtest1.frm")
    assert blocks(sizes(str(tmp_path))) == {
        "tables": 3, "shared": 1, "redo": 5, "undo": 1, "binlog": 4, "temporary": 1, "other": 3, "total": 18,
    }  # fmt: skip


def test_rocksdb_of_facebook_and_percona(tmp_path: Path) -> None:
    lay(tmp_path, ".rocksdb/000012.sst", ".rocksdb/000014.log", ".rocksdb/CURRENT")
    assert blocks(sizes(str(tmp_path))) == {"tables": 1, "redo": 1, "other": 1, "total": 3}


def test_myisam_and_aria(tmp_path: Path) -> None:
    lay(tmp_path, "dyno/a.MYD", "dyno/a.MYI", "dyno/b.MAD", "dyno/b.MAI", "test/c.MYD")
    assert blocks(sizes(str(tmp_path))) == {"tables": 4, "other": 1, "total": 5}


def test_what_an_index_build_has_not_finished_is_temporary(tmp_path: Path) -> None:
    lay(tmp_path / "data", "dyno/sbtest1.ibd", "dyno/#sql-ib1077-123.ibd", "dyno/#sql-1_5.frm")
    lay(tmp_path / "tmp", "ibXYZ", "deep/er")
    found = sizes(str(tmp_path / "data"), str(tmp_path / "tmp"))
    assert blocks(found) == {"tables": 1, "temporary": 4, "total": 5}


def test_blocks_count_and_not_lengths(tmp_path: Path) -> None:
    path = tmp_path / "dyno" / "sparse.ibd"
    path.parent.mkdir()
    with path.open("wb") as file:
        file.truncate(100 << 20)
    assert sizes(str(tmp_path))["tables"] < 1 << 20


def test_every_part_is_named_even_if_empty(tmp_path: Path) -> None:
    assert sizes(str(tmp_path)) == dict.fromkeys([*PARTS, "total"], 0)
    assert sizes(str(tmp_path / "gone"))["total"] == 0


def test_links_lead_nowhere(tmp_path: Path) -> None:
    lay(tmp_path / "elsewhere", "dyno/big.ibd")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dyno").symlink_to(tmp_path / "elsewhere" / "dyno")
    assert sizes(str(tmp_path / "data"))["tables"] == 0


def test_a_file_that_vanishes_meanwhile_counts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, "#rocksdb/000012.sst", "#rocksdb/000013.sst")
    scandir = os.scandir

    def scan_then_compact(path: str) -> object:
        entries = list(scandir(path))
        (tmp_path / "#rocksdb" / "000012.sst").unlink(missing_ok=True)
        return Listed(entries)

    monkeypatch.setattr(os, "scandir", scan_then_compact)
    assert blocks(sizes(str(tmp_path)))["tables"] == 1


class Listed(list):  # type: ignore[type-arg]
    """Entries already read, where os.scandir gives an iterator to be closed."""

    def __enter__(self) -> Listed:
        return self

    def __exit__(self, *_: object) -> None:
        pass
