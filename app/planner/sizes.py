"""What rows, servers and statements take on disk: measured once, used for estimates alone.

Measured with MariaDB 10.11.19 and the shipped workloads on one table of 1,000,000 rows: apparent size
of the files after the load, again after the index on k; for MyRocks after a flush and a compaction of
the default column family.
100,000 rows gave 304 (whole extents), 210 and 210 bytes. Binary log in row format: its size over the
statements of 5 seconds of update-index, update-nonindex, insert and write-only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..presets import option_values
from ..protocol.plan import Contender

MB = 1 << 20

_TABLE_BYTES = {"innodb": 234.9, "rocksdb": 199.4, "myisam": 199.3, "aria": 233.3}
_INDEX_BYTES = {"innodb": 12.6, "rocksdb": 8.8, "myisam": 10.2, "aria": 0.4}  # Aria packs rows anew
_KEY_BLOCK = re.compile(r"KEY_BLOCK_SIZE\s*=?\s*(\d+)", re.IGNORECASE)
_COMPRESSED = {8: 0.56, 16: 1.0}  # of the plain size, measured with KEY_BLOCK_SIZE=8
BINLOG_BYTES = 750  # of a statement that writes one row, in a transaction of its own: 600 to 720 measured
UNDO_BYTES = 1200  # of InnoDB, of a row written, while nothing is purged
SORT_BYTES = 16  # of a row in the sort files of an index build
TEXT_SORT_BYTES = 4300  # of a text: the sort files of a full-text index, and the table written anew with it
# MyRocks: memtables' write-ahead log; Aria: its log, 281 bytes a row of a load until a file of it is full
OWN_BYTES = {"innodb": 0, "rocksdb": 320 * MB, "myisam": 0, "aria": 1024 * MB}
SYSTEM_BYTES = {"mariadb": 30 * MB, "mysql": 80 * MB}  # system tables, undo, temporary tablespace when fresh

# where neither the preset nor anything else sets the cache of an engine
_CACHE_OPTION = {
    "innodb": "innodb_buffer_pool_size",
    "rocksdb": "rocksdb_block_cache_size",
    "myisam": "key_buffer_size",
    "aria": "aria_pagecache_buffer_size",
}
_CACHE_BYTES = {"innodb": 128 * MB, "rocksdb": 512 * MB, "myisam": 8 * MB, "aria": 128 * MB}


def bytes_per_row(contender: Contender, said: Iterable[Mapping[str, float]] = ()) -> float:
    """Bytes of one row and its entry in the index: of the classic tables, unless workloads say theirs."""
    own = sum(each.get(contender.engine, 0) for each in said)
    plain = own or _TABLE_BYTES[contender.engine] + _INDEX_BYTES[contender.engine]
    found = _KEY_BLOCK.search(contender.table_options)
    if contender.engine != "innodb" or not found:
        return plain
    return plain * _COMPRESSED.get(int(found[1]), 0.5)


def cache_bytes(contender: Contender) -> int:
    """The engine's own cache, as the preset sets it or the engine has it."""
    values = option_values(contender.cnf)
    return as_number(values, _CACHE_OPTION[contender.engine], _CACHE_BYTES[contender.engine])


def server_caches_bytes(contender: Contender) -> int:
    """All caches a server takes memory for, whichever engine is driven."""
    values = option_values(contender.cnf)
    wanted = {"innodb", "myisam", contender.engine}
    return sum(as_number(values, _CACHE_OPTION[each], _CACHE_BYTES[each]) for each in wanted)


def redo_bytes(contender: Contender) -> int:
    """InnoDB's redo log, which is there whichever engine is driven."""
    values = option_values(contender.cnf)
    capacity = as_number(values, "innodb_redo_log_capacity", 0)
    one = as_number(values, "innodb_log_file_size", 0)
    if is_mariadb(contender):
        return one or 96 * MB
    files = as_number(values, "innodb_log_files_in_group", 2)
    if contender.version.startswith("5."):
        return (one or 48 * MB) * files
    return capacity or one * files or 100 * MB


def as_number(values: Mapping[str, str], name: str, otherwise: int) -> int:
    """A number that a preset sets, or what holds otherwise."""
    text = values.get(name, "")
    return int(text) if text.isdigit() else otherwise


def is_mariadb(contender: Contender) -> bool:
    return "mariadb" in contender.family.lower()


def writes_binary_log(contender: Contender) -> bool:
    """Whether a binary log is written: said by the preset, else on from MySQL 8.0 on."""
    said = option_values(contender.cnf).get("log_bin")
    if said is not None:
        return said not in ("OFF", "0")
    return not is_mariadb(contender) and not contender.version.startswith("5.")
