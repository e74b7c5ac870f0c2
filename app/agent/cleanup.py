"""Removes what a killed agent left: running servers, their data, file systems in loop files, changes."""

from __future__ import annotations

import os
from typing import List, NamedTuple

from .existing.change import ServerChange
from .server.cgroup import remove_group
from .server.server import end_leftover_server
from .snapshots.snapshots import Snapshots
from .survey.installing import BuildInstaller
from .system.directory import BACKUP, LOAD, OF_SESSION, REHEARSAL, MarkedDirectory
from .system.errors import AgentError
from .system.loop_disk import remove_leftover

_LEFT = "{}: its change of a server may be in force: correct the program, then dyno target clean"


class LeftChange(NamedTuple):
    """A change of a server that could not be unmade, and why."""

    change: ServerChange
    text: str


class Cleaned(NamedTuple):
    """What is gone, and what is not."""

    removed: List[str]
    left: List[LeftChange]


def clean(directory: MarkedDirectory) -> Cleaned:
    """End leftover servers, put their data out of the way; only the holder of the lock may call this."""
    cleaned = Cleaned([], [])
    removed = cleaned.removed
    Snapshots(directory).clean()
    BuildInstaller(directory).clean()
    for session in directory.sessions():
        folder = directory.session(session)
        found = end_leftover_server(folder)
        end_leftover_server(os.path.join(folder, BACKUP))
        remove_group(folder)
        if remove_leftover(directory, folder):
            removed.append("file system of the data of session {}".format(session))
        if found:
            removed.append("server {} of session {}".format(found["pid"], session))
        if session.startswith((REHEARSAL, LOAD)):
            directory.discard(folder)
            continue
        for part in OF_SESSION:
            path = os.path.join(folder, part)
            if os.path.isdir(path):
                directory.discard(path)
                removed.append(path)
        reserve = directory.journal(session) + ".reserve"
        if os.path.exists(reserve):
            directory.discard(reserve)
        _unmake(ServerChange(folder), cleaned)
    return cleaned


def _unmake(change: ServerChange, cleaned: Cleaned) -> None:
    if not change.is_recorded:
        return
    try:
        program = change.record().program
        change.unmake()
        cleaned.removed.append("the change that {} made".format(program))
    except AgentError as error:
        cleaned.left.append(LeftChange(change, _LEFT.format(error)))
