"""The queue of a target: listed, changed, shown as text."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta

from app.core.errors import InputError
from app.core.units import count_text, date_text
from app.protocol.answers import Queue, QueueChange, QueuedPlan
from app.protocol.plan import Plan
from app.remote.reach import reached
from app.remote.target import Ask, Target

HEADERS = ("", "plan", "name", "sessions", "begins")
SUFFIX = 6  # characters of an id that are enough to name it
LATEST_S = 366 * 24 * 3600.0
_CLOCK, _DATE = re.compile(r"\d{1,2}:\d{2}"), re.compile(r"\d{4}-\d\d-\d\d[ T]\d{1,2}:\d{2}")


def queue_of(target: Target, ask: Ask, change: QueueChange | None = None, directory: str = "") -> Queue:
    """Make a change at the target; returns the queue."""
    with reached(target, ask, directory) as agent:
        return agent.queue(change)


def plan_in(queue: Queue, named: str) -> QueuedPlan:
    """The plan of this id, of its last characters, or of this name."""
    short = [each for each in queue.plans if len(named) >= SUFFIX and each.plan.endswith(named.upper())]
    found = short or [each for each in queue.plans if each.name == named]
    if len(found) == 1:
        return found[0]
    problem = f"{len(found)} plans of the queue are named" if found else "no plan of the queue is named"
    raise InputError(f"{problem} {named!r}: see dyno queue list")


def row_of(queue: Queue, at: int) -> list[str]:
    """A plan as a row of HEADERS."""
    entry = queue.plans[at]
    return [str(at + 1), entry.plan[-SUFFIX:], entry.name, str(entry.sessions), begins_text(queue, entry)]


def begins_text(queue: Queue, entry: QueuedPlan) -> str:
    """When a plan begins, in local time."""
    if entry.held:
        return f"held: {entry.held}"
    wait = min((entry.at or queue.now) - queue.now, LATEST_S)  # a target may name any moment
    when = f"not before {date_text(time.time() + wait)}" if wait > 0 else ""
    if queue.held:
        return ", ".join(filter(None, ("held with the queue", when)))
    if when or not is_held_up(queue, entry):
        return when or "when its turn comes"
    return f"waits for {queue.waits_for}"


def is_held_up(queue: Queue, entry: QueuedPlan) -> bool:
    """Whether the first plan waits for one of another directory."""
    return bool(queue.waits_for) and entry is queue.next_plan(queue.now)


def place_text(queue: Queue, plan: Plan, target: str) -> str:
    """The place of an added plan, and when it begins."""
    entry = next((each for each in queue.plans if each.plan == plan.id), None)
    if entry is None:
        return f"plan {plan.name} has left the queue of {target} already"
    where = f"plan {plan.name} is number {queue.plans.index(entry) + 1} in the queue of {target}"
    return f"{where}, {begins_text(queue, entry)}"


def state_text(queue: Queue) -> str:
    """The state of a target, and whether its queue runs."""
    work = f"in use by {queue.at_work}" if queue.at_work else "no plan at work"
    if queue.waits_for:
        work = f"waits for {queue.waits_for}"
    waiting = f"{count_text(len(queue.plans), 'plan')} in the queue" if queue.plans else "the queue is empty"
    return ", ".join(filter(None, (work, waiting, f"held: {queue.held}" if queue.held else "")))


def seconds_until(text: str, now: datetime | None = None) -> float:
    """Seconds until `22:30` (the next one) or `2026-11-24 06:00`, in local time."""
    now = now or datetime.now()
    try:
        at = _moment(text.strip(), now)
    except ValueError:
        raise InputError(f"must be a time such as 22:30 or 2026-11-24 06:00, not {text!r}") from None
    if at < now:
        raise InputError(f"{text} has passed: name a later time")
    if at - now > timedelta(days=365):
        raise InputError(f"{text} is more than a year away: name an earlier time")
    return at.timestamp() - now.timestamp()


def seconds_until_clock(text: str, start: datetime) -> float:
    """Seconds from a start until the next such time of day, `07:00`, in local time."""
    try:
        if not _CLOCK.fullmatch(text.strip()):
            raise ValueError(text)
        return (_moment(text.strip(), start) - start).total_seconds()
    except ValueError:
        raise InputError(f"must be a time of day such as 07:00, not {text!r}") from None


def _moment(text: str, now: datetime) -> datetime:
    if _DATE.fullmatch(text):
        return datetime.strptime(text.replace("T", " "), "%Y-%m-%d %H:%M")
    if not _CLOCK.fullmatch(text):
        raise ValueError(text)
    clock = datetime.strptime(text, "%H:%M")
    at = now.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    return at if at > now else at + timedelta(days=1)
