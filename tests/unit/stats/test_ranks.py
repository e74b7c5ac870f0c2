"""The rank test against a library's own figures."""

from __future__ import annotations

import random

import pytest
from scipy import stats  # type: ignore[import-untyped]

from app.stats.ranks import EXACT, fewest, least_p, p_of


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 3), (4, 5), (8, 8), (12, 12)])
def test_without_ties_it_is_exact(n: int, m: int) -> None:
    drawn = random.Random(n * 100 + m)
    for _ in range(20):
        a, b = [drawn.gauss(0, 1) for _ in range(n)], [drawn.gauss(0.5, 1) for _ in range(m)]
        assert p_of(a, b) == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue, abs=1e-12)


def test_with_ties_every_way_to_share_out_the_ranks_is_counted() -> None:
    drawn = random.Random(4)
    for _ in range(5):
        a, b = [drawn.randrange(4) for _ in range(4)], [drawn.randrange(4) for _ in range(5)]

        def ranks_of(x: object, y: object) -> float:
            return float(stats.mannwhitneyu(x, y).statistic)

        known = stats.permutation_test((a, b), ranks_of, permutation_type="independent", n_resamples=10**6)
        assert p_of(a, b) == pytest.approx(min(1.0, known.pvalue), abs=1e-9)


def test_of_many_it_is_near_enough() -> None:
    drawn = random.Random(7)
    n = EXACT
    a, b = [drawn.gauss(0, 1) for _ in range(n)], [round(drawn.gauss(0.4, 1), 1) for _ in range(n)]
    known = stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=True).pvalue
    assert p_of(a, b) == pytest.approx(known, abs=1e-9)


def test_what_cannot_be_told_apart() -> None:
    assert p_of([5.0, 5.0, 5.0], [5.0, 5.0, 5.0]) == 1.0
    assert p_of([5.0] * 20, [5.0] * 20) == 1.0


@pytest.mark.parametrize(("share", "n"), [(0.05, 4), (0.01, 5), (0.5, 2), (0.0, None)])
def test_how_many_it_takes_at_least(share: float, n: int | None) -> None:
    assert fewest(share) == n


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 5), (3, 3), (4, 4), (8, 8)])
def test_the_least_is_that_of_samples_wholly_apart(n: int, m: int) -> None:
    assert least_p(n, m) == pytest.approx(
        p_of([float(x) for x in range(n)], [float(x + 99) for x in range(m)])
    )
