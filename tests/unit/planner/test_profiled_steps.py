"""Steps to profile: in a sequence, in a request, as a command, in the keys of a plan, on Bench."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.catalog import Catalog
from app.planner.request.command_line import command_line
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.resolve.resolve import resolve
from app.planner.starting.draft import Draft
from app.planner.starting.sequence_variant import sequence_variant_text
from tests.plans import plan, request, survey, unresolved, write
from tests.sequences import INDEX, LOAD, own_sequence


def profiled(its_plan: object) -> set[str]:
    return {step.name for step in its_plan.steps if step.profile}  # type: ignore[attr-defined]


def test_a_request_and_a_sequence_name_steps_to_profile(dyno_home: Path) -> None:
    assert profiled(plan()) == set()
    assert profiled(plan(profile=("point-query",))) == {"point-query"}
    steps = (LOAD, INDEX, 'workload = "point-query"\nprofile = true', 'workload = "update-index"')
    write(dyno_home / "sequences/own.toml", own_sequence("own", *steps))
    found = resolve(request(sequence="own", profile=("load",)), survey(), Catalog())
    assert profiled(found) == {"load", "point-query"}


def test_a_step_that_there_is_not_or_that_has_no_clients_is_refused(dyno_home: Path) -> None:
    text = unresolved(profile=("nothing",))
    assert text.startswith("step nothing cannot be profiled: choose one of load, ")
    assert "settle" not in text.partition("choose one of")[2].split(", ")


def test_a_profile_is_other_work_and_a_plan_without_one_has_the_keys_it_had(dyno_home: Path) -> None:
    plain, with_one = plan(), plan(profile=("point-query",))
    assert plain.work_key != with_one.work_key
    assert plain.work_key == replace(plain, steps=[replace(each) for each in plain.steps]).work_key


def test_it_is_written_in_files_and_commands() -> None:
    asked = request(profile=("point-query", "insert"))
    assert plan_request_of_text(plan_file_text(asked)).profile == ("point-query", "insert")
    assert "--profile point-query,insert" in command_line(asked)


def test_a_variant_and_unticked_steps_take_it_along(dyno_home: Path) -> None:
    catalog = Catalog()
    sequence = catalog.sequence("duel")
    asked = request(profile=("point-query",))
    workloads = {each.name: each for each in catalog.workloads()[0]}
    assert sequence_variant_text(sequence, asked, workloads, "mine").count("profile = true") == 1
    others = [step.name for step in sequence.steps if step.name != "point-query"]
    assert Draft(asked).with_steps(others, sequence).request.profile == ()
    assert Draft(asked).with_sequence("quick").request.profile == ()
