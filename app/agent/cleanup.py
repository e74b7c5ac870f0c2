"""What a killed agent left behind (servers that live, data nobody will read), and what is on the target."""

from __future__ import annotations

import os
from typing import List

from app.protocol.answers import PlanSummary, SessionSummary

from .server.cgroup import remove_group
from .server.server import end_leftover
from .snapshots.snapshots import Snapshots
from .survey.installing import Installing
from .system.directory import REHEARSAL, Directory

TAIL = 4096  # bytes of a journal in which its last event stands
PARTS = ("data", "tmp", "lua")  # of a session that end with it


def clean(directory: Directory) -> List[str]:
    """End leftover servers, put their data out of the way; only the holder of the lock may call this."""
    removed = []
    Snapshots(directory).clean()
    Installing(directory).clean()
    for session in directory.sessions():
        folder = directory.session(session)
        found = end_leftover(folder)
        remove_group(folder)
        if found:
            removed.append("server {} of session {}".format(found["pid"], session))
        if session.startswith(REHEARSAL):
            directory.discard(folder)
            continue
        for part in PARTS:
            path = os.path.join(folder, part)
            if os.path.isdir(path):
                directory.discard(path)
                removed.append(path)
        reserve = directory.journal(session) + ".reserve"
        if os.path.exists(reserve):
            directory.discard(reserve)
    return removed


def list_plans(directory: Directory) -> List[PlanSummary]:
    """Every plan that was taken in here, with its sessions and how long their journals are."""
    holder = directory.holder().get("plan")
    return [_describe(directory, plan, plan == holder) for plan in directory.plans()]


def _describe(directory: Directory, name: str, locked: bool) -> PlanSummary:
    plan = directory.read_plan(name)
    sessions = [_session(directory, turn["session"]) for turn in plan.get("turns", [])]
    return PlanSummary(name, plan.get("name", ""), agent_of(directory, name), locked, sessions)


def _session(directory: Directory, session: str) -> SessionSummary:
    path = directory.journal(session)
    size = os.stat(path).st_size if os.path.exists(path) else 0
    return SessionSummary(session, size, has_ended(path))


def has_ended(path: str) -> bool:
    """The journal has its last event."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.stat(path).st_size - TAIL))
            return b'{"kind":"session_ended"' in file.read()
    except OSError:
        return False


def agent_of(directory: Directory, plan: str) -> str:
    try:
        with open(os.path.join(directory.plan(plan), "agent"), encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""
