"""The self test of a machine: sessions of one server, in two of which a difference is planted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.stats.at_target.verdicts import LEAST

if TYPE_CHECKING:
    from app.history.store.history import History

SEQUENCE = "self-test"
PLANTED = (3, 10)  # % of more work a query
_LINE = 'init_connect="SET @dyno_planted_pct = {}"'  # as workloads/planted.lua reads it
_PCT = re.compile(re.escape(_LINE.rpartition("{")[0].partition('"')[2]) + r"([1-9]\d?)\b")

_PLAN = """
SELECT plan FROM session WHERE machine_key = ? AND sequence = ? AND state = 'completed'
GROUP BY plan HAVING count(*) >= ? ORDER BY max(started_at) DESC LIMIT 1"""


def planting_line(pct: int) -> str:
    """The line of a my.cnf that plants so much more work; '' for none."""
    return _LINE.format(pct) if pct else ""


def planted_pct(cnf: str) -> int:
    """The percentage that a my.cnf plants; 0: none."""
    found = _PCT.search(cnf)
    return int(found[1]) if found else 0


def latest_self_test(history: History, machine_key: str) -> str:
    """The plan of the latest one with enough sessions for a verdict; '' without one."""
    least = LEAST * (1 + len(PLANTED))
    row = history.one(_PLAN, (machine_key, SEQUENCE, least))
    return row[0] if row else ""
