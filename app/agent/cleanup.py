"""Removes what a killed agent left: running servers, their data, file systems in loop files."""

from __future__ import annotations

import os
from typing import List

from .server.cgroup import remove_group
from .server.server import end_leftover_server
from .snapshots.snapshots import Snapshots
from .survey.installing import BuildInstaller
from .system.directory import BACKUP, LOAD, OF_SESSION, REHEARSAL, MarkedDirectory
from .system.loop_disk import remove_leftover


def clean(directory: MarkedDirectory) -> List[str]:
    """End leftover servers, put their data out of the way; only the holder of the lock may call this."""
    removed = []
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
    return removed
