"""InnoDB."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

from .cause import (
    COMMITS,
    DISK,
    FSYNC,
    RUNNING,
    UNNAMED,
    Cause,
    cache_miss_cause,
    slow_reads_cause,
    slow_syncs_cause,
)
from .counter import SHARE, TO_KB, TO_MB, StatusWait, gauge, rate, share
from .engine import MIB, Debt, Engine, IsSteady, keeps, words
from .panel import dirty_share_figure, hit_rate, plain, ratio
from .query import Query, first_answer, named_whole_number, show_statement_values
from .server import UNDO_BYTES, row_formats, table_formats

FEW_PAGES = 128  # a server writes a handful of pages for itself all the time
FEW_TRANSACTIONS = 16  # the statistics of a table are transactions too
PURGED = 5_000  # so many rest until the next transaction comes
_FORCED = {
    "innodb_max_dirty_pages_pct_lwm": "0",
    "innodb_max_dirty_pages_pct": "0",
    "innodb_idle_flush_pct": "100",
    "innodb_purge_rseg_truncate_frequency": "1",
}
_KEY_BLOCK = re.compile(r"KEY_BLOCK_SIZE\s*=?\s*(\d+)", re.IGNORECASE)
_COMPRESSED = {8: 0.56, 16: 1.0}  # of the plain size, measured with KEY_BLOCK_SIZE=8

_LSN = re.compile(r"^Log sequence number\s+(\d+)$", re.MULTILINE)
_CHECKPOINT = re.compile(r"^Last checkpoint at\s+(\d+)$", re.MULTILINE)
_HISTORY = re.compile(r"^History list length (\d+)", re.MULTILINE)

# MariaDB from 10.5 and MySQL from 8.0.30 on have status variables for them, others need `seldom`
_CHECKPOINT_AGE = (
    "innodb_checkpoint_age|innodb_redo_log_current_lsn-innodb_redo_log_checkpoint_lsn|innodb.checkpoint_age"
)
_CAPACITY = "innodb_redo_log_capacity_resized|innodb.redo_capacity"
# where writes wait: 0.64 of a MariaDB's log of 4 MiB, 0.81 of a large one; other servers do not tell
_CHECKPOINT_LIMIT = "innodb_checkpoint_max_age|" + _CAPACITY
_HISTORY_LIST = "innodb_history_list_length|innodb.history_list"
_READ_AHEAD = "innodb_buffer_pool_read_ahead"
_FILE_OPTIONS = (
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_log_file_size', 'innodb_log_files_in_group')"
)
_HISTORY_METRIC = (
    "SELECT count AS n FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'"
)

# a row for each table, in 8.0 and in what is older; before 5.6 one for each size of pages that there are
_ZIP_SIZES = (
    "SELECT zip_page_size FROM information_schema.INNODB_TABLES WHERE name LIKE CONCAT(DATABASE(), '/%')",
    "SELECT zip_page_size FROM information_schema.INNODB_SYS_TABLES WHERE name LIKE CONCAT(DATABASE(), '/%')",
    "SELECT page_size AS zip_page_size FROM information_schema.INNODB_CMP WHERE compress_ops > 0",
)
_SIZED = "SELECT file_size, allocated_size FROM information_schema."
_FILE_SIZES = (
    _SIZED + "INNODB_TABLESPACES WHERE name LIKE CONCAT(DATABASE(), '/%')",
    _SIZED + "INNODB_SYS_TABLESPACES WHERE name LIKE CONCAT(DATABASE(), '/%')",
)
_PAGE_COMPRESSION = re.compile(r"\bcompression=['\"]?(\w+)")

# for a script: dirty pages and purge, as far as reads would notice
_IS_WRITTEN = """\
HISTORY=0

