"""Imports a session that somebody exported: completely checked, all of it or nothing."""

from __future__ import annotations

import hashlib
import os
import stat
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.errors import DynoError, InputError
from app.core.harmless import harmless
from app.core.private import private
from app.history.lists.edits import MAX_NAME, MAX_NOTE, checked_text_line
from app.history.recorded.counting import recount_cut_steps
from app.history.recorded.writing import JournalStorer
from app.history.store import journals
from app.history.store.decoding import decode_events
from app.history.store.history import History
from app.protocol.checked import decode_json
from app.protocol.events import MAX_LINE, Note, ProtocolError, SessionPlanned
from app.protocol.reading import read_field

from .exporting import FORMAT

# bytes of each member, unpacked: what is larger is refused before it is read
LIMITS = {"manifest.json": 1 << 16, "plan.json": 1 << 26, "journal.jsonl": 1 << 30, "owned.json": 1 << 24}
MAX_ADDED = 1000  # tags, notes or cuts of one session
_BLOCK = 1 << 20
_NONE_OF_ALL = "it is neither an exported session nor sysbench output (a published table must end with .csv)"


@dataclass(frozen=True)
class Imported:
    """An imported session; `new` is false if it was there already."""

    session: str
    new: bool


_DAMAGED = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError,
)  # what an archive is refused by  # fmt: skip


def import_session(history: History, file: Path) -> Imported:
    """Import an exported session: fully checked, whole or not at all."""
    try:
        with _opened(file) as archive:
            return _import(history, archive, file)
    except (DynoError, ProtocolError, ValueError, KeyError, TypeError, RecursionError) as error:
        text = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"cannot import {file}: {harmless(text)}") from None
    except _DAMAGED as error:
        raise InputError(f"cannot import {file}: it is damaged: {error}") from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename not in (None, str(file)) else ""
        raise InputError(f"cannot import {file}: {where}{error.strerror or error}") from None


@contextmanager
def _opened(file: Path) -> Iterator[zipfile.ZipFile]:
    if not stat.S_ISREG(file.stat().st_mode):  # a pipe would be waited for
        raise ValueError("it is not a regular file")
    if not zipfile.is_zipfile(file):
        file.open("rb").close()  # says if it cannot be read at all
        raise ValueError(_NONE_OF_ALL if file.stat().st_size else "it is empty")
    with zipfile.ZipFile(file) as archive:
        _check_members(archive)
        yield archive


def _check_members(archive: zipfile.ZipFile) -> None:
    infos = archive.infolist()
    if sorted(info.filename for info in infos) != sorted(LIMITS):
        raise ValueError(f"an exported session must contain exactly {', '.join(LIMITS)}")
    for info in infos:
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{info.filename} is encrypted or uses an unknown compression")
        if info.file_size > LIMITS[info.filename]:
            raise ValueError(
                f"{info.filename} has {info.file_size:,} bytes, at most {LIMITS[info.filename]:,} are allowed"
            )


def _import(history: History, archive: zipfile.ZipFile, file: Path) -> Imported:
    manifest = _read_json(archive, "manifest.json")
    session = str(manifest["session"])
    path = journals.path_of(history.journals, session)
    if manifest["format"] != FORMAT:
        raise ValueError(f"it has format {manifest['format']}, this Dyno reads {FORMAT}: update Dyno")
    sums = manifest["files"]
    plan = _read_json(archive, "plan.json", sums)
    owned = _check_added(_read_json(archive, "owned.json", sums))
    history.journals.mkdir(mode=0o700, exist_ok=True)
    part = path.with_name(f".{session}.{os.getpid()}.import")
    try:
        _unpack_journal(archive, sums["journal.jsonl"], part)
        _check_journal(part, session, plan)
        with history.transaction():
            sha256 = sums["journal.jsonl"]["sha256"]
            if _is_there(history, session, path, sha256):
                return Imported(session, new=False)
            JournalStorer(history).store_journal(str(plan["id"]), session, part)
            history.connection.execute("DELETE FROM deleted WHERE session = ?", (session,))
            _keep_added(history, session, file.name, sha256, owned)
            part.rename(path)  # last, so that an earlier failure leaves nothing behind
        journals.path_of(history.trash, session).unlink(missing_ok=True)
        return Imported(session, new=True)
    finally:
        part.unlink(missing_ok=True)


def _read_json(archive: zipfile.ZipFile, name: str, sums: Any = None) -> dict[str, Any]:
    with archive.open(name) as member:
        raw = member.read(LIMITS[name] + 1)
    if len(raw) > LIMITS[name]:
        raise ValueError(f"{name} is longer than the archive says")
    if sums is not None:
        _check_sum(name, sums[name], {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()})
    data = decode_json(raw)
    if not isinstance(data, dict):
        raise ValueError(f"{name} is not a JSON object")
    return data


def _check_sum(name: str, said: Any, found: dict[str, Any]) -> None:
    if {"bytes": said["bytes"], "sha256": said["sha256"]} != found:
        raise ValueError(f"{name} does not match the manifest")


