"""How often verdicts that know the noise of earlier plans are false, and how wide their intervals are.

The tables of docs/measured/verdicts.md on earlier plans: simulated, and held against Dyno's own code.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
import pytest
from scipy import special  # type: ignore[import-untyped]

from app.core.table import markdown_of
from app.stats import StepResultPair, judge
from app.stats.at_target.verdicts import COLOURED
from app.stats.at_target.welch import WIDEST
from app.stats.earlier import prior_of_plans, variances_of_plans
from tests.bench import vectorised
from tests.bench.figure import Figure
from tests.bench.vectorised import SHARE, Array, Differences, declared_by_round, differences_by_round
from tests.worlds import PLANS, ratios_of_plans

TRIED = ((3, 4), (3, 10), (4, 6), (5, 4), (5, 10), (8, 6))  # repeats, and earlier plans
CELLS, EARLIER_ROUNDS = 9, 5
_HELD = 5  # comparisons of each world that Dyno judges too: both have to say the same


class Found(NamedTuple):
    """Of one world, without earlier plans or with them."""

    false: float  # share of comparisons with a coloured cell, or an interval without 1
    width: float  # usual distance of the end of an interval from its ratio


def pooling(arguments: argparse.Namespace) -> list[Figure]:
    chance = np.random.default_rng([39, 0])
    tried = {name: [_tried(name, n, plans, arguments.runs, chance) for n, plans in TRIED] for name in PLANS}
    heads = ["equals", *(f"n = {n}, {plans} plans" for n, plans in TRIED)]
    for title, which in (("comparisons with a false cell or interval", 0), ("half an interval", 1)):
        lines = [
            [name, *(f"{100 * both[0][which]:.1f} → {100 * both[1][which]:.1f} %" for both in found)]
            for name, found in tried.items()
        ]
        print(f"slices, {CELLS} cells, {title}, without and with earlier plans", end="\n\n")
        print(markdown_of(heads, lines), end="\n\n", flush=True)
    worst = 100 * max(pooled.false for found in tried.values() for _, pooled in found)
    limit = 100 * (SHARE + 3 * (SHARE * (1 - SHARE) / arguments.runs) ** 0.5)
    return [
        Figure("equals called different, earlier plans", worst, "%", arguments.runs, "runs", at_most=limit)
    ]


def _tried(name: str, n: int, plans: int, runs: int, chance: np.random.Generator) -> tuple[Found, Found]:
    drawn = ratios_of_plans(name, (runs, plans + 1, CELLS, max(n, EARLIER_ROUNDS)), chance)
    ratios, earlier = drawn[:, -1, :, :n], drawn[:, :-1, :, :EARLIER_ROUNDS]
    alone = differences_by_round(np.zeros_like(ratios), ratios)
    pooled = vectorised.pooled_by_round(ratios, vectorised.prior_of_plans(earlier))
    for at in range(_HELD):
        _hold(ratios[at], earlier[at], _coloured(pooled, ratios)[at], _half(pooled)[at])
    return _found(alone, ratios), _found(pooled, ratios)


def _found(differences: Differences, ratios: Array) -> Found:
    half = _half(differences)
    beyond = (np.abs(differences.apart) > half) & (2 * half <= np.log(WIDEST))
    is_false = (_coloured(differences, ratios) | beyond).any(1)
    return Found(float(is_false.mean()), float(np.expm1(np.exp(np.log(half).mean()))))


def _half(differences: Differences) -> Array:
    share = 1 - differences.level / differences.apart.shape[1] / 2
    return np.asarray(special.stdtrit(differences.freedom, share) * differences.error)


def _coloured(differences: Differences, ratios: Array) -> Array:
    is_same_way = (np.median(ratios, 2) > 0) == (ratios.mean(2) > 0)
    return declared_by_round(differences.p, ratios) & is_same_way


def _hold(ratios: Array, earlier: Array, coloured: Array, half: Array) -> None:
    """Check that Dyno says the same of a comparison: cells x rounds, plans x cells x rounds."""
    priors = [prior_of_plans(variances_of_plans(plans)) for plans in np.exp(earlier).swapaxes(0, 1).tolist()]
    cells = [
        StepResultPair((1.0,) * len(row), tuple(np.exp(row).tolist()), by_round=True, earlier=prior)
        for row, prior in zip(ratios, priors, strict=True)
    ]
    verdicts = judge(cells)
    assert coloured.tolist() == [each.word in COLOURED for each in verdicts], "not what Dyno says"
    for verdict, expected in zip(verdicts, half.tolist(), strict=True):
        if interval := verdict.interval:
            found = np.log(interval.high / interval.low) / 2
            assert found == pytest.approx(expected, rel=1e-4), "no interval of Dyno"


FIGURES = {"pooling": pooling}
