"""Waits by name: where servers list them, what kind of wait a name is, and who waits for whose lock."""

from __future__ import annotations

import re
from typing import Dict, Mapping, Tuple

KINDS: Dict[str, str] = {  # in the order in which people see them
    "row_lock": "row locks",
    "table_lock": "table locks",
    "metadata_lock": "metadata locks",
    "log_io": "redo, WAL and binary log I/O",
    "file_io": "file I/O",
    "mutex": "mutexes",
    "rwlock": "rw-locks",
    "condition": "conditions",
    "network": "network",
    "stall": "write stalls",
}

# turns on what a preset leaves off; in 5.5 all instruments are on by default, MariaDB counts no prepared
# statement without the consumer
TURNED_ON = {
    "performance_schema": "ON",
    "loose_performance_schema_instrument": "'wait/%=ON'",
    "loose_performance_schema_consumer_events_statements_current": "ON",
}
IS_ON = "SHOW GLOBAL VARIABLES LIKE 'performance_schema'"
TIMED = "SELECT name FROM performance_schema.setup_instruments WHERE enabled='YES' AND timed='YES'"

FILE_IO, WAYS = (
    "wait/io/file/",
    ("read", "written"),
)  # bytes by kind of file: `innodb/innodb_log_file:written`
PS_PER_MS = 1e9  # it counts picoseconds
# names that took less than 1 ms since the server started are not worth a row
SUMMARY = (
    "SELECT event_name AS name, count_star AS count, sum_timer_wait AS ps"
    " FROM performance_schema.events_waits_summary_global_by_event_name WHERE sum_timer_wait > 1000000000"
)
FILES = (
    "SELECT event_name AS name, sum_number_of_bytes_read AS `read`, sum_number_of_bytes_write AS written"
    " FROM performance_schema.file_summary_by_event_name"
)
DIGESTS = (
    "SELECT digest AS id, digest_text AS text, count_star AS calls, sum_timer_wait AS ps,"
    " sum_rows_examined AS rows_examined, sum_rows_sent AS rows_sent, sum_rows_affected AS rows_affected,"
    " sum_sort_rows AS rows_sorted, sum_no_index_used AS no_index"
    " FROM performance_schema.events_statements_summary_by_digest"
    " WHERE schema_name = DATABASE() AND digest IS NOT NULL"
)
EXECUTE = "EXECUTE "  # how a digest of prepared statements begins; most servers have none
# they count prepared statements here, as long as their clients stay
PREPARED = (
    "SELECT sql_text AS id, sql_text AS text, SUM(count_execute) AS calls, SUM(sum_timer_execute) AS ps,"
    " SUM(sum_rows_examined) AS rows_examined, SUM(sum_rows_sent) AS rows_sent,"
    " SUM(sum_rows_affected) AS rows_affected, SUM(sum_sort_rows) AS rows_sorted,"
    " SUM(sum_no_index_used) AS no_index"
    " FROM performance_schema.prepared_statements_instances GROUP BY sql_text"
)
# MySQL 5.6 counts them all together, and no rows of them
PREPARED_IN_ALL = (
    "SELECT event_name AS id, 'prepared statements, counted together' AS text, count_star AS calls,"
    " sum_timer_wait AS ps FROM performance_schema.events_statements_summary_global_by_event_name"
    " WHERE event_name = 'statement/com/Execute'"
)
# whether the statements and waits of a connection itself count
INSTRUMENTED = "UPDATE performance_schema.threads SET instrumented='{}' WHERE processlist_id=CONNECTION_ID()"