def _unpack_journal(archive: zipfile.ZipFile, said: Any, part: Path) -> None:
    """Unpack the journal into a file, never more bytes than allowed."""
    sum_, size = hashlib.sha256(), 0
    with archive.open("journal.jsonl") as member, open(part, "xb", opener=private) as out:
        while block := member.read(_BLOCK):
            size += len(block)
            if size > LIMITS["journal.jsonl"]:
                raise ValueError("journal.jsonl is longer than the archive says")
            sum_.update(block)
            out.write(block)
    _check_sum("journal.jsonl", said, {"bytes": size, "sha256": sum_.hexdigest()})


def _is_there(history: History, session: str, path: Path, sha256: str) -> bool:
    """Whether the same journal is stored; raises an error if it differs."""
    row = history.one("SELECT offset FROM journal WHERE session = ?", (session,))
    known = history.one("SELECT 1 FROM session WHERE id = ?", (session,))
    if row is None and known is None and not path.exists():
        return False
    if row is not None and path.exists():
        (length,) = row
        with path.open("rb") as file:
            kept = hashlib.sha256(file.read(length)).hexdigest()
        if kept == sha256:
            return True
    raise ValueError(f"the history has session {session} with different content")


def _check_journal(part: Path, session: str, plan: dict[str, Any]) -> None:
    """Check that every line is an event of this session and plan, none missing, none twice."""
    seq = 0
    with part.open("rb") as file:
        while line := file.readline(MAX_LINE + 1):
            seq += 1
            _check_line(line, seq)
            if seq == 1:
                _check_first(line, session, plan)
    if not seq:
        raise ValueError("its journal is empty")


def _check_line(line: bytes, seq: int) -> None:
    if len(line) > MAX_LINE:
        raise ValueError(f"line {seq} of the journal has more than {MAX_LINE:,} bytes")
    if not line.endswith(b"\n"):
        raise ValueError(f"line {seq} of the journal is incomplete")
    try:
        (event,) = decode_events(line)
    except ProtocolError as error:
        raise ValueError(f"line {seq} of the journal: {error}") from None
    if event.seq != seq:
        raise ValueError(f"line {seq} of the journal has event number {event.seq}")


def _check_first(line: bytes, session: str, plan: dict[str, Any]) -> None:
    (event,) = decode_events(line)
    if not isinstance(event, SessionPlanned):
        raise ValueError("the journal does not start with session_planned")
    if event.session != session or event.plan != plan:
        raise ValueError("the journal belongs to another session or plan than the file says")


def _check_added(owned: dict[str, Any]) -> dict[str, Any]:
    """Check what its person added, in the form of `added`."""
    for name in ("tags", "notes", "cuts"):
        if not isinstance(owned[name], list) or len(owned[name]) > MAX_ADDED:
            raise ValueError(f"owned.json: {name} must be a list of at most {MAX_ADDED} entries")
    return {
        "name": None if owned["name"] is None else checked_text_line(_text(owned["name"], MAX_NAME), "name"),
        "tags": [checked_text_line(_text(tag, MAX_NAME), "tag") for tag in owned["tags"]],
        "notes": [(_moment(note["at"]), _text(note["text"], MAX_NOTE)) for note in owned["notes"]],
        "cuts": [
            (*(_second(cut[key]) for key in ("step", "first_s", "last_s")), _text(cut["reason"], MAX_NAME))
            for cut in owned["cuts"]
        ],
    }


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError(f"owned.json: a text is missing or has more than {most} characters")
    return value.encode("utf-8", "replace").decode()


def _moment(value: Any) -> float:
    return float(read_field(Note, "at", value))


def _second(value: Any) -> int:
    if type(value) is not int or abs(value) > 1 << 31:
        raise ValueError("owned.json: the seconds of a cut must be whole numbers")
    return value


def mark_imported(history: History, session: str, source: str, sha256: str) -> None:
    """Store the origin of an imported session."""
    history.connection.execute(
        "INSERT INTO imported (session, at, source, sha256) VALUES (?, ?, ?, ?)",
        (session, time.time(), source, sha256),
    )


def _keep_added(history: History, session: str, source: str, sha256: str, owned: dict[str, Any]) -> None:
    connection = history.connection
    mark_imported(history, session, source, sha256)
    # nobody follows it here, so without an end it is lost
    connection.execute(
        "INSERT OR REPLACE INTO link SELECT session, offset FROM journal WHERE session = ?", (session,)
    )
    if owned["name"] is not None:
        connection.execute("INSERT OR REPLACE INTO session_name VALUES (?, ?)", (session, owned["name"]))
    connection.executemany(
        "INSERT OR IGNORE INTO session_tag VALUES (?, ?)", [(session, tag) for tag in owned["tags"]]
    )
    connection.executemany(
        "INSERT INTO session_note (session, at, text) VALUES (?, ?, ?)",
        [(session, *note) for note in owned["notes"]],
    )
    connection.executemany(
        "INSERT INTO cut (session, step, first_s, last_s, reason) VALUES (?, ?, ?, ?, ?)",
        [(session, *cut) for cut in owned["cuts"]],
    )
    recount_cut_steps(connection, session)
