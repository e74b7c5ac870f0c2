"""Sweeps: threads x cores x one more variation, and the CPUs that core sets are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.estimate.estimate import estimate
from app.planner.estimate.guesses import SERVER_S
from app.planner.request.command_line import command_line
from app.planner.request.cores import CoreSet
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.planner.starting.choices import step_choices
from app.planner.starting.sequence_variant import sequence_variant_text
from app.protocol.cpus import as_text, cpu_set_of_text
from app.protocol.plan import Plan, Step, step_fields_to_hash
from tests.plans import MARIADB, request, survey, write
from tests.sequences import keep_own
from tests.unit.agent.test_topology import recorded

FOUR = [[[0, 2], [1, 3]]]  # two cores of two threads
SWEPT = """\
[[step]]
name = "points"
workload = "point-query"
threads = [1, 8]
cores = [4, 2]

[[step.variation]]
name = "plain"

[[step.variation]]
name = "patient"
variables = {innodb_spin_wait_delay = 96}

[[step.variation]]
name = "read-only"
restart_with = {innodb_read_only = true}
"""


def own(home: Path, steps: str, top: str = "") -> str:
    return keep_own(home, steps.removeprefix("[[step]]\n"), top=top)


def planned(sequence: str, nodes: Any = FOUR, **options: Any) -> Plan:
    return resolve(request(sequence=sequence, seconds=1, **options), survey(topology=nodes), Catalog())


def refused(sequence: str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        planned(sequence, **options)
    return str(caught.value)


def points(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.kind == "drive"]


# the points


def test_server_and_load_have_cpus_of_their_own() -> None:
    """Whole cores: threads of one core would share it."""
    threads = [[[0, 4], [1, 5], [2, 6], [3, 7]]]
    found = resolve(request(cpus="own", seconds=1), survey(topology=threads), Catalog())
    driven = {
        (step.cores, step.load_cores, step.shared_cores) for step in found.steps if step.kind == "drive"
    }
    assert driven == {("0-1,4-5", "2-3,6-7", False)}
    assert {step.cores for step in found.steps if step.kind in ("load", "index", "settle")} == {""}
    assert not any("cores" in step.coordinates for step in found.steps)
    assert found.work_key != resolve(request(seconds=1), survey(topology=threads), Catalog()).work_key
    swept = resolve(request(cpus="own", cores=[2], seconds=1), survey(topology=threads), Catalog())
    assert {step.cores for step in swept.steps if step.kind == "drive"} == {"0-1"}
    for nodes in ([[[0]]], [[[0, 1]]], []):
        with pytest.raises(InputError, match="cannot get separate CPUs"):
            resolve(request(cpus="own"), survey(topology=nodes), Catalog())


def test_points_vary_threads_most_often_and_what_costs_a_restart_least(dyno_home: Path) -> None:
    steps = points(planned(own(dyno_home, SWEPT)))
    assert [step.label for step in steps[:5]] == [
        "points cores=4 threads=1 variation=plain",
        "points cores=4 threads=8 variation=plain",
        "points cores=2 threads=1 variation=plain",
        "points cores=2 threads=8 variation=plain",
        "points cores=4 threads=1 variation=patient",
    ]
    assert len(steps) == len({step.label for step in steps}) == 12
    assert [step.variables for step in steps] == [{}] * 4 + [{"innodb_spin_wait_delay": 96}] * 4 + [{}] * 4
    assert [step.restart_with for step in steps] == [{}] * 8 + [{"innodb_read_only": True}] * 4
    assert {(step.cores, step.load_cores, step.shared_cores) for step in steps} == {
        ("0-3", "0-3", True),
        ("0-1", "2-3", True),
    }


def test_what_is_not_swept_is_no_coordinate(dyno_home: Path) -> None:
    found = planned(own(dyno_home, '[[step]]\nworkload = "point-query"\n'))
    assert [step.coordinates for step in found.steps] == [{}, {}, {"threads": 1}]
    assert {(step.cores, step.load_cores) for step in found.steps} == {("", "")}


def test_core_sets_of_plan_and_sequence_are_those_of_what_is_compared(dyno_home: Path) -> None:
    steps = '[[step]]\nname = "w"\nworkload = "point-query"\nwarm = true\n\n[[step]]\nworkload = "scan"\n'
    name = own(dyno_home, steps, top="cores = [2, 1]")
    assert [step.coordinates.get("cores") for step in planned(name).steps] == [None, None, None, 2, 1]
    assert [step.coordinates.get("cores") for step in planned(name, cores=[4]).steps] == [None] * 3 + [4]
    again = plan_request_of_text(plan_file_text(request(cores=[2, 1])))
    assert again.cores == (2, 1)


def test_a_plan_varies_a_variable_where_a_step_varies_nothing_itself(dyno_home: Path) -> None:
    others = '[[step]]\nname = "w"\nworkload = "point-query"\nwarm = true\n\n[[step]]\nworkload = "scan"\n\n'
    name = own(dyno_home, others + SWEPT)
    steps = planned(name, vary="innodb_spin_wait_delay = 6,96").steps
    scans = [step for step in steps if step.kind == "scan"]
    assert [step.coordinates["variation"] for step in scans] == [
        "innodb_spin_wait_delay-6",
        "innodb_spin_wait_delay-96",
    ]
    assert [step.variables for step in scans] == [{"innodb_spin_wait_delay": n} for n in (6, 96)]
    assert not any(step.variables for step in steps if step.warm)
    assert {step.coordinates.get("variation") for step in steps if step.name == "points"} == {
        "plain",
        "patient",
        "read-only",
    }
    asked = request(vary="sync_binlog=0,1")
    assert plan_request_of_text(plan_file_text(asked)) == asked
    assert "--vary sync_binlog=0,1" in command_line(asked)


def test_values_and_threads_are_varied_over_a_range(dyno_home: Path) -> None:
    text = '[[step]]\nname = "points"\nworkload = "point-query"\nthreads = "1..4 x2"\n'
    steps = points(planned(own(dyno_home, text), vary="sync_binlog=0, 10..20 +10"))
    assert {step.coordinates["threads"] for step in steps} == {1, 2, 4}
    assert [step.variables["sync_binlog"] for step in steps][::3] == [0, 10, 20]
    wrong = own(dyno_home, text.replace("1..4", "4..1"))
    assert "threads 4..1x2: a range goes up" in refused(wrong)


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ("innodb_spin_wait_delay", "vary must be like innodb_spin_wait_delay=6,96"),
        ("sync_binlog=", "vary must be like"),
        ("sync_binlog=1;2", "vary must be like"),
        ("sync_binlog=[0-3]", "vary must be like"),
        ("sync_binlog=9-1", "vary: 9-1: a range goes up"),
        ("datadir=a,b", "datadir is set by Dyno"),
        ("sync_binlog=0,1,0", "vary: sync_binlog names 0 twice"),
    ],
)
def test_what_cannot_be_varied_is_refused(vary: str, said: str) -> None:
    assert said in refused("duel", vary=vary)


def test_a_restart_is_part_of_the_estimate(dyno_home: Path) -> None:
    plan = planned(own(dyno_home, SWEPT))
    plain = planned(own(dyno_home, SWEPT.replace("restart_with", "variables")))
    found, without = estimate(plan, survey()), estimate(plain, survey())
    assert found.seconds - without.seconds == pytest.approx(SERVER_S)
    assert found.declared_s == 12 * (1 + 5)


def test_a_variation_may_change_options_of_its_workload(dyno_home: Path) -> None:
    step = '[[step]]\nworkload = "read-only"\n\n[[step.variation]]\nname = "{}"\noptions = {{{} = true}}\n'
    steps = points(planned(own(dyno_home, step.format("bare", "skip_trx"))))
    assert [each.options["skip_trx"] for each in steps] == [True]
    assert "has no option x" in refused(own(dyno_home, step.format("bare", "x")))


def test_a_sweep_comes_back_from_a_variant_of_the_sequence(dyno_home: Path) -> None:
    name = own(dyno_home, SWEPT, top="cores = [1]")
    catalog = Catalog()
    sequence = catalog.sequence(name)
    text = sequence_variant_text(
        sequence, PlanRequest(), {each.name: each for each in catalog.workloads()[0]}, "mine"
    )
    write(dyno_home / "sequences/mine.toml", text)
    again = Catalog().sequence("mine")
    assert (again.cores, again.steps) == (sequence.cores, sequence.steps)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cores = [4, 2]", "cores = []", "line 14: cores must not be empty"),
        ("cores = [4, 2]", "cores = [0]", "line 14: cores must be between 1 and 4,096"),
        (
            'name = "patient"',
            'name = "plain"',
            "line 20: name 'plain' is the name of an earlier variation too",
        ),
        ('name = "patient"', 'name = "two words"', "line 20: name may have lower-case letters"),
        ('name = "patient"\n', "", "line 19: name is missing"),
        ("variables = {innodb_spin_wait_delay", "variables = {datadir", "datadir is set by Dyno"),
        ("variables = {innodb_spin_wait_delay", 'variables = {"a b"', "is not a variable name"),
        ("= 96}", "= [1]}", "must be a number, a plain word"),
        ("= 96}", '= "x\'; DROP"}', "must be a number, a plain word"),
        (
            "restart_with = {innodb_read_only",
            "restart_with = {init_file",
            "line 25: init_file is set by Dyno",
        ),
        (
            "restart_with = {innodb_read_only",
            "restarts = {innodb_read_only",
            "line 25: restarts is not known",
        ),
    ],
)
def test_a_sweep_that_cannot_be_is_told_with_line_and_key(
    dyno_home: Path, old: str, new: str, said: str
) -> None:
    assert said in refused(own(dyno_home, SWEPT.replace(old, new, 1)))


def test_a_sweep_is_told_beside_its_step(dyno_home: Path) -> None:
    sequence = Catalog().sequence(own(dyno_home, SWEPT))
    found = step_choices(sequence, {each.name: each for each in Catalog().workloads()[0]})
    assert found[-1].bound == "threads 1, 8, cores 4, 2, 3 variations"


# core sets


def test_core_sets_of_a_recorded_machine_of_32_cores() -> None:
    nodes = recorded()
    first = CoreSet.of(8, nodes)
    assert (first.server, first.shared) == (as_text(range(0, 32, 4)), False), "one socket, no siblings"
    assert not cpu_set_of_text(first.load) & {cpu % 32 for cpu in cpu_set_of_text(first.server)}
    assert len(cpu_set_of_text(first.load)) == 48, "nothing that shares a core with the server"
    whole = CoreSet.of(32, nodes)
    assert (whole.server, whole.load, whole.shared) == ("0-31", "32-63", True)
    assert CoreSet.of(64, nodes) == CoreSet("0-63", "0-63", True)
    sizes = [len(cpu_set_of_text(CoreSet.of(count, nodes).server)) for count in (32, 24, 16, 8, 4)]
    assert sizes == [32, 24, 16, 8, 4]


@given(st.integers(1, 64))
def test_a_larger_core_set_holds_the_smaller_one(count: int) -> None:
    nodes = recorded()
    assert cpu_set_of_text(CoreSet.of(count, nodes).server) >= cpu_set_of_text(
        CoreSet.of(max(1, count - 1), nodes).server
    )


@pytest.mark.parametrize(("count", "said"), [(1, ("0", "1", False)), (2, ("0-1", "0-1", True))])
def test_core_sets_of_two_cpus(count: int, said: tuple[str, str, bool]) -> None:
    found = CoreSet.of(count, [[[0], [1]]])
    assert (found.server, found.load, found.shared) == said


def test_what_the_machine_has_not_is_refused(dyno_home: Path) -> None:
    name = own(dyno_home, '[[step]]\nworkload = "point-query"\n', top="cores = [32]")
    said = refused(name)
    assert said.startswith("the sequence sets cores 32: the target has 2 with 4 CPUs;")
    assert "survey it again" in refused(name, nodes=[])
    asked = refused(name, cores=[8])
    assert asked.startswith("a server with 8 cores: the target has 2 with 4 CPUs; choose fewer cores")


def test_a_sequence_goes_as_far_as_the_machine(dyno_home: Path) -> None:
    """Its larger core sets are for larger machines; those that a plan asks for are all to be had."""
    steps = '[[step]]\nworkload = "point-query"\n\n'
    steps += '[[step]]\nname = "own"\nworkload = "point-query"\ncores = [16, 1]\n'
    name = own(dyno_home, steps, top="cores = [32, 4, 2]")
    found = [(step.name, step.coordinates["cores"]) for step in planned(name).steps if step.cores]
    assert found == [("point-query", 4), ("point-query", 2), ("own", 1)]


def test_core_sets_are_numbers_of_cores_or_cpus(dyno_home: Path) -> None:
    name = own(dyno_home, '[[step]]\nworkload = "point-query"\n')
    found = points(planned(name, cores=(2, "1,3", "0-2:2", "0-3")))
    assert [(step.label, step.cores, step.load_cores, step.shared_cores) for step in found] == [
        ("point-query cores=2 threads=1", "0-1", "2-3", True),
        ("point-query cpus=1,3 threads=1", "1,3", "0,2", False),
        ("point-query cpus=0,2 threads=1", "0,2", "1,3", False),
        ("point-query cpus=0-3 threads=1", "0-3", "0-3", True),
    ]
    keys = {planned(name, cores=cores).work_key for cores in ((2,), ("0-1",), ("0,1",))}
    assert len(keys) == 2, "CPUs are other work than a number of cores, and the same however written"


def test_cpus_of_a_core_set_must_be_there(dyno_home: Path) -> None:
    name = own(dyno_home, '[[step]]\nworkload = "point-query"\n')
    assert refused(name, cores=["2-5"]) == "a server on CPUs 2-5: the target has 0-3; choose other CPUs"
    assert refused(name, cores=[0, 1]).endswith("not 0; CPUs go into brackets: [0-3]")
    assert "must be numbers of cores, or CPUs in brackets" in refused(name, cores=["0-x"])
    assert refused(name, cores=[4097]).startswith("--cores must be between 1 and 4,096, not 4097")
    elsewhere = own(dyno_home, '[[step]]\nworkload = "point-query"\n', top='cores = ["0-1", "4-7"]')
    assert [step.cores for step in points(planned(elsewhere))] == ["0-1"], "as far as the target goes"


def test_core_sets_are_written_as_they_are_read(dyno_home: Path) -> None:
    name = own(dyno_home, '[[step]]\nworkload = "point-query"\n')
    made = request(sequence=name, cores=(2, "0,2"))
    assert plan_request_of_text(plan_file_text(made)) == made
    assert plan_request_of_text('sequence = "duel"\ncores = "4, [0-3]"').cores == (4, "0-3")
    assert "--cores '2,[0,2]'" in command_line(made)
    with pytest.raises(InputError, match=r"line 2.*cores must be numbers of cores"):
        plan_request_of_text('sequence = "duel"\ncores = ["x"]')


def test_a_contender_with_cores_of_its_own_is_not_given_others(dyno_home: Path) -> None:
    name = own(dyno_home, SWEPT)
    contender = {"build": MARIADB, "engine": "innodb", "cores": "0-1"}
    text = f'sequence = "{name}"\nseconds = 1\n[[contender]]\n' + "".join(
        f'{key} = "{value}"\n' for key, value in contender.items()
    )
    with pytest.raises(InputError, match="sets cores 0-1"):
        resolve(plan_request_of_text(text), survey(topology=FOUR), Catalog())


def test_lists_of_cpus() -> None:
    assert as_text([3, 1, 2, 8, 2]) == "1-3,8"
    assert as_text([]) == ""
    assert cpu_set_of_text("0-3,8") == {0, 1, 2, 3, 8}


@given(st.sets(st.integers(0, 300)))
def test_a_list_of_cpus_comes_back(cpus: set[int]) -> None:
    assert cpu_set_of_text(as_text(cpus)) == cpus


def test_steps_without_conditions_keep_the_work_key_that_they_had() -> None:
    said = step_fields_to_hash(Step("point-query", "drive"))
    assert not {"cores", "load_cores", "shared_cores", "variables", "restart_with", "key_caches"} & set(said)
    assert "cores" in step_fields_to_hash(Step("point-query", "drive", cores="0-3"))