is_written() {{ # dirty pages and purge, as far as reads would notice
    dirty=$(value Innodb_buffer_pool_pages_dirty)
    pending=$(value Innodb_data_pending_writes)
    before=$HISTORY
    HISTORY=$(sql "SHOW ENGINE INNODB STATUS" | sed -n 's/.*History list length \\([0-9]*\\).*/\\1/p')
    HISTORY=${{HISTORY:-0}} # a server that only reads does not say
    [ "${{dirty:-0}}" -le {pages} ] && [ "${{pending:-0}}" -eq 0 ] && [ "$HISTORY" -le {purged} ] &&
        [ "$((before - HISTORY))" -le {few} ] && [ "$((HISTORY - before))" -le {few} ]
}}
""".format(pages=FEW_PAGES, purged=PURGED, few=FEW_TRANSACTIONS)

_FULL_REDO = Cause(
    name="full-redo",
    title="The redo log is nearly full",
    words="% of the largest checkpoint age",
    figure="innodb.checkpoint_age_mb",
    least=60.0,
    time="+".join((UNNAMED, DISK, FSYNC, COMMITS)),
    per="innodb.checkpoint_limit_mb",
    scale=100.0,
)


@dataclass(frozen=True, eq=False)
class InnoDB(Engine):
    """What of it is no plain value."""

    def bytes_per_row(self, row: float, table_options: str) -> float:
        found = _KEY_BLOCK.search(table_options)
        return row * _COMPRESSED.get(int(found.group(1)), 0.5) if found else row

    def commit(self, values: Mapping[str, str]) -> str:
        words = {"1": "flushed at every commit", "2": "written at every commit, flushed each second"}
        said = values.get("innodb_flush_log_at_trx_commit") or "1"
        return words.get(said, "written and flushed each second")

    def keeps_commits(self, operation: str, variables: Mapping[str, str]) -> Optional[bool]:
        """2 writes at every commit, which outlives the server; MariaDB's 3 flushes twice."""
        flush = variables.get("innodb_flush_log_at_trx_commit", "1")
        syncs = "nosync" not in variables.get("innodb_flush_method", "").lower()
        return keeps(operation, syncs and flush in ("1", "3"), flush != "0", variables)

    def file_access(self, values: Mapping[str, str]) -> str:
        """`direct` or `buffered`; MariaDB 11.0 has its own variable, and an empty flush method is fsync."""
        if "innodb_data_file_buffering" in values:
            return "direct" if values["innodb_data_file_buffering"] in ("OFF", "0") else "buffered"
        if "innodb_flush_method" not in values:
            return ""
        method = values["innodb_flush_method"].upper()
        if not method.startswith("O_DIRECT"):
            return "buffered"
        return "direct, without fsync" if method == "O_DIRECT_NO_FSYNC" else "direct"

    def seldom(self, query: Query, status: Mapping[str, str]) -> Dict[str, str]:
        """History list, checkpoint age and size of the redo log, where SHOW GLOBAL STATUS lacks them."""
        if "innodb_redo_log_capacity_resized" in status:  # its text would lock more for the rest
            rows = query(_HISTORY_METRIC)
            return {"innodb.history_list": str(rows[0]["n"])} if rows else {}
        capacity = _redo_capacity(query)
        found = {} if capacity is None else {"innodb.redo_capacity": str(capacity)}
        return found if "innodb_checkpoint_age" in status else {**found, **_from_text(query)}

    def debt(self, query: Query) -> Debt:
        status = show_statement_values(query, "SHOW GLOBAL STATUS LIKE 'Innodb_%'")
        rows = query("SHOW ENGINE INNODB STATUS")
        text = str(rows[0]["status"]) if rows else ""  # a server that only reads says nothing
        pages, page = (
            named_whole_number(status, "innodb_buffer_pool_pages_dirty"),
            named_whole_number(status, "innodb_page_size"),
        )
        pending = [
            named_whole_number(status, "innodb_{}_pending_writes".format(what)) for what in ("data", "os_log")
        ]
        history = named_whole_number(
            status, "innodb_history_list_length"
        )  # of MariaDB; others say it in the text
        debt = {
            "dirty_pages": pages,
            "dirty_bytes": named_whole_number(status, "innodb_buffer_pool_bytes_dirty"),
            "history_list": _found(_HISTORY, text) if history is None else history,
            "pending_writes": sum(each or 0 for each in pending),
        }
        if debt["dirty_bytes"] is None and pages is not None and page is not None:  # before 5.6
            debt["dirty_bytes"] = pages * page
        lsn, checkpoint = _found(_LSN, text), _found(_CHECKPOINT, text)
        if lsn is not None and checkpoint is not None:
            debt["checkpoint_age_bytes"] = lsn - checkpoint
        return {name: value for name, value in debt.items() if value is not None}

    def forced(self, variables: Mapping[str, str]) -> Dict[str, str]:
        wanted = {name: value for name, value in _FORCED.items() if name in variables}
        capacity = variables.get("innodb_io_capacity_max")
        return {**wanted, "innodb_io_capacity": capacity} if capacity else wanted

    def unwritten(self, debt: Debt, is_steady: IsSteady, query: Query) -> List[str]:
        history = debt.get("history_list", 0)
        steady = is_steady("history", history, FEW_TRANSACTIONS) or history <= FEW_TRANSACTIONS
        unwritten = ["dirty pages"] if debt.get("dirty_pages", 0) > FEW_PAGES else []
        unwritten += ["writes under way"] if debt.get("pending_writes") else []
        return unwritten + (["purge"] if history > PURGED or not steady else [])

    def compression(self, query: Query) -> str:
        return "; ".join(filter(None, [row_formats(query), _zip_pages(query), _page_compression(query)]))


