"""A history of today made into what an older version has left behind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

VERSIONS = (1, 2, 3, 4, 5, 6)  # whose sessions are counted again
# what leads from each version back to the one before
_BACK = {
    10: (),
    9: tuple(f"DROP TABLE {name}" for name in ("edit", "in_force", "team_session", "team_seen", "team")),
    8: (
        "DROP TABLE latency",
        "ALTER TABLE staging DROP COLUMN latency",
        *(f"ALTER TABLE counted DROP COLUMN {name}" for name in ("p50_ms", "p95_ms", "p99_ms")),
    ),
    7: ("ALTER TABLE step DROP COLUMN others", "ALTER TABLE step DROP COLUMN data_bytes"),
    6: ("DROP TABLE uncounted", "ALTER TABLE counted DROP COLUMN max_block_deviation"),
    5: ("UPDATE counted SET steadiness = 'steady', text = 'as it was judged then'",),
    4: ("DROP TABLE counted",),
    3: ("DROP TABLE headline", "DROP INDEX session_by_begin"),
    2: ("DROP TABLE deleted",),
}


def make_older(home: Path, version: int) -> None:
    with closing(sqlite3.connect(home / "history.sqlite", isolation_level=None)) as history:
        (newer,) = history.execute("PRAGMA user_version").fetchone()
        for number in range(newer, version, -1):
            for statement in _BACK[number]:
                history.execute(statement)
        history.execute(f"PRAGMA user_version = {version}")
        history.execute("PRAGMA wal_checkpoint(TRUNCATE)")
