is_written() { # key blocks leave the key cache with the tables
    if [ "$(value Key_blocks_not_flushed)" -gt 0 ]; then sql "FLUSH TABLES"; fi
    [ "$(value Key_blocks_not_flushed)" -eq 0 ]
}
