"""The variables of a server that matter in a comparison: how each is read, and why it matters.

The values are those in force, whatever version or preset they come from. To compare one more, add a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.core.units import bytes_text
from app.engines import KNOWN
from app.engines.engine import Engine

from .ownership import PLACED, words
from .render import comparable_option_value

Values = Mapping[str, str]
Read = Callable[[Engine, Values], str]

_LONGEST = 80  # characters of a value: a server may answer anything
_OFF = ("", "OFF", "0", "NO", "DISABLED", "FALSE", "NONE")
_MYSQL_REDO = 100 << 20, 2 * (48 << 20)  # capacity, and size x files, of a MySQL that nobody has set
_SAME = "set it to the same in each my.cnf"


@dataclass(frozen=True)
class ParityVariable:
    """A setting that may differ between servers: its names, its meaning, and why it matters."""

    what: str
    names: tuple[str, ...]  # of MySQL and MariaDB, the newest first
    why: str
    read: Read | None = None  # what it means in one word; else the value of the first name that there is
    absent: str = ""  # what holds in a server that has none of the names; '': it takes no part
    todo: str = _SAME
    is_durability: bool = False  # it says what a crash may cost

    def answer(self, engine: Engine, values: Values, is_in_force: bool = True) -> str:
        """The value for an engine; '' without meaning, or if unknown."""
        if not self._concerns(engine):
            return ""
        found = self.read(engine, values) if self.read else _first(self.names, values)
        return found[:_LONGEST] or (self.absent if is_in_force else "")

    def _concerns(self, engine: Engine) -> bool:
        """Whether a variable concerns an engine."""
        owners = {each for each in KNOWN for name in self.names if name.startswith(f"{each}_")}
        return len(owners) != 1 or engine.name in owners


def _first(names: tuple[str, ...], values: Values) -> str:
    return next((comparable_option_value(values[name]).lower() for name in names if name in values), "")


def is_on(value: str) -> bool:
    """Whether a server says of a switch that it is on."""
    return value.upper() not in _OFF


def _switch(*names: str) -> Read:
    """On or off, from the first name that exists."""

    def read(_engine: Engine, values: Values) -> str:
        found = next((values[name] for name in names if name in values), None)
        return "" if found is None else "on" if is_on(found) else "off"

    return read


def _of_binary_log(*names: str) -> Read:
    """A variable without meaning unless a binary log is written."""

    def read(_engine: Engine, values: Values) -> str:
        return _first(names, values) if is_on(values.get("log_bin", "OFF")) else ""

    return read


# durability


def _binary_log(_engine: Engine, values: Values) -> str:
    return "" if "log_bin" not in values else "written" if is_on(values["log_bin"]) else "off"


def _doublewrite(_engine: Engine, values: Values) -> str:
    said = values.get("innodb_doublewrite", "").upper()
    words_of = {"1": "on", "DETECT_AND_RECOVER": "on", "0": "off", "FALSE": "off"}
    return words_of.get(said, said.lower())


def _redo(_engine: Engine, values: Values) -> str:
    """The redo capacity; MySQL 8.0.30 shows a default but uses the older options if they are set."""
    one, files = (_number(values, f"innodb_log_file{each}") for each in ("_size", "s_in_group"))
    capacity, older = _number(values, "innodb_redo_log_capacity"), (one or 0) * (files or 1)
    default, default_of_older = _MYSQL_REDO
    if older and capacity == default and older != default_of_older:
        capacity = older
    return bytes_text(capacity or older) if capacity or older else ""


def _gtid(_engine: Engine, values: Values) -> str:
    """Whether a GTID is written with each transaction; MariaDB always does in its binary log."""
    if "gtid_mode" in values:
        return "off" if not is_on(values["gtid_mode"]) else values["gtid_mode"].lower()
    if "gtid_strict_mode" not in values:
        return ""
    return "on" if is_on(values.get("log_bin", "OFF")) else "off"


# what every statement pays for


def _checksums(engine: Engine, values: Values) -> str:
    """The checksum algorithm, without prefixes `strict_` and `full_`; the oldest has the engine's name."""
    if "innodb_checksums" in values and not is_on(values["innodb_checksums"]):
        return "none"
    older = engine.name if "innodb_checksums" in values else ""
    said = values.get("innodb_checksum_algorithm", older).lower()
    return said.removeprefix("strict_").removeprefix("full_")


def _capacity(_engine: Engine, values: Values) -> str:
    low = values.get("innodb_io_capacity", "")
    high = values.get("innodb_io_capacity_max", low)
    return f"{low} to {high}" if low else ""


def _io_threads(_engine: Engine, values: Values) -> str:
    found = [values.get(f"innodb_{each}_io_threads", "") for each in ("read", "write")]
    return f"{found[0]} read, {found[1]} write" if all(found) else ""


