"""How often verdicts by round are false, and what they find where rounds share most of their noise.

The tables of docs/measured/verdicts.md on slices: rounds are simulated, and held against Dyno's own code.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from app.core.table import markdown_of
from app.stats import judge
from app.stats.at_target.verdicts import COLOURED
from app.stats.groups import StepGroupPair, step_group_ratios
from tests.bench.figure import Figure
from tests.bench.vectorised import (
    SHARE,
    called,
    called_by_round,
    declared_by_round,
    excluded_by_round,
)
from tests.bench.verdicts import CELLS, EFFECTS, GROUPS, REPEATS
from tests.worlds import NOISIER, ROUNDS, SLICES, TURN_S, WORLDS, Logs, cells_of, compared, turns

_HELD = 20  # comparisons of each world that Dyno judges too: both have to say the same
_POWER_PART = 4  # of the runs


def rounds(arguments: argparse.Namespace) -> list[Figure]:
    worst = equals(arguments.runs)
    powers(arguments.runs // _POWER_PART)
    limit = 100 * (SHARE + 3 * (SHARE * (1 - SHARE) / arguments.runs) ** 0.5)
    return [Figure("equals called different, slices", worst, "%", arguments.runs, "runs", at_most=limit)]


def equals(runs: int) -> float:
    """Two tables, a line for each world; returns the largest share."""
    chance = np.random.default_rng([14, 0])
    heads = ["equals", *(f"n = {n}, {cells} cells" for n in REPEATS for cells in CELLS)]
    tried = {name: _tried(name, runs, chance) for name in (ROUNDS, *WORLDS, NOISIER)}
    for title, which in (("cells", 0), ("intervals", 1)):
        lines = [[name, *(f"{100 * each[which]:.1f} %" for each in found)] for name, found in tried.items()]
        print(f"slices: comparisons of equals with a false verdict, by {title}", end="\n\n")
        print(markdown_of(heads, lines), end="\n\n", flush=True)
    return 100 * max(each for found in tried.values() for pair in found for each in pair)


def _tried(name: str, runs: int, chance: np.random.Generator) -> list[tuple[float, float]]:
    return [_of_equals(*compared(name, SLICES, n, cells, runs, chance)) for n in REPEATS for cells in CELLS]


def _of_equals(base: Logs, other: Logs) -> tuple[float, float]:
    """The share of comparisons with a coloured cell, and of those with an interval without 1."""
    cells, groups = called_by_round(base, other), excluded_by_round(base, other, GROUPS)
    for at in range(_HELD):
        words = [verdict.word for verdict in judge(cells_of(base[at], other[at], SLICES))]
        assert cells[at].tolist() == [word in COLOURED for word in words], "not what Dyno says"
        assert groups[at].tolist() == _intervals(base[at], other[at]), "no interval of Dyno"
    return float(cells.any(1).mean()), float(groups.any(1).mean())


def _intervals(base: Logs, other: Logs) -> list[bool]:
    parts = np.array_split(np.arange(len(base)), GROUPS)
    groups = [
        StepGroupPair(*(np.exp(side[part]).T.tolist() for side in (base, other)), True) for part in parts
    ]
    return [
        each is not None and each.low is not None and not each.low <= 1 <= (each.high or 0)
        for each in step_group_ratios([groups])[0]
    ]


def powers(runs: int) -> None:
    """Of the same figures: by round, as if they were no rounds, and by round without moderation."""
    chance = np.random.default_rng([14, 1])
    tests = ("by round", "Welch", "by round, unmoderated")
    heads = ["effect", "cells that differ", *(f"{name}, n = {n}" for n in REPEATS for name in tests)]
    lines = [
        [f"{effect:.0%}", f"{differing:.0%}", *_power(effect, differing, runs, chance)]
        for effect in EFFECTS
        for differing in (0.1, 0.5)
    ]
    print(f"{ROUNDS}: of {CELLS[-1]} cells, how many of those that differ are found", end="\n\n")
    print(markdown_of(heads, lines), end="\n\n", flush=True)


def _power(effect: float, differing: float, runs: int, chance: np.random.Generator) -> list[str]:
    found, cells = [], CELLS[-1]
    differ = np.arange(cells) < differing * cells
    for n in REPEATS:
        base, other = compared(ROUNDS, SLICES, n, cells, runs, chance)
        other = other + np.log1p(effect) * differ[None, :, None]
        first, second = (np.array(its) * TURN_S for its in turns(SLICES, n))
        tested = (
            called_by_round(base, other),
            called(base, other, (first, second), 0.0),
            declared_by_round(stats.ttest_rel(base, other, axis=2).pvalue, other - base),
        )
        found += [f"{100 * each[:, differ].mean():.0f} %" for each in tested]
    return found


FIGURES = {"rounds": rounds}
