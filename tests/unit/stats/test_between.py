"""How far a machine differs from itself between plans."""

from __future__ import annotations

import math
from statistics import variance

import pytest

from app.stats.between import VarianceBetweenPlans, between_plan_variance

FIGURES = [100.0, 104.0, 97.0, 101.0, 99.0, 103.0, 96.0, 100.0]


def test_eight_canaries_tell_it() -> None:
    found = between_plan_variance(FIGURES)
    assert found == VarianceBetweenPlans(pytest.approx(variance(map(math.log, FIGURES))), 7, 8)
    assert 0.02 < found.deviation < 0.04


def test_with_fewer_ten_per_cent_are_assumed() -> None:
    found = between_plan_variance(FIGURES[:7])
    assert (found.deviation, found.freedom, found.canaries) == (pytest.approx(0.1), math.inf, 0)
    assert between_plan_variance([*FIGURES[:7], 0.0]) == found  # a run that did nothing tells nothing
