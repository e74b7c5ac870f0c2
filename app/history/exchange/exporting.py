"""A session as one file, for somebody else: its plan, its journal and what the person added."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path
from typing import IO, Any

from app.core.errors import DynoError, InputError
from app.core.harmless import as_file_name
from app.history.lists.edits import session_annotations
from app.history.lists.sessions import SUFFIX, find, sessions
from app.history.steps.figures import plan_of
from app.history.store import journals
from app.history.store.damage import REBUILD, with_advice
from app.history.store.history import History

FORMAT = 1
ENDING = ".dyno.zip"
_BLOCK = 1 << 20
_DATE = (2020, 1, 1, 0, 0, 0)  # the same session gives the same file


def export(history: History, reference: str, file: Path) -> Path:
    """Write a session into a file; returns its path."""
    session = find(history, reference)
    journal = journals.path_of(history.journals, session)
    if not journal.exists():
        raise DynoError(f"session {session} cannot be exported: its journal is not stored here")
    try:
        if file.is_dir():
            file = _new_file(file, history, session)
        if file.exists():
            raise InputError(f"{file} exists already: choose another name")
        part = file.with_name(f".{session}.{os.getpid()}.part")
        try:
            with history.reading():
                _write(history, session, journal, part)
            part.rename(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from None
    return file


def _new_file(folder: Path, history: History, session: str) -> Path:
    """`NAME.dyno.zip`; of a second session of this name also the end of its id."""
    (entry,) = sessions(history, ids=[session])
    name = as_file_name(entry["name"])
    file = folder / f"{name}{ENDING}"
    return folder / f"{name}-{session[-SUFFIX:]}{ENDING}" if file.exists() else file


def _write(history: History, session: str, journal: Path, part: Path) -> None:
    plan = plan_of(history, session)
    ((size,),) = history.query("SELECT offset FROM journal WHERE session = ?", (session,))
    parts = {"plan.json": _json(plan), "owned.json": _json(session_annotations(history, session))}
    sums = {
        name: {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()} for name, raw in parts.items()
    }
    with zipfile.ZipFile(part, "x", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in parts.items():
            archive.writestr(_member(name), raw)
        with archive.open(_member("journal.jsonl"), "w") as out, journal.open("rb") as source:
            sums["journal.jsonl"] = _copy(source, out, size)
        manifest = {"format": FORMAT, "session": session, "plan": plan["id"], "files": sums}
        archive.writestr(_member("manifest.json"), _json(manifest))


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info


def _copy(source: IO[bytes], out: IO[bytes], size: int) -> dict[str, Any]:
    """Copy exactly `size` bytes; returns their entry for the manifest."""
    sum_, left = hashlib.sha256(), size
    while left:
        block = source.read(min(_BLOCK, left))
        if not block:
            raise with_advice(DynoError, "the history expects more than the journal has", REBUILD)
        sum_.update(block)
        out.write(block)
        left -= len(block)
    return {"bytes": size, "sha256": sum_.hexdigest()}


def _json(data: Any) -> bytes:
    return json.dumps(data, indent=1, ensure_ascii=True).encode()
