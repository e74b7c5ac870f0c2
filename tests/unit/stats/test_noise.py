"""How far equals lie apart, and how sure that is."""

from __future__ import annotations

import random
from math import exp
from statistics import mean

import pytest

from app.stats.noise import Noise, pooled_noise


def test_the_noise_of_several_steps_is_one() -> None:
    found = pooled_noise([[100.0, 100.0 * exp(0.02)], [5.0, 5.0 * exp(0.02), 5.0 * exp(-0.02)]])
    assert found is not None and found.freedom == 3
    # variances 0.0002 of one, 0.0004 of two degrees of freedom
    assert found.deviation == pytest.approx(((0.0002 + 2 * 0.0004) / 3) ** 0.5)


@pytest.mark.parametrize("steps", [[], [[1.0]], [[1.0], [2.0]], [[0.0, 0.0, 3.0]]])
def test_one_figure_of_each_says_nothing(steps: list[list[float]]) -> None:
    assert pooled_noise(steps) is None


def test_the_true_noise_is_within_its_bounds_nine_times_in_ten() -> None:
    any_figure = random.Random(3)
    hits = []
    for _ in range(2000):
        found = pooled_noise([[exp(any_figure.gauss(5, 0.03)) for _ in range(4)] for _ in range(3)])
        assert found is not None
        low, high = found.bounds()
        hits.append(low <= 0.03 <= high)
    assert mean(hits) == pytest.approx(0.9, abs=0.025)


def test_no_noise_has_no_bounds_but_itself() -> None:
    assert Noise(0.0, 9).bounds() == (0.0, 0.0)