def _redo_capacity(query: Query) -> Optional[int]:
    variables = show_statement_values(query, _FILE_OPTIONS)
    size = named_whole_number(variables, "innodb_log_file_size")
    return size and size * (named_whole_number(variables, "innodb_log_files_in_group") or 1)


def _from_text(query: Query) -> Dict[str, str]:
    """History list and checkpoint age from SHOW ENGINE INNODB STATUS."""
    text = "".join(str(row["status"]) for row in query("SHOW ENGINE INNODB STATUS"))
    history, lsn, checkpoint = (_found(each, text) for each in (_HISTORY, _LSN, _CHECKPOINT))
    age = None if lsn is None or checkpoint is None else lsn - checkpoint
    found = {"innodb.history_list": history, "innodb.checkpoint_age": age}
    return {name: str(value) for name, value in found.items() if value is not None}


def _found(pattern: Any, text: str) -> Optional[int]:
    match = pattern.search(text)
    return int(match.group(1)) if match else None


def _zip_pages(query: Query) -> str:
    """The page size of compressed row formats, and zlib's level if it is set."""
    rows = first_answer(query, _ZIP_SIZES)
    sizes = sorted({int(row["zip_page_size"] or 0) for row in rows} - {0})
    if not sizes:
        return ""
    pages = " and ".join("{:g} KiB".format(size / 1024) for size in sizes)
    level = _variable(query, "innodb_compression_level")
    return "pages of {}, zlib{}".format(pages, " level {}".format(level) if level else "")


def _page_compression(query: Query) -> str:
    """The algorithm of page compression, and whether any page is compressed."""
    asked = " ".join(each["create_options"].lower() for each in table_formats(query))
    if "page_compressed" in asked:  # MariaDB
        pages = show_statement_values(query, "SHOW GLOBAL STATUS LIKE 'Innodb_num_pages_page_compressed'")
        said = "page compression {}".format(_variable(query, "innodb_compression_algorithm"))
        return said if any(int(each) for each in pages.values()) else said + ", of no page so far"
    kinds = sorted(set(_PAGE_COMPRESSION.findall(asked)) - {"none"})
    if kinds:  # MySQL from 5.7 on
        rows = first_answer(query, _FILE_SIZES)
        has_holes = any(int(row["allocated_size"]) < int(row["file_size"]) for row in rows)
        said = "page compression {}".format(" and ".join(kinds))
        return said if has_holes else said + ", of no page so far"
    return ""


def _variable(query: Query, name: str) -> str:
    return show_statement_values(query, "SHOW GLOBAL VARIABLES LIKE '{}'".format(name)).get(name, "")


