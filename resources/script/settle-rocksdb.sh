MOVED=

is_written() { # nothing waits to be flushed or compacted, and no compaction moves bytes
    waiting=$(sql "SELECT COALESCE(SUM(value), 0) FROM information_schema.ROCKSDB_CFSTATS WHERE stat_type IN
        ('COMPACTION_PENDING', 'MEM_TABLE_FLUSH_PENDING', 'NUM_IMMUTABLE_MEM_TABLE')")
    before=$MOVED
    MOVED="$(value rocksdb_compact_read_bytes) $(value rocksdb_compact_write_bytes) $(value rocksdb_flush_write_bytes)"
    [ "$waiting" -eq 0 ] && [ "$MOVED" = "$before" ]
}
