"""What a server counted between two readings, and what it does not count."""

from __future__ import annotations

from typing import Any

import pytest

from app.agent.sampling.counters import Counters
from app.engines.server import HANDLER_READS


@pytest.mark.parametrize(
    ("engine", "grown", "spent"),
    [
        ("innodb", {"rows_read": 7, "innodb_os_log_written": 1024}, {"rows_read": 7, "log_kb": 1}),
        ("innodb", {"innodb_rows_read": 7, "innodb_os_log_written": 2048}, {"rows_read": 7, "log_kb": 2}),
        (
            "rocksdb",
            {"rows_read": 0, "rocksdb_rows_read": 7, "rocksdb_wal_bytes": 1024},
            {"rows_read": 7, "log_kb": 1},
        ),
        ("myisam", {"handler_read_key": 4, "handler_read_next": 3}, {"rows_read": 7, "log_kb": None}),
    ],
)
def test_rows_and_log_as_each_engine_counts_them(engine: str, grown: Any, spent: Any) -> None:
    counters = Counters(None, engine)
    before = dict.fromkeys([*HANDLER_READS.split("+"), *grown], "100")
    after = {name: str(100 + grown.get(name, 0)) for name in before}
    assert counters.spent(before, after) == spent
    assert counters.spent(before, {}) == {"rows_read": None, "log_kb": None}
    assert counters.spent(after, before)["rows_read"] is None  # started anew in between
