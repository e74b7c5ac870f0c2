"""Rounds: figures of which both share what the machine did are judged as pairs."""

from __future__ import annotations

import random
from dataclasses import replace
from math import inf
from zlib import crc32

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from app.stats import StepResultPair, VerdictLimits, judge
from app.stats.at_target.steady import STEADY, UNSTEADY, ratio_steadiness, steadiness
from app.stats.at_target.verdicts import BETTER, COLOURED, DRIFT, FEW, NOISE, SAME, SINGLE, WORSE
from app.stats.groups import StepGroupPair, step_group_ratios
from tests.worlds import ROUNDS, SLICES, WORLDS, cells_of, compared

RUNS = 200
MOST = 0.05 + 3 * (0.05 * 0.95 / RUNS) ** 0.5  # three times the spread of such a count
COMMON = (100.0, 80.0, 125.0, 95.0, 110.0)  # what rounds do to both
OWN = (1.0, 1.004, 0.997, 1.002, 0.996)


def of(factor: float, n: int = 5, direction: str = "higher") -> StepResultPair:
    """Rounds differ by far more than the two of a round."""
    other = tuple(each * own * factor for each, own in zip(COMMON, OWN, strict=True))
    return StepResultPair(COMMON[:n], other[:n], direction, by_round=True)


def words(*cells: StepResultPair) -> list[str]:
    return [verdict.word for verdict in judge(cells)]


def test_what_both_of_a_round_share_hides_nothing() -> None:
    cell = of(1.05)
    assert words(cell) == [BETTER] and words(replace(cell, by_round=False)) == [NOISE]
    assert words(of(0.95)) == [WORSE] and words(of(1.0)) == [SAME]
    assert words(of(0.95, direction="lower")) == [BETTER]


def test_of_one_cell_alone_p_is_that_of_students_test_of_the_rounds() -> None:
    cell = of(1.002)
    known = stats.ttest_rel(np.log(cell.other), np.log(cell.base)).pvalue
    assert judge([cell])[0].p == pytest.approx(known)


def test_the_cells_of_a_column_moderate_each_other() -> None:
    """Of three rounds alone nobody would believe 5 %."""
    alone, together = judge([of(1.05, 3)])[0], judge([of(1.05, 3), *[of(1.0, 3)] * 30])[0]
    assert alone.word == BETTER and together.word == BETTER and alone.p is not None
    unmoderated = alone.p * 31
    assert unmoderated > 0.03


def test_fewer_than_three_rounds_are_not_judged() -> None:
    assert words(of(2.0, 2), of(2.0, 1), of(2.0, 3)) == [FEW, SINGLE, BETTER]
    assert words(StepResultPair((), (), by_round=True)) == [SINGLE]


def test_the_size_of_a_difference_is_that_of_the_ratios() -> None:
    """The medians of both lie in rounds of their own."""
    base, other = (100.0, 130.0, 160.0, 90.0, 200.0), (101.1, 131.2, 161.7, 91.0, 202.3)
    cell = StepResultPair(base, other, by_round=True)
    assert words(cell) == [SAME] and judge([cell], VerdictLimits(matters=0.005))[0].word == BETTER


def test_rounds_that_are_slower_one_by_one_are_no_drift() -> None:
    falling = tuple(100 * 0.9**at for at in range(5))
    times = ((0.0, 60.0, 120.0, 180.0, 240.0), (30.0, 90.0, 150.0, 210.0, 270.0))
    other = tuple(each * own * 0.95 for each, own in zip(falling, OWN, strict=True))
    cell = StepResultPair(falling, other, by_round=True)
    assert words(cell) == [WORSE]
    assert words(StepResultPair(falling, other, times=times)) in ([DRIFT], [NOISE])


