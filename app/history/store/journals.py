"""The kept journals: the raw bytes of every session, as they came from the target."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from app.core.errors import InputError
from app.core.ids import ANY_ID


def path_of(folder: Path, session: str) -> Path:
    """The file of a session; refuses an id that is a path to elsewhere."""
    if not ANY_ID.fullmatch(session):
        raise InputError(f"{session!r} is not a session id")
    return folder / f"{session}.jsonl"


def size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def changed_at(path: Path) -> float:
    """When it was last written, by this computer's clock; 0 if it is missing."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def write_and_truncate(path: Path, offset: int, raw: bytes) -> None:
    """Write here and end the file here; the caller holds the lock of the history."""
    try:
        file = _open(path)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = _open(path)
    with file:
        file.seek(offset)
        view = memoryview(raw)
        while view:
            view = view[file.write(view) :]
        file.truncate()


def _open(path: Path) -> FileIO:
    """Open a private file unbuffered; create it if it is missing."""
    return FileIO(path, "r+", opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o600))


def cut(path: Path, size: int) -> None:
    """Cut the file to this many bytes."""
    if size_of(path) > size:
        os.truncate(path, size)


def whole_lines(raw: bytes) -> bytes:
    """The text without a torn last line."""
    return raw[: raw.rfind(b"\n") + 1]


def chunks_of_lines(path: Path, size: int) -> Iterator[bytes]:
    """The whole lines of a file in pieces of about `size` bytes; a very long line comes in parts."""
    from app.protocol.events import MAX_LINE  # takes 10 ms: not for a list of sessions

    if not path.exists():
        return
    with path.open("rb") as file:
        rest = b""
        while block := file.read(size):
            raw = rest + block
            lines = whole_lines(raw)
            if len(raw) - len(lines) > MAX_LINE:
                lines = raw
            rest = raw[len(lines) :]
            if lines:
                yield lines


def tail(path: Path, end: int, size: int) -> bytes:
    """The last whole lines before the byte `end`, about `size` bytes; empty if the file is shorter."""
    begin = max(0, end - size)
    try:
        with path.open("rb") as file:
            file.seek(begin)
            raw = file.read(end - begin)
    except OSError:
        return b""
    if len(raw) < end - begin or not raw.endswith(b"\n"):
        return b""
    return raw[raw.find(b"\n") + 1 :] if begin else raw
