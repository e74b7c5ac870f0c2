"""Plans whose figure is that of one kind of events."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.planner.resolve.steps import why_not_counted
from tests.plans import THREE, plan, unresolved
from tests.sequences import keep_own

KIND = "that of one kind of events, new-order"


def test_kinds_have_their_committed_events_per_minute() -> None:
    steps = {step.name: step for step in plan(sequence="orders-specified", threads=(2,)).steps}
    whole = steps["orders"]
    assert (whole.unit, whole.figure_kind, whole.figure_key) == ("new orders/min", "new-order", "new-order")
    kinds = {name.partition("/")[2]: step for name, step in steps.items() if step.event_kind}
    assert list(kinds) == ["new-order", "payment", "order-status", "delivery", "stock-level"]
    assert {(step.unit, step.figure, step.figure_kind) for step in kinds.values()} == {
        ("events/min", "rate", "")
    }
    assert whole.direction == "higher"


def test_slices_are_refused() -> None:
    said = unresolved(*THREE[:2], sequence="orders-specified", order="slices")
    what = f"the figure of step orders is {KIND}, and slices do not tell kinds apart"
    assert said == f"{what}: choose interleaved or grouped"


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("limit_ms = 5", f"the figure of orders-specified is {KIND}, and a search for a limit does not"),
        ("count = 100", f"its figure is {KIND}, and a count does not"),
    ],
)
def test_searches_and_counts_are_refused(dyno_home: Path, key: str, why: str) -> None:
    keep_own(dyno_home, 'workload = "orders-load"', f'workload = "orders-specified"\n{key}')
    expected = f"step orders-specified: {why} tell kinds apart"
    assert unresolved(sequence="own") == expected


def test_the_window_says_too_why_it_is_not_counted() -> None:
    assert KIND in why_not_counted(Catalog().workload("orders"))
    assert why_not_counted(Catalog().workload("accounts")) == ""


ROLES = """\
name = "both"
figure = "buyer"

[[step.role]]
name = "buyer"
workload = "orders-specified"

[[step.role]]
name = "other"
workload = "orders"
threads = 1
"""


def test_a_role_may_have_such_a_figure(dyno_home: Path) -> None:
    keep_own(dyno_home, 'workload = "orders-load"', ROLES)
    steps = plan(sequence="own").steps
    keys = {step.name: step.figure_key for step in steps if step.figure_kind}
    assert keys == {"both": "buyer/new-order", "both.other": "other/new-order"}
