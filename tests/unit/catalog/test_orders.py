"""The sequences of orders, and who may run them with how many clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.engines import KNOWN
from app.protocol.plan import Plan
from tests.plans import MARIADB, plan, write
from tests.sequences import own_sequence

FORMS = ("orders", "orders-specified")
CONDITIONS = ["1", "2", "3", "4", "5", "7", "8", "9", "10", "12"]
KINDS = ("new-order", "payment", "order-status", "delivery", "stock-level")


def planned(sequence: str, engine: str = "innodb", **more: object) -> Plan:
    return plan(f"{MARIADB}:{engine}", sequence=sequence, **more)


@pytest.mark.parametrize("sequence", FORMS)
def test_orders_are_driven_by_more_and_more_clients(sequence: str) -> None:
    found = planned(sequence)
    assert (found.tables, found.rows) == (10, 100_000)
    driven = [step for step in found.steps if step.workload == sequence]
    assert [step.threads for step in driven if not step.event_kind] == [1, 4, 16]
    assert {step.unit for step in driven if not step.event_kind} == {"new orders/min"}
    assert tuple(step.event_kind for step in found.steps if step.event_kind) == KINDS * 3


def test_the_load_has_the_form_of_what_is_driven() -> None:
    for sequence, form in zip(FORMS, ("common", "specified"), strict=True):
        steps = {step.workload: step for step in planned(sequence).steps if step.workload}
        assert steps["orders-load"].options["form"] == steps[sequence].options["form"] == form
        assert [each.name for each in steps["orders-load"].conditions] == CONDITIONS


def test_several_clients_need_an_engine_with_transactions() -> None:
    with pytest.raises(InputError) as refused:
        planned("orders", "myisam")
    assert str(refused.value) == (
        "step orders: MyISAM has no transactions, so that 4 clients would leave orders inconsistent;"
        " choose 1 thread"
    )
    assert refused.value.field == "threads"
    assert planned("orders", "myisam", threads=(1,)).threads == [1]
    assert planned("small-datum", "myisam", threads=(4,)).threads == [4]
    assert not any(KNOWN[name].has_transactions for name in ("myisam", "aria"))


def test_an_isolation_level_that_an_engine_refuses_is_refused_before_the_start(dyno_home: Path) -> None:
    drive = 'workload = "orders"\noptions = {isolation = "serializable"}'
    write(dyno_home / "sequences/strict.toml", own_sequence("strict", 'workload = "orders-load"', drive))
    assert planned("strict").steps
    with pytest.raises(InputError) as refused:
        planned("strict", "rocksdb")
    assert str(refused.value) == (
        "step orders: MyRocks refuses isolation serializable; choose read-committed or repeatable-read"
    )


def test_both_forms_say_which_they_are() -> None:
    common, specified = (Catalog().workload(name) for name in FORMS)
    assert common.title.startswith("Orders as commonly run: ")
    assert specified.title.startswith("Orders as specified: ")
    assert common.options.keys() == specified.options.keys()
    assert common.transactions and specified.transactions
