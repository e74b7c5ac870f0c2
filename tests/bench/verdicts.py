"""How often verdicts are false, and what they find: the tables of docs/measured/verdicts.md.

All false ones are of comparisons of equals. What Dyno says is reckoned for all at once, and held against its
own code; the rank test, Welch's test alone and the paired one are what it could have been.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from app.core.table import markdown_of
from app.stats import judge
from app.stats.at_target.verdicts import COLOURED
from app.stats.between import VarianceBetweenPlans
from app.stats.groups import StepGroupPair, step_group_ratios
from tests.bench.figure import Figure
from tests.bench.vectorised import SHARE, called, declared, differences, excluded
from tests.worlds import NOISIER, ORDERS, TURN_S, WORLDS, Logs, cells_of, compared, turns

CELLS, REPEATS = (9, 40), (3, 5, 8)
EFFECTS, NOISES, DIFFERING = (0.03, 0.05, 0.1), (0.01, 0.03, 0.1), (0.1, 0.5)
GROUPS = 3  # that the cells are parted into, for the intervals
_POWER_PART = 4  # of the runs: what is found needs no third digit
_HELD = 20  # comparisons of each world that Dyno judges too: both have to say the same

Found = np.ndarray  # comparisons x cells: which are called different


def verdicts(arguments: argparse.Namespace) -> list[Figure]:
    worst = {order: equals(order, arguments.runs) for order in ORDERS}
    others(arguments.runs)
    powers(arguments.runs // _POWER_PART)
    return [
        Figure(f"equals called different, {order}", share, "%", arguments.runs, "runs", at_most=limit)
        for order, share in worst.items()
        # of true shares of 5 % the largest of so many that are counted
        for limit in [100 * (SHARE + 3 * (SHARE * (1 - SHARE) / arguments.runs) ** 0.5)]
    ]


# what is false


def equals(order: str, runs: int) -> float:
    """Two tables, a line for each world; returns the largest share."""
    chance = np.random.default_rng([13, ORDERS.index(order)])
    heads = ["equals", *(f"n = {n}, {cells} cells" for n in REPEATS for cells in CELLS)]
    tried = {name: _tried(name, order, runs, chance) for name in (*WORLDS, NOISIER)}
    for title, which in (("cells", 0), ("intervals", 1)):
        lines = [[name, *(f"{100 * each[which]:.1f} %" for each in found)] for name, found in tried.items()]
        print(f"{order}: comparisons of equals with a false verdict, by {title}", end="\n\n")
        print(markdown_of(heads, lines), end="\n\n", flush=True)
    return 100 * max(each for found in tried.values() for pair in found for each in pair)


def _tried(name: str, order: str, runs: int, chance: np.random.Generator) -> list[tuple[float, float]]:
    return [
        _of_equals(*compared(name, order, n, cells, runs, chance), order) for n in REPEATS for cells in CELLS
    ]


def _of_equals(base: Logs, other: Logs, order: str) -> tuple[float, float]:
    """The share of comparisons with a coloured cell, and of those with an interval without 1."""
    cells, groups = _called(base, other, order), excluded(base, other, GROUPS, _added(order))
    for at in range(_HELD):
        assert cells[at].tolist() == _told(base[at], other[at], order), "not what Dyno says"
        assert groups[at].tolist() == _intervals(base[at], other[at], order), "no interval of Dyno"
    return float(cells.any(1).mean()), float(groups.any(1).mean())


def _called(base: Logs, other: Logs, order: str = ORDERS[0]) -> Found:
    times = (np.array(its) * TURN_S for its in turns(order, base.shape[2]))
    return called(base, other, tuple(times), _added(order))


def _added(order: str) -> float:
    return VarianceBetweenPlans().variance if order == "grouped" else 0.0


def _told(base: Logs, other: Logs, order: str) -> list[bool]:
    """By Dyno itself, of one comparison."""
    return [verdict.word in COLOURED for verdict in judge(cells_of(base, other, order))]


def _intervals(base: Logs, other: Logs, order: str) -> list[bool]:
    parts = np.array_split(np.arange(len(base)), GROUPS)
    groups = [StepGroupPair(*(np.exp(side[part]).T.tolist() for side in (base, other))) for part in parts]
    found = step_group_ratios([groups], added=[cells_of(base, other, order)[0].added])[0]
    return [
        each is not None and each.low is not None and not each.low <= 1 <= (each.high or 0) for each in found
    ]


def others(runs: int) -> None:
    """The same of the tests that Dyno does not use, with 40 cells."""
    chance = np.random.default_rng([13, 2])
    named = [*OTHERS, "moderated alone"]
    heads = ["equals, 40 cells", *(f"{name}, n = {n}" for n in REPEATS for name in named)]
    lines = []
    for name in (*WORLDS, NOISIER):
        pairs = [compared(name, ORDERS[0], n, CELLS[-1], runs, chance) for n in REPEATS]
        tests = [*OTHERS.values(), _moderated]
        shares = [test(*pair).any(1).mean() for pair in pairs for test in tests]
        lines.append([name, *(f"{100 * share:.1f} %" for share in shares)])
    print("the same of other tests, interleaved", end="\n\n")
    print(markdown_of(heads, lines), end="\n\n", flush=True)


# what is found


def powers(runs: int) -> None:
    chance = np.random.default_rng([13, 3])
    heads = [
        "noise",
        "effect",
        "cells that differ",
        *(f"{name}, n = {n}" for n in REPEATS for name in ("Dyno", *OTHERS)),
    ]
    lines = [
        [f"{noise:.0%}", f"{effect:.0%}", f"{differing:.0%}", *_power(noise, effect, differing, runs, chance)]
        for noise in NOISES
        for effect in EFFECTS
        for differing in DIFFERING
    ]
    print(f"of {CELLS[-1]} cells: how many of those that differ are found", end="\n\n")
    print(markdown_of(heads, lines), end="\n\n", flush=True)


def _power(
    noise: float, effect: float, differing: float, runs: int, chance: np.random.Generator
) -> list[str]:
    found, cells = [], CELLS[-1]
    differ = np.arange(cells) < differing * cells
    for n in REPEATS:
        base, other = (noise * chance.standard_normal((runs, cells, n)) for _ in range(2))
        other += np.log1p(effect) * differ[None, :, None]
        all_found = [_called(base, other), *(test(base, other) for test in OTHERS.values())]
        found += [f"{100 * each[:, differ].mean():.0f} %" for each in all_found]
    return found


# other tests


def _rank(base: Logs, other: Logs) -> Found:
    return declared(stats.mannwhitneyu(base, other, axis=2, method="exact").pvalue, base, other)


def _welch(base: Logs, other: Logs) -> Found:
    return declared(stats.ttest_ind(base, other, axis=2, equal_var=False).pvalue, base, other)


def _paired(base: Logs, other: Logs) -> Found:
    return declared(stats.ttest_rel(base, other, axis=2).pvalue, base, other)


def _moderated(base: Logs, other: Logs) -> Found:
    """Without the calibrated level."""
    return declared(differences(base, other).plain_p, base, other)


OTHERS: dict[str, Callable[[Logs, Logs], Found]] = {"rank": _rank, "Welch": _welch, "paired": _paired}
FIGURES: dict[str, Callable[[argparse.Namespace], list[Figure]]] = {"verdicts": verdicts}
