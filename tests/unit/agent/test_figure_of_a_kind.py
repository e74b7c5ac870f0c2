"""The figure that is of one kind of events: committed ones per minute, in a step and second by second."""

from __future__ import annotations

from typing import Any

import pytest

from app.agent.sampling.figures import figures_of_total
from app.protocol.plan import Step
from app.protocol.series import in_a_second, series_of_figure

NOTHING = dict.fromkeys(("events", "reads", "writes", "other", "errors", "reconnects", "control"), 0)


def kind(events: int, rolled_back: int) -> dict[str, Any]:
    return {**NOTHING, "events": events, "rolled_back": rolled_back, "rows": {}, "buckets": []}


TOTAL = {
    **NOTHING,
    "events": 1000,
    "reads": 9000,
    "time_s": 30.0,
    "clients": 2,
    "rows": {},
    "kinds": {"new-order": kind(450, 5), "payment": kind(550, 0)},
}
MIX = Step("mix", "drive", unit="new orders/min", figure_kind="new-order")
PAYMENT = Step("mix/payment", "drive", unit="events/min", event_kind="payment", beside=True)


def value_of_step(step: Step, total: dict[str, Any]) -> Any:
    return figures_of_total(step, total, {}, 0)["value"]


def test_the_figure_is_what_committed_per_minute() -> None:
    assert value_of_step(MIX, TOTAL) == 2 * (450 - 5)
    own = {**TOTAL, **TOTAL["kinds"]["payment"]}
    assert value_of_step(PAYMENT, own) == 2 * 550
    assert value_of_step(Step("mix", "drive"), TOTAL) == 300.0  # queries a second


def test_a_figure_whose_kind_was_not_counted_is_missing() -> None:
    assert value_of_step(MIX, {**TOTAL, "kinds": {"payment": kind(5, 0)}}) is None
    assert value_of_step(MIX, {name: TOTAL[name] for name in TOTAL if name != "kinds"}) is None
    assert value_of_step(MIX, {**TOTAL, "kinds": {"new-order": kind(0, 0)}}) == 0.0


@pytest.mark.parametrize(
    ("unit", "series"),
    [
        ("new orders/min", "load.committed"),
        ("queries/s", "load.queries"),
        ("rows/s", "load.rows"),
        ("ms", ""),
    ],
)
def test_each_unit_has_the_series_that_its_figure_is_the_mean_of(unit: str, series: str) -> None:
    assert series_of_figure(unit) == series


def test_seconds_of_a_figure_per_minute_are_few_where_few_committed() -> None:
    assert in_a_second([120.0, None], "new orders/min") == [2.0, None]
    assert in_a_second([120.0, None], "queries/s") == [120.0, None]
