"""How far equals lie apart, and how sure that is."""

from __future__ import annotations

import random
from math import exp
from statistics import mean

import pytest

from app.stats.noise import Noise, noise_parts, pooled_noise


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


def seconds_of(any_figure: random.Random, start: float, second: float, count: int = 6) -> list[float]:
    """The logarithms of the seconds of a session."""
    speed = any_figure.gauss(5, start)
    return [any_figure.gauss(speed, second) for _ in range(count)]


@pytest.mark.parametrize(("start", "second"), [(0.05, 0.02), (0.0, 0.1), (0.03, 0.1)])
def test_what_comes_from_a_start_and_what_from_a_second(start: float, second: float) -> None:
    any_figure = random.Random(4)
    found = [
        noise_parts([[seconds_of(any_figure, start, second) for _ in range(20)] for _ in range(10)])
        for _ in range(50)
    ]
    parts = [each for each in found if each is not None]
    assert len(parts) == 50
    assert mean(each.second for each in parts) == pytest.approx(second**2, rel=0.1)
    expected = [start**2 + second**2 / long for long in (6, 60)]
    measured = [mean(each.deviation(long) ** 2 for each in parts) for long in (6, 60)]
    assert measured[0] == pytest.approx(expected[0], rel=0.15)
    assert measured[1] == pytest.approx(
        expected[1], rel=0.15 if start else 1.0
    )  # no part is less than nothing


@pytest.mark.parametrize("steps", [[], [[[1.0, 2.0]]], [[[1.0], [2.0]]], [[[], [1.0, 1.1]]]])
def test_parts_need_two_sessions_of_two_seconds(steps: list[list[list[float]]]) -> None:
    assert noise_parts(steps) is None
