HISTORY=0

is_written() { # dirty pages and purge, as far as reads would notice
    dirty=$(value Innodb_buffer_pool_pages_dirty)
    pending=$(value Innodb_data_pending_writes)
    before=$HISTORY
    HISTORY=$(sql "SHOW ENGINE INNODB STATUS" | sed -n 's/.*History list length \([0-9]*\).*/\1/p')
    HISTORY=${HISTORY:-0} # a server that only reads does not say
    [ "${dirty:-0}" -le {{ few.pages }} ] && [ "${pending:-0}" -eq 0 ] && [ "$HISTORY" -le {{ few.purged }} ] &&
        [ "$((before - HISTORY))" -le {{ few.transactions }} ] && [ "$((HISTORY - before))" -le {{ few.transactions }} ]
}
