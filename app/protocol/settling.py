"""What settling and analysing ask of a server: the agent sends it, the script of a session writes it down."""

from __future__ import annotations

CALM_S = 2  # seconds without a change before something counts as over
FEW_PAGES = 128  # a server writes a handful of pages for itself all the time
FEW_TRANSACTIONS = 16  # the statistics of a table are transactions too
PURGED = 5_000  # InnoDB lets so many rest until the next transaction comes
FORCED = {  # of InnoDB, set in this order, put back in the reverse one
    "innodb_max_dirty_pages_pct_lwm": "0",
    "innodb_max_dirty_pages_pct": "0",
    "innodb_idle_flush_pct": "100",
    "innodb_purge_rseg_truncate_frequency": "1",
}
ROCKSDB_FORCED = ("rocksdb_force_flush_memtable_now", "rocksdb_compact_lzero_now")

ANALYSE = "ANALYZE NO_WRITE_TO_BINLOG TABLE dyno.{}"
# sent before ANALYZE TABLE: MyRocks counts the rows of its files and guesses at those in memory
BEFORE_ANALYSE = {"rocksdb": ("SET GLOBAL rocksdb_force_flush_memtable_now=1",)}
