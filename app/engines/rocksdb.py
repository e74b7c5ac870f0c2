"""MyRocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .cause import STALLS, US, Cause, cache_miss_cause, compaction_cause, slow_reads_cause, slow_syncs_cause
from .counter import SHARE, TO_KB, TO_MB, StatusCounter, StatusWait, gauge, rate
from .engine import MIB, Debt, Engine, IsSteady, Rules, keeps
from .panel import EngineFigure, hit_rate, plain, ratio
from .query import Query, Row, first_answer, named_whole_number, show_statement_values

_WAITING = ("compaction_pending", "mem_table_flush_pending", "num_immutable_mem_table")
_HAS_ACTIVE = "SHOW TABLES FROM information_schema LIKE 'ROCKSDB_ACTIVE_COMPACTION_STATS'"
_ACTIVE = "SELECT COUNT(*) AS n FROM information_schema.ROCKSDB_ACTIVE_COMPACTION_STATS"

_FAMILIES = (
    "SELECT DISTINCT cf AS name FROM information_schema.rocksdb_ddl WHERE table_schema = DATABASE()"
    " AND table_name <> '' ORDER BY cf"
)
_FAMILY_OPTIONS = (
    "SELECT cf_name, option_type, value FROM information_schema.rocksdb_cf_options WHERE option_type IN"
    " ('COMPRESSION_TYPE', 'COMPRESSION_PER_LEVEL', 'BOTTOMMOST_COMPRESSION')"
)
_FILES = "SELECT DISTINCT compression_algo AS name FROM information_schema.rocksdb_sst_props ORDER BY 1"
_UNSET = ("", "NUL", "kDisableCompressionOption")

_LEVELS = (
    "SELECT level, type, SUM(value) AS total, MAX(value) AS most"
    " FROM information_schema.ROCKSDB_COMPACTION_STATS"
    " WHERE type IN ('SizeBytes', 'Score') AND level LIKE 'L%' GROUP BY level, type"
)
_PENDING = (
    "SELECT SUM(value) AS n FROM information_schema.ROCKSDB_CFSTATS WHERE stat_type = 'COMPACTION_PENDING'"
)
_RETURNED = "rocksdb_bytes_read+rocksdb_iter_bytes_read|rocksdb_bytes_read"
_BLOCKS = "rocksdb_block_cache_bytes_read+rocksdb_block_cache_bytes_write"  # found there, and read into it
_MOST_LEVELS = 7  # of a column family, unless its options say otherwise
_STALLS = (  # cause, and what it is called in the names of status variables
    ("L0 files", "l0_file_count_limit"),
    ("memtables", "memtable_limit"),
    ("pending compaction", "pending_compaction_limit"),
)

# all tables share its files; a folder among them keeps old logs or a checkpoint
_IN_ITS_FOLDER: Rules = (
    ("tables", r".+\.(sst|blob)$"),
    ("redo", r"\d+\.log$"),
    ("temporary", r".+\.(dbtmp|tmp)$"),
)

_IS_WRITTEN = """\
MOVED=

