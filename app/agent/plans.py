"""The plans stored on a target, and the sizes of their journals."""

from __future__ import annotations

import os
from typing import List

from app.protocol.answers import PlanOnTarget, SessionJournalSize

from .system.directory import MarkedDirectory

TAIL = 4096  # bytes of a journal that contain its last event


def list_plans(directory: MarkedDirectory) -> List[PlanOnTarget]:
    """Every stored plan with its sessions and the sizes of their journals."""
    holder = directory.holder().get("plan")
    return [_describe(directory, plan, plan == holder) for plan in directory.plans()]


def _describe(directory: MarkedDirectory, name: str, locked: bool) -> PlanOnTarget:
    plan = directory.read_plan(name)
    sessions = [_session(directory, turn["session"]) for turn in plan.get("turns", [])]
    until_decided = bool(plan.get("until_decided", False))
    return PlanOnTarget(
        name, plan.get("name", ""), agent_of(directory, name), locked, sessions, until_decided
    )


def _session(directory: MarkedDirectory, session: str) -> SessionJournalSize:
    path = directory.journal(session)
    size = os.stat(path).st_size if os.path.exists(path) else 0
    return SessionJournalSize(session, size, has_ended(path))


def has_ended(path: str) -> bool:
    """The journal has its last event."""
    return bool(_last_event(path))


def has_completed(path: str) -> bool:
    """The session completed."""
    return b'"outcome":"completed"' in _last_event(path)


def _last_event(path: str) -> bytes:
    """The last event of a session that has ended; else empty."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.stat(path).st_size - TAIL))
            _, found, rest = file.read().rpartition(b'{"kind":"session_ended"')
            return found + rest if found else b""
    except OSError:
        return b""


def agent_of(directory: MarkedDirectory, plan: str) -> str:
    try:
        with open(os.path.join(directory.plan(plan), "agent"), encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""
