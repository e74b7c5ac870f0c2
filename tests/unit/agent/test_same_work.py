"""What a step may do beyond the work of its workload, and what is said where it does."""

from __future__ import annotations

from typing import Any

import pytest

from app.agent.steps.same_work import RowTolerance, beyond, is_off, marks_of_work, rows_per_event
from app.protocol.events import SPOILT
from app.protocol.step_parts import Totals
from app.protocol.work import WHAT

BOUNDS = {"read": (410.0, 410.0), "returned": (310.0, 311.0), "changed": (0.0, 0.0), "sorted": (200.0, 200.0)}
GOOD = {"read": 409.0, "returned": 309.0, "changed": 0.0, "sorted": 199.0}


@pytest.mark.parametrize(
    ("change", "room", "wrong"),
    [
        ({}, RowTolerance(), []),
        ({"read": None, "sorted": None}, RowTolerance(), []),  # nobody counts them
        ({"read": 40_010.0}, RowTolerance(), ["40,010.0 rows read per event, 410.0 expected"]),
        ({"read": 100.0}, RowTolerance(), ["100.0 rows read per event, 410.0 expected"]),
        (
            {"read": 100.0, "returned": 80.0, "sorted": 50.0},
            RowTolerance(least=0.25),
            [],
        ),  # the others are deleted
        ({"read": 800.0}, RowTolerance(most=2.0), []),  # half of the events were repeated
        ({"read": 900.0}, RowTolerance(watched=500.0), []),
        ({"changed": 0.4}, RowTolerance(watched=500.0), ["0.4 rows changed per event, 0.0 expected"]),
        (
            {"returned": 100.0},
            RowTolerance(),
            ["100.0 rows sent to the client per event, 310.0 to 311.0 expected"],
        ),
    ],
)
def test_rows_beyond_the_bounds(change: dict[str, Any], room: RowTolerance, wrong: list[str]) -> None:
    assert list(beyond({**GOOD, **change}, BOUNDS, room).values()) == wrong


@pytest.mark.parametrize(
    ("change", "marks"),
    [
        ({}, []),
        ({"read": 819.0}, ["other-reads"]),  # the same results: what the statement costs this server
        ({"sorted": 399.0}, ["other-reads"]),
        ({"returned": 100.0}, ["other-work"]),
        ({"changed": 9.0, "read": 819.0}, ["other-work", "other-reads"]),
    ],
)
def test_only_other_results_are_other_work(change: dict[str, Any], marks: list[str]) -> None:
    assert marks_of_work(beyond({**GOOD, **change}, BOUNDS, RowTolerance())) == marks
    assert ("other-work" in SPOILT, "other-reads" in SPOILT, "changed-plan" in SPOILT) == (True, False, True)


def test_rows_of_an_event() -> None:
    totals = Totals(rows={"read": 100, "inserted": 3, "deleted": 3, "updated": 4})
    found = rows_per_event(totals, {"rows_read": 500.0, "rows_sorted": None}, 10)
    assert found == dict(zip(WHAT, (50.0, 10.0, 1.0, None), strict=True))


@pytest.mark.parametrize(
    ("estimate", "rows", "off"),
    [(20_000, 20_000, False), (18_500, 20_000, False), (17_900, 20_000, True), (22_100, 20_000, True),
     (None, 20_000, True), (0, 90, False), (0, 20_000, True)],
)  # fmt: skip
def test_an_estimate_that_is_a_tenth_off(estimate: int | None, rows: int, off: bool) -> None:
    assert is_off(estimate, rows) == off
