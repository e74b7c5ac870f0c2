"""Names for the completion of a shell: read from the file as it is, without opening it as a history.

Nothing is created, migrated or counted; of a history of another version what fits is read, or nothing.
"""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

WAIT_S = 0.03  # for one who writes
MOST = 1000  # names
MOST_PLANS = 60
_START = 4096  # bytes of a plan, which begins with its names
_NAME = re.compile(r'"name": ?("(?:[^"\\]|\\.)*")')
_NAME_OF = "coalesce(nullif((SELECT n.name FROM session_name n WHERE n.session = s.id), ''), s.name)"


def session_names(directory: Path) -> list[str]:
    """The latest first."""
    rows = _rows(
        directory,
        f"SELECT {_NAME_OF}, s.id FROM session s WHERE s.started_at IS NOT NULL OR s.state != 'stopped'"
        f" ORDER BY s.planned_at DESC, s.ordinal DESC LIMIT {MOST}",
    )
    names = [str(name) for name, _ in rows]
    unique = [name for name in dict.fromkeys(names) if names.count(name) == 1]
    ends = [str(id_)[-6:] for name, id_ in rows if names.count(name) > 1]
    return [*unique, *ends]


def plan_names(directory: Path) -> list[str]:
    """The latest first."""
    rows = _rows(
        directory,
        "SELECT content FROM plan WHERE id IN (SELECT plan FROM session GROUP BY plan"
        f" ORDER BY max(planned_at) DESC LIMIT {MOST_PLANS})",
    )
    return list(dict.fromkeys(name for (content,) in rows if (name := _plan_name(content))))


def _plan_name(content: bytes) -> str:
    start = zlib.decompressobj().decompress(content, _START).decode("utf-8", "replace")
    found = _NAME.search(start)
    return str(json.loads(found[1])) if found else ""


def step_names(directory: Path, of: Sequence[str]) -> list[str]:
    """Of these sessions where some are named, else of the latest."""
    marks = ", ".join("?" * len(of)) or "NULL"
    named = f"SELECT s.number FROM session s WHERE s.id IN ({marks}) OR {_NAME_OF} IN ({marks})"
    latest = "SELECT number FROM session ORDER BY planned_at DESC LIMIT 100"
    for chosen, values in ((named, (*of, *of)), (latest, ())):
        statement = f"SELECT name FROM step WHERE session IN ({chosen}) GROUP BY name ORDER BY min(position)"
        if rows := _rows(directory, statement, values):
            return [str(name) for (name,) in rows]
    return []


def _rows(directory: Path, statement: str, values: Sequence[str] = ()) -> list[tuple[Any, ...]]:
    path = directory / "history.sqlite"
    if not path.is_file():
        return []
    # without a log beside it nobody writes; SQLite would make one
    is_open = path.with_name("history.sqlite-wal").exists() and path.with_name("history.sqlite-shm").exists()
    name = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file:{name}?{'mode=ro' if is_open else 'immutable=1'}"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=WAIT_S)) as connection:
            return connection.execute(statement, values).fetchall()
    except sqlite3.Error:
        return []
