"""Waits and statements of a step, made up."""

from __future__ import annotations

from typing import Any

WAITS: dict[str, Any] = {
    "by_name": True,
    "kinds": {"row_lock": 2400.0, "file_io": 61.5, "mutex": 3.25},
    "events": [
        {"name": "InnoDB row lock", "kind": "row_lock", "count": 4, "ms": 2400.0, "per_query_us": 480.0},
        {"name": "wait/io/file/innodb/innodb_data_file", "kind": "file_io", "count": 90, "ms": 61.5,
         "per_query_us": 12.3},
        {"name": "InnoDB log buffer without room", "kind": "log_io", "count": 3},
    ],
    "locks": [
        {"kind": "row lock", "waiting": "UPDATE sbtest1 SET k = ?", "seen": 5, "table": "sbtest1",
         "index": "PRIMARY", "longest_s": 3.0},
        {"kind": "deadlock", "waiting": "DELETE FROM sbtest1", "holding": "UPDATE sbtest1 SET k = ?",
         "seen": 1},
    ],
}  # fmt: skip
STATEMENTS: list[dict[str, Any]] = [
    {"text": "SELECT `c` FROM `sbtest1` WHERE `k` = ?", "calls": 100, "ms": 50.0, "rows_examined": 100_000,
     "rows_sent": 100, "rows_sorted": 200, "no_index": 100},
    {"text": "COMMIT", "calls": 100, "ms": 900.0},
]  # fmt: skip
