"""The sequences of the insert benchmark: the steps, rates and rows of its author's scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.estimate.estimate import estimate
from app.protocol.plan import EACH_SECOND, Plan
from app.protocol.sysbench import seed_of
from tests.plans import MARIADB, plan, survey
from tests.sequences import keep_own

FORMS = ("insert-benchmark", "insert-benchmark-short")
QUERIES = ("qr100", "qp100", "qr500", "qp500", "qr1000", "qp1000")
DELETED = 8  # statements that a deleter may be behind


def planned(sequence: str = "insert-benchmark", engine: str = "innodb") -> Plan:
    return plan(f"{MARIADB}:{engine}", sequence=sequence)


@pytest.mark.parametrize("sequence", FORMS)
@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "myisam"])
def test_the_steps_of_the_author_in_their_order(sequence: str, engine: str) -> None:
    steps = planned(sequence, engine).steps
    own = [step.name for step in steps if not step.beside]
    assert own == ["l.i0", "l.x", "l.i1", "l.i2", "wait", *QUERIES]
    assert [step.kind for step in steps if step.name in ("l.i0", "l.x", "wait")] == [
        "load",
        "index",
        "settle",
    ]
    assert {step.role for step in steps if step.name in QUERIES} == {"reader"}
    assert {step.warmup for step in steps} == {0}
    roles = [step.role for step in steps if step.beside]
    assert roles == ["deleter"] * 2 + ["inserter", "deleter"] * len(QUERIES)


@pytest.mark.parametrize("sequence", FORMS)
def test_a_deleter_keeps_the_number_of_rows(sequence: str) -> None:
    for step in planned(sequence).steps:
        if step.role == "deleter":
            assert (step.follows, step.apart, step.events, step.ends) == ("inserter", DELETED, 0, False)
            assert step.options["rows_per_delete"] == (5 if step.name.startswith("l.i2") else 50)
        if step.role == "inserter":
            assert step.events > 0 and step.ends
            assert step.options["rows_per_insert"] == (5 if step.name.startswith("l.i2") else 50)


@pytest.mark.parametrize(("sequence", "seconds"), [("insert-benchmark", 60), ("insert-benchmark-short", 5)])
def test_queries_are_sent_beside_so_many_rows_a_second(sequence: str, seconds: int) -> None:
    found = {step.name: step for step in planned(sequence).steps}
    for name in QUERIES:
        inserter, rows = found[f"{name}.inserter"], int(name[2:])
        assert inserter.rate * inserter.options["rows_per_insert"] == rows
        assert inserter.events * inserter.options["rows_per_insert"] == rows * seconds
        assert (inserter.arrivals, inserter.least_pct) == (EACH_SECOND, 95.0)
        assert (found[name].rate, found[name].events, found[name].seconds) == (0, 0, 0)
        assert found[name].cap_s >= 10 * seconds  # a rate that nobody reaches ends at last


def test_four_fifths_of_the_random_writes_are_of_many_rows() -> None:
    found = {step.name: step for step in planned().steps}
    rows = [found[name].events * found[name].options["rows_per_insert"] for name in ("l.i1", "l.i2")]
    assert rows == [1_000_000, 250_000]
    assert planned().rows == 1_000_000


def test_no_two_roles_share_their_keys() -> None:
    found = planned()
    seeds = [seed_of(found, 1, step) for step in found.steps if step.workload]
    assert len(set(seeds)) == len(seeds) == 24


LOADED = 'workload = "insert-benchmark-load"'


@pytest.mark.parametrize(
    ("before", "step", "missing"),
    [
        ((), "index", "that loads purchases, like insert-benchmark-load,"),
        ((), "insert", "that loads purchases, like insert-benchmark-load,"),
        ((LOADED,), "range", "that builds their indexes, like insert-benchmark-index,"),
    ],
)
def test_other_tables_are_no_purchases(
    dyno_home: Path, before: tuple[str, ...], step: str, missing: str
) -> None:
    keep_own(dyno_home, *before, f'workload = "insert-benchmark-{step}"')  # behind load and index
    with pytest.raises(InputError) as refused:
        plan(sequence="own")
    assert str(refused.value) == f"step insert-benchmark-{step} needs a step {missing} before it"


def test_every_figure_of_a_step_is_that_of_its_first_role() -> None:
    steps = {step.name: step for step in Catalog().sequence("insert-benchmark").steps}
    assert [each.name for each in steps["qr100"].roles] == ["reader", "inserter", "deleter"]
    assert [each.name for each in steps["l.i1"].roles] == ["inserter", "deleter"]


@pytest.mark.parametrize(
    ("engine", "row_bytes"), [("innodb", 93 + 84), ("rocksdb", 39 + 39), ("myisam", 67 + 59)]
)
def test_purchases_take_the_room_that_their_workloads_say(engine: str, row_bytes: int) -> None:
    found = estimate(planned(engine=engine), survey()).contenders[0]
    assert found.data_bytes == 1_000_000 * row_bytes