ENGINE = InnoDB(
    "innodb",
    "InnoDB",
    has_facts=True,
    option="innodb-buffer-pool-size",
    plugin="ha_innodb.so",
    cache="innodb_buffer_pool_size",
    cache_bytes=128 * MIB,
    paths=words(
        """
        innodb_data_home_dir innodb_doublewrite_dir innodb_log_group_home_dir innodb_temp_tablespaces_dir
        innodb_tmpdir innodb_undo_directory
        """
    ),
    file_names=("innodb_buffer_pool_filename",),
    other_forms=("innodb_data_file_path",),
    outside_data=words(
        """
        innodb_adaptive_hash_index innodb_buffer_pool_chunk_size innodb_buffer_pool_instances
        innodb_buffer_pool_size innodb_flush_log_at_trx_commit innodb_flush_method innodb_io_capacity
        innodb_io_capacity_max innodb_lru_scan_depth innodb_max_dirty_pages_pct
        innodb_max_dirty_pages_pct_lwm innodb_page_cleaners innodb_read_io_threads
        innodb_thread_concurrency innodb_write_io_threads
        """
    ),
    load_rate=130_000,
    index_rate=1_000_000,
    table_bytes=234.9,
    index_bytes=12.6,
    undo_bytes=UNDO_BYTES,
    no_bulk="what InnoDB has for it (MariaDB: one transaction with unique_checks=0) took twice the CPU"
    " a row that ordinary inserts in the order of the key take",
    word_lengths=("innodb_ft_min_token_size", "innodb_ft_max_token_size"),
    before_create=("SET SESSION innodb_strict_mode=OFF",),
    files=(
        # `shared` holds the dictionary and the change buffer, the undo of old versions, and every table
        # of a server without innodb_file_per_table
        ("shared", r"ibdata\d+$"),
        ("redo", r"ib_logfile\d+$|#ib_redo"),
        ("undo", r"undo_?\d+$|.*\.ibu$"),
        ("temporary", r"ibtmp\d+$|ib_temp"),
    ),
    folders={"#innodb_temp": "temporary", "#innodb_redo": "redo"},
    counters=(
        rate("innodb.rows_read", "innodb_rows_read", "rows read"),
        rate("innodb.rows_inserted", "innodb_rows_inserted", "rows inserted"),
        rate("innodb.rows_updated", "innodb_rows_updated", "rows updated"),
        rate("innodb.rows_deleted", "innodb_rows_deleted", "rows deleted"),
        rate("innodb.cache_requests", "innodb_buffer_pool_read_requests", "buffer pool requests"),
        rate("innodb.cache_misses", "innodb_buffer_pool_reads", "buffer pool misses", direction="lower"),
        rate("innodb.pages_flushed", "innodb_buffer_pool_pages_flushed", "pages flushed"),
        gauge("innodb.dirty_mb", "innodb_buffer_pool_bytes_dirty", "dirty pages", "MB", TO_MB),
        gauge("innodb.checkpoint_age_mb", _CHECKPOINT_AGE, "checkpoint age", "MB", TO_MB),
        gauge("innodb.checkpoint_limit_mb", _CHECKPOINT_LIMIT, "checkpoint age limit", "MB", TO_MB),
        gauge("innodb.history_list", _HISTORY_LIST, "history list length"),
        rate("innodb.log_kb", "innodb_os_log_written", "redo written", "KB/s", TO_KB),
        rate("innodb.log_syncs", "innodb_os_log_fsyncs", "redo syncs"),
        rate("innodb.log_waits", "innodb_log_waits", "log buffer waits", direction="lower"),
        rate("innodb.row_lock_waits", "innodb_row_lock_waits", "row lock waits", direction="lower"),
        share(
            "innodb.dirty_share",
            "innodb_buffer_pool_pages_dirty",
            "innodb_buffer_pool_pages_total",
            "dirty share of the buffer pool",
        ),
        share("innodb.checkpoint_share", _CHECKPOINT_AGE, _CAPACITY, "checkpoint age per redo log", "lower"),
        # MySQL 5.5 counts twice in pages flushed, MariaDB 10.2 leaves some out
        rate("innodb.pages_written", "innodb_pages_written", "pages written"),
        rate("innodb.doublewrite_pages", "innodb_dblwr_pages_written", "pages through doublewrite"),
        rate("innodb.read_ahead", "{0}+{0}_rnd|{0}".format(_READ_AHEAD), "pages read ahead"),
        rate(
            "innodb.read_ahead_evicted",
            _READ_AHEAD + "_evicted",
            "pages read ahead and not used",
            direction="lower",
        ),
    ),
    causes=(
        cache_miss_cause("buffer pool", "innodb.cache_misses", "pages"),
        _FULL_REDO,
        Cause(
            "purge", "Purge is behind", "transactions not purged", "innodb.history_list", 10_000.0, RUNNING
        ),
        *(slow_reads_cause("innodb.cache_misses"), slow_syncs_cause("innodb.log_syncs")),
    ),
    panel=(
        hit_rate(
            "Share of the page requests to the buffer pool that found the page there.",
            "innodb.cache_misses",
            "innodb.cache_requests",
        ),
        dirty_share_figure(
            "Changed pages that are not yet written, as a share of the buffer pool.", "innodb.dirty_share"
        ),
        plain(
            "checkpoint_share",
            "Checkpoint age",
            SHARE,
            "lower",
            "The redo that a recovery would read, as a share of the log: near 0.8 writes wait for flushing.",
            "innodb.checkpoint_share",
        ),
        plain(
            "history_list",
            "History list",
            "transactions",
            "lower",
            "Transactions whose old row versions are not purged.",
            "innodb.history_list",
        ),
        plain("log_rate", "Redo written", "KB/s", "", "Bytes written to the redo log.", "innodb.log_kb"),
        plain(
            "log_waits",
            "Log buffer waits",
            "1/s",
            "lower",
            "Waits because the log buffer was full.",
            "innodb.log_waits",
        ),
        plain(
            "pages_flushed",
            "Pages flushed",
            "1/s",
            "",
            "Pages that adaptive and other flushing wrote from the buffer pool.",
            "innodb.pages_written",
        ),
        plain(
            "doublewrite",
            "Doublewrite pages",
            "1/s",
            "",
            "Pages that were written to the doublewrite buffer first.",
            "innodb.doublewrite_pages",
        ),
        plain(
            "read_ahead",
            "Read-ahead",
            "1/s",
            "",
            "Pages that InnoDB read before a query asked for them.",
            "innodb.read_ahead",
        ),
        ratio(
            "read_ahead_wasted",
            "Read-ahead not used",
            SHARE,
            "lower",
            "Pages read ahead and evicted before any access, as a share of the pages read ahead.",
            ("innodb.read_ahead_evicted",),
            "innodb.read_ahead",
        ),
    ),
    functions=(
        ("InnoDB: buffer pool", r"buf_|Buf_|buf::|fil_|Fil_|fsp_|os_aio|os_file|AIO|flst_|ibuf_|page_zip_"),
        ("InnoDB: log", r"log_|mtr_|log::|mtr_t|recv_|redo_|Log_"),
        (
            "InnoDB: locks and transactions",
            r"lock_|trx_|trx::|ReadView|MVCC|purge_|undo_|lock::|que_|deadlock",
        ),
        ("InnoDB: B-tree", r"btr_|page_|rec_|cmp_|dtuple_|dict_|data_|btr::|Btr_|fts_|ib_"),
        (
            "InnoDB: rows",
            r"row_|ha_innobase|innobase_|innodb_|srv_|ut_|sync_|rw_lock|sux_lock|ssux_lock|ib::",
        ),
    ),
    status_waits=(
        StatusWait("InnoDB row lock", "row_lock", "innodb_row_lock_waits", "innodb_row_lock_time"),
        StatusWait("InnoDB log buffer without room", "log_io", "innodb_log_waits"),
        StatusWait("InnoDB buffer pool without a free page", "file_io", "innodb_buffer_pool_wait_free"),
    ),
    is_cloned=True,
    recovery=(
        (
            "scan redo",
            r"Starting crash recovery( from|\.$)|Log scan progressed past|Starting to parse redo log",
            r"scanned up to log sequence number|End of log at LSN",
        ),
        (
            "apply redo",
            r"Starting an apply batch|Applying a batch|To recover: \d|Starting a (final )?batch to recover",
            r"Apply batch completed|rollback segments? (is|are) active",
        ),
        ("roll back", r"Starting in background the rollback", r"Rollback of non-prepared transactions comp"),
        ("load buffer pool", r"Loading buffer pool\(s\) from", r"Buffer pool\(s\) load completed"),
    ),
    threads=(
        ("purge", r"ib_srv_(purge|wkr)|srv_(purge|worker)_thread|InnoDB purge"),
        ("page cleaner", r"ib_pg_flush|page_(flush|cleaner)"),
        ("checkpoint", r"ib_log_checkpt|log_checkpointer"),
        ("log writer", r"ib_log_|log_(writer|write|flush|closer|files)"),
        ("read and write", r"ib_io_|io_(ibuf|log|read|write)_|io_uring_wait|linux_aio"),
        ("master", r"ib_src_main|ib_srv_main|srv_master"),
        ("worker pool", r"ib_tpool|tpool_worker|thread_pool_thread"),  # MariaDB: purge, reads and writes
    ),
    read_views="SELECT COUNT(*) AS n FROM information_schema.innodb_trx"
    " WHERE trx_mysql_thread_id = CONNECTION_ID() AND trx_isolation_level = 'REPEATABLE READ'",
    debt_limits={
        "dirty_bytes": 32 * MIB,
        "history_list": 10_000,  # transactions whose old rows are not purged
    },
    debt_words=(
        ("dirty_pages", "dirty pages"),
        ("pending_writes", "writes under way"),
        ("history_list", "transactions to purge"),
    ),
    is_written=_IS_WRITTEN,
)
