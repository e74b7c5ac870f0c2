"""Steps at a rate that they could not keep, and searches for a rate: what the journal says, and in words."""

from __future__ import annotations

from typing import Any, TypedDict

from app.core.units import count_text, figure_text, seconds_text
from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.protocol.plan import LIMIT, RATE_MISSED

SHARP = 1.03  # between the lowest rate that failed and the highest that passed: the search is as good as that


class ScheduleEntry(TypedDict, total=False):
    """A rate that could not be kept."""

    rate: float  # events a second that were asked for
    achieved: float | None  # events a second
    behind_s: float  # of the schedule when the step ended
    queued: float | None  # events that were due and had not begun


class TryEntry(TypedDict, total=False):
    """A try of a search for a limit."""

    rate: float  # events a second
    p99_ms: float | None
    events: float
    passed: bool


class LimitEntry(TypedDict, total=False):
    """A search for the highest rate under a limit."""

    p99_ms: float  # the limit
    closed_rate: float  # events a second without a limit
    rate: float | None  # the answer; None: there is none
    tries: list[TryEntry]


def ends_at_rates(history: History, session: str) -> dict[int, dict[str, Any]]:
    """`schedule` of steps that could not keep a rate, `limit` of those that searched one, by position."""
    rows = history.query(
        "SELECT position, marks, result.ended FROM result JOIN step ON result.step = step.number"
        " JOIN session ON step.session = session.number"
        " WHERE id = ? AND ended IS NOT NULL AND (kind = ? OR marks LIKE ?)",
        (session, LIMIT, f'%"{RATE_MISSED}"%'),
    )
    return {position: _end_at_rate(marks, unpack_json(ended)) for position, marks, ended in rows}


def _end_at_rate(marks: str, ended: dict[str, Any]) -> dict[str, Any]:
    wanted = ("schedule", "limit") if f'"{RATE_MISSED}"' in marks else ("limit",)
    return {name: ended[name] for name in wanted if ended.get(name)}


def schedule_text(schedule: ScheduleEntry | None) -> str:
    """`1,420 of 2,000 events/s; 17 s behind when it ended, with 34,800 events waiting`; or ''."""
    if not schedule or "rate" not in schedule or "behind_s" not in schedule:
        return ""
    achieved, queued = schedule.get("achieved"), schedule.get("queued")
    done = "?" if achieved is None else figure_text(achieved)
    waiting = f", with {count_text(round(queued), 'event')} waiting" if queued is not None else ""
    behind = f"{seconds_text(schedule['behind_s'])} behind when it ended"
    return f"{done} of {schedule['rate']:,.0f} events/s; {behind}{waiting}"


def limit_text(limit: LimitEntry | None) -> str:
    """`p99 under 5 ms at 4,100 events/s, 71% of 5,780 without a limit; tries: 12`; '' of other steps."""
    if not limit or "p99_ms" not in limit:
        return ""
    closed, rate = limit.get("closed_rate") or 0.0, limit.get("rate")
    share = f"{rate / closed:.0%} of " if rate and closed else ""
    found = f"at {rate:,.0f} events/s" if rate else "not found"
    without = f"{share}{closed:,.0f} events/s without a limit"
    tries = limit.get("tries", [])
    return f"p99 under {limit['p99_ms']:g} ms {found}, {without}; tries: {len(tries)}{_blur_text(tries)}"


def _blur_text(tries: list[TryEntry]) -> str:
    """`; from 3,353 to 3,910 events/s some passed and some failed`, where that is no narrow range."""
    passed = max((each.get("rate", 0.0) for each in tries if each.get("passed")), default=0.0)
    failed = min((each.get("rate", 0.0) for each in tries if not each.get("passed")), default=passed)
    if passed <= SHARP * failed:
        return ""
    return f"; from {failed:,.0f} to {passed:,.0f} events/s some passed and some failed"


def try_texts(limit: LimitEntry | None) -> list[str]:
    """A line for each try of a search: `try 3: 4,200 events/s, p99 4.81 ms, passed`."""
    return [
        f"try {number}: {each.get('rate', 0):,.0f} events/s, p99 {figure_text(each.get('p99_ms'))} ms, "
        f"{'passed' if each.get('passed') else 'failed'}"
        for number, each in enumerate((limit or {}).get("tries", []), 1)
    ]
