"""The seconds of a long step: the slowest, stalls, and trends whose intervals hold as often as they say."""

from __future__ import annotations

import random

import pytest

from app.stats.at_target.steady import LEAST_S
from app.stats.soak import below_half_pct, longest_stall_s, slowest, trend, trend_pct

TRIED = 300
FLAT = [1000.0] * 100


def seconds(chance: random.Random, n: int, kept: float, growth: float = 0.0) -> list[float | None]:
    """Noise of 5 % of which each second keeps a share; the last second has grown by so much."""
    fresh = (1 - kept * kept) ** 0.5
    noise, found = chance.gauss(0, 1), []
    for at in range(n):
        noise = kept * noise + fresh * chance.gauss(0, 1)
        found.append(1000 * (1 + 0.05 * noise + growth * (at + 0.5) / n))
    return [*found]


def share_within(truth: float, n: int, kept: float, growth: float = 0.0) -> float:
    chance = random.Random(5)
    found = [trend(seconds(chance, n, kept, growth)) for _ in range(TRIED)]
    return sum(each is not None and each.low <= truth <= each.high for each in found) / TRIED


@pytest.mark.parametrize(("n", "kept", "least"), [(60, 0.0, 0.92), (60, 0.7, 0.86), (600, 0.7, 0.91)])
def test_the_interval_of_a_trend_holds_it(n: int, kept: float, least: float) -> None:
    assert share_within(0.0, n, kept) >= least
    assert share_within(300.0, n, kept, 0.3) >= least


def test_a_trend_is_found_and_told_from_begin_to_end() -> None:
    line = [1000.0 - 2 * s for s in range(100)]  # from 1,000 down to 802: 200 less, 22 % of the mean
    found, as_pct = trend(line), trend_pct(line)
    assert found and found.value == pytest.approx(-200, rel=0.02) and found.high < 0
    assert as_pct and as_pct.value == pytest.approx(-22.2, abs=0.5)


def test_too_few_seconds_have_no_trend() -> None:
    assert trend([1.0] * (LEAST_S - 1)) is None
    assert trend_pct([0.0] * 60) is None  # a percentage of nothing
    assert trend([1.0] * 50 + [None] * 30) is None  # a whole block is missing
    assert trend([]) is None and trend_pct([]) is None


def test_the_slowest_second_and_those_below_half() -> None:
    values: list[float | None] = [*FLAT, 499.0, 500.0, None, 10.0]
    assert slowest(values) == 10.0
    assert below_half_pct(values) == pytest.approx(100 * 2 / 103)  # 500 is half
    assert (slowest([None]), below_half_pct([]), longest_stall_s([None])) == (None, None, None)


def test_the_longest_stall_is_that_of_steadiness() -> None:
    assert longest_stall_s(FLAT) == 0
    assert longest_stall_s([*FLAT, 100.0, *FLAT]) == 0  # one second is none
    assert longest_stall_s([*FLAT, 100.0, 0.0, *FLAT, 0.0, 0.0, 0.0, *FLAT]) == 3
