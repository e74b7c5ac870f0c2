"""Roles of a step in a plan: one step each, carried out together; what is refused with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.approval import hash_of
from app.core.errors import InputError
from app.planner.resolve.resolve import resolve
from app.planner.starting.choices import step_choices
from app.planner.starting.sequence_variant import sequence_variant_text
from app.protocol.plan import Plan, Step, step_fields_to_hash
from tests.plans import THREE, contenders, request, survey, write
from tests.sequences import ROLES, TOGETHER, keep_own

LATER = 'name = "later"\nworkload = "point-query"\n'


def planned(home: Path, *steps: str, **options: object) -> Plan:
    return resolve(request(sequence=keep_own(home, *steps), **options), survey(), Catalog())


def roles(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.role]


def test_each_role_is_a_step_that_of_the_figure_first(dyno_home: Path) -> None:
    plan = planned(dyno_home, ROLES, threads=(4,))
    reader, inserter, remover = roles(plan)
    assert [step.name for step in roles(plan)] == ["qr100", "qr100.inserter", "qr100.remover"]
    assert [step.role for step in roles(plan)] == ["reader", "inserter", "remover"]
    assert [step.beside for step in roles(plan)] == [False, True, True]
    assert [step.ends for step in roles(plan)] == [False, True, False]
    assert (reader.seconds, reader.events, reader.cap_s) == (0, 0, 3600)
    assert (inserter.rate, inserter.arrivals, inserter.events) == (100, "each-second", 6000)
    assert (inserter.least_pct, inserter.most_p99_ms, inserter.cap_s) == (95.0, 50.0, 0)
    assert (remover.follows, remover.apart, remover.events, remover.rate) == ("inserter", 8, 0, 0)
    assert reader.options["point_selects"] == 3 and reader.unit == "queries/s" and remover.writes
    assert {step.threads for step in roles(plan)} == {4}
    assert plan.other_roles(plan.steps.index(reader)) == [len(plan.steps) - 2, len(plan.steps) - 1]


def test_where_no_role_has_a_bound_the_figure_s_has_the_seconds_of_the_plan(dyno_home: Path) -> None:
    reader, writer = roles(planned(dyno_home, TOGETHER, seconds=7, warmup=3))
    assert (reader.seconds, reader.ends, reader.warmup) == (7, True, 3)
    assert (writer.seconds, writer.events, writer.ends, writer.warmup) == (0, 0, False, 3)


def test_roles_with_events_have_no_warm_up_unless_the_step_says_one(dyno_home: Path) -> None:
    assert {step.warmup for step in roles(planned(dyno_home, ROLES, warmup=3))} == {0}
    assert {step.warmup for step in roles(planned(dyno_home, "warmup = 2\n" + ROLES))} == {2}


def test_a_role_that_does_not_end_the_step_is_bounded_all_the_same(dyno_home: Path) -> None:
    text = (
        TOGETHER
        + 'seconds = 2\nends = false\n[[step.role]]\nname = "main"\nworkload = "update-index"\nshare = 2\n'
    )
    reader, writer, main = roles(planned(dyno_home, text, seconds=7))
    assert (reader.seconds, reader.ends) == (0, False)
    assert (writer.seconds, writer.ends) == (2, False)
    assert (main.seconds, main.ends) == (14, True)


def test_a_sweep_is_over_the_clients_of_roles_without_their_own(dyno_home: Path) -> None:
    plan = planned(dyno_home, TOGETHER, threads=(1, 8))
    assert [(step.name, step.threads, step.coordinates["threads"]) for step in roles(plan)] == [
        ("together", 1, 1),
        ("together.writer", 3, 1),
        ("together", 8, 8),
        ("together.writer", 3, 8),
    ]
    own = TOGETHER.replace('"point-query"\n', '"point-query"\nthreads = 2\n')
    plan = planned(dyno_home, own, threads=(1, 8))  # nobody has the clients of the plan
    assert [(step.threads, step.coordinates["threads"]) for step in roles(plan)] == [(2, 2), (3, 2)]


def test_a_role_that_follows_has_the_clients_of_the_one_it_follows(dyno_home: Path) -> None:
    text = ROLES.replace("rate = 100\n", "rate = 100\nthreads = 3\n")
    assert [step.threads for step in roles(planned(dyno_home, text, threads=(8,)))] == [8, 3, 3]


def test_roles_vary_with_their_step(dyno_home: Path) -> None:
    variation = '[[step.variation]]\nname = "%s"\nrestart_with = {innodb_read_only = %d}\n'
    plan = planned(dyno_home, TOGETHER + variation % ("a", 0) + variation % ("b", 1))
    assert [step.restart_with["innodb_read_only"] for step in roles(plan)] == [0, 0, 1, 1]
    assert [step.coordinates["variation"] for step in roles(plan)] == ["a", "a", "b", "b"]


def test_tables_are_analysed_once_after_all_roles(dyno_home: Path) -> None:
    plan = planned(dyno_home, ROLES, LATER)
    assert [step.analyse for step in roles(plan)] == [True, False, False]
    assert not any(step.analyse for step in roles(planned(dyno_home, TOGETHER, LATER)))  # the same rows


def test_tables_are_loaded_again_before_all_roles_of_a_point(dyno_home: Path) -> None:
    plan = planned(dyno_home, LATER, 'reload = "each"\n' + TOGETHER, threads=(1, 2))
    names = [step.name for step in plan.steps][3:]
    again = ["load.together", "index.together", "together", "together.writer"]
    assert names == [plan.steps[3].name, *again, *again]


def test_a_ticked_step_has_all_its_roles(dyno_home: Path) -> None:
    plan = planned(dyno_home, ROLES, TOGETHER, steps=("together",), profile=("together",))
    assert [step.name for step in roles(plan)] == ["together", "together.writer"]
    assert [step.profile for step in roles(plan)] == [True, False]
    with pytest.raises(InputError, match=r"no step together.writer"):
        planned(dyno_home, TOGETHER, steps=("together.writer",))
    with pytest.raises(InputError, match=r"step together.writer cannot be profiled"):
        planned(dyno_home, TOGETHER, profile=("together.writer",))


def test_the_plan_has_the_files_that_start_roles(dyno_home: Path) -> None:
    def wrappers(*steps: str, **options: object) -> set[str]:
        names = ("dyno-role", "dyno-load", "dyno-rate")
        files = planned(dyno_home, *steps, **options).files
        return {name for name in names if f"workloads/{name}.lua" in files}

    assert wrappers(ROLES) == {"dyno-role", "dyno-load"}
    assert wrappers(TOGETHER) == {"dyno-role", "dyno-load", "dyno-rate"}
    assert wrappers(LATER) == set()
    assert wrappers(LATER, rate=(5,)) == {"dyno-rate"}
    assert wrappers(LATER, rate=(5,), arrivals="each-second") == {"dyno-role"}


def test_the_plan_s_rates_are_not_those_of_roles(dyno_home: Path) -> None:
    plan = planned(dyno_home, TOGETHER, LATER, rate=(50, 70))
    assert [step.rate for step in roles(plan)] == [0, 10]
    assert [step.rate for step in plan.steps if step.name == "later"] == [50, 70]


def test_keys_contain_roles_and_levels(dyno_home: Path) -> None:
    texts = [
        ROLES,
        ROLES.replace("rate = 95", "rate = 90"),
        ROLES.replace("p99_ms = 50", "p99_ms = 60"),
        ROLES.replace("apart = 8", "apart = 9"),
        ROLES.replace("rate = 100\n", "rate = 200\n"),
        ROLES.replace('"remover"', '"other"'),
        ROLES.replace('figure = "reader"\n', ""),
    ]
    plans = [planned(dyno_home, text) for text in texts]
    assert len({plan.work_key for plan in plans}) == len({plan.hash for plan in plans}) == len(texts)
    assert planned(dyno_home, ROLES).work_key == plans[0].work_key
    assert Plan.from_json(plans[0].to_json()) == plans[0]


def test_a_variant_of_a_sequence_keeps_all_of_its_roles(dyno_home: Path) -> None:
    ending = (
        TOGETHER + "seconds = 2\nends = false\n[[step.role]]\nname = 'main'\nworkload = 'insert'\nshare = 2\n"
    )
    sequence = Catalog().sequence(keep_own(dyno_home, ROLES, "warmup = 0\n" + ending))
    workloads = {each.name: each for each in Catalog().workloads()[0]}
    write(
        dyno_home / "sequences/mine.toml",
        sequence_variant_text(sequence, request(sequence="own"), workloads, "mine"),
    )
    assert Catalog().sequence("mine").steps == sequence.steps


def test_plans_without_roles_say_nothing_of_them(dyno_home: Path) -> None:
    new = {"role", "beside", "ends", "follows", "apart", "least_pct", "most_p99_ms"}
    plan = planned(dyno_home, LATER)
    assert not any(new & set(step_fields_to_hash(step)) for step in plan.steps)


def test_bench_shows_a_step_with_roles_as_one_line(dyno_home: Path) -> None:
    sequence = Catalog().sequence(keep_own(dyno_home, ROLES, TOGETHER))
    workloads = {each.name: each for each in Catalog().workloads()[0]}
    *_, step, together = step_choices(sequence, workloads)
    assert step.title == "reader (read-only), inserter (insert), remover (delete-each)"
    assert step.bound == (
        "reader, inserter (100 events/s each-second, 6,000 events, needs 95% of its rate and p99 under 50"
        " ms), remover (at most 8 behind inserter)"
    )
    assert (together.group, together.is_fixed, together.can_be_profiled) == ("point-query", False, True)
    del workloads["update-index"]
    assert step_choices(sequence, workloads)[-1].title == "cannot read the workload update-index"


# what is refused


def test_roles_do_not_go_with_slices_load_targets_and_counts(dyno_home: Path) -> None:
    two = contenders(*THREE[:2])
    with pytest.raises(
        InputError, match=r"^step together has roles, which the order slices cannot cut: choose"
    ):
        planned(dyno_home, TOGETHER, order="slices", contenders=two)
    with pytest.raises(InputError, match=r"^step together has roles, which load targets do not drive: leave"):
        planned(dyno_home, TOGETHER, load=("far",), load_address="10.0.0.1")
    counting = 'name = "counted"\nworkload = "point-query"\ncount = 100\n'
    with pytest.raises(InputError, match=r"^step together has roles, and instructions are counted of one"):
        planned(dyno_home, TOGETHER, counting)
    assert planned(dyno_home, TOGETHER, LATER, steps=("later",), order="slices", contenders=two)


def test_arrivals_of_each_second_do_not_go_with_load_targets_and_searches(dyno_home: Path) -> None:
    options = {"rate": (5,), "arrivals": "each-second"}
    with pytest.raises(InputError, match=r"^step later has arrivals each-second, which load targets do not"):
        planned(dyno_home, LATER, load=("far",), load_address="10.0.0.1", **options)
    with pytest.raises(InputError, match=r"^step later searches a rate, whose arrivals are poisson or even"):
        planned(dyno_home, LATER + "limit_ms = 5\n", arrivals="each-second")


def test_a_role_is_driven_and_leaves_the_same_rows(dyno_home: Path) -> None:
    with pytest.raises(InputError, match="the role reader needs a workload that is driven, and scan is of"):
        planned(dyno_home, TOGETHER.replace('"point-query"', '"scan"'))
    by_seconds = ROLES.replace("events = 6000", "seconds = 60")
    assert planned(dyno_home, by_seconds)  # nothing reads them
    for text in (by_seconds, TOGETHER.replace('"update-index"', '"insert"')):
        with pytest.raises(InputError, match="changes the number of rows that later steps read: bound it by"):
            planned(dyno_home, text, LATER)


def test_a_time_limit_leaves_roles_the_time_that_they_need(dyno_home: Path) -> None:
    with pytest.raises(InputError, match=r"inserter takes 60 s, and cap_s ends the step after 59 s: choose"):
        planned(dyno_home, ROLES.replace("cap_s = 3600", "cap_s = 59"))
    assert planned(dyno_home, ROLES.replace("cap_s = 3600", "cap_s = 60"))
    with pytest.raises(InputError, match=r"the role reader takes 12 s, and cap_s ends the step after 11 s"):
        planned(dyno_home, "cap_s = 11\n" + TOGETHER, seconds=10, warmup=2)


def test_a_role_needs_what_other_steps_make(dyno_home: Path) -> None:
    with pytest.raises(InputError, match=r"step together.writer needs a step that loads texts"):
        planned(dyno_home, TOGETHER.replace('"update-index"', '"text-search"'))


def test_a_role_whose_lua_does_not_use_dyno_is_refused(dyno_home: Path) -> None:
    head = 'name = "foreign"\ntitle = "Own"\nkind = "drive"\nlua = "foreign.lua"\n'
    write(dyno_home / "workloads/foreign.toml", head)
    write(dyno_home / "workloads/foreign.lua", "function event() end\n")
    approved = {hash_of(Catalog().workload_files(Catalog().workload("foreign")))}
    sequence = keep_own(dyno_home, TOGETHER.replace('"update-index"', '"foreign"'))
    with pytest.raises(InputError, match=r"step together.writer cannot have roles: its Lua does not use"):
        resolve(request(sequence=sequence), survey(), Catalog(), approved)
