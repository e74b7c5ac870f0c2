"""The canary: long plans have one, of the build that the target's own packages brought where there is one."""

from __future__ import annotations

from app.catalog import Catalog
from app.planner.estimate.estimate import estimate
from app.planner.kinds.canary import CANARY_S, LONG_S, estimated_with_canary
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan
from tests.plans import MARIADB, VERSION, build, request, survey

MYSQL = build("mysql-9.7.4", "MySQL", "9.7.4", ["innodb"])
SYSTEM = {**build(MARIADB, "MariaDB", VERSION, ["innodb", "rocksdb"]), "base": "/usr"}
BARE = build("mysql-5.6.24", "MySQL", "5.6.24", ["myisam"])


def plan_of(seconds: int, *builds: dict[str, object]) -> tuple[Plan, float]:
    there = survey(builds=list(builds))
    engine = "innodb" if builds[0] is not BARE else "myisam"
    plan = resolve(request(f"{builds[0]['name']}:{engine}", seconds=seconds), there, Catalog())
    planned, found = estimated_with_canary(plan, there)
    return planned, found.seconds - estimate(plan, there).seconds


def test_a_short_plan_has_none() -> None:
    plan, more = plan_of(5, MYSQL, SYSTEM)
    assert (plan.canary, more) == ([], 0)


def test_a_long_one_is_measured_with_the_build_that_changes_least() -> None:
    plan, more = plan_of(LONG_S, MYSQL, SYSTEM)
    (canary,) = plan.canary
    assert (canary.build, canary.engine) == (MARIADB, "innodb")
    assert more == CANARY_S * len(plan.turns)
    assert Plan.from_json(plan.to_json()) == plan


def test_without_a_system_build_one_of_the_plan_comes_first() -> None:
    other = build("mariadb-11.4", "MariaDB", "11.4.2", ["innodb"])
    plan, _ = plan_of(LONG_S, MYSQL, other)
    assert plan.canary[0].build == "mysql-9.7.4"


def test_where_no_build_can_be_one_there_is_none() -> None:
    assert plan_of(LONG_S, BARE)[0].canary == []


def test_the_parts_of_an_estimate_come_to_its_whole() -> None:
    there = survey(builds=[SYSTEM])
    plan = resolve(request(f"{MARIADB}:innodb", seconds=LONG_S), there, Catalog())
    found = estimated_with_canary(plan, there)[1]
    assert found.seconds == found.declared_s + found.guessed_s + found.canary_s
    assert f"; {CANARY_S * len(plan.turns)} s for the canary before each session" in found.seconds_text
    assert "canary" not in estimate(plan, there).seconds_text


def test_a_canary_is_no_part_of_what_is_compared() -> None:
    plan, _ = plan_of(LONG_S, SYSTEM)
    bare = Plan.from_json({**plan.to_json(), "canary": []})
    assert (bare.work_key, bare.contenders[0].key) == (plan.work_key, plan.contenders[0].key)
