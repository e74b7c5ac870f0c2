"""The names of the kinds of events of a workload."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.protocol.sysbench import MOST_KINDS

LONGEST = 30
_NAME = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST - 1}}}")
WANTED = f"up to {LONGEST} lower-case letters, digits and dashes"


def is_kind(name: str) -> bool:
    return bool(_NAME.fullmatch(name))


def kinds_problem(names: Sequence[str]) -> str:
    """Why these, each of them once, cannot be the kinds of a workload; '' if they can."""
    if not 2 <= len(names) <= MOST_KINDS:
        return f"are 2 to {MOST_KINDS}, not {len(names)}"
    wrong = next((name for name in names if not is_kind(name)), None)
    return "" if wrong is None else f"are names of {WANTED}, not {wrong!r}"
