"""What an event of the shipped workloads does: every one of them is known, by the bytes of its Lua."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.catalog import Catalog, Workload
from app.protocol.plan import Plan, Step
from app.protocol.work import access_of, bounds_of, statements_of
from tests import journals

DRIVEN = [each for each in Catalog().workloads()[0] if each.kind == "drive" and not each.sql]
KNOWN = [each for each in DRIVEN if each.name != "text-search"]


def planned(workload: Workload, rows: int = 10_000, **options: object) -> tuple[Step, Plan]:
    files = Catalog().workload_files(workload)
    step = Step(workload.name, "drive", lua=workload.lua, options={**workload.options, **options})
    return step, replace(journals.plan(), files=files, rows=rows)


@pytest.mark.parametrize("workload", KNOWN, ids=lambda each: each.name)
def test_every_classic_workload_says_what_it_expects(workload: Workload) -> None:
    statements = statements_of(*planned(workload))
    assert sum(each.times for each in statements) in (
        workload.queries_per_event,
        workload.queries_per_event - 2,  # BEGIN and COMMIT
    )
    for counts_calls in (False, True):
        bounds = bounds_of(statements, counts_calls)
        assert all(0 <= low <= high for low, high in bounds.values())
        assert any(high > 0 for _, high in bounds.values())


def test_the_rows_of_a_transaction() -> None:
    bounds = bounds_of(statements_of(*planned(Catalog().workload("read-write"))), False)
    assert bounds["read"] == pytest.approx((13 + 4 * 99.505, 13 + 4 * 100))
    assert bounds["returned"] == pytest.approx((11 + 3 * 99.505, 11 + 3 * 100))
    assert bounds["changed"] == (4, 4)
    assert bounds["sorted"] == pytest.approx((2 * 99.505, 2 * 100))


def test_lua_that_was_changed_is_another_workload() -> None:
    step, plan = planned(Catalog().workload("point-query"))
    name = f"workloads/{step.lua}"
    assert statements_of(step, replace(plan, files={name: plan.files[name] + "\n"})) == []
    assert statements_of(step, replace(plan, files={})) == []


@pytest.mark.parametrize("points", [10**9, "many", None])
def test_options_that_make_no_statement_say_nothing(points: object) -> None:
    assert statements_of(*planned(Catalog().workload("random-points"), points=points)) == []


def test_a_plan_in_words() -> None:
    assert access_of([{"type": "range", "key": "PRIMARY", "rows": 100}]) == "range by PRIMARY"
    assert access_of([{"type": "ALL", "key": None}]) == "all rows"
    assert access_of([{"not explained": "no"}]) == access_of([]) == ""
