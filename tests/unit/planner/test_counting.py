"""Plans whose instructions are counted: one client, a number of events, each start from the same data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.checks.checks import check_plan
from app.planner.estimate.estimate import estimate
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.plan import COUNT, PREPARING, Plan
from app.protocol.sysbench import command, lua_wrapper_of, seed_of
from tests.plans import MARIADB, contenders, survey
from tests.sequences import keep_own

STEP = 'name = "a"\nworkload = "{}"\ncount = 100'


def resolved(sequence: str = "work", **options: Any) -> Plan:
    given = {"contenders": contenders(MARIADB, "mysql-9.7"), "sequence": sequence, "repeats": 2, **options}
    return resolve(PlanRequest().with_options(**given), survey(), Catalog())


def test_each_start_is_from_the_snapshot_and_the_load_is_not_compared() -> None:
    plan = resolved(order="slices")
    assert plan.counts and (plan.start, plan.order) == ("snapshot", "interleaved")
    counted = [step for step in plan.steps if step.kind == COUNT]
    assert len(counted) == 12 and plan.snapshot_at < plan.steps.index(counted[0])
    for step in counted:
        assert (step.threads, step.seconds, step.unit, step.direction) == (1, 0, "instructions", "lower")
        assert step.is_judged and not step.coordinates and step.events
    assert not any(step.is_judged for step in plan.steps if step.kind in PREPARING)
    assert not resolved("quick").counts


def test_all_starts_do_the_same_work() -> None:
    plan = resolved()
    step = next(each for each in plan.steps if each.kind == COUNT)
    other = replace(plan, id="another")
    assert seed_of(plan, 1, step) == seed_of(plan, 2, step) == seed_of(other, 1, step)
    drive = next(each for each in resolved("quick").steps if each.kind == "drive")
    assert seed_of(plan, 1, drive) != seed_of(plan, 2, drive)
    words = command(step, plan, "innodb", "", [], 5)
    assert (
        "--events=0" in words and words.index("--time=0") and lua_wrapper_of(step, plan) == "dyno-count.lua"
    )
    assert "workloads/dyno-count.lua" in plan.files


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("seconds = 5", "count takes one client and its events: leave seconds out"),
        ("threads = 4", "leave threads out"),
        ("rate = 10", "leave rate out"),
        ("profile = true", "leave profile out"),
    ],
)
def test_what_counting_has_no_use_for_is_refused(dyno_home: Path, more: str, said: str) -> None:
    own = keep_own(dyno_home, f"{STEP.format('point-query')}\n{more}")
    with pytest.raises(InputError, match=said):
        resolved(own)


def test_writes_come_after_all_reads_of_the_same_data() -> None:
    writes = [step.counts_writes for step in resolved().steps if step.kind == COUNT]
    assert writes == sorted(writes) and any(writes)


def test_what_is_no_query_is_not_counted(dyno_home: Path) -> None:
    own = keep_own(dyno_home, STEP.format("scan"))
    with pytest.raises(InputError, match="step a: scan is not a workload of queries, so nothing is counted"):
        resolved(own)


@pytest.mark.parametrize(("found", "state"), [("3.19.0", "pass"), ("", "fail"), (None, None)])
def test_a_target_without_valgrind_is_told_what_to_install(found: str | None, state: str | None) -> None:
    plan, on = resolved(), survey(valgrind=found)
    checks = {each.name: each for each in check_plan(plan, on, estimate(plan, on))}
    assert (checks["valgrind"].state if "valgrind" in checks else None) == state
    if state == "fail":
        assert "apt-get install valgrind" in checks["valgrind"].todo
    assert checks["repeats"].state == "pass" and "2 starts of each" in checks["repeats"].text
    once = resolved(repeats=1)
    found_once = {each.name: each for each in check_plan(once, on, estimate(once, on))}
    assert found_once["repeats"].state == "warn"
