"""Table options and compression on real servers: what is refused, what is in force and read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.protocol.events import Fact
from tests.installed import MARIADB
from tests.integration.desktop import Desktop

ZIPPED = "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE="
LZ4 = "COMPRESSION='lz4'"
PACKED = """\
[mysqld]
plugin_load_add=ha_rocksdb
rocksdb_block_cache_size=32M
rocksdb_default_cf_options=compression=kNoCompression
rocksdb_override_cf_options=packed={compression=kZlibCompression;bottommost_compression=kZSTD}
"""


def compression(desktop: Desktop, session: str) -> list[Any]:
    """As it was after the load, and at the end."""
    return [
        each.value["in_force"]
        for each in desktop.events(session)
        if isinstance(each, Fact) and each.name == "compression"
    ]


def run(desktop: Desktop, contender: str, options: str) -> str:
    """A session of tiny; gives its id."""
    asked = {"table_options": options} if options else {}
    desktop.dyno("run", *desktop.plan(contender, seconds=1, warmup=0, **asked))
    return str(max(desktop.sessions(), key=lambda each: str(each["started_at"]))["id"])


@pytest.mark.full
def test_column_families_of_one_preset_are_told_apart_by_compare(desktop: Desktop) -> None:
    folder = desktop.home / "presets/rocksdb"
    folder.mkdir(parents=True)
    (folder / "mine.cnf").write_text(PACKED)
    contender = f"{MARIADB}:rocksdb:mine"
    plain, packed = (run(desktop, contender, options) for options in ("", "COLUMN_FAMILY=packed"))
    assert compression(desktop, plain) == ["every level none; files not compressed"] * 2
    family = "column family packed: every level Zlib; the last level ZSTD"
    assert all(each.startswith(family) for each in compression(desktop, packed))
    tables = [
        each.value
        for each in desktop.events(packed)
        if isinstance(each, Fact) and each.name == "create_table"
    ]
    assert tables[0].count("COMMENT 'cfname=packed'") == 2  # its primary key and the index on k
    told = json.loads(desktop.dyno("compare", plain, packed, "--setup", "--format", "json").stdout)
    names = [(each["group"], each["name"]) for each in told["differences"]]
    assert ("tables", "compression in force") in names and ("contender", "table_options") in names


@pytest.mark.parametrize(
    ("contender", "options", "told"),
    [
        (f"{MARIADB}:innodb", "COMPRESSION='zlib'", "Unknown option 'COMPRESSION'"),
        (f"{MARIADB}:myisam", "ROW_FORMAT=PAGE", "the contender sets ROW_FORMAT=PAGE, the table has "),
        pytest.param(
            f"{MARIADB}:innodb",
            "ROW_FORMAT=DYNAMIC KEY_BLOCK_SIZE=8",
            "KEY_BLOCK_SIZE",
            marks=pytest.mark.full,
        ),
        pytest.param(f"{MARIADB}:rocksdb", "KEY_BLOCK_SIZE=8, nonsense", "syntax", marks=pytest.mark.full),
    ],
)
def test_what_the_build_does_not_do_is_said_before_anything_starts(
    desktop: Desktop, contender: str, options: str, told: str
) -> None:
    words = desktop.plan(contender, table_options=options)
    said = desktop.dyno("run", *words, "--dry-run", "--start", code=None).stdout
    (line,) = (line for line in said.splitlines() if " table options: " in line)
    assert line.startswith("fail") and told in line


@pytest.mark.parametrize(
    ("engine", "options", "told"),
    [
        ("innodb", "PAGE_COMPRESSED=1", "row format dynamic; page compression zlib, of no page so far"),
        pytest.param(
            "aria", "ROW_FORMAT=DYNAMIC TRANSACTIONAL=0", "row format dynamic", marks=pytest.mark.full
        ),
        pytest.param("myisam", "ROW_FORMAT=DYNAMIC", "row format dynamic", marks=pytest.mark.full),
    ],
)
def test_what_the_build_would_have_in_force(desktop: Desktop, engine: str, options: str, told: str) -> None:
    words = desktop.plan(f"{MARIADB}:{engine}", table_options=options)
    said = desktop.dyno("run", *words, "--dry-run", "--start").stdout
    assert any("compression: " in line and line.endswith(told) for line in said.splitlines()), said


@pytest.mark.full
@pytest.mark.parametrize(
    ("fetched", "contender", "options", "told"),
    [
        pytest.param(*each, marks=pytest.mark.build(each[0]))
        for each in (
            ("mysql-5.6", "mysql-5.6.24:innodb:nuc-i3", ZIPPED + "4", "pages of 4 KiB, zlib level 6"),
            ("mysql-8.0", "mysql-8.0.33:innodb", ZIPPED + "4", "pages of 4 KiB, zlib level 6"),
            ("mysql-8.0", "mysql-8.0.33:innodb", LZ4, "row format dynamic; page compression lz4"),
            ("mysql-9.7", "mysql-9.7.4:innodb", ZIPPED + "8", "pages of 8 KiB, zlib level 6"),
            ("mysql-9.7", "mysql-9.7.4:innodb", LZ4, "row format dynamic; page compression lz4"),
        )
    ],
)
def test_compression_of_mysql(
    desktop: Desktop, build_path: Callable[[str], Path], fetched: str, contender: str, options: str, told: str
) -> None:
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path(fetched)))
    session = run(desktop, contender, options)
    assert all(told in each for each in compression(desktop, session))


@pytest.mark.full
@pytest.mark.build("mysql-5.6")
def test_a_preset_that_leaves_no_room_for_compression_is_told(
    desktop: Desktop, build_path: Callable[[str], Path]
) -> None:
    """Without Barracuda 5.6 makes plain tables, and the load would go on."""
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path("mysql-5.6")))
    words = desktop.plan("mysql-5.6.24:innodb", table_options=ZIPPED + "8")
    said = desktop.dyno("run", *words, code=1).stderr
    assert "KEY_BLOCK_SIZE requires innodb_file_format > Antelope" in said
