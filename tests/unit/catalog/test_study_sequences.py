"""The sequences of the small server studies, and what steps and sequences can say for their sake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.cli import main
from app.core.errors import InputError
from app.planner.estimate.estimate import estimate
from app.planner.request.request import PlanRequest
from app.planner.starting.sequence_variant import sequence_variant_text
from app.protocol.sysbench import seed_of
from tests.plans import MARIADB, plan, survey, write
from tests.sequences import keep_own

STUDIES = ("small-datum", "small-datum-2017-03", "small-datum-2017-11", "small-datum-2026")


def names_of(sequence: str) -> list[str]:
    return [step.name for step in Catalog().sequence(sequence).steps]


@pytest.mark.parametrize("sequence", STUDIES)
@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "myisam"])
def test_a_study_can_be_planned_on_every_engine(sequence: str, engine: str) -> None:
    found = plan(f"{MARIADB}:{engine}", sequence=sequence, rows=1000, seconds=1)
    assert [step.kind for step in found.steps[:2]] == ["load", "index"]
    assert found.steps[-1].workload == "insert"
    assert {step.workload for step in found.steps if step.events} <= {"delete-only"}


@pytest.mark.parametrize("sequence", STUDIES)
def test_no_two_steps_of_a_study_share_their_keys(sequence: str) -> None:
    found = plan(sequence=sequence, rows=1000, threads=[1, 2])
    seeds = [seed_of(found, 1, step) for step in found.steps if step.workload]
    assert len(set(seeds)) == len(seeds) > 15


def test_the_study_of_march_2017_draws_special_keys_and_deletes_with_one_client() -> None:
    found = plan(sequence="small-datum-2017-03", rows=1000)
    drawn = [step for step in found.steps if step.workload != "index"]
    assert {step.options["rand_type"] for step in drawn} == {"special"}
    deletes = [step for step in found.steps if step.name == "delete"]
    assert [(step.threads, step.options["skip_trx"], step.seconds) for step in deletes] == [(1, True, 600)]
    assert {step.seconds for step in found.steps if step.name == "insert"} == {300}
    assert (found.threads, found.tables, found.warmup, found.transport) == ([1, 2, 4], 4, 0, "loopback")


def test_the_study_of_november_2017_reads_before_and_after_its_writes() -> None:
    names = names_of("small-datum-2017-11")
    writes = slice(names.index("update-inlist"), names.index("read-write.range10000") + 1)
    assert names[:writes.start] == [
        "load", "index", "point-query.warm", "point-query.pre", "read-only.pre.range10000",
        "random-points.pre", "scan.pre",
    ]  # fmt: skip
    assert names[writes.stop :] == [
        "read-only.range100", "read-only.range10000", "point-query", "random-points", "hot-points", "scan",
        "insert",
    ]  # fmt: skip
    found = plan(sequence="small-datum-2017-11", rows=1000)
    assert [(step.label, step.threads) for step in found.steps if step.warm] == [
        ("point-query.warm threads=2", 2)
    ]
    assert {step.options.get("rand_type", "uniform") for step in found.steps} == {"uniform"}


def test_the_scripts_of_2026_warm_up_with_as_many_clients_as_tables() -> None:
    found = plan(sequence="small-datum-2026", rows=1000, tables=7, threads=[1, 2])
    warm = [step.label for step in found.steps if step.name == "point-query.warm"]
    assert warm == ["point-query.warm threads=7"]


def test_threads_and_one_a_table_exclude_each_other(dyno_home: Path) -> None:
    keep_own(dyno_home, 'workload = "point-query"\nper_table = true\nthreads = [1]')
    with pytest.raises(InputError, match="is a number of threads: leave per_table"):
        Catalog().sequence("own")


@pytest.mark.parametrize(
    ("sequence", "behind"),
    [
        ("small-datum", ["index", "read-write.range10000"]),
        ("small-datum-2026", ["index", "read-write.range100"]),
        ("small-datum-2017-03", []),
        ("small-datum-2017-11", []),
    ],
)
def test_who_waits_for_writes_to_end_and_where(sequence: str, behind: list[str]) -> None:
    found = plan(sequence=sequence, rows=1000)
    assert [step.name for step in found.steps if step.kind == "settle"] == [f"settle.{at}" for at in behind]


@pytest.mark.parametrize("sequence", ["small-datum", "small-datum-2026"])
def test_rows_are_taken_away_behind_all_reads(sequence: str) -> None:
    found = plan(sequence=sequence, rows=1000)
    gone = next(at for at, step in enumerate(found.steps) if step.workload == "delete-only")
    assert {step.workload for step in found.steps[gone:]} == {"delete-only", "insert"}
    assert (found.steps[gone].events, found.steps[gone].seconds) == (found.tables * 1000 // 10, 0)
    settled = [step.name for step in found.steps if step.kind == "settle"]
    assert len(settled) == 2 and settled[0] == "settle.index"


def test_a_share_is_of_the_seconds_of_the_plan(dyno_home: Path) -> None:
    step = 'workload = "point-query"\nshare = 0.5'
    sequence = keep_own(dyno_home, step, top="seconds = 600")
    assert plan(sequence=sequence).steps[-1].seconds == 300
    assert plan(sequence=sequence, seconds=9).steps[-1].seconds == 4
    assert plan(sequence=sequence, seconds=1).steps[-1].seconds == 1


def test_a_share_and_seconds_exclude_each_other(dyno_home: Path) -> None:
    keep_own(dyno_home, 'workload = "point-query"\nshare = 0.5\nseconds = 3')
    with pytest.raises(InputError, match="line 12: share is a share of the plan's seconds"):
        Catalog().sequence("own")


def test_a_plan_goes_before_the_transport_of_its_sequence(dyno_home: Path) -> None:
    sequence = keep_own(dyno_home, top='transport = "loopback"')
    assert plan(sequence=sequence).transport == "loopback"
    assert plan(sequence=sequence, transport="socket").transport == "socket"
    assert plan().transport == "socket"


def test_a_scan_has_one_client_a_table_and_ends_by_itself(dyno_home: Path) -> None:
    sequence = keep_own(dyno_home, 'workload = "scan"', 'name = "more"\nworkload = "scan"\nthreads = [1, 2]')
    scans = plan(sequence=sequence, tables=3, threads=[8], seconds=9).steps[2:]
    assert [(step.label, step.threads) for step in scans] == [
        ("scan threads=3", 3), ("more threads=1", 1), ("more threads=2", 2),
    ]  # fmt: skip
    assert {(step.kind, step.unit, step.seconds, step.events, step.warmup) for step in scans} == {
        ("scan", "rows/s", 0, 0, 0)
    }


def guess(**options: Any) -> Any:
    return estimate(plan(**options), survey())


def test_larger_scans_take_longer(dyno_home: Path) -> None:
    sequence = keep_own(dyno_home, *[f'name = "{at}"\nworkload = "scan"' for at in range(9)])
    without = guess(sequence=sequence, steps=["0"], rows=10_000_000, tables=2)
    with_all = guess(sequence=sequence, rows=10_000_000, tables=2)
    assert with_all.seconds - without.seconds > 8 * 10
    assert without.declared_s == with_all.declared_s == 0


def test_rows_that_are_taken_away_need_no_disk(dyno_home: Path) -> None:
    sequence = keep_own(dyno_home, 'workload = "delete-only"', 'workload = "insert"')
    bare = guess(sequence=sequence, steps=["load"], rows=1000).contenders[0].parts["tables"]
    assert guess(sequence=sequence, steps=["delete-only"], rows=1000).contenders[0].parts["tables"] == bare
    assert guess(sequence=sequence, steps=["insert"], rows=1000).contenders[0].parts["tables"] > bare


def test_a_sequence_tells_its_sizes_transport_and_shares(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sequence", "show", "small-datum-2017-11"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "2 tables, 80,000,000 rows each, transport loopback" in lines
    assert "scan scan-count one a table its work" in lines
    assert "insert insert 1, 2 0 s 300 s" in lines


def test_a_share_of_what_the_plan_says(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep_own(dyno_home, 'workload = "point-query"\nshare = 0.5')
    assert main(["sequence", "show", "own"]) == 0
    assert "0.5 of the plan's" in capsys.readouterr().out


def test_a_variant_keeps_transport_and_shares(dyno_home: Path) -> None:
    study, workloads = Catalog().sequence("small-datum-2017-11"), Catalog().workloads()[0]
    text = sequence_variant_text(
        study, PlanRequest(rows=1000), {each.name: each for each in workloads}, "mine"
    )
    write(dyno_home / "sequences/mine.toml", text)
    mine = Catalog().sequence("mine")
    assert (mine.transport, mine.rows, mine.steps) == ("loopback", 1000, study.steps)
