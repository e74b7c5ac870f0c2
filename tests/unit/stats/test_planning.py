"""What so many repeats could tell, held against verdicts over made-up figures."""

from __future__ import annotations

import math
import random

import pytest

from app.stats import StepResultPair, judge
from app.stats.at_target.verdicts import BETTER
from app.stats.planning import least_difference

NOISE = 0.01


@pytest.mark.parametrize(
    ("repeats", "cells"), [(3, 9), (5, 1), pytest.param(5, 40, marks=pytest.mark.full), (8, 9)]
)
def test_such_a_difference_is_found_four_times_in_five(repeats: int, cells: int) -> None:
    least, drawn = least_difference(repeats, cells, NOISE), random.Random(repeats * cells)
    assert least is not None

    def sample(mean: float) -> tuple[float, ...]:
        return tuple(drawn.lognormvariate(0, 0.01) * mean for _ in range(repeats))

    found = 0
    for _ in range(300):
        one, *others = (StepResultPair(sample(1), sample(1 + least if at == 0 else 1)) for at in range(cells))
        found += judge([one, *others])[0].word == BETTER
    assert 0.7 <= found / 300 <= 0.93


def test_across_time_only_what_is_large_is_found() -> None:
    least, drawn, found = least_difference(5, 1, NOISE, between=0.1), random.Random(1), 0
    assert least is not None and 0.4 < least < 0.6
    for _ in range(400):
        plans = [drawn.lognormvariate(0, 0.1) for _ in range(2)]
        base, other = ([drawn.lognormvariate(0, 0.01) * plan for _ in range(5)] for plan in plans)
        cell = StepResultPair(
            tuple(base), tuple((1 + least) * each for each in other), added=((0.02, math.inf),)
        )
        found += judge([cell])[0].word == BETTER
    assert 0.7 <= found / 400 <= 0.9


def test_two_of_each_find_nothing() -> None:
    assert least_difference(2, 9, NOISE) is None and least_difference(5, 9, NOISE, share=0.0) is None


def test_what_is_too_small_to_matter_is_not_promised() -> None:
    least = least_difference(100, 9, NOISE)
    assert least is not None and 0.02 < least < 0.022
