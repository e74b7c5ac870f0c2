"""Sessions that wait to be counted anew, as a migration leaves them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

# what a migration may have left of what was counted
LEFT = {
    "nothing": "DELETE FROM counted; DELETE FROM headline; UPDATE step SET data_bytes = NULL",
    "other rules": "UPDATE counted SET steadiness = 'steady', text = 'as it was judged then',"
    " max_block_deviation = NULL; UPDATE step SET data_bytes = NULL",
}


def uncount(home: Path, left: str = "nothing") -> None:
    with closing(sqlite3.connect(home / "history.sqlite", isolation_level=None)) as history:
        history.executescript(f"{LEFT[left]}; INSERT INTO uncounted SELECT number FROM session")
        history.execute("PRAGMA wal_checkpoint(TRUNCATE)")
