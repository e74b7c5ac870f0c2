"""Verdicts, one by one and over simulated tables: no more false ones than were promised, true ones found."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from app.stats import StepResultPair, VerdictLimits, judge
from app.stats.at_target.verdicts import (
    BETTER,
    COLOURED,
    DIFFERS,
    DRIFT,
    FEW,
    NOISE,
    SAME,
    SINGLE,
    SMALL,
    WORSE,
)

BASE = (100.0, 101.0, 99.0, 100.5, 99.5)


def words(*cells: StepResultPair) -> list[str]:
    return [verdict.word for verdict in judge(cells)]


def of(factor: float, direction: str = "higher") -> StepResultPair:
    return StepResultPair(BASE, tuple(each * factor for each in BASE), direction)


def test_what_is_beyond_the_noise_is_better_or_worse_by_its_direction() -> None:
    assert words(of(1.2), of(0.8)) == [BETTER, WORSE]
    assert words(of(1.2, "lower"), of(0.8, "lower"), of(0.8, "")) == [WORSE, BETTER, DIFFERS]


def test_what_is_within_the_noise_is_not_told_apart() -> None:
    assert words(of(1.002)) == [SAME]
    assert judge([of(1.002)], VerdictLimits(matters=0.001))[0].word == NOISE


def test_what_is_sure_but_small_does_not_matter() -> None:
    tight = tuple(100 + each / 1000 for each in range(5))
    other = tuple(each * 1.01 for each in tight)
    assert words(StepResultPair(tight, other)) == [SAME]
    wide = (100.0, 100.4, 99.7)
    found = judge([StepResultPair(wide, tuple(each * 1.017 for each in wide))])[0]
    assert found.word == SMALL and found.interval and found.interval.high > 1.02
    assert judge([StepResultPair(tight, other)], VerdictLimits(matters=0.005))[0].word == BETTER


def test_whichever_is_the_base_it_matters_as_much() -> None:
    limits = VerdictLimits(matters=0.3)
    for factor, is_small in ((1.28, True), (1.32, False)):
        cells = (of(factor), of(1 / factor))
        assert [judge([cell], limits)[0].word in (SMALL, SAME) for cell in cells] == [is_small] * 2


def test_fewer_than_three_are_not_judged() -> None:
    assert words(StepResultPair((100.0,), (200.0,))) == [SINGLE]
    assert words(StepResultPair(BASE, (200.0,))) == [SINGLE]
    verdict = judge([StepResultPair((100.0, 101.0), (200.0, 201.0, 202.0))])[0]
    assert (verdict.word, verdict.p) == (FEW, None)
    assert words(StepResultPair((100.0, 101.0, 102.0), (200.0, 201.0, 202.0))) == [BETTER]


def test_one_clear_difference_among_many_cells_is_found() -> None:
    alike = [StepResultPair(BASE, tuple(reversed(BASE)))] * 60
    assert words(of(1.1), *alike)[0] == BETTER


def test_of_one_cell_alone_p_is_that_of_welch() -> None:
    cell = StepResultPair(BASE, tuple(each * 1.01 for each in (100.0, 103.0, 98.0, 101.5, 99.9)))
    known = stats.ttest_ind(np.log(cell.base), np.log(cell.other), equal_var=False).pvalue
    assert judge([cell])[0].p == pytest.approx(known)


def test_figures_that_are_nothing_at_times_are_tested_as_they_are() -> None:
    assert words(StepResultPair((0.0, 0.0, 0.0), (5.0, 6.0, 4.0), "lower")) == [WORSE]
    assert words(StepResultPair((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "lower")) == [NOISE]
    assert words(StepResultPair((0.0, 1.0, 0.0), (0.0, 0.0, 2.0), "lower"), of(1.2)) == [NOISE, BETTER]
    assert words(StepResultPair((0.0, 0.0, 0.0), (5.0, 6.0, 4.0), added=((0.02, math.inf),))) == [NOISE]


def test_facts_without_any_noise_are_no_noise() -> None:
    exact = StepResultPair((20.7,) * 3, (25.1,) * 3, "")
    assert words(exact, StepResultPair((20.7,) * 3, (20.7,) * 3), of(1.002)) == [DIFFERS, SAME, SAME]


def test_a_share_of_nothing_leaves_nothing_to_be_said() -> None:
    assert judge([of(3.0)], VerdictLimits(false_share=0.0))[0].word == NOISE


def test_the_variance_between_plans_is_added() -> None:
    """10 % of both: what is 20 % apart may be the machine, what is twice as fast is not."""
    cells = [replace(of(factor), added=((0.02, math.inf),)) for factor in (1.2, 2.0)]
    assert [judge([cell])[0].word for cell in cells] == [NOISE, BETTER]


def test_a_median_and_a_mean_that_differ_say_nothing() -> None:
    """Four of five a little faster, one far slower: neither faster nor slower."""
    cell = StepResultPair((100.0, 100.1, 99.9, 100.0, 100.0), (104.0, 104.1, 103.9, 104.0, 52.0))
    assert words(cell) == [NOISE]


def test_what_the_machine_did_meanwhile_is_drift() -> None:
    """It loses 2 % a session, and the second column came later."""
    slower = [100 * 0.98**turn for turn in range(6)]
    base, later = tuple(slower[:3]), tuple(slower[3:])
    times = ((0.0, 60.0, 120.0), (180.0, 240.0, 300.0))
    assert words(StepResultPair(base, later)) == [WORSE] and words(
        StepResultPair(base, later, times=times)
    ) == [DRIFT]
    halves = tuple(each / 2 for each in later)
    assert words(StepResultPair(base, halves, times=times)) == [WORSE]  # the machine did not do that
    turned = ((0.0, 180.0, 240.0), (60.0, 120.0, 300.0))  # A B B A A B
    assert words(StepResultPair(BASE[:3], tuple(each * 1.05 for each in BASE[:3]), times=turned)) == [BETTER]


def test_a_trend_is_followed_no_further_than_it_was_seen() -> None:
    """1 % in two minutes is not 7 in a day."""
    base, other = (100.0, 100.5, 101.0), (130.0, 130.5, 131.0)
    times = ((0.0, 60.0, 120.0), (86400.0, 86460.0, 86520.0))
    assert words(StepResultPair(base, other, times=times)) == [BETTER]


def sample(drawn: random.Random, n: int, mean: float = 100.0, noise: float = 0.01) -> tuple[float, ...]:
    return tuple(drawn.gauss(mean, mean * noise) for _ in range(n))


@pytest.mark.full
@pytest.mark.parametrize("n", [3, 5, 8])
def test_of_tables_without_a_difference_few_have_a_coloured_cell(n: int) -> None:
    """500 comparisons of 40 cells without any difference: at most 5 % tell of one."""
    drawn = random.Random(n)
    limits = VerdictLimits(matters=0.0)  # what is too small would hide what is promised
    false = sum(
        any(
            verdict.word in COLOURED
            for verdict in judge(
                [StepResultPair(sample(drawn, n), sample(drawn, n)) for _ in range(40)], limits
            )
        )
        for _ in range(500)
    )
    assert false <= 35  # 5 %, and twice the spread of such a count


@pytest.mark.full
def test_three_per_cent_at_one_per_cent_of_noise_are_found() -> None:
    """8 repeats; a tenth of 40 cells are 3 % faster: over 90 % of them are found, few others are."""
    drawn = random.Random(3)
    found = missed = false = 0
    for _ in range(250):
        means = [103.0 if at % 10 == 0 else 100.0 for at in range(40)]
        cells = [StepResultPair(sample(drawn, 8), sample(drawn, 8, mean)) for mean in means]
        for mean, verdict in zip(means, judge(cells), strict=True):
            if mean > 100:
                found += verdict.word == BETTER
                missed += verdict.word != BETTER
            else:
                false += verdict.word in COLOURED
    assert found / (found + missed) > 0.9
    assert false / (found + false) <= 0.05


@pytest.mark.full
def test_sessions_that_are_fast_as_a_whole_fool_nobody() -> None:
    """Three columns against one base, 20 steps, 5 repeats: a session is off by 1 % in all of its steps."""
    drawn = random.Random(11)
    limits = VerdictLimits(matters=0.0)

    def column() -> list[tuple[float, ...]]:
        wholes = sample(drawn, 5)
        return [tuple(whole * drawn.gauss(1, 0.003) for whole in wholes) for _ in range(20)]

    false = 0
    for _ in range(400):
        base, *others = (column() for _ in range(4))
        cells = [
            StepResultPair(*pair, column=at)
            for at, other in enumerate(others)
            for pair in zip(base, other, strict=True)
        ]
        false += any(verdict.word in COLOURED for verdict in judge(cells, limits))
    assert false <= 29  # 5 % of the tables, and twice the spread of such a count