def _character_set(_engine: Engine, values: Values) -> str:
    said = _first(("character_set_server", "default_character_set"), values)
    return "utf8mb3" if said == "utf8" else said


def _query_cache(_engine: Engine, values: Values) -> str:
    """The query cache, on only if both size and type say so."""
    names = ("query_cache_type", "query_cache_size")
    said = [is_on(values[name]) for name in names if name in values]
    return "" if not said else "off" if not all(said) else "on" if len(said) == 2 else ""


def _statement_logs(_engine: Engine, values: Values) -> str:
    logs = {"general": "general_log", "slow": "slow_query_log"}
    known = {word: values[name] for word, name in logs.items() if name in values}
    return " and ".join(word for word in known if is_on(known[word])) or "off" if known else ""


def _dirty(_engine: Engine, values: Values) -> str:
    """The limits of dirty pages in percent; a lower limit of 0 is off."""
    marks = [values.get(f"innodb_max_dirty_pages_pct{each}", "") for each in ("_lwm", "")]
    return " to ".join(f"{each.partition('.')[0]} %" for each in marks if each)


def _log_buffer(_engine: Engine, values: Values) -> str:
    size = _number(values, "innodb_log_buffer_size")
    return bytes_text(size) if size else ""


def _cache(engine: Engine, values: Values) -> str:
    size = _number(values, engine.cache)
    return bytes_text(size) if size else ""


def _number(values: Values, name: str) -> int | None:
    said = comparable_option_value(values.get(name, ""))
    return int(said) if re.fullmatch("[0-9]{1,18}", said) else None


# the table

