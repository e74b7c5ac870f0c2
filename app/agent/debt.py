"""Write debt: what a server has taken in and not yet written back, merged or purged, as it tells itself."""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping, Optional, Tuple

from .mysql import Client, QueryError

Debt = Dict[str, Any]

MB = 1 << 20
_LSN = re.compile(r"^Log sequence number\s+(\d+)$", re.MULTILINE)
_CHECKPOINT = re.compile(r"^Last checkpoint at\s+(\d+)$", re.MULTILINE)
_HISTORY = re.compile(r"^History list length (\d+)", re.MULTILINE)
_WAITING = ("compaction_pending", "mem_table_flush_pending", "num_immutable_mem_table")
_HAS_ACTIVE = "SHOW TABLES FROM information_schema LIKE 'ROCKSDB_ACTIVE_COMPACTION_STATS'"
_ACTIVE = "SELECT COUNT(*) AS n FROM information_schema.ROCKSDB_ACTIVE_COMPACTION_STATS"

# a step that reads and begins with more of one of these is marked: what is left disturbs it
LIMITS = {
    "dirty_bytes": 32 * MB,
    "history_list": 10_000,  # transactions whose old rows are not purged
    "compaction_pending": 0,
    "mem_table_flush_pending": 0,
    "active_compactions": 0,
    "manual_compactions": 0,
    "unflushed_key_blocks": 32 * MB // 1024,  # of a kilobyte, unless the preset says otherwise
    "unflushed_aria_pages": 32 * MB // 8192,  # of eight
}

# how each part is said to people
_SAID = (
    ("dirty_pages", "dirty pages"),
    ("pending_writes", "writes under way"),
    ("history_list", "transactions to purge"),
    ("compaction_pending", "compactions that wait"),
    ("active_compactions", "compactions under way"),
    ("manual_compactions", "forced compactions"),
    ("mem_table_flush_pending", "flushes that wait"),
    ("num_immutable_mem_table", "full memtables"),
    ("unflushed_key_blocks", "key blocks"),
    ("unflushed_aria_pages", "dirty pages"),
)


def read_debt(client: Client, engine: str) -> Debt:
    """The debt by its parts, in bytes or counts; empty where the engine keeps none or the server is gone."""
    try:
        return debt_of(client, engine)
    except QueryError:
        return {}


def debt_of(client: Client, engine: str) -> Debt:
    """The same; raises QueryError where the server does not answer."""
    return _READERS[engine](client) if engine in _READERS else {}


def is_indebted(debt: Mapping[str, Any]) -> bool:
    """Whether so much is still to be written that reads would be disturbed by it."""
    return any(debt.get(name, 0) > limit for name, limit in LIMITS.items())


def debt_text(debt: Mapping[str, Any]) -> str:
    """`1,234 dirty pages, 56 transactions to purge`; empty where all is written."""
    return ", ".join("{:,} {}".format(debt[name], said) for name, said in _SAID if debt.get(name))


def _innodb(client: Client) -> Debt:
    status = client.pairs("SHOW GLOBAL STATUS LIKE 'Innodb_%'")
    rows = client.query("SHOW ENGINE INNODB STATUS")
    text = str(rows[0]["status"]) if rows else ""  # a server that only reads says nothing
    pages, page = _number(status, "innodb_buffer_pool_pages_dirty"), _number(status, "innodb_page_size")
    pending = [_number(status, "innodb_{}_pending_writes".format(what)) for what in ("data", "os_log")]
    history = _number(status, "innodb_history_list_length")  # of MariaDB; others say it in the text
    debt = {
        "dirty_pages": pages,
        "dirty_bytes": _number(status, "innodb_buffer_pool_bytes_dirty"),
        "history_list": _found(_HISTORY, text) if history is None else history,
        "pending_writes": sum(each or 0 for each in pending),
    }
    if debt["dirty_bytes"] is None and pages is not None and page is not None:  # before 5.6
        debt["dirty_bytes"] = pages * page
    lsn, checkpoint = _found(_LSN, text), _found(_CHECKPOINT, text)
    if lsn is not None and checkpoint is not None:
        debt["checkpoint_age_bytes"] = lsn - checkpoint
    return {name: value for name, value in debt.items() if value is not None}


def _rocksdb(client: Client) -> Debt:
    debt: Debt = dict.fromkeys(_WAITING, 0)
    memtables = 0
    for row in client.query("SELECT stat_type, value FROM information_schema.ROCKSDB_CFSTATS"):
        name = str(row["stat_type"]).lower()
        if name in debt:
            debt[name] += int(row["value"])
        elif name == "cur_size_all_mem_tables":
            memtables += int(row["value"])
    debt["memtable_bytes"] = memtables
    active = _active_compactions(client)
    if active is not None:
        debt["active_compactions"] = active
    status = client.pairs("SHOW GLOBAL STATUS LIKE 'rocksdb_manual_compactions_running'")
    manual = _number(status, "rocksdb_manual_compactions_running")
    return debt if manual is None else {**debt, "manual_compactions": manual}


def _active_compactions(client: Client) -> Optional[int]:
    """The builds of Facebook and Percona list them; None where there is no such table."""
    return int(client.query(_ACTIVE)[0]["n"]) if client.query(_HAS_ACTIVE) else None


def _myisam(client: Client) -> Debt:
    status = client.pairs("SHOW GLOBAL STATUS LIKE 'Key_blocks_not_flushed'")
    found = _number(status, "key_blocks_not_flushed")
    return {} if found is None else {"unflushed_key_blocks": found}


def _aria(client: Client) -> Debt:
    status = client.pairs("SHOW GLOBAL STATUS LIKE 'Aria_pagecache_blocks_not_flushed'")
    found = _number(status, "aria_pagecache_blocks_not_flushed")
    return {} if found is None else {"unflushed_aria_pages": found}


_READERS = {"innodb": _innodb, "rocksdb": _rocksdb, "myisam": _myisam, "aria": _aria}


def rocksdb_moved(client: Client) -> Tuple[int, ...]:
    """The bytes that flushes and compactions have read and written: the same again when they rest."""
    status = client.pairs("SHOW GLOBAL STATUS LIKE 'rocksdb_%_bytes'")
    names = ("compact_read", "compact_write", "flush_write")
    return tuple(_number(status, "rocksdb_{}_bytes".format(name)) or 0 for name in names)


def _number(status: Mapping[str, str], name: str) -> Any:
    value = status.get(name, "")
    return int(value) if value.isdigit() else None


def _found(pattern: Any, text: str) -> Any:
    match = pattern.search(text)
    return int(match.group(1)) if match else None
