"""What holds for every server, whichever engine is driven: InnoDB is in all of them, even when idle."""

from __future__ import annotations

from typing import Container, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Set

from .counter import gauge, rate
from .engine import MIB, Rules
from .query import Query, Row

SCHEMA = "dyno"  # where the load creates its tables
CALM_S = 2  # seconds without a change before something counts as over

ANALYSE = "ANALYZE NO_WRITE_TO_BINLOG TABLE {}"
ANALYSE_ALL = "ANALYZE TABLE {}"  # the same on the replicas too, and on the other nodes of a cluster
SHUTDOWN = "innodb_fast_shutdown"  # the variable that says what a shutdown does first
PURGE_ALL, WRITE_NOTHING = "SET GLOBAL innodb_fast_shutdown=0", "SET GLOBAL innodb_fast_shutdown=2"
SYSTEM_TABLES = "MyISAM"  # the engine of system tables that are made from SQL files

# leaves no account that a client could use over TCP, as long as the server resolves no names
CLOSING = (
    "SET SESSION sql_log_bin=0",
    "SET SESSION sql_safe_updates=0",
    "DELETE FROM mysql.user WHERE Host<>'localhost' OR User=''",
    "DELETE FROM mysql.db WHERE Host<>'localhost' OR User=''",
    "FLUSH PRIVILEGES",
)

# system tables, undo, temporary tablespace when fresh
SYSTEM_BYTES = {"mariadb": 30 * MIB, "mysql": 80 * MIB}
UNDO_BYTES = 1200  # of a row that InnoDB writes, while nothing is purged

# of its start after a crash, beside those of engines: transactions that its binary log decides about
RECOVERY = (
    (
        "binary log",
        r"Recovering after a crash using|Starting (XA |table )?crash recovery\.\.\.",
        r"[Cc]rash (table )?recovery finished",
    ),
)

VERBOSE_LOG = ("log-error-verbosity", "3")  # with which MySQL 8 and 9 tell of their recovery

HANDLER_READS = "+".join(
    "handler_read_" + what for what in ("first", "key", "next", "prev", "rnd", "rnd_next")
)
READS = rate("server.handler_reads", HANDLER_READS, "handler reads")
ROWS = rate("server.rows_read", "rows_read", "rows read, all engines")  # MariaDB counts them
OWN_ROWS = "own_rows_read"  # what Dyno's connection has of them: rows of the Performance Schema
ROWS_OF_CLIENTS = rate("server.rows_of_clients", "rows_read-" + OWN_ROWS, "rows read by clients")
CONNECTIONS = rate("server.connections", "connections", "connections opened")
SORTED = rate("server.rows_sorted", "sort_rows", "rows sorted")
COUNTERS = (
    gauge("server.threads_running", "threads_running", "running threads"),
    *(READS, ROWS, SORTED, CONNECTIONS),
)

# engines of which Dyno has no facts, compiled in: the option in the help of a server that says so; '': in all
COMPILED_IN = {"memory": "", "csv": "", "mrg_myisam": ""}
COMPILED_IN.update((name, name) for name in ("archive", "blackhole", "federated"))

# parts of the server, and how the names of their functions begin
FUNCTIONS = (
    (
        "network",
        r"vio_|Vio|net_|my_net|Protocol|my_send|_*(send|recv|poll|ppoll)(msg|to|from)?$|__libc_(send|recv)",
    ),
    (
        "memory",
        r"my_(malloc|free)|_int_(malloc|free)|(tc_|je_)?malloc|tc_(free|new|delete)|c?free$|alloc_root|mem_heap"
        r"|operator (new|delete)",
    ),
    ("parser and optimizer", r"MYSQL(parse|lex)|lex_|Lex|JOIN::|opt_|best_|Item|.*[Oo]ptimi[sz]e|make_join"),
)

BINLOG = "binlog"
# files in the data directory itself, after those of the engines; an engine may keep a database in files
# that have its name
FILES: Rules = (
    ("tables", SCHEMA + r"\.(?!\d{6}|index$|state$)"),
    ("temporary", r"#sql|ML\w{6}$"),
    (BINLOG, r"[^.]+\.(\d{6,}(\.idx)?|index|state)$"),
)

_FORMATS = (
    "SELECT table_name AS name, row_format, create_options FROM information_schema.tables"
    " WHERE table_schema = DATABASE() ORDER BY table_name"
)


def table_formats(query: Query) -> List[Row]:
    """Row format and create options of each table."""
    return [{name: str(value or "") for name, value in row.items()} for row in query(_FORMATS)]


def row_formats(query: Query) -> str:
    """The row formats of all tables, in words."""
    formats = [each["row_format"].lower() for each in table_formats(query)]
    return "row format {}".format(", ".join(dict.fromkeys(formats))) if formats else ""


