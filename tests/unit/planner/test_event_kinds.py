"""Kinds of events in a plan: a step of its own for each, behind the step or the role that has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.resolve.resolve import resolve
from app.protocol.plan import LATER, Plan, Step, step_fields_to_hash
from app.protocol.sysbench import role_options
from tests.plans import THREE, request, survey, write
from tests.sequences import keep_own

MIX = """\
begin weight 45 as new-order
  insert into sbtest1 (k) values (1);
end
begin weight 55 as payment
  update sbtest1 set k = 1 where id = 1;
end
"""
TOML = 'name = "mix"\ntitle = "Mixed"\nkind = "drive"\nsql = "mix.sql"\n'
STEP = 'workload = "mix"\nevents = 100'
BOTH = """\
name = "both"

[[step.role]]
name = "reader"
workload = "point-query"
seconds = 5

[[step.role]]
name = "buyer"
workload = "mix"
rate = 100
"""


def planned_mix(
    home: Path, *steps: str, toml: str = TOML, contenders: tuple[str, ...] = (), **options: object
) -> Plan:
    write(home / "workloads/mix.sql", MIX)
    write(home / "workloads/mix.toml", toml)
    asked = request(*contenders, sequence=keep_own(home, *steps), **options)
    return resolve(asked, survey(), Catalog())


def kinds_of(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.event_kind]


def test_each_kind_is_a_step_behind_that_which_draws_it(dyno_home: Path) -> None:
    plan = planned_mix(dyno_home, STEP + "\nthreads = [8]", 'workload = "point-query"')
    at = next(at for at, step in enumerate(plan.steps) if step.name == "mix")
    assert [step.name for step in plan.steps[at:]] == ["mix", "mix/new-order", "mix/payment", "point-query"]
    kind = plan.steps[at + 1]
    assert (kind.series_key, kind.beside, kind.role, kind.threads) == ("new-order", True, "", 8)
    assert (kind.workload, kind.lua, kind.events, kind.writes) == ("", "", 0, False)
    assert kind.coordinates == plan.steps[at].coordinates and kind.unit == plan.steps[at].unit
    assert plan.together(at) == [plan.steps[at]] and plan.beside(at) == [at + 1, at + 2]
    assert plan.most_clients == 8
    assert Plan.from_json(plan.to_json()) == plan


def test_kinds_stand_behind_their_role(dyno_home: Path) -> None:
    plan = planned_mix(dyno_home, BOTH)
    at = next(at for at, step in enumerate(plan.steps) if step.name == "both")
    names = ["both", "both.buyer", "both.buyer/new-order", "both.buyer/payment"]
    assert [step.name for step in plan.steps[at:]] == names
    assert [step.series_key for step in kinds_of(plan)] == ["buyer/new-order", "buyer/payment"]
    assert [step.role for step in plan.together(at)] == ["reader", "buyer"]
    assert plan.set_rate(at + 2) == 100  # its rate is a share of one that is set: nothing to judge
    assert "--follows=-1" in role_options(1, plan.together(at))


def test_slices_tell_no_kinds_apart(dyno_home: Path) -> None:
    plan = planned_mix(
        dyno_home, 'workload = "mix"\nseconds = 10', order="slices", repeats=1, contenders=THREE[:2]
    )
    assert any(step.sliced for step in plan.steps) and not kinds_of(plan)


def test_plans_without_kinds_say_nothing_of_them(dyno_home: Path) -> None:
    plan = planned_mix(dyno_home, 'workload = "point-query"')
    assert not kinds_of(plan) and "event_kind" in LATER
    assert all("event_kind" not in step_fields_to_hash(step) for step in plan.steps)
    assert not any("dyno-kinds" in name for name in plan.files)


def test_a_kind_and_a_role_of_the_same_name_are_refused(dyno_home: Path) -> None:
    with pytest.raises(InputError, match="payment is a kind of events and a role of this plan: rename one"):
        planned_mix(dyno_home, STEP, BOTH.replace('"reader"', '"payment"'))


@pytest.mark.parametrize(
    ("kinds", "problem"),
    [
        ('["a"]', "are 2 to 20, not 1"),
        (str([f"k{at}" for at in range(21)]), "are 2 to 20, not 21"),
        ('["a", "B"]', "are names of up to 30 lower-case letters, digits and dashes, not 'B'"),
        ('["a", "b/c"]', "are names of"),
        ('["a", "a"]', "names 'a' twice"),
    ],
)
def test_the_kinds_of_a_lua_workload_are_checked(dyno_home: Path, kinds: str, problem: str) -> None:
    head = 'name = "own"\ntitle = "Own"\nlua = "point-query.lua"\n'
    write(dyno_home / "workloads/own.toml", f'{head}kind = "drive"\nkinds = {kinds}\n')
    with pytest.raises(InputError, match=problem):
        Catalog().workload("own")
    write(dyno_home / "workloads/own.toml", f'{head}kind = "scan"\nkinds = ["a", "b"]\n')
    with pytest.raises(InputError, match="are those of a workload that is driven, not of kind scan"):
        Catalog().workload("own")


def test_kinds_of_custom_sql_follow_from_its_blocks(dyno_home: Path) -> None:
    with pytest.raises(InputError, match=r"follows from the statements of mix\.sql: leave it out"):
        planned_mix(dyno_home, STEP, toml=f'{TOML}kinds = ["a", "b"]\n')
