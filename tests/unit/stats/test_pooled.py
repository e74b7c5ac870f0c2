"""The noise of earlier plans beside that of a plan: by the formulas that were simulated."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
from scipy import special, stats  # type: ignore[import-untyped]

from app.stats import StepResultPair, judge
from app.stats.at_target.moderated import UNKNOWN, VariancePrior
from app.stats.at_target.student import f_above
from app.stats.at_target.verdicts import COLOURED, NOISE, SAME
from app.stats.earlier import PLANS, prior_of_plans, variances_of_plans
from tests.bench.vectorised import pooled_by_round
from tests.bench.vectorised import prior_of_plans as vectorised_prior
from tests.worlds import ratios_of_plans

RUNS, MOST = 300, 0.085  # comparisons, and the share of false ones that chance may show where 5 % are
MIXED = "mixed noise: half of the cells 10 %"


def cells_of(ratios: np.ndarray, earlier: np.ndarray | None = None) -> list[StepResultPair]:
    """Of the logarithms of ratios: cells x rounds, earlier ones plans x cells x rounds."""
    pairs = [StepResultPair((1.0,) * len(row), tuple(np.exp(row).tolist()), by_round=True) for row in ratios]
    if earlier is None:
        return pairs
    priors = [known_by(plans) for plans in np.exp(earlier).swapaxes(0, 1).tolist()]
    return [replace(pair, earlier=prior) for pair, prior in zip(pairs, priors, strict=True)]


def drawn(name: str, n: int, plans: int = 6, cells: int = 4, runs: int = 1) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(crc32(f"{name} {n}".encode()))
    found = ratios_of_plans(name, (runs, plans + 1, cells, max(n, 5)), chance)
    return found[:, -1, :, :n], found[:, :-1]


def known_by(plans: list[list[float]]) -> VariancePrior:
    return prior_of_plans(variances_of_plans(plans))


def half(cell: StepResultPair, cells: list[StepResultPair]) -> float:
    interval = judge(cells)[cells.index(cell)].interval
    assert interval is not None
    return float(np.log(interval.high / interval.low) / 2)


@pytest.mark.parametrize(("ratio", "above", "below"), [(0.3, 2, 4.5), (1.7, 4, 20.0), (9.0, 2, 800.0)])
def test_the_f_distribution_against_a_library(ratio: float, above: float, below: float) -> None:
    assert f_above(ratio, above, below) == pytest.approx(stats.f.sf(ratio, above, below), rel=1e-9)
    assert f_above(0.0, above, below) == 1.0


@pytest.mark.parametrize("n", [3, 5, 8])
def test_verdicts_are_those_of_the_simulation(n: int) -> None:
    ratios, earlier = drawn("plans and cells by chance", n, runs=40)
    found = pooled_by_round(ratios, vectorised_prior(earlier))
    width = special.stdtrit(found.freedom, 1 - found.level / 4 / 2) * found.error
    pooled = 0
    for at in range(40):
        cells = cells_of(ratios[at], earlier[at])
        for verdict, p, expected in zip(judge(cells), found.p[at], width[at], strict=True):
            assert verdict.p == pytest.approx(p, rel=1e-5)
            pooled += verdict.is_pooled
            if interval := verdict.interval:
                assert np.log(interval.high / interval.low) / 2 == pytest.approx(expected, rel=1e-5)
    assert 80 <= pooled < 160  # the others are of plans noisier than their history


def test_the_prior_of_a_step_is_that_of_the_simulation() -> None:
    _, earlier = drawn("plans by chance", 5)
    freedom, variance = vectorised_prior(earlier)
    for at in range(4):
        found = known_by(np.exp(earlier[0, :, at]).tolist())
        assert (found.freedom, found.variance) == pytest.approx((freedom[0, at], variance[0, at]), rel=1e-6)
        assert found.freedom < 6 * 4


def test_few_plans_few_repeats_and_plans_without_noise_tell_nothing() -> None:
    plan = [1.0, 1.1, 0.95, 1.02]
    assert known_by([plan] * PLANS).freedom > 1
    assert known_by([plan] * (PLANS - 1)) == UNKNOWN
    assert known_by([plan] * (PLANS - 1) + [plan[:2]] * 9) == UNKNOWN
    assert known_by([plan] * (PLANS - 1) + [[1.1] * 4] * 9) == UNKNOWN
    assert known_by([]) == UNKNOWN


def test_without_history_all_is_as_it_was() -> None:
    ratios, earlier = drawn(MIXED, 3)
    plain, pooled = cells_of(ratios[0]), cells_of(ratios[0], earlier[0])
    assert judge(pooled) != judge(plain)
    one_unknown = [replace(pooled[0], earlier=UNKNOWN), *pooled[1:]]
    assert judge(one_unknown) == judge(plain)
    assert judge(pooled[:1]) == judge(plain[:1])  # one cell alone is not moderated
    not_by_round = [replace(cell, by_round=False) for cell in pooled]
    assert judge(not_by_round) == judge([replace(cell, by_round=False) for cell in plain])


def test_three_repeats_know_which_steps_are_noisy() -> None:
    ratios, earlier = drawn(MIXED, 3, runs=20)
    plain, pooled = ([], [])  # type: tuple[list[float], list[float]]
    for at in range(20):
        for cells, found in ((cells_of(ratios[at]), plain), (cells_of(ratios[at], earlier[at]), pooled)):
            found += [half(cell, cells) if judge(cells)[0].interval else 1.0 for cell in cells[:1]]
    assert np.median(pooled) < 0.5 * np.median(plain)


def test_a_noisy_plan_after_quiet_ones_is_judged_as_without_them() -> None:
    ratios, earlier = drawn("5 times the noise now", 5)
    assert judge(cells_of(ratios[0], earlier[0])) == judge(cells_of(ratios[0]))


def test_a_plan_quieter_than_ever_gets_wider_intervals() -> None:
    ratios, earlier = drawn("plain, 1 % of noise", 5)
    pooled, plain = cells_of(0.2 * ratios[0], earlier[0]), cells_of(0.2 * ratios[0])
    assert all(half(each, pooled) > half(alone, plain) for each, alone in zip(pooled, plain, strict=True))


def test_figures_of_nothing_are_judged_as_without_history() -> None:
    usual = VariancePrior(1e-4, 8.0)
    zero = StepResultPair((0.0,) * 3, (5.0, 6.0, 4.0), "lower", by_round=True)
    others = [
        StepResultPair((1.0,) * 3, each, by_round=True) for each in ((1.0, 1.01, 0.99), (1.0, 0.99, 1.0))
    ]
    plain = judge([zero, *others])
    known = judge([replace(each, earlier=usual) for each in (zero, *others)])
    assert known[0] == plain[0] and [each.is_pooled for each in known] == [False, True, True]


def test_identical_repeats_have_the_noise_of_earlier_ones() -> None:
    ratios, earlier = drawn("plain, 1 % of noise", 5)
    equal = ratios[0].copy()
    equal[0] = 0.05
    for verdict in judge(cells_of(equal, earlier[0]))[:1]:
        assert verdict.is_pooled and verdict.interval is not None
        assert verdict.interval.low < 1.05 < verdict.interval.high
    same = [StepResultPair((1.0,) * 3, (1.0,) * 3, by_round=True, earlier=VariancePrior(1e-4, 9.0))] * 2
    assert {each.word for each in judge(same)} <= {NOISE, SAME}
    assert not any(each.is_pooled for each in judge(same))


@pytest.mark.parametrize(
    "world",
    [MIXED, "plans of 2 or 10 %, half each", "3 times in one cell now", "2 times the noise now, cells alike",
     "2 times in half of the cells now, cells alike"],
)  # fmt: skip
def test_equals_after_earlier_plans_are_seldom_called_different(world: str) -> None:
    ratios, earlier = drawn(world, 3, 4, 9, RUNS)
    false = [
        any(verdict.word in COLOURED for verdict in judge(cells_of(ratios[at], earlier[at])))
        for at in range(RUNS)
    ]
    assert sum(false) / RUNS <= MOST
