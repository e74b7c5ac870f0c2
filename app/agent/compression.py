"""What compression a server has in force, read back from it: what options ask for is not always done."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Mapping

from .mysql import Client, QueryError

Row = Dict[str, Any]

_TABLES = (
    "SELECT table_name AS name, row_format, create_options FROM information_schema.tables"
    " WHERE table_schema = 'dyno' ORDER BY table_name"
)
# a row for each table, in 8.0 and in what is older; before 5.6 one for each size of pages that there are
_ZIP_SIZES = (
    "SELECT zip_page_size FROM information_schema.INNODB_TABLES WHERE name LIKE 'dyno/%'",
    "SELECT zip_page_size FROM information_schema.INNODB_SYS_TABLES WHERE name LIKE 'dyno/%'",
    "SELECT page_size AS zip_page_size FROM information_schema.INNODB_CMP WHERE compress_ops > 0",
)
_SIZED = "SELECT file_size, allocated_size FROM information_schema."
_FILE_SIZES = (
    _SIZED + "INNODB_TABLESPACES WHERE name LIKE 'dyno/%'",
    _SIZED + "INNODB_SYS_TABLESPACES WHERE name LIKE 'dyno/%'",
)
_PAGE_COMPRESSION = re.compile(r"\bcompression=['\"]?(\w+)")
_FAMILIES = (
    "SELECT DISTINCT cf AS name FROM information_schema.rocksdb_ddl WHERE table_schema = 'dyno'"
    " AND table_name <> '' ORDER BY cf"
)
_FAMILY_OPTIONS = (
    "SELECT cf_name, option_type, value FROM information_schema.rocksdb_cf_options WHERE option_type IN"
    " ('COMPRESSION_TYPE', 'COMPRESSION_PER_LEVEL', 'BOTTOMMOST_COMPRESSION')"
)
_FILES = "SELECT DISTINCT compression_algo AS name FROM information_schema.rocksdb_sst_props ORDER BY 1"
_UNSET = ("", "NUL", "kDisableCompressionOption")


def compression_in_force(client: Client, engine: str) -> str:
    """Of the tables of a session, or of those to come, in words; '' where the server does not tell."""
    try:
        return _READERS[engine](client) if engine in _READERS else ""
    except QueryError:
        return ""


def table_formats(client: Client) -> List[Row]:
    """What the server says of each table: its row format, and the options that it was made with."""
    return [{name: str(value or "") for name, value in row.items()} for row in client.query(_TABLES)]


def _first_answer(client: Client, statements: Any) -> List[Row]:
    """Of the first statement that a server understands."""
    for statement in statements:
        try:
            return client.query(statement)
        except QueryError:
            continue
    return []


# InnoDB, MyISAM, Aria: tables by their format


def _by_tables(client: Client) -> str:
    formats = [each["row_format"].lower() for each in table_formats(client)]
    return "row format {}".format(", ".join(dict.fromkeys(formats))) if formats else ""


def _innodb(client: Client) -> str:
    return "; ".join(filter(None, [_by_tables(client), _zip_pages(client), _page_compression(client)]))


def _zip_pages(client: Client) -> str:
    """Of compressed row formats: the size of a page on the disk; where it is told, how hard zlib tries."""
    rows = _first_answer(client, _ZIP_SIZES)
    sizes = sorted({int(row["zip_page_size"] or 0) for row in rows} - {0})
    if not sizes:
        return ""
    pages = " and ".join("{:g} KB".format(size / 1024) for size in sizes)
    level = _variable(client, "innodb_compression_level")
    return "pages of {}, zlib{}".format(pages, " level {}".format(level) if level else "")


def _page_compression(client: Client) -> str:
    """Of pages that are compressed as they are written, with a hole behind each: whether that is done."""
    asked = " ".join(each["create_options"].lower() for each in table_formats(client))
    if "page_compressed" in asked:  # MariaDB
        pages = client.pairs("SHOW GLOBAL STATUS LIKE 'Innodb_num_pages_page_compressed'")
        said = "page compression {}".format(_variable(client, "innodb_compression_algorithm"))
        return said if any(int(each) for each in pages.values()) else said + ", of no page so far"
    kinds = sorted(set(_PAGE_COMPRESSION.findall(asked)) - {"none"})
    if kinds:  # MySQL from 5.7 on
        rows = _first_answer(client, _FILE_SIZES)
        has_holes = any(int(row["allocated_size"]) < int(row["file_size"]) for row in rows)
        said = "page compression {}".format(" and ".join(kinds))
        return said if has_holes else said + ", of no page so far"
    return ""


def _variable(client: Client, name: str) -> str:
    return client.pairs("SHOW GLOBAL VARIABLES LIKE '{}'".format(name)).get(name, "")


# MyRocks: column families by their levels


def _rocksdb(client: Client) -> str:
    options: Dict[str, Dict[str, str]] = {}
    for row in client.query(_FAMILY_OPTIONS):
        options.setdefault(str(row["cf_name"]), {})[str(row["option_type"])] = str(row["value"])
    names = [str(row["name"]) for row in _first_answer(client, [_FAMILIES])] or ["default"]
    said = [_of_family(name, options) for name in names if name in options]
    return "; ".join([*filter(None, said), *_files(client)])


def _of_family(name: str, options: Mapping[str, Mapping[str, str]]) -> str:
    words = in_words(options[name])
    return words if name == "default" else "column family {}: {}".format(name, words)


def _files(client: Client) -> Iterator[str]:
    """By what the files on the disk are compressed, whatever was asked for."""
    names = [_plain(str(row["name"])) for row in _first_answer(client, [_FILES])]
    used = [name for name in names if name != "none"]
    if names:
        some = " (not all)" if used != names else ""
        yield "files by {}{}".format(", ".join(used), some) if used else "files not compressed"


def in_words(options: Mapping[str, str]) -> str:
    """Options of a column family: `level 0 none, 1 none, 2 LZ4; the last level Zlib`."""
    everywhere = options.get("COMPRESSION_TYPE", "")
    levels = options.get("COMPRESSION_PER_LEVEL", "")
    last = options.get("BOTTOMMOST_COMPRESSION", "")
    said = "every level {}".format(_plain(everywhere)) if everywhere else ""
    if levels not in _UNSET:
        names = [_plain(each) for each in levels.split(":")]
        said = "level " + ", ".join("{} {}".format(at, name) for at, name in enumerate(names))
    if last not in _UNSET:
        said += "; the last level {}".format(_plain(last))
    return said


def _plain(name: str) -> str:
    """`kLZ4Compression` is LZ4, `kNoCompression` none."""
    word = name[1:] if name.startswith("k") else name
    word = word.replace("NotFinalCompression", "").replace("Compression", "")
    return "none" if word == "No" else word


_READERS: Dict[str, Callable[[Client], str]] = {
    "innodb": _innodb,
    "rocksdb": _rocksdb,
    "myisam": _by_tables,
    "aria": _by_tables,
}
