"""Write debt: what a server has taken in and not yet written back, merged or purged."""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping

from .mysql import Client, QueryError

_LSN = re.compile(r"^Log sequence number\s+(\d+)$", re.MULTILINE)
_CHECKPOINT = re.compile(r"^Last checkpoint at\s+(\d+)$", re.MULTILINE)
_HISTORY = re.compile(r"^History list length (\d+)", re.MULTILINE)
_PENDING = ("compaction_pending", "mem_table_flush_pending", "num_immutable_mem_table")


def read_debt(client: Client, engine: str) -> Dict[str, Any]:
    """The debt by its parts, in bytes or counts; empty where the engine keeps none or the server is gone."""
    try:
        if engine == "innodb":
            return _innodb(client)
        if engine == "rocksdb":
            return _rocksdb(client)
        return _myisam(client)
    except QueryError:
        return {}


def _innodb(client: Client) -> Dict[str, Any]:
    status = client.pairs("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_%dirty'")
    text = str(client.query("SHOW ENGINE INNODB STATUS")[0]["status"])
    debt = {
        "dirty_pages": _number(status, "innodb_buffer_pool_pages_dirty"),
        "dirty_bytes": _number(status, "innodb_buffer_pool_bytes_dirty"),
        "history_list": _found(_HISTORY, text),
    }
    lsn, checkpoint = _found(_LSN, text), _found(_CHECKPOINT, text)
    if lsn is not None and checkpoint is not None:
        debt["checkpoint_age_bytes"] = lsn - checkpoint
    return {name: value for name, value in debt.items() if value is not None}


def _rocksdb(client: Client) -> Dict[str, Any]:
    rows = client.query("SELECT stat_type, value FROM information_schema.ROCKSDB_CFSTATS")
    debt = dict.fromkeys(_PENDING, 0)
    memtables = 0
    for row in rows:
        name = str(row["stat_type"]).lower()
        if name in debt:
            debt[name] += int(row["value"])
        elif name == "cur_size_all_mem_tables":
            memtables += int(row["value"])
    return {**debt, "memtable_bytes": memtables}


def _myisam(client: Client) -> Dict[str, Any]:
    status = client.pairs("SHOW GLOBAL STATUS LIKE 'Key_blocks_not_flushed'")
    found = _number(status, "key_blocks_not_flushed")
    return {} if found is None else {"unflushed_key_blocks": found}


def _number(status: Mapping[str, str], name: str) -> Any:
    value = status.get(name, "")
    return int(value) if value.isdigit() else None


def _found(pattern: Any, text: str) -> Any:
    match = pattern.search(text)
    return int(match.group(1)) if match else None
