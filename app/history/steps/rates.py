"""Steps at a rate that they could not keep, and searches for a rate: what the journal says, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.core.units import count_text, figure_text, seconds_text
from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.protocol.plan import LEVEL_MISSED, LIMIT, RATE_MISSED
from app.protocol.reading import read
from app.protocol.step_parts import P99LimitSearch, RateAdherence, TriedRate

_MISSED = (RATE_MISSED, LEVEL_MISSED)
SHARP = 1.03  # between the lowest rate that failed and the highest that passed: the search is as good as that


def rate_outcomes_by_step(history: History, session: str) -> dict[int, dict[str, Any]]:
    """`schedule` of steps that could not keep a rate, `limit` of those that searched one, by position."""
    rows = history.query(
        "SELECT position, marks, result.ended FROM result JOIN step ON result.step = step.number"
        " JOIN session ON step.session = session.number"
        " WHERE id = ? AND ended IS NOT NULL AND (kind = ? OR marks LIKE ? OR marks LIKE ?)",
        (session, LIMIT, *(f'%"{mark}"%' for mark in _MISSED)),
    )
    return {position: _end_at_rate(marks, unpack_json(ended)) for position, marks, ended in rows}


def _end_at_rate(marks: str, ended: dict[str, Any]) -> dict[str, Any]:
    has_missed = any(f'"{mark}"' in marks for mark in _MISSED)
    wanted = ("schedule", "limit") if has_missed else ("limit",)
    return {name: ended[name] for name in wanted if ended.get(name)}


def missed_schedule_text(said: Mapping[str, Any] | None) -> str:
    """`1,420 of 2,000 events/s; 17 s behind when it ended, with 34,800 events waiting`; or ''."""
    schedule = read(RateAdherence, said or {})
    if not schedule.rate:
        return ""
    achieved, queued = schedule.achieved, schedule.queued
    done = "?" if achieved is None else figure_text(achieved)
    waiting = f", with {count_text(round(queued), 'event')} waiting" if queued is not None else ""
    of_rate = f"{done} of {schedule.rate:,.0f} events/s"
    return (
        f"{of_rate}; {seconds_text(schedule.behind_s)} behind when it ended{waiting}"
        if schedule.behind_s
        else of_rate
    )


def limit_search_text(said: Mapping[str, Any] | None) -> str:
    """`p99 under 5 ms at 4,100 events/s, 71% of 5,780 without a limit; tries: 12`; '' of other steps."""
    limit = read(P99LimitSearch, said or {})
    if not limit.p99_ms:
        return ""
    share = f"{limit.rate / limit.closed_rate:.0%} of " if limit.rate and limit.closed_rate else ""
    found = f"at {limit.rate:,.0f} events/s" if limit.rate else "not found"
    without = f"{share}{limit.closed_rate:,.0f} events/s without a limit"
    tries = f"tries: {len(limit.tries)}{_blur_text(limit.tries)}"
    return f"p99 under {limit.p99_ms:g} ms {found}, {without}; {tries}"


def _blur_text(tries: list[TriedRate]) -> str:
    """`; from 3,353 to 3,910 events/s some passed and some failed`, where that is no narrow range."""
    passed = max((each.rate for each in tries if each.passed), default=0.0)
    failed = min((each.rate for each in tries if not each.passed), default=passed)
    if passed <= SHARP * failed:
        return ""
    return f"; from {failed:,.0f} to {passed:,.0f} events/s some passed and some failed"


def rate_try_lines(said: Mapping[str, Any] | None) -> list[str]:
    """A line for each try of a search: `try 3: 4,200 events/s, p99 4.81 ms, passed`."""
    return [
        f"try {number}: {each.rate:,.0f} events/s, p99 {figure_text(each.p99_ms)} ms, "
        f"{'passed' if each.passed else 'failed'}"
        for number, each in enumerate(read(P99LimitSearch, said or {}).tries, 1)
    ]