# how a name begins, and its kind; the first that fits. '' is left out: nobody waits for it
_PREFIXES: Tuple[Tuple[str, str], ...] = (
    ("wait/io/table/", ""),  # contains other waits
    ("wait/lock/metadata/", "metadata_lock"),
    ("wait/lock/table/", "table_lock"),
    ("wait/io/socket/", "network"),
    ("wait/io/file/", "file_io"),
    ("wait/synch/mutex/", "mutex"),
    ("wait/synch/rwlock/", "rwlock"),
    ("wait/synch/sxlock/", "rwlock"),
    ("wait/synch/prlock/", "rwlock"),
    ("wait/synch/cond/", "condition"),
)
_LOGS = re.compile(r"wait/io/file/(innodb/innodb_log_file|sql/(binlog|relaylog|MYSQL_BIN_LOG)|aria/translog)")
# threads without work sleep here, and clients that ask for SLEEP()
_IDLE = re.compile(
    r"wait/synch/cond/\w+/(COND_timer|COND_alarm|COND_manager|COND_queue_state|COND_thread_cache"
    r"|COND_flush_thread_cache|COND_compress_gtid_table|COND_soft_sync|Event_scheduler::.*|Item_func_sleep::cond"
    r"|SERVICE_THREAD_CONTROL::.*|MYSQL_BIN_LOG::(COND_bin_log_updated|update_cond|COND_binlog_background_thread)"
    r"|COND_binlog_send|Ack_receiver::cond|COND_rpl_.*|COND_slave_.*|(Master|Source|Relay_log|Worker)_info::.*"
    r"|cond_stop.*|stop.*|key_cond_signal_.*)$"
)
_METADATA_CONDITION = "wait/synch/cond/sql/MDL_context::COND_wait_status"
# a wait that is part of another one, by the names of servers: it counts once
PARTS: Mapping[str, str] = {
    _METADATA_CONDITION: "wait/lock/metadata/sql/mdl",
    "wait/synch/cond/mysys/my_thread_var::suspend": "wait/lock/table/sql/handler",
    "wait/synch/cond/sql/COND_thr_lock": "wait/lock/table/sql/handler",
}

# who waits for whose row lock now: MySQL from 8.0 on, then the others from 5.5 on
_TRANSACTIONS = (
    "SELECT waits.trx_query AS waiting, holds.trx_query AS holding,"
    " TIMESTAMPDIFF(SECOND, waits.trx_wait_started, NOW()) AS waited_s, {names}"
    " FROM {pairs} AS pair"
    " JOIN information_schema.innodb_trx AS waits ON waits.trx_id = pair.{waiting}"
    " JOIN information_schema.innodb_trx AS holds ON holds.trx_id = pair.{holding}"
    " JOIN {locks} AS its ON its.{id} = pair.{lock} WHERE holds.trx_state <> 'LOCK WAIT' LIMIT 50"
)
ROW_LOCKS = (
    _TRANSACTIONS.format(
        names="its.object_name AS table_name, its.index_name AS index_name",
        pairs="performance_schema.data_lock_waits",
        waiting="requesting_engine_transaction_id",
        holding="blocking_engine_transaction_id",
        locks="performance_schema.data_locks",
        id="engine_lock_id",
        lock="requesting_engine_lock_id",
    ),
    _TRANSACTIONS.format(
        names="its.lock_table AS table_name, its.lock_index AS index_name",
        pairs="information_schema.innodb_lock_waits",
        waiting="requesting_trx_id",
        holding="blocking_trx_id",
        locks="information_schema.innodb_locks",
        id="lock_id",
        lock="requested_lock_id",
    ),
)
LOCKS_NOW, LOCK_WAITS = "innodb_row_lock_current_waits", "innodb_row_lock_waits"  # status variables

MONITOR = "SHOW ENGINE INNODB STATUS"
_DEADLOCK = re.compile(r"^LATEST DETECTED DEADLOCK\n-+\n(.*?)^-+\n[A-Z ]+\n-+$", re.MULTILINE | re.DOTALL)
_SIDE = re.compile(r"^\*\*\* \(\d\) TRANSACTION:\n(.*?)(?=^\*\*\* )", re.MULTILINE | re.DOTALL)
_STATEMENT = re.compile(r"thread id \d+.*\n([\s\S]*)")


def wait_event_kind(name: str) -> str:
    """The kind of an event of the Performance Schema; '' if it is left out."""
    if _IDLE.match(name):
        return ""
    if name == _METADATA_CONDITION:
        return "metadata_lock"
    if _LOGS.match(name):
        return "log_io"
    return next((kind for prefix, kind in _PREFIXES if name.startswith(prefix)), "")


def latest_deadlock(monitor: str) -> Tuple[str, Tuple[str, ...]]:
    """When the latest deadlock was, with its transactions, and the statements of both; empty if none."""
    found = _DEADLOCK.search(monitor)
    if found is None:
        return "", ()
    sides = (_STATEMENT.search(each) for each in _SIDE.findall(found.group(1)))
    return found.group(1)[:300], tuple(side.group(1).strip() if side else "" for side in sides)
