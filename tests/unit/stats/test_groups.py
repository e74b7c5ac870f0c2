"""The geometric mean of a group, and whether its interval holds what it promises."""

from __future__ import annotations

import random

import pytest
from scipy import stats  # type: ignore[import-untyped]

from app.stats.at_target.student import cumulative, quantile, two_sided
from app.stats.groups import GroupRatio, Sessions, StepGroupPair, step_group_ratios


@pytest.mark.parametrize("freedom", [1.0, 1.7, 4.0, 9.3, 60.0])
def test_student_against_a_library(freedom: float) -> None:
    for share in (0.75, 0.95, 0.975, 0.995):
        assert quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-9)
    for t in (0.0, 0.3, 2.0, 9.0):
        assert cumulative(t, freedom) == pytest.approx(stats.t.cdf(t, freedom), abs=1e-12)


def test_the_tails_of_student_are_exact() -> None:
    for freedom in (1.0, 2.6, 8.0, 1000.0):
        for t in (0.1, 3.0, 40.0):
            assert two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-6)


def ratio(base: Sessions, other: Sessions) -> GroupRatio | None:
    return step_group_ratios([[StepGroupPair(base, other)]])[0][0]


def column(drawn: random.Random, mean: float = 100.0, n: int = 5, steps: int = 6) -> list[list[float | None]]:
    """Sessions differ as a whole by 2 %, and each step by 1 % besides."""
    wholes = [drawn.lognormvariate(0, 0.02) for _ in range(n)]
    return [[mean * whole * drawn.lognormvariate(0, 0.01) for _ in range(steps)] for whole in wholes]


def test_single_sessions_have_a_mean_and_no_interval() -> None:
    found = ratio([[100.0, 100.0]], [[200.0, 50.0]])
    assert found == GroupRatio(pytest.approx(1.0), None, None, 2)


def test_two_sessions_have_no_interval_either() -> None:
    found = ratio([[100.0], [101.0]], [[200.0], [201.0]])
    assert found is not None and found.low is None and found.high is None


def test_what_single_sessions_lack_is_left_out() -> None:
    found = ratio([[100.0, 100.0, None]], [[200.0, None, 50.0]])
    assert found is not None and found.steps == 1 and found.ratio == pytest.approx(2.0)
    assert ratio([[None]], [[3.0]]) is None
    assert ratio([[0.0]], [[3.0]]) is None


def test_a_step_that_one_of_four_sessions_lacks_counts_and_turns_nothing_round() -> None:
    """The slow session lacks the step: the mean of the others is not taken for faster."""
    base = [[100.0, 10.0]] * 4
    other = [[100.0, 10.0], [100.0, 10.0], [100.0, 10.0], [50.0, None]]
    found = ratio(base, other)
    assert found is not None and found.steps == 2
    assert found.ratio == pytest.approx(0.5 ** (1 / 8), rel=0.08)
    assert ratio(base, [*other[:2], [100.0, None], [50.0, None]]).steps == 1  # type: ignore[union-attr]


def test_sessions_that_are_all_alike_leave_no_doubt() -> None:
    found = ratio([[100.0]] * 3, [[150.0]] * 3)
    assert found is not None and found.low == found.high == pytest.approx(1.5)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    drawn = random.Random(1)
    held = 0
    for _ in range(2000):
        found = ratio(column(drawn), column(drawn, 110))
        assert found is not None and found.low is not None and found.high is not None
        held += found.low <= 1.1 <= found.high
    assert 0.94 <= held / 2000 <= 0.99


@pytest.mark.parametrize("n", [3, pytest.param(5, marks=pytest.mark.full)])
def test_all_intervals_of_a_comparison_hold_together(n: int) -> None:
    """Three columns of four groups against one base, all equal: few have an interval without 1."""
    drawn = random.Random(n)
    false = 0
    for _ in range(400):
        bases, *others = ([column(drawn, n=n) for _ in range(4)] for _ in range(4))
        found = step_group_ratios(
            [[StepGroupPair(*pair) for pair in zip(bases, other, strict=True)] for other in others]
        )
        false += any(
            not (each.low or 0.0) <= 1 <= (each.high or 9.0) for ratios in found for each in ratios if each
        )
    assert false <= 29  # 5 %, and twice the spread of such a count


def test_an_interval_wider_than_a_factor_of_four_is_not_shown() -> None:
    found = ratio([[100.0], [300.0], [30.0]], [[100.0], [500.0], [20.0]])
    assert found is not None and found.low is None and found.high is None


def test_the_variance_between_plans_widens_it() -> None:
    drawn = random.Random(2)
    groups = [[StepGroupPair(column(drawn), column(drawn))]]
    ((alone,),), ((across,),) = (
        step_group_ratios(groups),
        step_group_ratios(groups, added=[((0.02, float("inf")),)]),
    )
    assert alone is not None and across is not None and alone.low is not None and across.low is not None
    assert across.low < 0.79 < alone.low
