"""Aria, of MariaDB."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, Mapping, Optional

from .cause import cache_miss_cause, slow_reads_cause
from .cause import table_locks_cause as table_lock_cause
from .counter import TO_MB, gauge, rate, share
from .engine import ENDING, MIB, Debt, Engine, rows_written, table_lock_counters, table_lock_wait
from .panel import block_cache_figures, of_table_locks, plain
from .query import Query, named_whole_number, show_statement_values
from .server import row_formats

_BLOCKS = "aria_pagecache_blocks_used+aria_pagecache_blocks_unused"
_LOG_SIZE = re.compile(r"Size\s+(\d+)")  # of each file, in SHOW ENGINE ARIA LOGS

_IS_WRITTEN = """\
is_written() { # dirty pages leave the page cache with the tables
    if [ "$(value Aria_pagecache_blocks_not_flushed)" -gt 0 ]; then sql "FLUSH TABLES"; fi
    [ "$(value Aria_pagecache_blocks_not_flushed)" -eq 0 ]
}
"""


@dataclass(frozen=True, eq=False)
class Aria(Engine):
    """What of it is no plain value."""

    def keeps_commits(self, operation: str, variables: Mapping[str, str]) -> Optional[bool]:
        return operation not in ENDING  # it has no commits: a statement may be there in part

    def commit(self, values: Mapping[str, str]) -> str:
        return "flushed at every statement"

    def seldom(self, query: Query, status: Mapping[str, str]) -> Dict[str, str]:
        """The size of its log."""
        found = [_LOG_SIZE.search(str(row["name"])) for row in query("SHOW ENGINE ARIA LOGS")]
        sizes = [int(each.group(1)) for each in found if each is not None]
        return {"aria.log_bytes": str(sum(sizes))} if sizes else {}

    def debt(self, query: Query) -> Debt:
        status = show_statement_values(query, "SHOW GLOBAL STATUS LIKE 'Aria_pagecache_blocks_not_flushed'")
        found = named_whole_number(status, "aria_pagecache_blocks_not_flushed")
        return {} if found is None else {"unflushed_aria_pages": found}

    def compression(self, query: Query) -> str:
        return row_formats(query)


ENGINE = Aria(
    "aria",
    "Aria",
    has_facts=True,
    option="aria-pagecache-buffer-size",
    cache="aria_pagecache_buffer_size",
    cache_bytes=128 * MIB,
    paths=("aria_log_dir_path",),
    # two fifths of MyISAM, three fifths with the index, where both were measured one after the other
    load_rate=63_000,
    index_rate=470_000,
    analyse_rate=4_000_000,  # it reads its indexes
    table_bytes=233.3,
    index_bytes=0.4,  # an index build packs the rows anew
    own_bytes=1024 * MIB,  # of its log: 281 bytes a row of a load until a file of it is full
    has_transactions=False,
    no_bulk="Aria can leave out keys that are not unique, and the tables have none while they are loaded",
    files=(("redo", r"aria_log(\.\d+|_control)$"),),
    counters=(
        *rows_written("aria"),
        rate("aria.cache_requests", "aria_pagecache_read_requests", "page cache requests"),
        rate("aria.cache_misses", "aria_pagecache_reads", "page cache misses", direction="lower"),
        rate("aria.page_writes", "aria_pagecache_writes", "pages written"),
        rate("aria.log_syncs", "aria_transaction_log_syncs", "log syncs"),
        gauge("aria.unflushed_pages", "aria_pagecache_blocks_not_flushed", "pages not flushed"),
        rate("aria.block_changes", "aria_pagecache_write_requests", "changes to pages"),
        share("aria.cache_full", "aria_pagecache_blocks_used", _BLOCKS, "page cache in use"),
        share(
            "aria.dirty_share", "aria_pagecache_blocks_not_flushed", _BLOCKS, "dirty share of the page cache"
        ),
        gauge("aria.log_mb", "aria.log_bytes", "log files", "MB", TO_MB),
        *table_lock_counters("aria"),
    ),
    causes=(
        cache_miss_cause("page cache", "aria.cache_misses", "pages"),
        slow_reads_cause("aria.cache_misses"),
        table_lock_cause("aria.lock_waits"),
    ),
    panel=(
        *block_cache_figures("aria", "page cache", "aria.page_writes"),
        plain(
            "log_syncs",
            "Log syncs",
            "1/s",
            "",
            "Flushes of the log to the disk: a commit of a transactional table needs one.",
            "aria.log_syncs",
        ),
        plain(
            "log_size",
            "Log on disk",
            "MB",
            "",
            "Size of the log files: it shrinks when a checkpoint no longer needs the older ones.",
            "aria.log_mb",
        ),
        *of_table_locks("aria")[1:],
    ),
    functions=(
        ("Aria: page cache", r"pagecache|make_lock_and_pin|find_block"),
        ("Aria: log", r"translog_"),
        ("Aria: keys", r"_ma_(search|ck|seq|bin|prefix|get_key|fetch)|maria_rkey|maria_rnext"),
        ("Aria: rows", r"_?ma_|maria_|ha_maria"),
    ),
    status_waits=(table_lock_wait("Aria"),),
    recovery=(("recover", r"Aria engine: starting recovery", r"Aria engine: recovery done"),),
    threads=(("checkpoint", r"checkpoint_bg|checkpoint_background"),),
    unflushed=("unflushed_aria_pages", "dirty pages"),
    debt_limits={"unflushed_aria_pages": 32 * MIB // 8192},  # of eight kilobytes
    debt_words=(("unflushed_aria_pages", "dirty pages"),),
    is_written=_IS_WRITTEN,
)
