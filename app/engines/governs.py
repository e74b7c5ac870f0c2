"""Which variables govern what a server counts, and where the clients' time goes where they are set badly.

Only the desktop reads it. A variable that is not here can be a cause too: it is named without a line of why.
"""

from __future__ import annotations

from typing import Dict, Mapping, NamedTuple, Tuple

from .cause import COMMITS, DISK, FSYNC, NETWORK, RUNNING, WAITS_FOR_CPU
from .engine import words

SMALL, LARGE, ON, OFF, ANY = "small", "large", "on", "off", ""  # the value that costs more
ACTS: Mapping[str, Tuple[str, ...]] = {  # the clients' time, by the words of a row
    "cpu": (RUNNING, WAITS_FOR_CPU),
    "disk": (DISK,),
    "sync": (FSYNC, COMMITS),
    "lock": ("unnamed_us", "waits.table_lock_us", "waits.row_lock_us", "waits.stall_us"),
    "link": (NETWORK,),
}
ACT_TITLES = {"cpu": "CPU", "disk": "the disk", "sync": "syncs", "lock": "locks", "link": "the network"}


class RelatedVariables(NamedTuple):
    """Variables that act alike."""

    variables: Tuple[str, ...]
    worse: str  # one of the above
    acts: Tuple[str, ...]  # words of ACTS
    signs: Tuple[str, ...]  # counters, waits, costs and causes that rise with it; `-` before those that fall
    why: str


def _of(variables: str, worse: str, acts: str, signs: str, why: str) -> RelatedVariables:
    return RelatedVariables(words(variables), worse, words(acts), words(signs), why)


