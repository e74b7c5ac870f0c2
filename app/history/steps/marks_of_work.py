"""The marks of the work of a step, as a Dyno of today sets them, also where an older one measured it.

An older Dyno marked a step as other work for other reads too, and had no mark for a plan that
changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.history.recorded.in_words import has_wrong_rows
from app.protocol.work import explain_access_text

OTHER_WORK, OTHER_READS, CHANGED_PLAN = "other-work", "other-reads", "changed-plan"


def marks_by_current_rules(
    marks: Sequence[str], work: Mapping[str, Any], plans: Sequence[Mapping[str, Any]]
) -> list[str]:
    """`work` and `plans`: what the session said of this step; the same marks where it said nothing."""
    if OTHER_WORK not in marks or has_wrong_rows(work):
        return list(marks)
    found = dict.fromkeys(OTHER_READS if mark == OTHER_WORK else mark for mark in marks)
    return [*found, *([CHANGED_PLAN] if any(map(_changed, plans)) and CHANGED_PLAN not in found else [])]


def _changed(plan: Mapping[str, Any]) -> bool:
    return bool("end" in plan and explain_access_text(plan["begin"]) and explain_access_text(plan["end"]))
