"""How often something happens, held against Wilson's interval as tables have it."""

from __future__ import annotations

import pytest

from app.stats.shares import share_interval


@pytest.mark.parametrize(
    ("found", "of", "low", "high"),
    [(2, 5, 0.1176, 0.7693), (1, 1, 0.2065, 1.0), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)],
)
def test_the_interval_is_that_of_tables(found: int, of: int, low: float, high: float) -> None:
    assert share_interval(found, of) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_nothing_found_has_a_low_end_of_nothing() -> None:
    assert share_interval(0, 20)[0] == 0.0