# what a server needs that runs under valgrind: native AIO does not answer there, and MariaDB 10.11 maps 8 TB
# for a buffer pool that may grow; the same pool for all, as looking through it costs instructions; no client
# that spins for the redo log's threads, and no change buffer that is merged at a moment of its own
UNDER_VALGRIND = {
    "loose_innodb_use_native_aio": "0",
    "loose_innodb_flush_method": "fsync",
    "loose_innodb_buffer_pool_size": "256M",
    "loose_innodb_buffer_pool_size_max": "256M",
    "loose_innodb_log_writer_threads": "OFF",
    "loose_innodb_change_buffering": "none",
}

# kinds of threads that every server has, and how their names begin
THREADS: Rules = (("client", r"connection$|one_connection$"),)
OWN_THREAD = "Dyno's connection"
CONNECTION_THREADS = "SHOW GLOBAL STATUS LIKE 'Threads\\_c%'"  # connected, cached, created
CONNECTION_LIMIT = "SELECT @@GLOBAL.max_connections AS connections"
ONE_EACH = "one-thread-per-connection"
# States of a connection whose transaction ends. In the second MariaDB has its answer ready, and waits until
# the redo log is on disk; MySQL 5.7 has no better name than the third.
_COMMITS = "('Commit', 'Updating status', 'query end', 'waiting for handler commit')"


class ThreadSource(NamedTuple):
    """Statements about threads with their ids in the system."""

    names: str
    commits: str  # those that commit


# by schema, table and column: MySQL from 5.7 on with the Performance Schema; MariaDB without it
_THREADS = {
    ("performance_schema", "threads", "THREAD_OS_ID"): ThreadSource(
        "SELECT thread_os_id AS tid, name, processlist_id AS id, '' AS state, CONNECTION_ID() AS own"
        " FROM performance_schema.threads WHERE thread_os_id IS NOT NULL",
        "SELECT thread_os_id AS tid FROM performance_schema.threads"  # noqa: S608
        " WHERE thread_os_id IS NOT NULL AND processlist_state IN " + _COMMITS,
    ),
    ("information_schema", "PROCESSLIST", "TID"): ThreadSource(
        "SELECT tid, command AS name, id, state, CONNECTION_ID() AS own FROM information_schema.processlist",
        "SELECT tid FROM information_schema.processlist WHERE state IN " + _COMMITS,  # noqa: S608
    ),
}
_HAS_COLUMN = (
    "SELECT COUNT(*) AS n FROM information_schema.columns"
    " WHERE table_schema = '{}' AND table_name = '{}' AND column_name = '{}'"
)


def supported_thread_sources(query: Query) -> List[ThreadSource]:
    """Those whose columns the build has."""
    return [source for place, source in _THREADS.items() if int(query(_HAS_COLUMN.format(*place))[0]["n"])]


def thread_pool(query: Query) -> str:
    """How threads serve connections where it is not one each; '' where it is."""
    for row in query("SHOW GLOBAL VARIABLES LIKE 'thread_handling'"):
        handling = str(row["value"])
        return "" if handling == ONE_EACH else handling
    return ""


def thread_names(query: Query, sources: Iterable[ThreadSource], own: Container[int] = ()) -> Dict[int, str]:
    """Names of threads by their ids in the system: `client` for connections; {} if nothing lists them.

    `own`: connections of Dyno beside that which asks.
    """
    return {int(row["tid"]): _thread_name(row, own) for row in _listed(query, sources)}


def threads_of_connections(query: Query, sources: Iterable[ThreadSource]) -> Dict[int, int]:
    """The threads that serve connections, by the ids of these; {} if nothing lists them."""
    return {int(row["id"]): int(row["tid"]) for row in _listed(query, sources) if row["id"]}


def _listed(query: Query, sources: Iterable[ThreadSource]) -> List[Row]:
    """The threads by the first source that lists any."""
    return next(filter(None, (query(source.names) for source in sources)), [])


def committing_threads(query: Query, sources: Sequence[ThreadSource]) -> Set[int]:
    """The threads whose transactions end now, by their ids in the system; none if the build does not tell."""
    return {int(row["tid"]) for source in sources[-1:] for row in query(source.commits)}


def _thread_name(row: Row, own: Container[int]) -> str:
    name = str(row["name"] or "").rpartition("/")[2]
    if row["id"] == row["own"] or row["id"] in own:
        return OWN_THREAD
    if name == "Daemon":  # a background thread in the list of connections says in its state which one
        return str(row["state"] or "")
    is_connection = name == "one_connection" or "/" not in str(row["name"])
    return "client" if is_connection else name


def is_mariadb(family: str) -> bool:
    return "mariadb" in family.lower()


def as_number(values: Mapping[str, str], name: str, otherwise: int) -> int:
    """The number that a preset sets, else the default."""
    text = values.get(name, "")
    return int(text) if text.isdigit() else otherwise


def redo_bytes(values: Mapping[str, str], family: str, version: str) -> int:
    """Bytes of InnoDB's redo log, which every server has."""
    one = as_number(values, "innodb_log_file_size", 0)
    if is_mariadb(family):
        return one or 96 * MIB
    files = as_number(values, "innodb_log_files_in_group", 2)
    if version.startswith("5."):
        return (one or 48 * MIB) * files
    return as_number(values, "innodb_redo_log_capacity", 0) or one * files or 100 * MIB
