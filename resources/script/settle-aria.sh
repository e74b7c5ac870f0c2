is_written() { # dirty pages leave the page cache with the tables
    if [ "$(value Aria_pagecache_blocks_not_flushed)" -gt 0 ]; then sql "FLUSH TABLES"; fi
    [ "$(value Aria_pagecache_blocks_not_flushed)" -eq 0 ]
}
