"""The compression in force, in words."""

from __future__ import annotations

from typing import Any

import pytest

from app.agent.server.options_in_force import compression_in_force
from app.engines.rocksdb import compression_in_words
from tests.servers import Answers

OFF = "kDisableCompressionOption"


@pytest.mark.parametrize(
    ("everywhere", "levels", "last", "words"),
    [
        ("kSnappyCompression", "NUL", OFF, "every level Snappy"),
        ("kNoCompression", "", "", "every level none"),
        ("kZlibCompression", "NUL", "kZSTDNotFinalCompression", "every level Zlib; the last level ZSTD"),
        ("kSnappyCompression", "kNoCompression:kLZ4Compression", OFF, "level 0 none, 1 LZ4"),
        ("kZSTD", "kLZ4HCCompression", "kZSTD", "level 0 LZ4HC; the last level ZSTD"),
    ],
)
def test_the_options_of_a_column_family_in_words(everywhere: str, levels: str, last: str, words: str) -> None:
    names = ("COMPRESSION_TYPE", "COMPRESSION_PER_LEVEL", "BOTTOMMOST_COMPRESSION")
    assert compression_in_words(dict(zip(names, (everywhere, levels, last), strict=True))) == words


def test_a_server_that_does_not_tell_is_not_guessed_at() -> None:
    assert compression_in_words({}) == ""


def in_force(engine: str, **answers: Any) -> str:
    return compression_in_force(
        Answers({name.replace("__", "."): each for name, each in answers.items()}), engine
    )


def table(row_format: str, options: str = "") -> list[dict[str, str]]:
    return [{"name": "sbtest1", "row_format": row_format, "create_options": options}]


def level(value: str) -> dict[str, str]:
    return {"innodb_compression_level": value}


def test_innodb_tells_the_size_of_its_compressed_pages() -> None:
    new = [{"name": "dyno/sbtest1", "zip_page_size": 8192}]
    answers = {"information_schema__tables": table("Compressed"), "innodb_compression_level": level("6")}
    said = "row format compressed; pages of 8 KiB, zlib level 6"
    assert in_force("innodb", **answers, INNODB_TABLES=new) == said  # 8.0 and later
    assert in_force("innodb", **answers, INNODB_SYS_TABLES=new) == said
    plain = [{"name": "dyno/sbtest1", "zip_page_size": 0}]
    assert in_force("innodb", **answers, INNODB_SYS_TABLES=plain) == "row format compressed"
    old = {"information_schema__tables": table("Compressed"), "innodb_compression_level": {}}  # 5.5
    said = "row format compressed; pages of 4 KiB, zlib"
    assert in_force("innodb", **old, INNODB_CMP=[{"zip_page_size": 4096}]) == said
    assert in_force("innodb", information_schema__tables=table("Compact")) == "row format compact"


@pytest.mark.parametrize(("pages", "rest"), [("12", ""), ("0", ", of no page so far")])
def test_page_compression_of_mariadb_is_told_by_the_pages_that_were(pages: str, rest: str) -> None:
    answers = {
        "information_schema__tables": table("Dynamic", "`PAGE_COMPRESSED`=1"),
        "Innodb_num_pages_page_compressed": {"innodb_num_pages_page_compressed": pages},
        "innodb_compression_algorithm": {"innodb_compression_algorithm": "lz4"},
    }
    assert in_force("innodb", **answers) == "row format dynamic; page compression lz4" + rest


@pytest.mark.parametrize(("taken", "rest"), [(4096, ""), (8192, ", of no page so far")])
def test_page_compression_of_mysql_is_told_by_holes(taken: int, rest: str) -> None:
    answers = {
        "information_schema__tables": table("Dynamic", 'COMPRESSION="zlib"'),
        "INNODB_TABLESPACES": [{"file_size": 8192, "allocated_size": taken}],
    }
    assert in_force("innodb", **answers) == "row format dynamic; page compression zlib" + rest


def test_a_table_that_is_told_to_have_no_page_compression_has_none() -> None:
    plain = table("Dynamic", 'COMPRESSION="NONE"')
    assert in_force("innodb", information_schema__tables=plain) == "row format dynamic"


def family(name: str, everywhere: str) -> dict[str, str]:
    return {"cf_name": name, "option_type": "COMPRESSION_TYPE", "value": everywhere}


def test_myrocks_tells_the_column_families_of_its_tables_and_what_the_files_hold() -> None:
    options = [family("default", "kLZ4Compression"), family("packed", "kZSTD"), family("unused", "kZSTD")]
    answers = {"rocksdb_cf_options": options, "rocksdb_sst_props": [{"name": "LZ4"}, {"name": "ZSTD"}]}
    assert in_force("rocksdb", **answers) == "every level LZ4; files by LZ4, ZSTD"
    answers["rocksdb_ddl"] = [{"name": "default"}, {"name": "packed"}]
    said = "every level LZ4; column family packed: every level ZSTD; files by LZ4, ZSTD"
    assert in_force("rocksdb", **answers) == said


@pytest.mark.parametrize(
    ("kinds", "told"), [(["none"], "files not compressed"), (["LZ4", "none"], "files by LZ4 (not all)")]
)
def test_files_that_are_not_compressed_are_said_to_be_that(kinds: list[str], told: str) -> None:
    answers = {
        "rocksdb_cf_options": [family("default", "kLZ4Compression")],
        "rocksdb_sst_props": [{"name": name} for name in kinds],
    }
    assert in_force("rocksdb", **answers) == f"every level LZ4; {told}"


def test_engines_without_compression_tell_their_row_format() -> None:
    assert in_force("aria", information_schema__tables=table("Page")) == "row format page"
    assert in_force("myisam") == "" and in_force("memory") == ""
