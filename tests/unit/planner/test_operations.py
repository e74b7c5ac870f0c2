"""Operations beside roles in a plan: the operation first, its roles for the same time; what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.estimate.estimate import estimate
from app.planner.resolve.resolve import resolve
from app.planner.starting.choices import step_choices
from app.planner.starting.sequence_variant import sequence_variant_text
from app.protocol.plan import LATER, OPERATIONS, Plan, Step, step_fields_to_hash
from app.protocol.sysbench import lua_environment
from tests.plans import THREE, contenders, request, survey, write
from tests.sequences import TOGETHER, keep_own

OPERATION = 'name = "{0}"\nkind = "{0}"\nafter = 7\nseconds = 9\n'
ALTER = 'statement = "ALTER TABLE {table} FORCE"\n'
WRITER = '[[step.role]]\nname = "writer"\nworkload = "update-index"\n'
LEDGER = '[[step.role]]\nname = "ledger"\nworkload = "ledger"\nthreads = 2\n'
KILL = OPERATION.format("kill") + WRITER + LEDGER
AFTERWARDS = 'name = "later"\nworkload = "point-query"\n'


def plan_of(home: Path, *steps: str, **options: object) -> Plan:
    return resolve(request(sequence=keep_own(home, *steps), **options), survey(), Catalog())


def group(plan: Plan) -> list[Step]:
    index = next(at for at, step in enumerate(plan.steps) if step.is_operation)
    return plan.together(index)


def test_the_operation_comes_first_and_all_roles_work_as_long(dyno_home: Path) -> None:
    plan = plan_of(dyno_home, KILL, threads=(4,), warmup=3)
    kill, writer, ledger = group(plan)
    assert [step.name for step in group(plan)] == ["kill", "kill.writer", "kill.ledger"]
    assert [step.beside for step in group(plan)] == [False, True, True]
    assert (kill.kind, kill.unit, kill.direction, kill.threads, kill.role) == ("kill", "s", "lower", 0, "")
    assert (kill.after, kill.seconds, kill.warmup, kill.again_after_ms) == (7, 9, 3, 0)
    assert kill.is_judged and not kill.workload and not kill.lua
    for role in (writer, ledger):
        assert (role.kind, role.seconds, role.warmup, role.ends) == ("drive", 16, 3, True)
    assert (writer.threads, ledger.threads, plan.most_clients) == (4, 2, 6)
    at = plan.steps.index(kill)
    assert plan.roles(at) == [writer, ledger] and plan.declared_s(at) == 19


def test_a_ddl_says_what_it_sends_and_its_roles_begin_again_where_the_table_has_changed(
    dyno_home: Path,
) -> None:
    text = f'{ALTER}algorithm = "INSTANT"\ncap_s = 90\n{WRITER}'
    ddl, writer = group(plan_of(dyno_home, OPERATION.format("ddl") + text))
    assert (ddl.kind, ddl.unit, ddl.figure, ddl.cap_s) == ("ddl", "s", "time", 90)
    assert (ddl.statement, ddl.algorithm) == ("ALTER TABLE {table} FORCE", "INSTANT")
    assert {1412, 1615} <= set(writer.ignore_errors) and writer.cap_s == 0
    (kill, *_) = group(plan_of(dyno_home, KILL))
    assert kill.cap_s == 0 and kill.statement == ""


def test_a_backup_needs_room_for_itself_and_for_what_is_restored(dyno_home: Path) -> None:
    plan = plan_of(dyno_home, OPERATION.format("backup") + 'tool = "dump"\n' + WRITER)
    backup, writer = group(plan)
    assert (backup.kind, backup.tool, backup.cap_s) == ("backup", "dump", 3600)
    assert not {1412, 1615} & set(writer.ignore_errors)
    (size,) = estimate(plan, survey()).contenders
    server = size.parts["redo"] + size.parts["system"]  # of one that is started on it
    assert size.parts["binary log"] > 0  # it has one too
    assert size.parts["backup"] - server == pytest.approx(3 * size.data_bytes, rel=0.1)
    (plain,) = estimate(plan_of(dyno_home, KILL), survey()).contenders
    assert "backup" not in plain.parts


def test_without_seconds_of_its_own_it_has_those_of_the_plan(dyno_home: Path) -> None:
    text = 'name = "kill"\nkind = "kill"\n' + WRITER
    kill, writer = group(plan_of(dyno_home, text, seconds=25))
    assert (kill.after, kill.seconds, writer.seconds) == (25, 25, 50)


def test_a_restart_beside_roles_is_an_operation_and_one_alone_is_not(dyno_home: Path) -> None:
    plan = plan_of(dyno_home, OPERATION.format("restart") + WRITER, 'name = "alone"\nkind = "restart"')
    beside, *_, alone = [step for step in plan.steps if step.kind == "restart"]
    assert beside.is_operation and beside.is_judged
    assert not alone.is_operation and not alone.is_judged


def test_a_cold_restart_has_a_point_with_a_dump_of_the_pool_and_one_without() -> None:
    plan = resolve(request(sequence="cold-start"), survey(), Catalog())
    restarts = [step for step in plan.steps if step.is_operation]
    assert [step.coordinates["variation"] for step in restarts] == ["without-dump", "with-dump"]
    assert all(step.cold and step.kind == "restart" for step in restarts)
    assert [set(step.restart_with.values()) for step in restarts] == [{False}, {True}]


def test_variables_are_options_as_those_of_a_server_go_with_it(dyno_home: Path) -> None:
    plan = plan_of(dyno_home, KILL, vary="innodb_log_file_size=50331648,1073741824")
    kills = [step for step in plan.steps if step.is_operation]
    assert [step.restart_with for step in kills] == [
        {"innodb_log_file_size": 50331648},
        {"innodb_log_file_size": 1073741824},
    ]
    assert not any(step.variables for step in plan.steps)
    assert [step.label for step in kills] == [
        "kill threads=1 variation=innodb_log_file_size-50331648",
        "kill threads=1 variation=innodb_log_file_size-1073741824",
    ]


def test_only_its_roles_connect_anew(dyno_home: Path) -> None:
    plan = plan_of(dyno_home, KILL, AFTERWARDS)
    assert "workloads/dyno-reconnect.lua" in plan.files
    assert "workloads/dyno-reconnect.lua" not in plan_of(dyno_home, TOGETHER).files
    _, writer, _ = group(plan)
    plain, anew = lua_environment(writer, plan), lua_environment(writer, plan, reconnects=True)
    assert (plain["DYNO_ROLE"], anew["DYNO_ROLE"]) == ("update", "dyno-reconnect")
    assert anew["DYNO_RECONNECTED"] == "update" and "DYNO_RECONNECTED" not in plain
    rated = lua_environment(replace(writer, rate=9), plan, reconnects=True)
    assert rated["DYNO_WORKLOAD"] == "dyno-reconnect"


def test_a_step_after_it_meets_cold_caches(dyno_home: Path) -> None:
    plan = plan_of(dyno_home, KILL, AFTERWARDS, AFTERWARDS.replace("later", "last"))
    names = {step.name: at for at, step in enumerate(plan.steps)}
    assert (plan.can_repeat(names["later"]), plan.can_repeat(names["last"])) == (False, True)


def test_plans_without_operations_say_nothing_of_them(dyno_home: Path) -> None:
    new = {"after", "statement", "algorithm", "tool", "again_after_ms", "cold"}
    assert new < set(LATER)
    assert not any(new & set(step_fields_to_hash(step)) for step in plan_of(dyno_home, TOGETHER).steps)


def test_it_is_read_back_as_it_was_and_not_without_its_roles(dyno_home: Path) -> None:
    plan = plan_of(dyno_home, KILL)
    assert Plan.from_json(plan.to_json()) == plan
    for steps in (plan.steps[:-2], [replace(each, figure="rate") for each in plan.steps]):
        with pytest.raises(ValueError, match="plan: step kill is an operation without roles"):
            Plan.from_json(replace(plan, steps=steps).to_json())


def test_a_variant_of_a_sequence_keeps_its_operations(dyno_home: Path) -> None:
    cold = OPERATION.format("restart") + "cold = true\n" + WRITER
    sequence = Catalog().sequence(keep_own(dyno_home, KILL + "\n", cold))
    workloads = {each.name: each for each in Catalog().workloads()[0]}
    text = sequence_variant_text(sequence, request(sequence="own"), workloads, "mine")
    write(dyno_home / "sequences/mine.toml", text)
    assert Catalog().sequence("mine").steps == sequence.steps


def test_bench_shows_it_as_one_line(dyno_home: Path) -> None:
    sequence = Catalog().sequence(keep_own(dyno_home, KILL))
    *_, kill = step_choices(sequence, {each.name: each for each in Catalog().workloads()[0]})
    assert kill.title == "kill beside writer (update-index), ledger (ledger)"
    assert kill.bound == "writer, ledger (2 threads), after 7 s, 9 s"
    assert (kill.group, kill.is_fixed, kill.can_be_profiled) == ("kill", False, False)


# what is refused


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('name = "kill"\nkind = "kill"', "kill needs a role beside it"),
        ('name = "backup"\nkind = "backup"', "backup needs a role beside it"),
        (OPERATION.format("ddl") + WRITER, "statement must add a column or an index to {table}"),
        (OPERATION.format("backup") + 'tool = "rsync"\n' + WRITER, "tool"),
        (OPERATION.format("backup") + 'algorithm = "COPY"\n' + WRITER, "is of a step of kind ddl"),
        (OPERATION.format("kill") + 'tool = "dump"\n' + WRITER, "is of a step of kind backup"),
        (OPERATION.format("kill") + "cap_s = 9\n" + WRITER, "is not of a step with a kill"),
        (AFTERWARDS + "after = 5", "is of an operation beside roles: leave it out"),
        (TOGETHER.replace("\n", "\nafter = 5\n", 1), "is of an operation beside roles: leave it out"),
        (
            OPERATION.format("restart") + "again_after_ms = 5\n" + WRITER,
            "is of a step of kind kill: leave it out",
        ),
        (OPERATION.format("kill") + "cold = true\n" + WRITER, "is of a step of kind restart: leave it out"),
        (AFTERWARDS + "cold = true", "is of an operation beside roles: leave it out"),
        (OPERATION.format("kill") + "profile = true\n" + WRITER, "is not of a step with a kill"),
        (OPERATION.format("kill") + "rate = 5\n" + WRITER, "is not of a step with roles"),
        (KILL + "seconds = 4\n", "is not of a role beside a kill: all end with their step"),
        (KILL + 'follows = "writer"\napart = 4\n', "is not of a role beside a kill: all end with their step"),
    ],
)
def test_what_an_operation_cannot_have_is_refused(dyno_home: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        plan_of(dyno_home, text)


def test_rows_that_later_steps_read_stay_as_many(dyno_home: Path) -> None:
    inserting = OPERATION.format("kill") + WRITER.replace("update-index", "insert")
    assert plan_of(dyno_home, inserting)
    with pytest.raises(InputError, match="and each contender has others after a kill: choose another"):
        plan_of(dyno_home, inserting, AFTERWARDS)


def test_a_step_has_one_ledger(dyno_home: Path) -> None:
    with pytest.raises(InputError, match="step kill: two roles cannot keep one ledger"):
        plan_of(dyno_home, KILL + LEDGER.replace('"ledger"', '"more"', 1))


def test_slices_load_targets_and_counts_are_refused_as_with_roles(dyno_home: Path) -> None:
    with pytest.raises(InputError, match=r"^step kill has roles, which the order slices cannot cut"):
        plan_of(dyno_home, KILL, order="slices", contenders=contenders(*THREE[:2]))
    with pytest.raises(InputError, match=r"^step kill has roles, which load targets do not drive"):
        plan_of(dyno_home, KILL, load=("far",), load_address="10.0.0.1")
    counting = 'name = "counted"\nworkload = "point-query"\ncount = 100\n'
    with pytest.raises(InputError, match=r"^step kill has roles, and instructions are counted of one"):
        plan_of(dyno_home, KILL, counting)


def test_words_of_operations_are_kinds_of_steps() -> None:
    assert OPERATIONS == ("kill", "power-cut", "restart", "ddl", "backup")
