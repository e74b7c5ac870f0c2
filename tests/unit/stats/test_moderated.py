"""What many variances have in common, against a library's functions and made-up variances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special  # type: ignore[import-untyped]

from app.stats.at_target.moderated import VariancePrior, digamma, prior_of, trigamma, trigamma_inverse


@pytest.mark.parametrize("x", [0.3, 1.0, 2.5, 6.0, 40.0, 500.0])
def test_functions_against_a_library(x: float) -> None:
    assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-8)
    assert trigamma(x) == pytest.approx(special.polygamma(1, x), rel=1e-8)
    assert trigamma_inverse(trigamma(x)) == pytest.approx(x, rel=1e-6)


def test_place_and_width_of_made_up_variances_are_found() -> None:
    chance = np.random.default_rng(1)
    truth, freedom, own = 4e-4, 6.0, 4
    variances = truth * freedom / chance.chisquare(freedom, 20_000)
    measured = variances * chance.chisquare(own, 20_000) / own
    found = prior_of([(float(each), own) for each in measured])
    assert found.variance == pytest.approx(truth, rel=0.05)
    assert found.freedom == pytest.approx(freedom, rel=0.15)


def test_equal_variances_tell_as_much_as_there_is_to_know() -> None:
    chance = np.random.default_rng(2)
    found = prior_of([(float(each), 4) for each in 1e-4 * chance.chisquare(4, 4000) / 4])
    assert found.freedom > 50 and found.variance == pytest.approx(1e-4, rel=0.15)


def test_a_variance_is_never_taken_as_smaller_than_it_was_measured() -> None:
    prior = VariancePrior(1e-4, 10.0)
    assert prior.moderated(9e-4, 2) == (9e-4, 12.0)
    assert prior.moderated(1e-6, 2) == (pytest.approx((10e-4 + 2e-6) / 12), 12.0)


def test_one_variance_tells_nothing_of_others_nor_do_facts() -> None:
    assert prior_of([(1e-4, 4)]) == VariancePrior() and prior_of([(0.0, 4), (1e-4, 4)]) == VariancePrior()
    assert VariancePrior().moderated(3e-4, 2) == (3e-4, 2)
