"""The plan: what its keys tell apart, and what is refused when it is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.protocol.plan import Contender, Plan, PlannedSession, Step, time_limit_s
from app.protocol.sysbench import seed_of

CONTENDER = Contender(
    "a", "b", "/usr", "/usr/sbin/mariadbd", "MariaDB", "10.11", "f" * 64, "innodb", "default", ""
)
STEP = Step(
    "point-query", "drive", "point-query", lua="point-query.lua", coordinates={"threads": 2}, seconds=5
)
PLAN = Plan(
    "P", "plan", "local", "m", "tiny", [CONTENDER], [STEP], [PlannedSession("S", "s", 0, 1, 1)],
    {"workloads/point-query.lua": "--", "presets/innodb/default.cnf": "[mysqld]"}, 1, 10, 5, 1, 0, [2], 1,
)  # fmt: skip


def test_an_old_plan_without_an_order_is_grouped() -> None:
    data = {key: value for key, value in PLAN.to_json().items() if key != "order"}
    assert Plan.from_json(data).order == "grouped"
    assert Plan.from_json(data).hash == PLAN.hash


def test_a_plan_comes_back_as_it_was() -> None:
    assert Plan.from_json(PLAN.to_json()) == PLAN
    assert Plan.from_json({**PLAN.to_json(), "newer": 1}) == PLAN


@pytest.mark.parametrize(
    "change", [{"name": "other"}, {"build": "other"}, {"preset": "other"}, {"server": "/opt/other"}]
)
def test_no_name_is_part_of_the_contender_key(change: dict[str, Any]) -> None:
    assert replace(CONTENDER, **change).key == CONTENDER.key


@pytest.mark.parametrize(
    "change",
    [
        *({"fingerprint": "0" * 64}, {"engine": "rocksdb"}, {"cnf": "x"}, {"table_options": "x"}),
        *({"cores": "0"}, {"allocator": "jemalloc"}, {"numa": "interleave=all"}, {"memory_limit": 1 << 30}),
    ],
)
def test_what_shapes_the_server_is_part_of_the_contender_key(change: dict[str, Any]) -> None:
    changed = replace(CONTENDER, **change)
    assert changed.key != CONTENDER.key
    assert replace(PLAN, contenders=[changed]).hash != PLAN.hash


def test_a_contender_that_says_nothing_of_its_memory_has_the_key_that_it_always_had() -> None:
    assert CONTENDER.key == "00d7b82b46c7b839573889a70da2df280a0b9e057fb863b0e17d46a96a018335"  # for ever
    assert PLAN.hash == "ba31d8116fecc2f7b8eccb56f08ceb4c6ef2cfbc2b196d312b79c99b25d91ad8"


@pytest.mark.parametrize(
    "change", [{"rows": 11}, {"tables": 2}, {"transport": "loopback"}, {"start": "restarted"}]
)
def test_what_shapes_the_work_is_part_of_the_work_key(change: dict[str, Any]) -> None:
    assert replace(PLAN, **change).work_key != PLAN.work_key


def test_later_fields_of_a_step_shape_the_work_where_they_say_something() -> None:
    assert PLAN.work_key == "de2677cc484c98b8f09009af2ef06fe2980821729147b8907e8a9c8a37748754"  # for ever
    for change in ({"figure": "latency"}, {"rate": 100}, {"analyse": True}):
        assert replace(PLAN, steps=[replace(STEP, **change)]).work_key != PLAN.work_key


def test_contenders_and_presets_are_no_part_of_the_work_key() -> None:
    files = {**PLAN.files, "presets/innodb/default.cnf": "other"}
    assert replace(PLAN, name="other", contenders=[], files=files).work_key == PLAN.work_key
    lua = {**PLAN.files, "workloads/point-query.lua": "other"}
    assert replace(PLAN, files=lua).work_key != PLAN.work_key


def test_the_same_plan_pressed_twice_has_one_hash() -> None:
    again = replace(PLAN, id="Q", turns=[replace(PLAN.turns[0], session="T")])
    assert again.hash == PLAN.hash
    assert replace(PLAN, seconds=6).hash != PLAN.hash


def test_seeds_differ_by_plan_repeat_step_and_process_and_never_by_contender() -> None:
    other = replace(STEP, coordinates={"threads": 4})
    seeds = {
        seed_of(PLAN, 1, STEP),
        seed_of(PLAN, 2, STEP),
        seed_of(PLAN, 1, other),
        seed_of(PLAN, 1, STEP, process=1),
        seed_of(replace(PLAN, id="Q"), 1, STEP),
    }
    assert len(seeds) == 5
    assert all(0 < seed < 2**31 for seed in seeds)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"steps": [{"name": "x", "kind": "dance"}]}, "unknown kind dance"),
        ({"steps": [{"name": "x", "kind": "drive", "beside": True}]}, "step x is beside no other"),
        ({"steps": [{"name": "x", "kind": "drive", "follows": "y"}]}, "step x follows no role of its own"),
        (
            {"turns": [{"session": "S", "name": "s", "contender": 1, "repeat": 1, "ordinal": 1}]},
            "no contender",
        ),
        ({"rows": "many"}, "plan: rows is no whole number"),
        ({"contenders": [{}]}, r"contenders\[0\] lacks `name`"),
        ({"contenders": [3]}, r"contenders\[0\] is no object"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(change: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Plan.from_json({**PLAN.to_json(), **change})


def test_roles_are_carried_out_with_the_first_of_them() -> None:
    reader = Step("a", "drive", role="r", threads=3, seconds=5, warmup=2)
    writer = replace(
        reader, name="a.w", role="w", beside=True, ends=True, seconds=9, follows="r", writes=True
    )
    plan = replace(PLAN, steps=[STEP, reader, writer, replace(writer, name="a.v"), STEP])
    assert [plan.other_roles(at) for at in range(5)] == [[], [2, 3], [3], [], []]
    assert [len(plan.together(at)) for at in range(5)] == [1, 3, 0, 0, 1]
    assert [plan.declared_s(at) for at in (1, 2, 3)] == [9 + 2, 0, 0]
    assert time_limit_s(plan.together(1)) == 9 + 2 and time_limit_s([STEP]) == 5
    assert plan.most_clients == 9 and not plan.can_repeat(1)
    assert not reader.writes and [plan.writes(at) for at in (0, 1, 4)] == [STEP.writes, True, STEP.writes]
    assert Plan.from_json(plan.to_json()) == plan


def test_the_time_of_a_step_is_that_of_the_roles_it_waits_for() -> None:
    reader = Step("a", "drive", role="r", seconds=0)
    writer = Step("a.w", "drive", role="w", beside=True, ends=True, seconds=90)
    assert time_limit_s([replace(reader, seconds=5, ends=True), writer]) == 90
    assert time_limit_s([reader, writer, replace(writer, seconds=0, events=100)]) == 0
    assert time_limit_s([replace(reader, cap_s=60), replace(writer, seconds=0, events=100)]) == 60
    assert time_limit_s([Step("l", "load", events=10)]) == 0


def test_plans_of_another_dyno_have_roles_or_none() -> None:
    """An older one knows no roles, a newer one says more of a role."""
    writer = replace(STEP, name="a.w", role="w", beside=True, ends=True)
    data = replace(PLAN, steps=[replace(STEP, role="r"), writer]).to_json()
    newer = {**data, "steps": [{**each, "of_tomorrow": [1]} for each in data["steps"]]}
    assert Plan.from_json(newer) == Plan.from_json(data)
    of_roles = ("role", "beside", "ends", "follows", "apart", "least_pct", "most_p99_ms")
    older = {**data, "steps": [{k: v for k, v in data["steps"][0].items() if k not in of_roles}]}
    (step,) = Plan.from_json(older).steps
    assert step == STEP and Plan.from_json(older).hash == PLAN.hash
