"""Counted instructions: they differ beyond three times the spread of their starts, and 0.3 %."""

from __future__ import annotations

import pytest

from app.stats import VerdictLimits, judge
from app.stats.at_target.verdicts import (
    BETTER,
    NOISE,
    SAME,
    SINGLE,
    WORSE,
    StepResultPair,
    cell_stopping_decisions,
)


def counted(base: tuple[float, ...], other: tuple[float, ...]) -> StepResultPair:
    return StepResultPair(base, other, "lower", is_counted=True)


@pytest.mark.parametrize(
    ("base", "other", "word"),
    [
        ((67_000, 67_010), (74_400, 74_390), WORSE),
        ((74_400, 74_390), (67_000, 67_010), BETTER),
        ((100_000, 100_001), (100_310, 100_311), WORSE),  # just beyond 0.3 %
        ((100_000, 100_001), (100_290, 100_291), SAME),
        ((100_000, 101_000), (102_900, 102_900), NOISE),  # within three spreads of 1 %, too far for the same
        ((100_000, 101_000), (104_000, 104_000), WORSE),
        ((100_000,), (150_000,), SINGLE),
        ((100_000, 0), (150_000, 150_000), NOISE),  # nothing was counted: no start of such a server is known
    ],
)
def test_a_difference_is_beyond_what_starts_differ_by(
    base: tuple[float, ...], other: tuple[float, ...], word: str
) -> None:
    assert judge([counted(base, other)])[0].word == word


def test_the_interval_is_that_of_the_starts_and_holds_the_ratio() -> None:
    (verdict,) = judge([counted((100_000, 101_000), (104_000, 104_000))])
    assert verdict.interval and verdict.p is None
    assert verdict.interval.low < verdict.interval.ratio < verdict.interval.high
    assert verdict.interval.low > 1


def test_counts_and_rates_of_one_plan_do_not_share_their_noise() -> None:
    rates = StepResultPair((100.0, 101.0, 99.0), (110.0, 111.0, 109.0))
    alone, beside = judge([rates])[0], judge([rates, counted((10.0, 10.0), (20.0, 20.0))])[0]
    assert alone == beside


def test_two_starts_decide_a_plan_that_ends_when_it_is_decided() -> None:
    cells = [counted((67_000, 67_010), (74_400, 74_390)), counted((100.0, 100.0), (100.0, 100.0))]
    assert cell_stopping_decisions(cells, VerdictLimits(repeatedly=True), 2) == [WORSE, SAME]