MATTERS = (
    ParityVariable(
        "commit", ("innodb_flush_log_at_trx_commit", "rocksdb_flush_log_at_trx_commit"),
        "the more often the log is written and flushed, the fewer commits a second",
        lambda engine, values: engine.commit(values),
        todo="set the flush-at-commit options to the same meaning (MyRocks: only 1 writes at every commit)",
        is_durability=True,
    ),
    ParityVariable(
        "binary log", ("log_bin",), "the server writes each change a second time",
        _binary_log, todo="enable it for all contenders or for none", is_durability=True,
    ),
    ParityVariable(
        "sync_binlog", ("sync_binlog",), "flushes of the binary log limit the commits per second",
        _of_binary_log("sync_binlog"), is_durability=True,
    ),
    ParityVariable(
        "doublewrite", ("innodb_doublewrite",), "the server writes pages twice or once",
        _doublewrite, is_durability=True,
    ),
    ParityVariable(
        "redo capacity",
        ("innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group"),
        "a smaller redo log makes the server flush pages sooner and more often",
        _redo, todo="set the same redo log size, with the option of each version",
    ),
    ParityVariable(
        "GTID", ("gtid_mode", "gtid_strict_mode"),
        "each transaction gets an identifier, which costs commits time",
        _gtid, "off", "set gtid_mode to the same in each my.cnf",
    ),
    ParityVariable(
        "binary log format", ("binlog_format",), "the binary log contains rows or statements, with"
                                                 " different locks",
        _of_binary_log("binlog_format"),
    ),
    ParityVariable(
        "binary log row image", ("binlog_row_image",), "the binary log contains whole rows or only changed"
                                                       " columns",
        _of_binary_log("binlog_row_image"),
    ),
    ParityVariable(
        "binary log checksum", ("binlog_checksum",), "each event of the binary log costs a checksum",
        _of_binary_log("binlog_checksum"),
    ),
    ParityVariable(
        "binary log compression", ("binlog_transaction_compression", "log_bin_compress"),
        "compression costs CPU and saves bytes written",
        _of_binary_log("binlog_transaction_compression", "log_bin_compress"),
    ),
    ParityVariable(
        "checksums", ("innodb_checksum_algorithm", "innodb_checksums"),
        "each page read or written costs a checksum", _checksums,
    ),
    ParityVariable(
        "redo checksums", ("innodb_log_checksums",), "each redo block costs a checksum",
        _switch("innodb_log_checksums"), "on",
    ),
    ParityVariable(
        "row checksums", ("rocksdb_store_row_debug_checksums",), "each row written costs a checksum",
        _switch("rocksdb_store_row_debug_checksums"),
    ),
    ParityVariable(
        "isolation", ("transaction_isolation", "tx_isolation"), "it determines locks and old row versions"
    ),
    ParityVariable(
        "snapshot isolation", ("innodb_snapshot_isolation",),
        "changing a row that is newer than the snapshot fails",
        _switch("innodb_snapshot_isolation"), "off",
    ),
    ParityVariable(
        "file access", ("innodb_flush_method", "innodb_data_file_buffering", "rocksdb_use_direct_reads"),
        "the operating system caches buffered files a second time",
        lambda engine, values: engine.file_access(values),
        todo="consider it when you read the results, or set the same in each my.cnf",
    ),
    ParityVariable(
        "cache", tuple(filter(None, (each.cache for each in KNOWN.values()))),
        "pages outside of it come from files", _cache, todo="give all contenders the same memory",
    ),
    ParityVariable(
        "warm buffer pool", ("innodb_buffer_pool_load_at_startup",),
        "a restarted server starts with a filled or an empty cache",
        _switch("innodb_buffer_pool_load_at_startup"), "off",
        "set innodb_buffer_pool_load_at_startup to the same",
    ),
    ParityVariable(
        "I/O capacity", ("innodb_io_capacity", "innodb_io_capacity_max"),
        "it limits how fast the server flushes pages", _capacity,
    ),
    ParityVariable(
        "I/O threads", ("innodb_read_io_threads", "innodb_write_io_threads"),
        "reads and writes at the same time", _io_threads,
    ),
    ParityVariable(
        "dirty pages", ("innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm"),
        "the server flushes pages above this share of dirty pages", _dirty,
    ),
    ParityVariable(
        "log buffer", ("innodb_log_buffer_size",), "transactions wait for a small one", _log_buffer
    ),
    ParityVariable(
        "native AIO", ("innodb_use_native_aio",), "without it each write holds up a thread",
        _switch("innodb_use_native_aio"),
    ),
    ParityVariable(
        "neighbours", ("innodb_flush_neighbors",), "the server flushes the neighbours of a dirty page with"
                                                   " it",
        absent="1",
    ),
    ParityVariable(
        "adaptive hash index", ("innodb_adaptive_hash_index",),
        "it saves CPU in point reads and costs CPU in writes", _switch("innodb_adaptive_hash_index"),
    ),
    ParityVariable(
        "change buffer", ("innodb_change_buffering",),
        "it delays reads of secondary index pages", absent="none",
    ),
    ParityVariable(
        "purge threads", ("innodb_purge_threads",), "purge removes old row versions sooner or later"
    ),
    ParityVariable(
        "page cleaner threads", ("innodb_page_cleaners",), "threads that flush pages", absent="1"
    ),
    ParityVariable(
        "page size", ("innodb_page_size",), "the server reads, caches and writes whole pages", absent="16384"
    ),
    ParityVariable(
        "file per table", ("innodb_file_per_table",), "each table has its own file, or all share one",
        _switch("innodb_file_per_table"),
    ),
    ParityVariable(
        "auto-increment locks", ("innodb_autoinc_lock_mode",), "inserts wait for each other or not"
    ),
    ParityVariable(
        "persistent statistics", ("innodb_stats_persistent",),
        "query plans depend on the statistics of the server", _switch("innodb_stats_persistent"), "off",
    ),
    ParityVariable(
        "character set", ("character_set_server", "default_character_set"),
        "some make comparing and sorting slower", _character_set,
    ),
    ParityVariable(
        "TLS", ("have_ssl", "ssl", "tls_version"), "the server encrypts TCP connections",
        _switch("have_ssl", "ssl", "tls_version"), todo="switch it off in each my.cnf, or on in all",
    ),
    ParityVariable(
        "Performance Schema", ("performance_schema",), "the server counts each statement and wait",
        _switch("performance_schema"), "off",
    ),
    ParityVariable(
        "query cache", ("query_cache_type", "query_cache_size"),
        "reads may skip the engine, and every change takes its lock", _query_cache, "off",
        "switch it off in each my.cnf",
    ),
    ParityVariable(
        "statement logs", ("general_log", "slow_query_log"),
        "the server writes each statement, or each slow one, to a file", _statement_logs,
        todo="switch them off in each my.cnf",
    ),
    ParityVariable("threads", ("thread_handling",), "a pool or a thread for each connection"),
    ParityVariable(
        "huge pages", ("large_pages",), "the cache needs fewer address translations",
        _switch("large_pages"), "off",
    ),
    ParityVariable(
        "background jobs", ("rocksdb_max_background_jobs",), "flushes and compactions at the same time"
    ),
)  # fmt: skip

DURABILITY = tuple(each.what for each in MATTERS if each.is_durability)
NAMED = frozenset(name for each in MATTERS for name in each.names)

# variables that no two servers share, or that only say where its files are
OF_THE_SERVER = PLACED | words(
    """
    auto_generate_certs error_count general_log_file gtid_binlog_pos gtid_binlog_state gtid_current_pos
    gtid_executed gtid_purged hostname identity in_transaction insert_id last_insert_id log_bin_basename
    log_bin_index mysqlx_socket pseudo_thread_id rand_seed1 rand_seed2 relay_log relay_log_basename
    relay_log_index report_host server_id server_uid server_uuid slow_query_log_file timestamp
    version_source_revision warning_count
    """
)