def test_figures_of_nothing_are_tested_as_they_are() -> None:
    errors = StepResultPair((0.0, 0.0, 0.0), (5.0, 6.0, 4.0), "lower", by_round=True)
    none = StepResultPair((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "lower", by_round=True)
    assert words(errors, none) == [WORSE, NOISE]
    falling = StepResultPair((5.0, 6.0, 4.0), (0.0, 0.0, 0.0), "lower", by_round=True)
    assert words(falling) == [BETTER]


@pytest.mark.parametrize("n", [3, 5, 8])
@pytest.mark.parametrize("world", [ROUNDS, *WORLDS])
def test_equals_are_seldom_called_different(world: str, n: int) -> None:
    """Cells, and the intervals of three groups of them."""
    chance = np.random.default_rng(crc32(f"{world} {n}".encode()))
    pairs = list(zip(*compared(world, SLICES, n, 9, RUNS, chance), strict=True))
    limits = VerdictLimits(matters=0.0)
    false = [
        any(verdict.word in COLOURED for verdict in judge(cells_of(*pair, SLICES), limits)) for pair in pairs
    ]
    assert sum(false) / RUNS <= MOST
    assert sum(excludes_one(*pair) for pair in pairs) / RUNS <= MOST


def excludes_one(base: np.ndarray, other: np.ndarray) -> bool:
    """Whether the interval of one of three groups does."""
    groups = [
        StepGroupPair(np.exp(base[at::3]).T.tolist(), np.exp(other[at::3]).T.tolist(), True)
        for at in range(3)
    ]
    return any(
        each and each.low and each.high and not each.low <= 1 <= each.high
        for each in step_group_ratios([groups])[0]
    )


def test_rounds_find_what_welch_does_not() -> None:
    """8 % in one of ten cells, under 10 % that rounds share; five rounds."""
    chance = np.random.default_rng(14)
    base, other = compared(ROUNDS, SLICES, 5, 10, 100, chance)
    other[:, :1] += np.log(1.08)
    pairs = list(zip(base, other, strict=True))
    by_round, welch = (
        sum(judge(cells_of(*pair, order))[0].word == BETTER for pair in pairs) / 100
        for order in (SLICES, "interleaved")
    )
    assert by_round > 0.75 and welch < 0.1


def test_a_group_is_the_mean_of_its_rounds() -> None:
    base = [[each, 2 * each] for each in COMMON]
    other = [[1.1 * each * own, 2 * 1.1 * each * own] for each, own in zip(COMMON, OWN, strict=True)]
    ((found,),) = step_group_ratios([[StepGroupPair(base, other, True)]])
    ((apart,),) = step_group_ratios([[StepGroupPair(base, other)]])
    assert found is not None and found.low is not None and found.high is not None
    assert found.low < 1.1 < found.high and found.high / found.low < 1.03
    assert apart is not None and apart.low is not None and apart.low < 0.9
    assert apart.ratio == pytest.approx(found.ratio)


def test_a_round_that_lacks_a_step_tells_of_the_others() -> None:
    base = [[each, each] for each in COMMON]
    other = [[1.1 * each, None if at == 0 else 1.1 * each] for at, each in enumerate(COMMON)]
    ((found,),) = step_group_ratios([[StepGroupPair(base, other, True)]])
    assert found is not None and found.steps == 2 and found.ratio == pytest.approx(1.1)
    ((nothing,),) = step_group_ratios([[StepGroupPair([[0.0]] * 3, [[1.0]] * 3, True)]])
    assert nothing is None
    ((few,),) = step_group_ratios([[StepGroupPair(base[:2], base[:2], True)]])
    assert few is not None and few.low is None


# whether the ratio of their seconds is steady


def seconds(n: int = 60, seed: int = 1, noise: float = 0.02) -> list[float | None]:
    drawn = random.Random(seed)
    return [50_000 * drawn.lognormvariate(0, noise) for _ in range(n)]


def times(values: list[float | None], factor: float, first: int, last: int) -> list[float | None]:
    return [
        value * factor if value is not None and first <= at < last else value
        for at, value in enumerate(values)
    ]


def test_what_both_do_alike_is_steady() -> None:
    a, b = (times(seconds(seed=seed), 0.6, 30, 60) for seed in (1, 2))
    assert steadiness(a).word == UNSTEADY and steadiness(b).word == UNSTEADY
    assert ratio_steadiness(a, b).word == STEADY
    stalled = [times(seconds(seed=seed), 0.0, 20, 26) for seed in (1, 2)]
    assert ratio_steadiness(*stalled).word == STEADY


def test_what_one_does_alone_is_not() -> None:
    a, b = seconds(seed=1), seconds(seed=2)
    found = ratio_steadiness(a, times(b, 0.8, 30, 60))
    assert found.word == UNSTEADY and "its ratio to the base is 2" in found.text and "lower" in found.text
    assert ratio_steadiness(times(a, 0.8, 30, 60), b).word == UNSTEADY
    assert ratio_steadiness(a, times(b, 0.0, 20, 26)).text == "1 stall of 6 s"
    assert ratio_steadiness(times(a, 0.0, 20, 26), b).word == UNSTEADY


def test_seconds_that_one_of_both_lacks_take_no_part() -> None:
    a, b = seconds(seed=1), seconds(seed=2)
    holes = [None if at % 7 == 0 else value for at, value in enumerate(a)]
    assert ratio_steadiness(holes, b).word == STEADY
    assert ratio_steadiness(seconds(10), seconds(10, 2)).word == "too short to tell"
    assert ratio_steadiness([None] * 60, b).word == "too short to tell"


def test_rounds_of_noise_are_steady() -> None:
    """What both share hangs together; own noise of 2 and 10 %."""
    unsteady = 0
    for run in range(300):
        drawn, level = random.Random(run), 0.0
        common = [level := 0.7 * level + drawn.gauss(0, 0.1) for _ in range(60)]
        a, b = (
            [value and value * 2.718**each for value, each in zip(own, common, strict=True)]
            for own in (seconds(60, 2 * run, 0.02), seconds(60, 2 * run + 1, 0.1))
        )
        unsteady += ratio_steadiness(a, b).word == UNSTEADY
    assert unsteady / 300 <= 0.05


def test_added_variances_are_of_columns_that_no_round_has() -> None:
    assert words(replace(of(1.05), added=((0.02, inf),))) == [BETTER]
