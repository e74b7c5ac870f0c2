"""MyISAM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional

from .cause import cache_miss_cause, slow_reads_cause
from .cause import table_locks_cause as table_lock_cause
from .counter import StatusWait, gauge, rate, share
from .engine import ENDING, MIB, Debt, Engine, rows_written, table_lock_counters, table_lock_wait
from .panel import block_cache_figures, of_table_locks, plain
from .query import Query, named_whole_number, show_statement_values
from .server import row_formats

_BLOCKS = "key_blocks_used+key_blocks_unused"

_IS_WRITTEN = """\
is_written() { # key blocks leave the key cache with the tables
    if [ "$(value Key_blocks_not_flushed)" -gt 0 ]; then sql "FLUSH TABLES"; fi
    [ "$(value Key_blocks_not_flushed)" -eq 0 ]
}
"""


@dataclass(frozen=True, eq=False)
class MyISAM(Engine):
    """What of it is no plain value."""

    def keeps_commits(self, operation: str, variables: Mapping[str, str]) -> Optional[bool]:
        return operation not in ENDING

    def commit(self, values: Mapping[str, str]) -> str:
        return "no log: nothing is safe at commit"

    def debt(self, query: Query) -> Debt:
        status = show_statement_values(query, "SHOW GLOBAL STATUS LIKE 'Key_blocks_not_flushed'")
        found = named_whole_number(status, "key_blocks_not_flushed")
        return {} if found is None else {"unflushed_key_blocks": found}

    def compression(self, query: Query) -> str:
        return row_formats(query)


ENGINE = MyISAM(
    "myisam",
    "MyISAM",
    has_facts=True,
    option="myisam-sort-buffer-size",
    cache="key_buffer_size",
    cache_bytes=8 * MIB,
    outside_data=("key_buffer_size",),
    load_rate=160_000,
    index_rate=750_000,
    analyse_rate=6_000_000,  # it reads its indexes
    table_bytes=199.3,
    index_bytes=10.2,
    has_transactions=False,
    no_bulk="MyISAM can leave out keys that are not unique, and the tables have none while they are loaded",
    key_cache="key_buffer_size",
    word_lengths=("ft_min_word_len", "ft_max_word_len"),
    counters=(
        *rows_written("myisam"),
        rate("myisam.cache_requests", "key_read_requests", "key cache requests"),
        rate("myisam.cache_misses", "key_reads", "key cache misses", direction="lower"),
        rate("myisam.key_writes", "key_writes", "key blocks written"),
        gauge("myisam.unflushed_blocks", "key_blocks_not_flushed", "key blocks not flushed"),
        rate("myisam.block_changes", "key_write_requests", "changes to key blocks"),
        share("myisam.cache_full", "key_blocks_used", _BLOCKS, "key cache in use"),
        share("myisam.dirty_share", "key_blocks_not_flushed", _BLOCKS, "dirty share of the key cache"),
        *table_lock_counters("myisam"),
        rate("myisam.table_opens", "opened_tables", "tables opened", direction="lower"),
    ),
    causes=(
        cache_miss_cause("key cache", "myisam.cache_misses", "key blocks"),
        slow_reads_cause("myisam.cache_misses"),
        table_lock_cause("myisam.lock_waits"),
    ),
    panel=(
        *block_cache_figures("myisam", "key cache", "myisam.key_writes"),
        *of_table_locks("myisam"),
        plain(
            "table_opens",
            "Tables opened",
            "1/s",
            "lower",
            "Tables that the server had to open because its table cache did not have them.",
            "myisam.table_opens",
        ),
    ),
    status_waits=(
        StatusWait("MyISAM key block read into the key cache", "file_io", "key_reads"),
        table_lock_wait("MyISAM"),
    ),
    has_status=False,
    functions=(
        ("MyISAM: key cache", r"key_cache|multi_key_cache|simple_key_cache|find_key_block|_mi_fetch_keypage"),
        ("MyISAM: keys", r"_mi_(search|ck|seq|bin|prefix|get_|key)|mi_rnext|mi_rkey|_mi_dpointer"),
        ("MyISAM: rows", r"_?mi_|ha_myisam"),
    ),
    unflushed=("unflushed_key_blocks", "key blocks"),
    debt_limits={"unflushed_key_blocks": 32 * MIB // 1024},  # of a kilobyte, unless the preset says otherwise
    debt_words=(("unflushed_key_blocks", "key blocks"),),
    is_written=_IS_WRITTEN,
)
