"""What a follower learns besides the journals: whether the plan still runs, and the target's clock."""

from __future__ import annotations

from collections.abc import Iterable

from .history import History


def keep_unlocked(history: History, sessions: Iterable[str]) -> None:
    """The lock was seen free after all of these journals were read: without an end they are lost."""
    with history.transaction() as connection:
        for session in sessions:
            connection.execute(
                "INSERT INTO link SELECT session, offset FROM journal WHERE session = ?"
                " ON CONFLICT (session) DO UPDATE SET unlocked_offset = excluded.unlocked_offset",
                (session,),
            )


def keep_clock_offset(history: History, plan: str, at: float, offset_s: float) -> None:
    """The target's clock less ours, as measured at a connect."""
    with history.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO clock_offset (plan, at, offset_s) VALUES (?, ?, ?)", (plan, at, offset_s)
        )
