"""Rates of steps: a list or range, their points, and who cannot have one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.checks.rates import rate_checks
from app.planner.estimate.estimate import estimate
from app.planner.request.command_line import command_line
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.resolve.resolve import resolve
from app.protocol.answers import WARN
from app.protocol.plan import Plan, Step, step_fields_to_hash
from app.protocol.sysbench import lua_wrapper_of, options_of
from tests.plans import request, survey
from tests.sequences import keep_own

READS = """\
name = "reads"
workload = "point-query"
threads = [2, 4]
rate = "100..400 x2"
arrivals = "even"

[[step]]
name = "writes"
workload = "update-index"
threads = 2
"""


def planned(sequence: str, **options: object) -> Plan:
    return resolve(request(sequence=sequence, seconds=1, **options), survey(), Catalog())


def points(plan: Plan, name: str) -> list[tuple[int, int, str, object]]:
    steps = [step for step in plan.steps if step.name == name]
    return [(step.threads, step.rate, step.arrivals, step.coordinates.get("rate")) for step in steps]


def test_a_step_runs_at_each_rate(dyno_home: Path) -> None:
    plan = planned(keep_own(dyno_home, READS))
    assert points(plan, "reads") == [
        (threads, rate, "even", rate) for threads in (2, 4) for rate in (100, 200, 400)
    ]
    assert points(plan, "writes") == [(2, 0, "poisson", None)]
    assert "workloads/dyno-rate.lua" in plan.files and "workloads/dyno-schedule.lua" in plan.files


def test_the_rates_of_the_plan_are_those_of_steps_without_their_own(dyno_home: Path) -> None:
    plan = planned(keep_own(dyno_home, READS), rate=(50, 70))
    assert points(plan, "writes") == [(2, rate, "poisson", rate) for rate in (50, 70)]
    assert [each[1] for each in points(plan, "reads")] == [100, 200, 400] * 2
    single = planned(keep_own(dyno_home, READS), rate=(50,), arrivals="even")
    assert points(single, "writes") == [(2, 50, "even", None)]  # nothing is swept


def test_warm_steps_have_the_rate_that_they_say(dyno_home: Path) -> None:
    text = READS.replace('"writes"', '"writes"\nwarm = true')
    assert points(planned(keep_own(dyno_home, text), rate=(50, 70)), "writes") == [(2, 0, "poisson", None)]


def test_a_rate_may_come_each_second(dyno_home: Path) -> None:
    plan = planned(keep_own(dyno_home, READS.replace('"even"', '"each-second"')))
    rated = next(step for step in plan.steps if step.rate)
    assert lua_wrapper_of(rated, plan) == "dyno-role.lua"
    assert "workloads/dyno-role.lua" in plan.files and "workloads/dyno-rate.lua" not in plan.files
    words = options_of(rated, plan, "innodb", "", 1)
    assert "--each-second=100" in words and not any(word.startswith("--arrivals") for word in words)
    assert [replace(rated, threads=threads).sent_rate for threads in (1, 8, 64)] == [100, 104, 128]


def test_what_clients_make_of_a_rate_is_said_before_the_start(dyno_home: Path) -> None:
    plan = planned(keep_own(dyno_home, READS.replace('"even"', '"each-second"').replace("[2, 4]", "[2, 3]")))
    (check,) = rate_checks(plan)  # 201 and 402 of three clients are near enough
    assert check.state == WARN and check.todo == "choose a rate that 3 clients can share equally"
    assert check.text == (
        "step reads asks for 102 events/s each-second (34 by each of 3 clients), where the plan says 100"
    )
    assert [plan.set_rate(at) for at, each in enumerate(plan.steps) if each.rate][-1] == 402
    assert not rate_checks(planned(keep_own(dyno_home, READS)))


def test_plans_without_a_rate_stay_as_they_were(dyno_home: Path) -> None:
    plan = planned("duel")
    assert "workloads/dyno-rate.lua" not in plan.files
    assert "arrivals" not in step_fields_to_hash(plan.steps[-1])
    assert "arrivals" in step_fields_to_hash(Step("a", "drive", rate=3, arrivals="even"))


def test_in_slices_the_gate_keeps_the_schedule(dyno_home: Path) -> None:
    plan = planned(keep_own(dyno_home, READS))
    rated = next(step for step in plan.steps if step.rate)
    assert lua_wrapper_of(rated, plan) == "dyno-rate.lua"
    words = options_of(rated, plan, "innodb", "", 1)
    assert {"--event-rate=100", "--arrivals=even"} <= set(words) and "--rate=100" not in words
    assert lua_wrapper_of(plan.steps[-1], plan) == ""


@pytest.mark.parametrize("arrivals", ["even", "each-second"])
def test_a_request_with_rates_is_written_and_read_again(arrivals: str) -> None:
    text = f'rate = "100..400 x2"\narrivals = "{arrivals}"\n[[contender]]\nbuild = "a"\nengine = "innodb"\n'
    found = plan_request_of_text(text)
    assert found.rate == (100, 200, 400)
    assert plan_request_of_text(plan_file_text(found)) == found
    assert f"--arrivals {arrivals}" in command_line(found) and "--rate 100,200,400" in command_line(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rate = 0", "rate must be between 1 and 10,000,000"),
        ('rate = "fast"', "rate"),
        ("rate = []", "rate"),
        ('arrivals = "odd"', "arrivals must be one of poisson, even"),
    ],
)
def test_impossible_rates_are_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        plan_request_of_text(text)


# searches for a limit

SEARCH = """\
name = "search"
workload = "WORKLOAD"
threads = [2, 4]
limit_ms = 5
"""


def test_a_step_with_a_limit_is_a_search(dyno_home: Path) -> None:
    plan = planned(keep_own(dyno_home, SEARCH.replace("WORKLOAD", "point-query")), rate=(100,))
    found = [step for step in plan.steps if step.name == "search"]
    assert [(step.kind, step.threads, step.rate, step.limit_ms) for step in found] == [
        ("limit", threads, 0, 5.0) for threads in (2, 4)
    ]
    assert {step.cap_s for step in found} == {900} and "rate" not in found[0].coordinates
    assert "workloads/dyno-rate.lua" in plan.files


def test_the_time_of_a_search_is_a_range(dyno_home: Path) -> None:
    plan = planned(keep_own(dyno_home, SEARCH.replace("WORKLOAD", "point-query")))
    found = estimate(plan, survey())
    assert " to " in found.time_text and found.seconds > 2 * 900
    assert "searches for a limit, at most" in found.seconds_text
    assert " to " not in estimate(planned("duel"), survey()).time_text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SEARCH.replace("WORKLOAD", "insert"), "keeps its number of rows"),
        (SEARCH.replace("WORKLOAD", "scan"), "is driven"),
        (SEARCH.replace("WORKLOAD", "point-query") + "rate = 10\n", "leave rate out"),
        (SEARCH.replace("WORKLOAD", "point-query") + "events = 10\n", "leave events out"),
        (SEARCH.replace("WORKLOAD", "point-query").replace("= 5", "= 0"), "limit_ms must be between"),
    ],
)
def test_impossible_searches_are_refused(dyno_home: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        planned(keep_own(dyno_home, text))