is_written() { # nothing waits to be flushed or compacted, and no compaction moves bytes
    waiting=$(sql "SELECT COALESCE(SUM(value), 0) FROM information_schema.ROCKSDB_CFSTATS WHERE stat_type IN
        ('COMPACTION_PENDING', 'MEM_TABLE_FLUSH_PENDING', 'NUM_IMMUTABLE_MEM_TABLE')")
    before=$MOVED
    MOVED="$(value rocksdb_compact_read_bytes) $(value rocksdb_compact_write_bytes)"
    MOVED="$MOVED $(value rocksdb_flush_write_bytes)"
    [ "$waiting" -eq 0 ] && [ "$MOVED" = "$before" ]
}
"""


def _stall(name: str, limit: str, time: str = "") -> StatusWait:
    stopped, slowed = ("rocksdb_stall_{}_{}".format(limit, what) for what in ("stops", "slowdowns"))
    return StatusWait(name, "stall", "{}+{}".format(stopped, slowed), time, 1e-3)


@dataclass(frozen=True, eq=False)
class MyRocks(Engine):
    """What of it is no plain value."""

    def keeps_commits(self, operation: str, variables: Mapping[str, str]) -> Optional[bool]:
        """Only 1 hands the log to the system at each commit: else it may stay in the server for a second."""
        logs = variables.get("rocksdb_write_disable_wal", "OFF") == "OFF"
        flush = variables.get("rocksdb_flush_log_at_trx_commit") or _write_sync(variables)
        return keeps(operation, logs and flush == "1", False, variables)

    def commit(self, values: Mapping[str, str]) -> str:
        if values.get("rocksdb_write_disable_wal", "OFF") in ("ON", "1"):
            return "no write-ahead log"
        flush = values.get("rocksdb_flush_log_at_trx_commit") or _write_sync(values)
        return "flushed at every commit" if flush == "1" else "written and flushed each second"

    def file_access(self, values: Mapping[str, str]) -> str:
        return "direct" if values.get("rocksdb_use_direct_reads") in ("ON", "1") else "buffered"

    def seldom(self, query: Query, status: Mapping[str, str]) -> Dict[str, str]:
        """Levels with their scores, and column families that wait for compaction."""
        rows, pending = first_answer(query, [_LEVELS]), first_answer(query, [_PENDING])
        found = _levels(rows) if rows else {}
        return {**found, **({"rocksdb.pending": str(int(pending[0]["n"] or 0))} if pending else {})}

    def debt(self, query: Query) -> Debt:
        debt: Debt = dict.fromkeys(_WAITING, 0)
        memtables = 0
        for row in query("SELECT stat_type, value FROM information_schema.ROCKSDB_CFSTATS"):
            name = str(row["stat_type"]).lower()
            if name in debt:
                debt[name] += int(row["value"])
            elif name == "cur_size_all_mem_tables":
                memtables += int(row["value"])
        debt["memtable_bytes"] = memtables
        status = show_statement_values(query, "SHOW GLOBAL STATUS LIKE 'rocksdb_manual_compactions_running'")
        more = {
            "active_compactions": _active_compactions(query),
            "manual_compactions": named_whole_number(status, "rocksdb_manual_compactions_running"),
        }
        return {**debt, **{name: value for name, value in more.items() if value is not None}}

    def unwritten(self, debt: Debt, is_steady: IsSteady, query: Query) -> List[str]:
        rests = is_steady("moved", _moved(query), 0)
        waits = any(debt.get(name) for name in (*_WAITING, "active_compactions"))
        unwritten = ["compaction"] if not rests or waits else []
        return unwritten + (["forced compactions"] if debt.get("manual_compactions") else [])

    def compression(self, query: Query) -> str:
        options: Dict[str, Dict[str, str]] = {}
        for row in query(_FAMILY_OPTIONS):
            options.setdefault(str(row["cf_name"]), {})[str(row["option_type"])] = str(row["value"])
        names = [str(row["name"]) for row in first_answer(query, [_FAMILIES])] or ["default"]
        said = [_of_family(name, options) for name in names if name in options]
        return "; ".join([*filter(None, said), *_of_files(query)])


def _level_bytes(level: object) -> str:
    return "rocksdb.level_bytes_{}".format(level)


def _levels(rows: Sequence[Row]) -> Dict[str, str]:
    """The bytes of each level, zero where it has no files, and the highest score."""
    sizes = {str(row["level"])[1:]: float(row["total"]) for row in rows if row["type"] == "SizeBytes"}
    found = {_level_bytes(at): str(sizes.get(str(at), 0.0)) for at in range(_MOST_LEVELS)}
    scores = (float(row["most"]) for row in rows if row["type"] == "Score")
    return {**found, "rocksdb.level_score": str(max(scores, default=0.0))}


def _write_sync(values: Mapping[str, str]) -> str:
    """Sync at commit, from the option of before 2017, which was off unless set."""
    return {"ON": "1", "1": "1", "OFF": "2", "0": "2"}.get(values.get("rocksdb_write_sync", ""), "1")


def _active_compactions(query: Query) -> Optional[int]:
    """Running compactions, listed by the builds of Facebook and Percona; None without the table."""
    return int(query(_ACTIVE)[0]["n"]) if query(_HAS_ACTIVE) else None


def _moved(query: Query) -> Tuple[int, ...]:
    """Bytes read and written by flushes and compactions: unchanged while they rest."""
    status = show_statement_values(query, "SHOW GLOBAL STATUS LIKE 'rocksdb_%_bytes'")
    names = ("compact_read", "compact_write", "flush_write")
    return tuple(named_whole_number(status, "rocksdb_{}_bytes".format(name)) or 0 for name in names)


def _of_family(name: str, options: Mapping[str, Mapping[str, str]]) -> str:
    words = compression_in_words(options[name])
    return words if name == "default" else "column family {}: {}".format(name, words)


def _of_files(query: Query) -> Iterator[str]:
    """The compression of the files on disk, which may differ from the options."""
    names = [_plain(str(row["name"])) for row in first_answer(query, [_FILES])]
    used = [name for name in names if name != "none"]
    if names:
        some = " (not all)" if used != names else ""
        yield "files by {}{}".format(", ".join(used), some) if used else "files not compressed"


def compression_in_words(options: Mapping[str, str]) -> str:
    """Compression of a column family: `level 0 none, 1 none, 2 LZ4; the last level Zlib`."""
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


def _cache_counters() -> Iterator[StatusCounter]:
    """Hits and misses of the block cache by kind of block."""
    for kind in ("data", "index", "filter"):
        names = "rocksdb.{}_".format(kind), "rocksdb_block_cache_{}_".format(kind)
        yield rate(names[0] + "hits", names[1] + "hit", kind + " blocks found in the cache")
        yield rate(
            names[0] + "misses", names[1] + "miss", kind + " blocks not in the cache", direction="lower"
        )


def _stall_counters() -> Iterator[StatusCounter]:
    """Slowdowns and stops by cause."""
    for cause, name in _STALLS:
        status = "rocksdb_stall_{0}_slowdowns+rocksdb_stall_{0}_stops".format(name)
        yield rate("rocksdb.stalls{" + cause + "}", status, "stalls by " + cause, direction="lower")


def _hits_by_kind() -> Iterator[EngineFigure]:
    for kind in ("data", "index", "filter"):
        yield ratio(
            kind + "_hits",
            "Hit rate of {} blocks".format(kind),
            SHARE,
            "higher",
            "Share of the requests for {} blocks that found the block in the cache.".format(kind),
            ("rocksdb.{}_hits".format(kind),),
            "rocksdb.{}_hits".format(kind),
            "rocksdb.{}_misses".format(kind),
        )


ENGINE = MyRocks(
    "rocksdb",
    "MyRocks",
    aliases=("myrocks",),
    has_facts=True,
    option="rocksdb-block-cache-size",
    only_compiled_in="FB MySQL",
    plugin="ha_rocksdb.so",
    cache="rocksdb_block_cache_size",
    cache_bytes=512 * MIB,
    paths=("rocksdb_datadir", "rocksdb_wal_dir"),
    outside_data=("rocksdb_block_cache_size", "rocksdb_flush_log_at_trx_commit"),
    load_rate=120_000,
    index_rate=200_000,
    table_bytes=199.4,
    index_bytes=8.8,
    own_bytes=320 * MIB,  # the write-ahead log of its memtables
    rewrites=True,
    no_bulk="",
    isolation_levels=("read-committed", "repeatable-read"),
    has_column_families=True,
    # it counts the rows of its files and guesses at those in memory
    before_analyse=("SET GLOBAL rocksdb_force_flush_memtable_now=1",),
    folders=dict.fromkeys(("#rocksdb", ".rocksdb", "rocksdb"), _IN_ITS_FOLDER),
    functions=(
        (
            "RocksDB: memtable",
            r"rocksdb::(MemTable|InlineSkipList|.*SkipList|WriteBatch|Arena|ConcurrentArena)",
        ),
        (
            "RocksDB: files and block cache",
            r"rocksdb::(Block|Table|Index|Data|.*Cache|.*Filter|Version|.*Iter)",
        ),
        (
            "RocksDB: compaction and flush",
            r"rocksdb::(Compact|Flush|.*Builder|Merging|.*Compress)|ZSTD_|LZ4_",
        ),
        ("RocksDB: log", r"rocksdb::(log|.*Writer|WAL)"),
        ("RocksDB: other", r"rocksdb::"),
        ("MyRocks", r"myrocks::|[Rr]db_|ha_rocksdb|rocksdb_"),
    ),
    counters=(
        rate("rocksdb.rows_read", "rocksdb_rows_read", "rows read"),
        rate("rocksdb.rows_inserted", "rocksdb_rows_inserted", "rows inserted"),
        rate("rocksdb.rows_updated", "rocksdb_rows_updated", "rows updated"),
        rate("rocksdb.rows_deleted", "rocksdb_rows_deleted", "rows deleted"),
        rate("rocksdb.cache_hits", "rocksdb_block_cache_hit", "block cache hits"),
        rate("rocksdb.cache_misses", "rocksdb_block_cache_miss", "block cache misses", direction="lower"),
        gauge("rocksdb.memtable_mb", "rocksdb_memtable_total", "memtables", "MB", TO_MB),
        gauge("rocksdb.unflushed_mb", "rocksdb_memtable_unflushed", "memtables not flushed", "MB", TO_MB),
        rate("rocksdb.log_kb", "rocksdb_wal_bytes", "WAL written", "KB/s", TO_KB),
        rate("rocksdb.log_syncs", "rocksdb_wal_synced", "WAL syncs"),
        rate("rocksdb.flush_kb", "rocksdb_flush_write_bytes", "data flushed", "KB/s", TO_KB),
        rate("rocksdb.compaction_read_kb", "rocksdb_compact_read_bytes", "compaction reads", "KB/s", TO_KB),
        rate(
            "rocksdb.compaction_write_kb", "rocksdb_compact_write_bytes", "compaction writes", "KB/s", TO_KB
        ),
        rate("rocksdb.stall_ms", "rocksdb_stall_micros", "write stalls", "ms/s", 1e-3, "lower"),
        rate("rocksdb.stops", "rocksdb_stall_total_stops", "write stops", direction="lower"),
        rate("rocksdb.slowdowns", "rocksdb_stall_total_slowdowns", "write slowdowns", direction="lower"),
        *_stall_counters(),
        *_cache_counters(),
        rate("rocksdb.bloom_useful", "rocksdb_bloom_filter_useful", "files skipped by bloom filter"),
        rate(
            "rocksdb.bloom_positive", "rocksdb_bloom_filter_full_positive", "files that passed a bloom filter"
        ),
        rate("rocksdb.written_kb", "rocksdb_bytes_written", "written by clients", "KB/s", TO_KB),
        rate("rocksdb.returned_kb", _RETURNED, "returned by reads", "KB/s", TO_KB),
        rate("rocksdb.blocks_kb", _BLOCKS, "blocks used by reads", "KB/s", TO_KB),
        gauge("rocksdb.level_score", "rocksdb.level_score", "highest level score", direction="lower"),
        gauge("rocksdb.pending", "rocksdb.pending", "column families to compact", direction="lower"),
        *(
            gauge("rocksdb.level_mb{" + str(at) + "}", _level_bytes(at), "level {}".format(at), "MB", TO_MB)
            for at in range(_MOST_LEVELS)
        ),
    ),
    causes=(
        cache_miss_cause("block cache", "rocksdb.cache_misses", "blocks"),
        Cause("stalls", "MyRocks stalls writes", US, "waits.stall_us", 1.0, STALLS),
        compaction_cause("rocksdb.compaction_write_kb"),
        *(slow_reads_cause("rocksdb.cache_misses"), slow_syncs_cause("rocksdb.log_syncs")),
    ),
    panel=(
        hit_rate(
            "Share of the requests to the block cache that found the block there.",
            "rocksdb.cache_misses",
            "rocksdb.cache_hits",
            "rocksdb.cache_misses",
        ),
        *_hits_by_kind(),
        ratio(
            "bloom_use",
            "Bloom filter use",
            SHARE,
            "higher",
            "Files that a bloom filter ruled out, as a share of the files whose filter was asked.",
            ("rocksdb.bloom_useful",),
            "rocksdb.bloom_useful",
            "rocksdb.bloom_positive",
        ),
        plain(
            "level_score",
            "Level score",
            "",
            "lower",
            "The highest score of a level, with the sizes of all: above 1 a level waits for compaction.",
            "rocksdb.level_score",
            parts=tuple(
                ("L{}".format(at), "rocksdb.level_mb{" + str(at) + "}") for at in range(_MOST_LEVELS)
            ),
            part_unit="MB",
        ),
        plain(
            "pending_compaction",
            "Pending compaction",
            "",
            "lower",
            "Column families that wait for compaction.",
            "rocksdb.pending",
        ),
        plain(
            "memtables",
            "Memtables",
            "MB",
            "",
            "Memory of all memtables, with those that wait to be flushed.",
            "rocksdb.memtable_mb",
        ),
        plain(
            "stalls",
            "Write stalls",
            "ms/s",
            "lower",
            "Time for which MyRocks held up writes; the causes are slowdowns and stops per second.",
            "rocksdb.stall_ms",
            parts=tuple((cause, "rocksdb.stalls{" + cause + "}") for cause, _ in _STALLS),
            part_unit="1/s",
        ),
        ratio(
            "engine_write_amplification",
            "Bytes written per byte",
            "bytes/byte",
            "lower",
            "Write amplification: bytes of WAL, flush and compaction per byte that clients wrote.",
            ("rocksdb.log_kb", "rocksdb.flush_kb", "rocksdb.compaction_write_kb"),
            "rocksdb.written_kb",
        ),
        ratio(
            "engine_read_amplification",
            "Bytes read per byte",
            "bytes/byte",
            "lower",
            "Read amplification: bytes of the blocks that reads used per byte that they returned.",
            ("rocksdb.blocks_kb",),
            "rocksdb.returned_kb",
        ),
    ),
    status_waits=(
        _stall("MyRocks write stall", "total", "rocksdb_stall_micros"),
        *(_stall("MyRocks write stall: " + reason, limit) for reason, limit in _STALLS),
    ),
    recovery=(("replay log", r"RocksDB: Column Families at start", r"Table_store: loaded DDL data"),),
    threads=(
        ("flush", r"rocksdb:high"),
        ("compaction", r"rocksdb:(low|bottom)"),
        ("background", r"rocksdb:|myrocks-"),
    ),
    table_facts=(("cf_options", "SELECT * FROM information_schema.ROCKSDB_CF_OPTIONS"),),
    nudges=("rocksdb_force_flush_memtable_now", "rocksdb_compact_lzero_now"),  # the second is not everywhere
    debt_limits=dict.fromkeys(
        ("compaction_pending", "mem_table_flush_pending", "active_compactions", "manual_compactions"), 0
    ),
    debt_words=(
        ("compaction_pending", "compactions that wait"),
        ("active_compactions", "compactions under way"),
        ("manual_compactions", "forced compactions"),
        ("mem_table_flush_pending", "flushes that wait"),
        ("num_immutable_mem_table", "full memtables"),
    ),
    is_written=_IS_WRITTEN,
)