_ROWS = (
    # tables and files
    _of("table_open_cache table_open_cache_instances table_cache", SMALL, "cpu lock",
        "opened_tables table_open_cache_overflows table_open_cache_misses",
        "tables are closed and opened anew when more are in use than the cache holds"),
    _of("table_definition_cache", SMALL, "cpu lock", "opened_table_definitions",
        "definitions of tables are read anew when more are in use than the cache holds"),
    _of("innodb_open_files open_files_limit rocksdb_max_open_files", SMALL, "cpu disk lock", "opened_files",
        "files are closed and opened anew when more are in use than the limit"),
    _of("innodb_file_per_table", ANY, "disk", "innodb_data_writes",
        "it decides how many files are written"),
    # connections and threads
    _of("thread_cache_size", SMALL, "cpu link", "threads_created connections",
        "a connection needs a new thread when the cache has none"),
    _of("thread_handling", ANY, "cpu lock link", "", "it decides which threads serve the connections"),
    _of("thread_pool_size thread_pool_max_threads thread_pool_oversubscribe", SMALL, "lock link", "",
        "more connections share fewer threads"),
    _of("thread_pool_stall_limit thread_pool_prio_kickup_timer thread_pool_idle_timeout "
        "thread_pool_priority thread_pool_dedicated_listener thread_pool_exact_stats", ANY, "lock link", "",
        "it decides when a pool of threads takes up waiting connections"),
    _of("host_cache_size back_log", SMALL, "link", "connections aborted_connects",
        "it slows new connections"),
    _of("skip_name_resolve", OFF, "link", "connections aborted_connects",
        "each new client's name is looked up"),
    _of("net_buffer_length max_allowed_packet", SMALL, "cpu link", "",
        "a buffer of a connection grows again for each larger statement or result"),
    _of("query_prealloc_size query_alloc_block_size transaction_prealloc_size transaction_alloc_block_size",
        SMALL, "cpu", "", "memory of a statement is allocated in more parts"),
    _of("max_prepared_stmt_count", SMALL, "cpu link", "com_stmt_reprepare com_stmt_prepare com_query",
        "statements beyond the limit are not prepared"),
    _of("max_statement_time max_execution_time", ON, "cpu", "", "each statement has a timer"),
    _of("wsrep_on rpl_semi_sync_master_enabled rpl_semi_sync_source_enabled", ON, "sync lock link", "",
        "a commit waits for another server"),
    # logs of statements
    _of("general_log", ON, "cpu lock disk", "wait/io/file/sql/query_log server_written_kb cpu_system_us",
        "every statement is written to the general log"),
    _of("slow_query_log log_slow_query", ON, "cpu lock disk",
        "slow_queries wait/io/file/sql/slow_log server_written_kb", "slow statements are written to a log"),
    _of("long_query_time log_slow_query_time min_examined_row_limit log_slow_min_examined_row_limit "
        "log_slow_rate_limit log_slow_always_query_time", SMALL, "cpu lock disk",
        "slow_queries wait/io/file/sql/slow_log",
        "more statements count as slow, and are written to a log"),
    _of("log_queries_not_using_indexes log_slow_extra log_slow_verbosity log_slow_filter "
        "log_throttle_queries_not_using_indexes log_slow_admin_statements", ANY, "cpu lock disk",
        "slow_queries wait/io/file/sql/slow_log", "it decides what is written to the slow log"),
    _of("log_output", ANY, "cpu lock disk", "table_locks_waited handler_write slow_queries",
        "logs in tables cost more than logs in files"),
    _of("log_warnings log_error_verbosity innodb_print_all_deadlocks innodb_status_output "
        "innodb_status_output_locks", ON, "cpu disk", "aborted_connects aborted_clients",
        "more is written to the error log"),
    _of("server_audit_logging audit_log_policy", ON, "cpu lock disk", "server_written_kb",
        "what the clients do is written to a log"),
    _of("performance_schema performance_schema_instrument performance_schema_consumer_events_waits_current "
        "performance_schema_consumer_events_waits_history_long "
        "performance_schema_consumer_events_statements_history_long userstat profiling "
        "innodb_monitor_enable", ON, "cpu", "", "the server measures each statement, wait or table"),
    # binary log
    _of("log_bin", ON, "sync cpu lock disk", "binlog_commits binlog_cache_use binlog_bytes_written "
        "file/sql/binlog:written",
        "every change is written to the binary log"),
    _of("sync_binlog", ANY, "sync disk", "client_fsync_us", "1 syncs the binary log for each commit"),
    _of("binlog_cache_size max_binlog_cache_size", SMALL, "cpu disk", "binlog_cache_disk_use",
        "a transaction larger than the cache goes through a file"),
    _of("binlog_stmt_cache_size max_binlog_stmt_cache_size", SMALL, "cpu disk",
        "binlog_stmt_cache_disk_use", "statements larger than the cache go through a file"),
    _of("max_binlog_size", SMALL, "sync disk lock", "", "the binary log changes its file more often"),
    _of("binlog_format binlog_row_image binlog_row_metadata binlog_checksum binlog_annotate_row_events "
        "binlog_rows_query_log_events binlog_transaction_compression log_bin_compress "
        "binlog_row_event_max_size encrypt_binlog binlog_encryption gtid_mode binlog_gtid_simple_recovery "
        "binlog_file_cache_size binlog_transaction_dependency_tracking", ANY, "cpu disk sync",
        "binlog_bytes_written", "it decides what is written to the binary log, and how"),
    _of("binlog_group_commit_sync_delay binlog_commit_wait_count binlog_commit_wait_usec "
        "binlog_group_commit_sync_no_delay_count binlog_max_flush_queue_time", LARGE, "sync lock", "",
        "a commit waits for others before the binary log is synced"),
    _of("binlog_order_commits", ANY, "sync lock", "", "it decides whether commits keep their order"),
    # sorts, joins, temporary tables
    _of("sort_buffer_size max_length_for_sort_data max_sort_length", SMALL, "cpu disk", "sort_merge_passes",
        "a sort that does not fit is merged from parts on the disk"),
    _of("read_rnd_buffer_size mrr_buffer_size", SMALL, "cpu disk",
        "handler_mrr_rowid_refills handler_mrr_key_refills handler_read_rnd",
        "sorted rows are read in smaller parts"),
    _of("read_buffer_size", SMALL, "cpu disk", "", "tables are read in smaller parts"),
    _of("join_buffer_size join_buffer_space_limit join_cache_level", SMALL, "cpu disk",
        "handler_read_rnd_next handler_read_next handler_read_key rows_read",
        "a join reads the inner table once for each full buffer"),
    _of("tmp_table_size max_heap_table_size tmp_memory_table_size temptable_max_ram temptable_max_mmap "
        "temptable_use_mmap", SMALL, "cpu disk lock", "created_tmp_disk_tables created_tmp_files",
        "a temporary table that is larger is written to the disk"),
    _of("big_tables", ON, "cpu disk", "created_tmp_disk_tables", "every temporary table is on the disk"),
    _of("internal_tmp_mem_storage_engine internal_tmp_disk_storage_engine aria_used_for_temp_tables "
        "default_tmp_storage_engine", ANY, "cpu disk", "created_tmp_disk_tables",
        "it decides where temporary tables are"),
    # optimizer
    _of("optimizer_switch optimizer_search_depth optimizer_prune_level eq_range_index_dive_limit "
        "max_seeks_for_key optimizer_use_condition_selectivity range_optimizer_max_mem_size "
        "optimizer_max_sel_arg_weight optimizer_max_sel_args use_stat_tables innodb_stats_method "
        "innodb_stats_persistent innodb_stats_persistent_sample_pages innodb_stats_transient_sample_pages "
        "histogram_type optimizer_where_cost optimizer_disk_read_ratio optimizer_adjust_secondary_key_costs",
        ANY, "cpu disk",
        "handler_read_rnd_next handler_read_next handler_read_key handler_read_prev select_full_join "
        "select_scan select_full_range_join select_range_check rows_read",
        "statements may be carried out in another way"),
    _of("innodb_stats_on_metadata innodb_stats_auto_recalc innodb_stats_include_delete_marked", ON,
        "cpu disk", "", "statistics of tables are taken more often"),
    # query cache
    _of("query_cache_type query_cache_size query_cache_limit query_cache_min_res_unit "
        "query_cache_wlock_invalidate", ANY, "cpu lock",
        "qcache_inserts qcache_not_cached qcache_lowmem_prunes qcache_hits -qcache_hits query-cache",
        "with it on, each SELECT looks into a cache that has one lock, and that each change empties"),
    # table locks, MyISAM and Aria
    _of("concurrent_insert low_priority_updates max_write_lock_count", ANY, "lock cpu",
        "table_locks_waited table-lock", "it decides who waits for a table lock"),
    _of("key_buffer_size key_cache_segments key_cache_block_size key_cache_division_limit "
        "key_cache_age_threshold", SMALL, "disk cpu lock", "key_reads key_writes small-cache cpu_system_us",
        "blocks of indexes that the cache does not hold are read again"),
    _of("delay_key_write", OFF, "disk cpu", "key_writes key_write_requests server_written_kb",
        "each statement writes the blocks of indexes that it changed"),
    _of("flush", ON, "sync disk lock", "client_fsync_us server_written_kb cpu_system_us opened_files",
        "each statement of MyISAM syncs its files, and closes them"),
    _of("flush_time", ON, "disk lock", "opened_tables flush_commands",
        "all tables are closed from time to time"),
    _of("myisam_use_mmap", ANY, "cpu disk", "", "it decides how rows are read"),
    _of("bulk_insert_buffer_size", SMALL, "cpu disk", "",
        "many rows at once are put into indexes one by one"),
    _of("aria_pagecache_buffer_size aria_pagecache_file_hash_size aria_pagecache_segments", SMALL,
        "disk cpu lock", "aria_pagecache_reads aria_pagecache_writes small-cache cpu_system_us",
        "pages that the cache does not hold are read again"),
    _of("aria_sync_log_dir aria_group_commit aria_group_commit_interval aria_log_file_size "
        "aria_log_purge_type aria_checkpoint_log_activity aria_checkpoint_interval aria_page_checksum "
        "aria_block_size aria_log_dir_path aria_encrypt_tables", ANY, "sync disk cpu lock",
        "aria_transaction_log_syncs", "it decides when the log of Aria is synced, and what is written"),
    _of("sync_frm", ON, "sync disk", "", "definitions of tables are synced"),
    _of("metadata_locks_cache_size metadata_locks_hash_instances metadata_locks_instances", SMALL,
        "lock cpu", "", "more tables share a lock"),
    # transactions, text
    _of("transaction_isolation tx_isolation innodb_locks_unsafe_for_binlog innodb_snapshot_isolation", ANY,
        "cpu lock", "row-lock innodb_row_lock_waits", "it decides what is locked, and which rows are seen"),
    _of("autocommit completion_type", ANY, "sync cpu", "handler_commit",
        "it decides when a transaction ends"),
    _of("character_set_server collation_server character_set_database collation_database init_connect "
        "old_mode sql_mode", ANY, "cpu", "sort_merge_passes", "it decides how text is compared"),
    _of("large_pages innodb_numa_interleave core_file", ANY, "cpu", "tlb_misses",
        "it decides how memory is had"),
    # InnoDB: cache
    _of("innodb_buffer_pool_size", SMALL, "disk cpu lock",
        "innodb_buffer_pool_reads small-cache innodb_buffer_pool_wait_free",
        "pages that the pool does not hold are read again"),
    _of("innodb_buffer_pool_instances innodb_buffer_pool_chunk_size innodb_old_blocks_pct "
        "innodb_old_blocks_time innodb_lru_scan_depth innodb_lru_flush_size innodb_page_cleaners "
        "innodb_cleaner_lsn_age_factor", ANY, "lock disk cpu",
        "innodb_buffer_pool_wait_free innodb_buffer_pool_reads",
        "it decides how pages are found and replaced in the pool"),
    _of("innodb_read_ahead_threshold innodb_random_read_ahead", ANY, "disk cpu lock",
        "innodb_buffer_pool_read_ahead innodb_buffer_pool_read_ahead_rnd "
        "innodb_buffer_pool_read_ahead_evicted", "it decides which pages are read ahead"),
    _of("innodb_adaptive_hash_index innodb_adaptive_hash_index_parts innodb_adaptive_hash_index_partitions",
        ANY, "cpu lock", "innodb_adaptive_hash_non_hash_searches -innodb_adaptive_hash_hash_searches "
        "adaptive_hash_searches_btree",
        "it decides whether rows are found by a hash, whose parts have locks"),
    _of("innodb_change_buffering innodb_change_buffer_max_size innodb_change_buffer_dump", ANY, "disk cpu",
        "innodb_ibuf_merges innodb_buffer_pool_reads -innodb_ibuf_merged_inserts",
        "it decides whether a change reads pages of secondary indexes"),
    _of("innodb_page_size", ANY, "cpu disk lock", "",
        "it decides how much is read, written and checked at once"),
    # InnoDB: log and pages
    _of("innodb_log_file_size innodb_redo_log_capacity innodb_log_files_in_group", SMALL,
        "disk sync lock cpu",
        "full-redo innodb_buffer_pool_pages_flushed innodb_pages_written innodb_data_written "
        "innodb_buffer_pool_wait_free", "pages are written early, because the log has no room"),
    _of("innodb_log_buffer_size", SMALL, "sync disk lock cpu", "innodb_log_waits innodb_log_writes",
        "the log is written before a commit, because its buffer has no room"),
    _of("innodb_flush_log_at_trx_commit innodb_use_global_flush_log_at_trx_commit "
        "innodb_flush_log_at_timeout", ANY, "sync disk cpu",
        "innodb_os_log_fsyncs innodb_log_writes client_fsync_us innodb_data_fsyncs slow-sync",
        "1 writes and syncs the log for each commit"),
    _of("innodb_log_write_ahead_size innodb_log_checksums innodb_log_compressed_pages "
        "innodb_log_writer_threads innodb_log_file_buffering innodb_log_file_mmap innodb_log_block_size "
        "innodb_log_spin_cpu_abs_lwm innodb_log_spin_cpu_pct_hwm innodb_log_wait_for_flush_spin_hwm "
        "innodb_encrypt_log innodb_redo_log_encrypt", ANY, "sync disk cpu lock", "innodb_os_log_written",
        "it decides how the log is written"),
    _of(
        "innodb_doublewrite innodb_doublewrite_pages innodb_doublewrite_files innodb_doublewrite_batch_size "
        "innodb_use_atomic_writes", ANY, "disk sync lock",
        "innodb_dblwr_pages_written innodb_dblwr_writes innodb_data_written "
        "file/innodb/innodb_dblwr_file:written",
        "with it on, pages are written twice"),
    _of("innodb_flush_method innodb_data_file_buffering innodb_data_file_write_through "
        "innodb_use_native_aio innodb_use_fdatasync innodb_log_file_write_through innodb_fsync_threshold "
        "innodb_linux_aio", ANY, "disk sync lock cpu",
        "innodb_data_fsyncs client_disk_us client_fsync_us read_kb",
        "it decides how files are read, written and synced"),
    _of("innodb_io_capacity innodb_io_capacity_max innodb_adaptive_flushing innodb_adaptive_flushing_lwm "
        "innodb_max_dirty_pages_pct innodb_max_dirty_pages_pct_lwm innodb_flush_neighbors innodb_flush_sync "
        "innodb_idle_flush_pct innodb_flushing_avg_loops innodb_fill_factor", ANY, "disk sync lock cpu",
        "innodb_buffer_pool_pages_flushed innodb_pages_written innodb_data_written full-redo "
        "innodb_buffer_pool_wait_free", "it decides when changed pages are written"),
    _of("innodb_read_io_threads innodb_write_io_threads", SMALL, "disk lock", "",
        "fewer threads read and write"),
    _of("innodb_checksum_algorithm innodb_checksums innodb_compression_level innodb_compression_algorithm "
        "innodb_compression_default innodb_compression_failure_threshold_pct innodb_cmp_per_index_enabled "
        "innodb_encrypt_tables innodb_default_row_format innodb_file_format", ANY, "cpu disk",
        "innodb_num_pages_page_compressed innodb_num_pages_page_decompressed",
        "it decides what a page costs"),
    # InnoDB: threads and transactions
    _of("innodb_thread_concurrency innodb_commit_concurrency innodb_concurrency_tickets "
        "innodb_thread_sleep_delay innodb_adaptive_max_sleep_delay innodb_replication_delay "
        "rocksdb_max_background_jobs", ANY, "lock cpu sync", "",
        "it decides how many threads may be in the engine at once"),
    _of("innodb_spin_wait_delay innodb_sync_spin_loops innodb_spin_wait_pause_multiplier "
        "innodb_sync_array_size innodb_fatal_semaphore_wait_threshold", ANY, "cpu lock",
        "innodb_mutex_spin_rounds innodb_rwlock_x_spin_rounds innodb_rwlock_s_spin_rounds "
        "innodb_mutex_os_waits innodb_s_lock_spin_rounds innodb_x_lock_spin_rounds",
        "it decides how long a thread spins before it waits for a lock"),
    _of("innodb_purge_threads innodb_purge_batch_size innodb_max_purge_lag innodb_max_purge_lag_delay "
        "innodb_max_purge_lag_wait innodb_purge_rseg_truncate_frequency innodb_rollback_segments "
        "innodb_undo_tablespaces innodb_undo_log_truncate innodb_max_undo_log_size", ANY, "cpu lock disk",
        "purge innodb_history_list_length",
        "it decides when old versions of rows are gone, and who waits for it"),
    _of("innodb_deadlock_detect innodb_lock_wait_timeout innodb_autoinc_lock_mode innodb_table_locks "
        "innodb_lock_schedule_algorithm innodb_rollback_on_timeout", ANY, "lock cpu",
        "row-lock innodb_row_lock_waits innodb_row_lock_time", "it decides how long locks are held"),
    _of("innodb_background_scrub_data_compressed innodb_background_scrub_data_uncompressed "
        "innodb_defragment innodb_encryption_threads innodb_immediate_scrub_data_uncompressed", ON,
        "cpu disk lock", "", "threads of the server read and write all tables"),
    # MyRocks
    _of("rocksdb_block_cache_size", SMALL, "disk cpu",
        "rocksdb_block_cache_data_miss rocksdb_block_cache_miss small-cache",
        "blocks that the cache does not hold are read and unpacked again"),
    _of("rocksdb_cache_index_and_filter_blocks rocksdb_block_size rocksdb_use_direct_reads "
        "rocksdb_allow_mmap_reads rocksdb_pin_l0_filter_and_index_blocks_in_cache rocksdb_use_clock_cache "
        "rocksdb_advise_random_on_open", ANY, "disk cpu",
        "rocksdb_block_cache_data_miss rocksdb_block_cache_miss small-cache",
        "it decides how blocks are read and kept"),
    _of("rocksdb_flush_log_at_trx_commit rocksdb_wal_bytes_per_sync rocksdb_bytes_per_sync "
        "rocksdb_enable_2pc rocksdb_use_fsync rocksdb_write_disable_wal "
        "rocksdb_allow_concurrent_memtable_write rocksdb_enable_write_thread_adaptive_yield "
        "rocksdb_two_write_queues rocksdb_manual_wal_flush rocksdb_enable_pipelined_write", ANY,
        "sync disk cpu lock", "rocksdb_wal_synced client_fsync_us slow-sync",
        "it decides when the WAL is written and synced"),
    _of("rocksdb_db_write_buffer_size rocksdb_default_cf_options rocksdb_override_cf_options "
        "rocksdb_max_total_wal_size rocksdb_compaction_readahead_size rocksdb_max_subcompactions "
        "rocksdb_base_background_compactions rocksdb_universal_compaction", ANY, "cpu disk lock",
        "compaction stalls rocksdb_flush_write_bytes rocksdb_compact_write_bytes "
        "rocksdb_number_superversion_acquires rocksdb_stall_micros",
        "it decides when memory is flushed and files are merged"),
    _of("rocksdb_delayed_write_rate rocksdb_rate_limiter_bytes_per_sec rocksdb_sst_mgr_rate_bytes_per_sec",
        ANY, "lock disk", "stalls rocksdb_stall_micros", "it limits how much is written"),
    _of("rocksdb_perf_context_level rocksdb_checksums_pct rocksdb_store_row_debug_checksums "
        "rocksdb_verify_row_debug_checksums rocksdb_collect_sst_properties rocksdb_stats_level", LARGE,
        "cpu", "", "each read or write is measured or checked"),
    _of("rocksdb_deadlock_detect rocksdb_lock_scanned_rows rocksdb_lock_wait_timeout rocksdb_bulk_load "
        "rocksdb_skip_bloom_filter_on_read rocksdb_records_in_range", ANY, "cpu lock disk", "row-lock",
        "it decides what is locked or looked up"),
)  # fmt: skip

GOVERNS: Dict[str, RelatedVariables] = {name: row for row in _ROWS for name in row.variables}

# levels: what holds now, not a count since the start
LEVELS = (
    r"uptime|threads_(connected|running|cached)|open_(files|tables|streams|table_definitions)|.*_size|.*_lsn"
    r"|innodb_.*_(free|total|data|misc|dirty|old|current|age|max_age|length|avg|max|used|pct)|memory_.*"
    r"|qcache_(free|queries_in|total).*|.*_(limit|version|per_second|count_down)|max_.*|key_blocks_.*|last_.*"
    r"|innodb_buffer_pool_(pages|bytes)_(?!flushed|made).*|innodb_num_open_files|innodb_history_list_length"
    r"|.*(prepared_stmt_count|_usage|_memory|hwm)|rocksdb_(memtable|num|estimate|is|oldest|snapshots).*"
)
BYTES = r"bytes|_written$|_data_(read|written)|_payload|_log_size"  # what counts bytes
