"""Snapshots: data sets that are loaded, settled and shut down once, and copied for later sessions.

    snapshots/<key>/snapshot.json   what it is of, and every file with its length, time and checksum
    snapshots/<key>/data/           the data directory
    snapshots/<key>.half/           one that is being made; what is left of it goes at the next start

It is there once its directory has its name. Nothing in it is ever changed: sessions work on copies.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import dataclass, fields
from typing import Any, Dict, List, Mapping

from app.agent.sampling.sizes import data_file_category
from app.agent.server.options_in_force import options_of
from app.agent.system.directory import MarkedDirectory, write_file
from app.agent.system.errors import AgentError
from app.engines import KNOWN
from app.engines.server import BINLOG
from app.protocol import answers as protocol
from app.protocol.plan import Contender, Plan, digest, step_fields_to_hash
from app.protocol.sysbench import lua_with_required
from app.protocol.words import canonical_value

from .copying import Copying, OnProgress, can_reflink, files_below

FORMAT = 1  # of snapshot.json and what is beside it
ABOUT, DATA, HALF = "snapshot.json", "data", ".half"
NEEDED = {"format", "files", "size_bytes", "rows_by_driver"}
KEY_DIGITS = 16

# options that leave the bytes of settled tables as they are; whatever is not named here counts
_OF_EVERY_SERVER = """
    back_log binlog_cache_size binlog_format join_buffer_size log_bin max_connections max_heap_table_size
    open_files_limit performance_schema query_cache_size query_cache_type read_buffer_size
    read_rnd_buffer_size server_id skip_log_bin skip_name_resolve sort_buffer_size sync_binlog
    table_definition_cache table_open_cache table_open_cache_instances thread_cache_size tmp_table_size
