"""The repeats that earlier plans of the same work have measured on the same machine."""

from __future__ import annotations

from functools import lru_cache

from app.history.lists.sessions import SessionEntry
from app.history.store.damage import read_json
from app.history.store.history import History
from app.protocol.others import DISTURBED
from app.protocol.plan import COUNT, QUERYING
from app.protocol.states import NOT_NEEDED
from app.stats.at_target.verdicts import spoilt_by

Ratios = dict[str, list[float]]  # by plan: of its first two contenders, one a repeat
MOST = 10  # plans, the latest: a machine is not what it was years ago
_KINDS = ", ".join(f"'{each}'" for each in QUERYING if each != COUNT)
_STOPPED = ", ".join(f"'{each}'" for each in NOT_NEEDED)

# a plan that was decided early had little noise, by chance
_STEPS = f"""
WITH same AS (
    SELECT * FROM session WHERE plan <> :plan
    AND number IN (SELECT number FROM session WHERE work_key = :work_key AND machine_key = :machine_key)
), done AS (
    SELECT number, plan, contender, ordinal, repeat, started_at, ended_at FROM same
    WHERE state = 'completed' AND ended_at < :before AND id NOT IN (SELECT session FROM published)
    AND plan NOT IN (SELECT plan FROM same WHERE reason IN ({_STOPPED}))
)
SELECT plan, contender, repeat, name, coordinates, value, marks FROM step JOIN done ON session = done.number
WHERE plan IN (SELECT plan FROM done GROUP BY plan ORDER BY max(ended_at) DESC LIMIT {MOST})
AND state = 'completed' AND value > 0 AND kind IN ({_KINDS}) AND NOT warm
ORDER BY plan, ordinal, started_at"""  # noqa: S608 - no word of it comes from outside


def earlier_ratios(history: History, like: SessionEntry, before: float) -> dict[tuple[str, str], Ratios]:
    """By name and coordinates of a step, of sessions of other plans that had ended before this time.

    What is measured later changes nothing. Of repeated attempts the last one counts.
    """
    values = {key: like[key] for key in ("work_key", "machine_key", "plan")} | {"before": before}
    contenders: dict[str, list[str]] = {}  # of each plan
    measured: dict[tuple[str, str], dict[tuple[str, int], dict[str, tuple[float, str]]]] = {}
    for plan, contender, repeat, name, coordinates, value, marks in history.query(_STEPS, values):
        if contender not in (known := contenders.setdefault(plan, [])):
            known.append(contender)
        if contender in known[:2]:
            rounds = measured.setdefault((name, coordinates), {})
            rounds.setdefault((plan, repeat), {})[contender] = value, marks
    return {step: _ratios(rounds, contenders) for step, rounds in measured.items()}


def _ratios(
    rounds: dict[tuple[str, int], dict[str, tuple[float, str]]], contenders: dict[str, list[str]]
) -> Ratios:
    found: Ratios = {}
    for (plan, _), of_round in rounds.items():
        both = [of_round[each] for each in contenders[plan][:2] if each in of_round]
        if len(both) == 2 and _are_fair(*(marks for _, marks in both)):
            found.setdefault(plan, []).append(both[1][0] / both[0][0])
    return found


@lru_cache(maxsize=256)
def _are_fair(*marks: str) -> bool:
    """Whether nothing went wrong in either, and load disturbed both or none."""
    read = [read_json(each) for each in marks]
    is_alike = all(DISTURBED in each for each in read)
    return not any(spoilt_by(each, is_alike) for each in read)
