"""The steps of a plan: what stands between those of the sequence, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog, UnapprovedLuaError, approve, approved_hashes
from app.core.errors import InputError
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan
from tests.plans import MARIADB, labels, plan, request, survey, unresolved, write
from tests.sequences import keep_own


def test_what_is_repeated_if_disturbed_has_its_further_attempts_in_the_plan() -> None:
    both = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")
    usual, repeating = plan(*both, repeats=2), plan(*both, repeats=2, repeat_if_disturbed=True)
    assert len(usual.turns) == len(repeating.first_turns) == 4 and len(repeating.turns) == 12
    names = [turn.name for turn in usual.turns]
    assert [turn.name for turn in repeating.first_turns] == names
    assert [turn.name for turn in repeating.turns[:3]] == [
        names[0], f"{names[0]}-attempt-2", f"{names[0]}-attempt-3",
    ]  # fmt: skip
    assert [turn.ordinal for turn in repeating.turns] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert len({turn.session for turn in repeating.turns}) == 12
    assert repeating.hash != usual.hash and repeating.work_key == usual.work_key


def test_each_step_loops_over_all_threads_before_the_next() -> None:
    found = labels(plan(threads=[1, 2], steps=["point-query", "insert"]).steps)
    assert found == [
        "load", "index", "settle.index", "point-query threads=1", "point-query threads=2",
        "insert threads=1", "insert threads=2",
    ]  # fmt: skip


def test_load_and_index_are_always_there_with_a_thread_a_table() -> None:
    for tables, threads in ((1, 1), (3, 3), (100, 4)):
        steps = plan(tables=tables, steps=["point-query"]).steps
        assert [(step.kind, step.threads) for step in steps[:2]] == [("load", threads), ("index", threads)]
        assert all(not (step.seconds or step.events or step.warmup) for step in steps[:2])


def test_a_step_fixes_what_it_says_and_the_plan_fills_the_rest(dyno_home: Path) -> None:
    own = keep_own(
        dyno_home,
        'name = "warm"\nworkload = "point-query"\nwarm = true\nthreads = 8\nseconds = 3\nwarmup = 0',
        'name = "r"\nworkload = "read-only"\noptions = {range_size = 7}',
        'name = "e"\nworkload = "point-query"\nevents = 500',
    )
    warm, ranged, bounded = plan(sequence=own, threads=[2], seconds=9, warmup=1).steps[2:]
    assert (warm.warm, warm.threads, warm.seconds, warm.warmup) == (True, 8, 3, 0)
    assert (ranged.options["range_size"], ranged.options["point_selects"]) == (7, 10)
    assert (ranged.seconds, ranged.warmup, ranged.threads) == (9, 1, 2)
    assert (bounded.events, bounded.seconds, bounded.warmup) == (500, 0, 0)


def test_settling_stands_where_the_sequence_asks_for_it(dyno_home: Path) -> None:
    own = keep_own(
        dyno_home,
        'name = "a"\nworkload = "update-index"\nsettle_before = true\nsettle_after = true',
        'name = "b"\nworkload = "point-query"\nsettle_before = true',
        'name = "c"\nkind = "settle"\ncap_s = 5',
        'name = "d"\nkind = "restart"',
    )
    found = plan(sequence=own, threads=[1, 2]).steps
    assert labels(found)[2:] == [
        "settle.before-a", "a threads=1", "a threads=2", "settle.a", "b threads=1", "b threads=2", "c", "d",
    ]  # fmt: skip
    assert found[-2].cap_s == 5
    assert {step.unit for step in found if step.kind in ("settle", "restart")} == {"s"}


@pytest.mark.parametrize(("rows", "cap"), [(1000, 60), (20_000_000, 140), (2_000_000_000, 1200)])
def test_settling_has_a_cap_that_grows_with_the_rows(rows: int, cap: int) -> None:
    found = next(step for step in plan(tables=4, rows=rows).steps if step.kind == "settle")
    assert found.cap_s == cap


def test_a_restarted_start_is_a_step_after_load_and_settle() -> None:
    assert labels(plan(start="restarted").steps)[:4] == ["load", "index", "settle.index", "restart"]
    assert "restart" not in labels(plan().steps)


def test_a_start_from_a_snapshot_spares_what_is_before_its_step() -> None:
    made = plan(start="snapshot")
    assert labels(made.steps)[:4] == ["load", "index", "settle.index", "snapshot"]
    assert (made.snapshot_at, made.steps[3].kind) == (3, "restart")
    assert plan(start="restarted").snapshot_at == plan().snapshot_at == -1


def test_ways_to_start_are_different_work() -> None:
    """So sessions from a snapshot are never told as repeats of those from a load."""
    keys = {plan(start=start).work_key for start in ("loaded", "restarted", "snapshot")}
    assert len(keys) == 3


def analysed(made: Plan) -> list[str]:
    return [step.label for step in made.steps if step.analyse]


def test_tables_are_analysed_once_they_are_loaded_and_indexed() -> None:
    assert analysed(plan()) == ["index"]  # not before the index is built, nor after the last step
    assert analysed(plan(start="restarted")) == ["index"]
    assert analysed(plan(start="snapshot")) == ["index", "snapshot"]
    assert analysed(plan(steps=["load"])) == []


def test_tables_are_analysed_behind_steps_that_change_the_number_of_rows(dyno_home: Path) -> None:
    steps = ('workload = "insert"', 'workload = "read-write"', 'workload = "delete-only"\nevents = 5')
    made = plan(sequence=keep_own(dyno_home, *steps, 'workload = "update-index"'), threads=[1, 2])
    assert analysed(made) == [
        "index", "insert threads=1", "insert threads=2", "delete-only threads=1", "delete-only threads=2",
    ]  # fmt: skip
    assert analysed(plan(sequence="space", rows=1000)) == []  # it fills its table, and nothing else


def test_errors_that_count_are_those_of_workload_and_engine() -> None:
    step = next(step for step in plan().steps if step.name == "read-write")
    assert step.ignored_by("innodb") == [1020, 1205, 1213]
    assert step.ignored_by("myisam") == [1020, 1062, 1205, 1213]


def test_inserts_that_are_read_later_are_bounded_by_events(dyno_home: Path) -> None:
    """Else each contender would leave another number of rows to the steps behind."""
    own = keep_own(dyno_home, 'workload = "insert"', 'workload = "point-query"')
    inserts = [step for step in plan(sequence=own, tables=2, rows=5000, threads=[1, 2]).steps if step.writes][
        2:
    ]
    assert [(step.events, step.seconds) for step in inserts] == [(500, 0), (500, 0)]
    last = plan().steps[-1]
    assert (last.name, last.events) == ("insert", 0)
    assert last.seconds


def test_inserts_that_are_read_later_may_not_be_bounded_by_seconds(dyno_home: Path) -> None:
    own = keep_own(dyno_home, 'workload = "insert"\nseconds = 9', 'workload = "point-query"')
    assert "bound it by events" in unresolved(sequence=own)
    assert plan(sequence=own, steps=["insert"]).steps[-1].seconds == 9


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ('workload = "nothing"', "no workload nothing: choose one of"),
        ('workload = "read-only"\noptions = {range = 3}', "read-only has no option range; it has rand_type"),
        (
            'workload = "read-only"\noptions = {range_size = "x"}',
            "option range_size of read-only must be of type",
        ),
        (
            'workload = "read-only"\noptions = {skip_trx = 1}',
            "option skip_trx of read-only must be of type bool",
        ),
    ],
)
def test_a_step_that_cannot_be_is_told(dyno_home: Path, step: str, complaint: str) -> None:
    assert complaint in unresolved(sequence=keep_own(dyno_home, step))


def test_what_a_workload_needs_must_come_before_it(dyno_home: Path) -> None:
    write(
        dyno_home / "sequences/own.toml",
        'name = "own"\ntitle = "x"\n[[step]]\nworkload = "load"\n[[step]]\nworkload = "update-index"\n',
    )
    assert "step update-index needs a step of kind index before it" in unresolved(sequence="own")


def test_own_lua_is_sent_only_when_approved(dyno_home: Path) -> None:
    write(dyno_home / "workloads/mine.toml", 'name = "mine"\ntitle = "x"\nkind = "drive"\nlua = "mine.lua"\n')
    write(dyno_home / "workloads/mine.lua", 'require("dyno")')
    own = keep_own(dyno_home, 'workload = "mine"')
    with pytest.raises(UnapprovedLuaError) as caught:
        plan(sequence=own)
    approve(caught.value.sha256, "mine")
    found = resolve(request(sequence=own), survey(), Catalog(), approved_hashes())
    assert found.files["workloads/mine.lua"] == 'require("dyno")'


def test_two_files_of_one_name_are_not_mixed_up(dyno_home: Path) -> None:
    write(dyno_home / "workloads/mine.toml", 'name = "mine"\ntitle = "x"\nkind = "drive"\nlua = "dyno.lua"\n')
    write(dyno_home / "workloads/dyno.lua", "-- another")
    own = keep_own(dyno_home, 'workload = "mine"')
    with pytest.raises(UnapprovedLuaError) as caught:
        plan(sequence=own)
    with pytest.raises(InputError, match=r"workloads/dyno\.lua exists twice"):
        resolve(request(sequence=own), survey(), Catalog(), [caught.value.sha256])
