"""The geometric mean of a group, and whether its interval holds what it promises."""

from __future__ import annotations

import random

import pytest
from scipy import stats  # type: ignore[import-untyped]

from app.stats import group_ratio
from app.stats.student import cumulative, quantile


@pytest.mark.parametrize("freedom", [1.0, 1.7, 4.0, 9.3, 60.0])
def test_student_against_a_library(freedom: float) -> None:
    for share in (0.75, 0.95, 0.975, 0.995):
        assert quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-9)
    for t in (0.0, 0.3, 2.0, 9.0):
        assert cumulative(t, freedom) == pytest.approx(stats.t.cdf(t, freedom), abs=1e-12)


def test_single_sessions_have_a_mean_and_no_interval() -> None:
    found = group_ratio([[100.0, 100.0]], [[200.0, 50.0]])
    assert found is not None
    assert (found.ratio, found.low, found.high, found.steps) == (pytest.approx(1.0), None, None, 2)


def test_what_one_session_lacks_is_left_out() -> None:
    found = group_ratio([[100.0, 100.0, None]], [[200.0, None, 50.0]])
    assert found is not None and found.steps == 1 and found.ratio == pytest.approx(2.0)
    assert group_ratio([[None]], [[3.0]]) is None
    assert group_ratio([[0.0]], [[3.0]]) is None


def test_sessions_that_are_all_alike_leave_no_doubt() -> None:
    found = group_ratio([[100.0], [100.0]], [[150.0], [150.0]])
    assert found is not None and found.low == found.high == pytest.approx(1.5)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Sessions differ as a whole by 2 %, and each step by 1 % besides; the truth is a ratio of 1.1."""
    drawn = random.Random(1)

    def column(mean: float) -> list[list[float | None]]:
        wholes = [drawn.lognormvariate(0, 0.02) for _ in range(5)]
        return [[mean * whole * drawn.lognormvariate(0, 0.01) for _ in range(6)] for whole in wholes]

    held = 0
    for _ in range(2000):
        found = group_ratio(column(100), column(110))
        assert found is not None and found.low is not None and found.high is not None
        held += found.low <= 1.1 <= found.high
    assert 0.935 <= held / 2000 <= 0.975
