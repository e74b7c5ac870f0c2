"""Made-up sessions are stored once: a history of the same content gets a copy of what that made."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

from app.history.store.history import History

_Files = dict[str, bytes]  # of the journals
_KNOWN: dict[str, tuple[bytes, _Files]] = {}  # in this process
_WRITE_AHEAD, _SCHEMA_CHANGES = slice(18, 20), slice(40, 44)  # of the first page of a file of SQLite


def once(history: History, what: object, store: Callable[[], object]) -> None:
    """Call `store`; or copy what it made where the history and `what` were the same.

    Storing a session takes 20 ms of CPU, copying ten of them one.
    """
    key = hashlib.sha256(_content(history) + repr(what).encode()).hexdigest()
    if key in _KNOWN:
        _copy(history, *_KNOWN[key])
    else:
        before = _files(history.journals)
        store()
        new = {name: raw for name, raw in _files(history.journals).items() if before.get(name) != raw}
        _KNOWN[key] = _content(history), new


def _content(history: History) -> bytes:
    """The file, as a connection in memory can open it; without what a copy counts anew."""
    content = bytearray(history.connection.serialize())
    content[_WRITE_AHEAD], content[_SCHEMA_CHANGES] = b"\1\1", bytes(4)
    return bytes(content)


def _files(folder: Path) -> _Files:
    return {path.name: path.read_bytes() for path in folder.glob("*")}


def _copy(history: History, content: bytes, files: _Files) -> None:
    source = sqlite3.connect(":memory:")
    source.deserialize(content)
    source.backup(history.connection)
    source.close()
    history.journals.mkdir(mode=0o700, exist_ok=True)
    for name, raw in files.items():
        (history.journals / name).write_bytes(raw)
