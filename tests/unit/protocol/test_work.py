"""What an event of the shipped workloads does: every one of them is declared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.catalog import Catalog, Workload
from app.protocol.plan import Plan, Step
from app.protocol.work import explain_access_text, rows_per_event_bounds, statements_of
from tests import journals

DRIVEN = [each for each in Catalog().workloads()[0] if each.kind == "drive" and not each.sql]
KNOWN = [  # an event of a mix is one of its kinds, and their statements differ
    each
    for each in DRIVEN
    if not each.kinds and each.name not in ("text-search", "ledger", "open-transaction")
]


def planned(workload: Workload, rows: int = 10_000, **options: object) -> tuple[Step, Plan]:
    step = Step(workload.name, "drive", lua=workload.lua, options={**workload.options, **options})
    return step, replace(journals.plan(), statements=Catalog().statements([workload]), rows=rows)


@pytest.mark.parametrize("workload", KNOWN, ids=lambda each: each.name)
def test_every_classic_workload_says_what_it_expects(workload: Workload) -> None:
    statements = statements_of(*planned(workload))
    assert sum(each.times for each in statements) in (
        workload.queries_per_event,
        workload.queries_per_event - 2,  # BEGIN and COMMIT
    )
    for counts_calls in (False, True):
        bounds = rows_per_event_bounds(statements, counts_calls)
        assert all(0 <= low <= high for low, high in bounds.values())
        assert any(high > 0 for _, high in bounds.values())


def test_the_rows_of_a_transaction() -> None:
    bounds = rows_per_event_bounds(statements_of(*planned(Catalog().workload("read-write"))), False)
    assert bounds["read"] == pytest.approx((13 + 4 * 99.505, 13 + 4 * 100))
    assert bounds["returned"] == pytest.approx((11 + 3 * 99.505, 11 + 3 * 100))
    assert bounds["changed"] == (4, 4)
    assert bounds["sorted"] == pytest.approx((2 * 99.505, 2 * 100))


def test_the_rows_of_one_of_several_statements_and_of_an_option() -> None:
    bounds = rows_per_event_bounds(
        statements_of(*planned(Catalog().workload("insert-benchmark-range"))), False
    )
    assert bounds["read"] == bounds["returned"] == pytest.approx((10, 10))
    workload = Catalog().workload("insert-benchmark-insert")
    assert rows_per_event_bounds(statements_of(*planned(workload)), False)["changed"] == (50, 50)
    found = statements_of(*planned(workload, rows_per_insert=5))
    assert rows_per_event_bounds(found, False)["changed"] == (5, 5)


def test_a_plan_that_declares_nothing_says_nothing() -> None:
    step, plan = planned(Catalog().workload("point-query"))
    assert statements_of(step, plan)
    assert statements_of(step, replace(plan, statements={})) == []


def test_what_is_declared_is_part_of_no_key() -> None:
    _, plan = planned(Catalog().workload("point-query"))
    other = replace(plan, statements={})
    assert plan.statements and (plan.work_key, plan.hash) == (other.work_key, other.hash)
    assert Plan.from_json(plan.to_json()) == plan
    assert Plan.from_json({**plan.to_json(), "statements": {}}) == other


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({"column": "k"}, ["UPDATE sbtest1 SET k=k+1 WHERE id=5000"]),
        ({"column": "c"}, ["UPDATE sbtest1 SET c='x' WHERE id=5000"]),
        ({"column": "c", "first_only": True}, ["UPDATE sbtest1 SET c='x' WHERE id=1"]),
    ],
)
def test_options_choose_the_statement(options: dict[str, object], texts: list[str]) -> None:
    found = statements_of(*planned(Catalog().workload("update-index"), **options))
    assert [each.text for each in found] == texts


def test_an_index_entry_and_its_row_are_two_rows_for_some_engines() -> None:
    by_index = rows_per_event_bounds(
        statements_of(*planned(Catalog().workload("range-notcovered-si"))), False
    )
    covered = rows_per_event_bounds(statements_of(*planned(Catalog().workload("range-covered-si"))), False)
    assert by_index["read"][1] == 2 * by_index["returned"][1]
    assert covered["returned"][1] == by_index["returned"][1]


@pytest.mark.parametrize("points", [10**9, "many", None])
def test_options_that_make_no_statement_say_nothing(points: object) -> None:
    assert statements_of(*planned(Catalog().workload("random-points"), points=points)) == []


def test_a_plan_in_words() -> None:
    assert explain_access_text([{"type": "range", "key": "PRIMARY", "rows": 100}]) == "range by PRIMARY"
    assert explain_access_text([{"type": "ALL", "key": None}]) == "all rows"
    assert explain_access_text([{"not explained": "no"}]) == explain_access_text([]) == ""
