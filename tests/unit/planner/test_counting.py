"""Plans whose instructions are counted: one client, a number of events, each start from the same data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.catalog.own_sql import OwnSql, write_sql
from app.core.errors import InputError
from app.history.exchange.publishing import import_shipped
from app.history.store.history import History
from app.planner.checks.checks import check_plan
from app.planner.estimate.estimate import estimate
from app.planner.kinds.counting import STARTS, count_of_sessions, count_request, sequence_that_counts
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.plan import COUNT, PREPARING, Plan
from app.protocol.sysbench import command, lua_wrapper_of, seed_of
from tests import journals
from tests.plans import MARIADB, contenders, survey, write
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


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        ("scan", "scan is of kind scan"),
        ("load", "load is of kind load"),
        ("tencent-read", "reads tables of its own: write a sequence with their load"),
        ("point-qery", "no workload point-qery \\(did you mean point-query"),
    ],
)
def test_a_workload_that_cannot_be_counted_is_refused_by_name(workload: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        sequence_that_counts(workload, Catalog())


def test_a_workload_is_counted_as_work_does_else_with_fewer_events_for_more_statements() -> None:
    work = {step.workload: step for step in Catalog().sequence("work").steps if step.count}
    for name in ("read-only", "points-notcovered-pk", "hot-points", "oltp-ro"):
        plan = resolved(sequence_that_counts(name, Catalog()))
        (step,) = (each for each in plan.steps if each.kind == COUNT)
        usual = max(25, 250 // Catalog().workload(name).queries_per_event)
        assert (step.name, step.workload) == (name, name)
        assert step.events == (work[name].count if name in work else usual)
        assert plan.rows == resolved().rows


def test_custom_sql_is_counted_on_the_tables_of_its_load(dyno_home: Path) -> None:
    write_sql(Catalog(), OwnSql("people", "Reads people"))
    plan = resolved(sequence_that_counts("people", Catalog()))
    assert [each.workload for each in plan.steps if each.workload] == ["people-load", "people"]


def test_a_file_of_that_name_goes_before_the_made_sequence(dyno_home: Path) -> None:
    made = Catalog().sequence("work.read-only").text
    write(dyno_home / "sequences/work.read-only.toml", made.replace("count = 50", "count = 7"))
    assert next(step.count for step in Catalog().sequence("work.read-only").steps if step.count) == 7


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


# of contenders that were measured in another way


def measured(history: History, **options: Any) -> Plan:
    """A plan whose sessions have begun."""
    plan = resolved("quick", **options)
    for turn in plan.turns:
        journals.store(history, journals.Maker(plan, turn.session).begin())
    return plan


def test_the_contenders_of_sessions_are_counted_in_the_workload_of_a_step(history: History) -> None:
    before = measured(history, threads=(4,), seconds=9)
    asked, remark = count_of_sessions(history, [before.id], "point-query")
    plan = resolve(asked, survey(), Catalog())
    assert (asked.sequence, asked.repeats, asked.seconds, remark) == ("work.point-query", STARTS, None, "")
    assert [each.key for each in plan.contenders] == [each.key for each in before.contenders]
    assert all(turn.repeat <= STARTS for turn in plan.turns) and plan.counts


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("load", "load is of kind load: all steps of work are set up."),
        ("", ""),
        ("not there", ""),
    ],
)
def test_a_step_that_cannot_be_counted_gives_way_to_all_of_work(
    history: History, step: str, said: str
) -> None:
    asked, remark = count_of_sessions(history, [measured(history).id], step)
    assert asked.sequence == "work" and remark.endswith(said) and bool(remark) == bool(said)


def test_a_swept_variable_is_counted_with_each_value(history: History) -> None:
    before = measured(history, vary="innodb_adaptive_hash_index=OFF,ON")
    asked, _ = count_of_sessions(history, [before.turns[0].session], before.steps[-1].label)
    assert asked.vary == "innodb_adaptive_hash_index=OFF,ON" and len(asked.contenders) == 1


def test_what_a_person_chose_of_speed_says_nothing_of_a_count() -> None:
    asked = PlanRequest(sequence="quick", threads=(8,), seconds=5, rate=(100,), order="slices", name="mine")
    asked = asked.with_options(contenders=contenders(MARIADB), allow_busy=True)
    found = count_request(asked)
    assert found == PlanRequest(
        name="mine", sequence="work", repeats=STARTS, contenders=asked.contenders, allow_busy=True
    )


def test_published_sessions_have_no_server_to_count(history: History) -> None:
    import_shipped(history)
    with pytest.raises(InputError, match="did not run under Dyno: there is no server to count"):
        count_of_sessions(history, ["innodb-5.6.35-default"])
