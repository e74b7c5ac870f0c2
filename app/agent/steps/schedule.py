"""A step at a rate: whether its schedule was kept, and how many events were waiting when it ended."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from app.protocol.plan import RATE_MISSED, Step

REACHED = 0.99  # of the schedule must have begun when the step ends


def schedule_of(step: Step, behind_s: float, events: int, seconds: float) -> Dict[str, Any]:
    """The rate that was asked for and reached, and what waited at the end, in seconds and events."""
    return {
        "rate": step.rate,
        "achieved": round(events / seconds, 2) if seconds > 0 else None,
        "behind_s": round(behind_s, 4),
        "queued": round(behind_s * step.rate) if step.seconds else None,  # else the step was not cut off
    }


def schedule_marks(schedule: Mapping[str, Any], seconds: float) -> List[str]:
    """The mark of a step that could not keep its rate."""
    return [RATE_MISSED] if schedule.get("behind_s", 0.0) > (1 - REACHED) * seconds else []