"""
_BESIDE_THE_DATA = {
    *_OF_EVERY_SERVER.split(),
    *(name for each in KNOWN.values() for name in each.outside_data),
}


@dataclass(frozen=True)
class Snapshot:
    """A snapshot that exists and looks unchanged: names, lengths and times, not its data."""

    key: str
    about: Mapping[str, Any]

    @property
    def rows(self) -> Mapping[str, int]:
        """Rows that the load had inserted and deleted."""
        return dict(self.about["rows_by_driver"])

    @property
    def size_bytes(self) -> int:
        return int(self.about["size_bytes"])


class Snapshots:
    """The snapshots in a directory of Dyno."""

    def __init__(self, directory: MarkedDirectory) -> None:
        self._directory = directory

    def _at(self, *parts: str) -> str:
        return self._directory.at("snapshots", *parts)

    # finding

    def list(self) -> List[protocol.DataSnapshot]:
        """All snapshots with content, size, age, and why one cannot be used."""
        return [self._describe(name) for name in sorted(os.listdir(self._at())) if name.isalnum()]

    def _describe(self, key: str) -> protocol.DataSnapshot:
        try:
            about: Mapping[str, Any] = self.find(key).about
            problem = ""
        except AgentError as error:
            about, problem = _read(self._at(key)), str(error)
        shown = [each.name for each in fields(protocol.DataSnapshot)][2:]
        return protocol.DataSnapshot(key, problem, **{name: about.get(name) for name in shown})

    def has(self, key: str) -> bool:
        return os.path.isdir(self._at(key))

    def find(self, key: str) -> Snapshot:
        """The snapshot, if every file is as it was stored; raises AgentError with what is wrong."""
        about = _read(self._at(key))
        if not about:
            raise AgentError("snapshot {} has no description".format(key))
        if about.get("format") != FORMAT:
            raise AgentError("snapshot {} was stored by another version of Dyno".format(key))
        wrong = _changed(self._at(key, DATA), about["files"])
        if wrong:
            raise AgentError("snapshot {} has changed since it was stored: {}".format(key, wrong))
        return Snapshot(key, about)

    # making, taking away

    def keep(self, key: str, data: str, about: Mapping[str, Any], on_progress: OnProgress) -> None:
        """Store a data directory and put a copy in its place; if that fails, move it back."""
        half = self._at(key + HALF)
        self.clean()
        os.mkdir(half, 0o700)
        names = _without_binary_log(data)
        os.rename(data, os.path.join(half, DATA))
        try:
            copying = Copying(os.path.join(half, DATA), data, names)
            copying.copy(on_progress)
            content = {**about, "format": FORMAT, "made_at": round(time.time(), 3)}
            content.update(_files(os.path.join(half, DATA), copying.checksums))
            write_file(os.path.join(half, ABOUT), json.dumps(content))
            self._discard(key)
            os.rename(half, self._at(key))
        except BaseException:
            self._directory.discard(data)
            os.rename(os.path.join(half, DATA), data)
            self.clean()
            raise

    def lay(self, snapshot: Snapshot, data: str, share: bool, on_progress: OnProgress) -> str:
        """Copy the snapshot to the data directory of a server; returns `shared` or `copied`."""
        files = snapshot.about["files"]
        copying = Copying(self._at(snapshot.key, DATA), data, list(files))
        if share and can_reflink(self._at()):
            copying.share()
            return "shared"
        copying.copy(on_progress)
        wrong = [name for name, checksum in copying.checksums.items() if files[name][2] != checksum]
        if wrong:
            self.delete(snapshot.key)
            text = "snapshot {} is damaged in {} and was deleted; the next session loads the tables"
            raise AgentError(text.format(snapshot.key, wrong[0]))
        return "copied"

    def delete(self, key: str) -> None:
        if not key.isalnum() or not self.has(key):
            raise AgentError("no snapshot {} in {}".format(key, self._directory.path))
        self._discard(key)
        self._directory.empty_trash()

    def _discard(self, name: str) -> None:
        self._directory.discard(self._at(name))

    def clean(self) -> None:
        """Delete unfinished snapshots."""
        for name in os.listdir(self._at()):
            if name.endswith(HALF):
                self._discard(name)
        self._directory.empty_trash()


def _read(folder: str) -> Dict[str, Any]:
    path = os.path.join(folder, ABOUT)
    with contextlib.suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
        found = json.load(file)
        return found if isinstance(found, dict) and found.keys() >= NEEDED else {}
    return {}


def _changed(data: str, files: Mapping[str, List[int]]) -> str:
    """What has changed in the data, by names, lengths and times; '' if nothing."""
    try:
        there = files_below(data)
    except OSError as error:
        return "its data is not readable: {}".format(error.strerror)
    for name in sorted(set(there) ^ set(files)):
        return "{} is {}".format(name, "gone" if name in files else "new")
    for name, (length, changed, _) in files.items():
        if (there[name], os.stat(os.path.join(data, name)).st_mtime_ns) != (length, changed):
            return "{} was changed".format(name)
    return ""


def _files(data: str, checksums: Mapping[str, int]) -> Dict[str, Any]:
    """Length, time and checksum of each file, and the size of all."""
    found = {name: os.stat(os.path.join(data, name)) for name in checksums}
    return {
        "files": {name: [each.st_size, each.st_mtime_ns, checksums[name]] for name, each in found.items()},
        "size_bytes": sum(each.st_blocks * 512 for each in found.values()),
    }


def _without_binary_log(data: str) -> List[str]:
    """Delete the binary logs, whose index names the old place; returns the other files."""
    names = list(files_below(data))
    binary_log = [name for name in names if os.sep not in name and data_file_category(name) == BINLOG]
    for name in binary_log:
        os.unlink(os.path.join(data, name))
    return [name for name in names if name not in binary_log]


def snapshot_key(plan: Plan, contender: Contender) -> str:
    """The name of the data set that a session of a contender loads: a digest of all that shapes its bytes."""
    options = {
        name: canonical_value(value)
        for name, value in options_of(contender.cnf).items()
        if name not in _BESIDE_THE_DATA
    }
    what = [contender.fingerprint, contender.version, contender.engine, contender.table_options, options]
    steps = plan.steps[: plan.snapshot_at]
    work = [
        plan.tables,
        plan.rows,
        plan.load_method,
        [{**step_fields_to_hash(step), "cap_s": 0} for step in steps],
    ]
    return digest([what, work, _texts(plan)])[:KEY_DIGITS]


def _texts(plan: Plan) -> List[str]:
    """The workloads that make the data, with their Lua and what that requires."""
    made = [step for step in plan.steps[: plan.snapshot_at] if step.workload]
    wanted = [name for step in made for name in (step.workload + ".toml", step.lua)]
    found = lua_with_required(wanted, plan.files.get)
    return [found[name] for name in sorted(found)]
