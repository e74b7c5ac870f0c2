"""Conditions in a plan: when they are asked, and that plans without them stay as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.protocol.conditions import Condition
from app.protocol.plan import Plan, Step
from tests.plans import plan, unresolved
from tests.sequences import keep_own

BALANCED = [Condition("sums", "the sums are equal", "SELECT 1 FROM a HAVING SUM(b) <> 0")]
LOAD = Step("load", "load", workload="fill", conditions=BALANCED)
INDEX, SETTLE = Step("index", "index", workload="index"), Step("settle", "settle")
READ, WRITE = Step("read", "drive", workload="r"), Step("write", "drive", workload="w", writes=True)
PART = Step("read/a", "drive", beside=True, event_kind="a")


def of(*steps: Step) -> Plan:
    return replace(plan(), steps=list(steps))


def after(found: Plan) -> tuple[list[int], list[int]]:
    """The steps after which a load is over, and those after which its tables are made anew."""
    places = range(len(found.steps))
    return [at for at in places if found.is_loaded_after(at)], [
        at for at in places if found.is_loaded_anew_after(at)
    ]


@pytest.mark.parametrize(
    ("steps", "loaded", "anew"),
    [
        ((LOAD, READ), [0], []),
        ((LOAD, INDEX, SETTLE, READ, PART, WRITE), [2], []),
        ((LOAD, SETTLE), [], []),  # the check after the last step is enough
        ((replace(LOAD, conditions=[]), READ), [], []),
        ((LOAD, SETTLE, READ, PART, LOAD, SETTLE, WRITE), [1, 5], [2, 3]),
        ((LOAD, READ, SETTLE, WRITE), [0], []),
        ((LOAD, READ, replace(LOAD, options={"rows_before": 5}), WRITE), [0, 2], []),
        ((LOAD, READ, replace(LOAD, workload="other"), WRITE), [0, 2], []),
    ],
)
def test_conditions_are_asked_once_a_load_is_over(
    steps: tuple[Step, ...], loaded: list[int], anew: list[int]
) -> None:
    assert after(of(*steps)) == (loaded, anew)


def test_conditions_of_several_loads_are_asked_together() -> None:
    found = of(LOAD, READ, replace(LOAD, workload="other"), LOAD, READ)
    assert [len(found.conditions_until(at)) for at in range(4)] == [1, 1, 2, 2]


def test_a_step_behind_the_load_is_not_repeated_in_place() -> None:
    """The server was restarted for the conditions: its second attempt would find more in its caches."""
    found = of(LOAD, READ, READ)
    assert [found.can_repeat(at) for at in (1, 2)] == [False, True]
    assert of(replace(LOAD, conditions=[]), READ).can_repeat(1)


def test_a_plan_with_conditions_is_read_as_it_was_written() -> None:
    found = of(LOAD, replace(READ, check=True))
    assert Plan.from_json(json.loads(json.dumps(found.to_json()))) == found
    changed = of(replace(LOAD, conditions=[replace(BALANCED[0], sql="SELECT 1")]), *found.steps[1:])
    unchecked = of(LOAD, READ)
    assert len({each.work_key for each in (found, changed, unchecked)}) == 3
    assert len({each.hash for each in (found, changed, unchecked)}) == 3


def test_more_conditions_than_a_journal_may_hold_are_refused() -> None:
    data = json.loads(json.dumps(of(LOAD, READ).to_json()))
    data["steps"][0]["conditions"] *= 101
    with pytest.raises(ValueError, match="conditions"):
        Plan.from_json(data)


def test_a_step_is_checked_at_each_of_its_points(dyno_home: Path) -> None:
    steps = plan(sequence="accounts", tables=1).steps
    assert not any(step.check for step in steps)
    checked = 'workload = "accounts"\nthreads = [1, 2]\ncheck = true'
    keep_own(dyno_home, 'workload = "accounts-load"', checked, 'workload = "accounts"\nname = "b"')
    found = plan(sequence="own")
    assert [step.check for step in found.steps] == [False] * 3 + [True, True, False]
    assert [len(step.conditions) for step in found.steps] == [0, 0, 3, 0, 0, 0]


def test_a_check_without_conditions_is_refused(dyno_home: Path) -> None:
    keep_own(dyno_home, 'workload = "point-query"\ncheck = true')
    said = "step point-query has check = true, and no load before it has conditions: leave it out"
    assert said in unresolved(sequence="own")
