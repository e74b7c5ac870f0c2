"""What a follower learns besides the journals: whether the plan still runs, and the target's clock."""

from __future__ import annotations

from collections.abc import Iterable

from app.history.store.history import History


def keep_unlocked(history: History, sessions: Iterable[str]) -> None:
    """Store that the lock was free after all these journals were read: those without an end are lost."""
    with history.transaction() as connection:
        for session in sessions:
            connection.execute(
                "INSERT INTO link SELECT session, offset FROM journal WHERE session = ?"
                " ON CONFLICT (session) DO UPDATE SET unlocked_offset = excluded.unlocked_offset",
                (session,),
            )


def keep_clock_offset(history: History, plan: str, at: float, offset_s: float) -> None:
    """Store the offset of the target's clock, measured at a connect."""
    with history.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO clock_offset (plan, at, offset_s) VALUES (?, ?, ?)", (plan, at, offset_s)
        )
