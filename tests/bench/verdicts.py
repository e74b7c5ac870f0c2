"""How often verdicts are false, and what they find: the tables of docs/comparing.md.

All false ones are of comparisons of equals. What Dyno says is said by its own code; the rank test, Welch's
test alone and the paired one are what it could have been.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from app.core.table import markdown_of
from app.stats import judge
from app.stats.groups import Group, group_ratios
from app.stats.student import two_sided
from app.stats.verdicts import COLOURED, Limits
from app.stats.welch import Difference, Pair, differences
from tests.bench.figure import Figure
from tests.worlds import NOISIER, ORDERS, WORLDS, Logs, cells_of, compared

CELLS, REPEATS = (9, 40), (3, 5, 8)
EFFECTS, NOISES, DIFFERING = (0.03, 0.05, 0.1), (0.01, 0.03, 0.1), (0.1, 0.5)
GROUPS = 3  # that the cells are parted into, for the intervals
_POWER_PART = 4  # of the runs: what is found needs no third digit
SHARE = Limits.false_share

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


def _of_equals(bases: Logs, others: Logs, order: str) -> tuple[float, float]:
    """The share of comparisons with a coloured cell, and of those with an interval without 1."""
    pairs = list(zip(bases, others, strict=True))
    false = [any(_called(base, other, order)) for base, other in pairs]
    return float(np.mean(false)), float(np.mean([_excludes(base, other, order) for base, other in pairs]))


def _called(base: Logs, other: Logs, order: str = ORDERS[0]) -> list[bool]:
    return [verdict.word in COLOURED for verdict in judge(cells_of(base, other, order))]


def _excludes(base: Logs, other: Logs, order: str) -> bool:
    parts = np.array_split(np.arange(len(base)), GROUPS)
    groups = [Group(*(np.exp(side[part]).T.tolist() for side in (base, other))) for part in parts]
    added = [cells_of(base, other, order)[0].added]
    found = group_ratios([groups], added=added)[0]
    return any(
        each is not None and each.low is not None and not each.low <= 1 <= (each.high or 0) for each in found
    )


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
        ours = np.array([_called(*pair) for pair in zip(base, other, strict=True)])
        all_found = [ours, *(test(base, other) for test in OTHERS.values())]
        found += [f"{100 * each[:, differ].mean():.0f} %" for each in all_found]
    return found


# other tests


def _rank(base: Logs, other: Logs) -> Found:
    return _declared(stats.mannwhitneyu(base, other, axis=2, method="exact").pvalue, base, other)


def _welch(base: Logs, other: Logs) -> Found:
    return _declared(stats.ttest_ind(base, other, axis=2, equal_var=False).pvalue, base, other)


def _paired(base: Logs, other: Logs) -> Found:
    return _declared(stats.ttest_rel(base, other, axis=2).pvalue, base, other)


def _moderated(base: Logs, other: Logs) -> Found:
    """Without the calibrated level."""
    ps = [
        [two_sided(each.apart / each.error, each.freedom) for each in _differences(*pair)]
        for pair in zip(base, other, strict=True)
    ]
    return _declared(np.array(ps), base, other)


def _differences(base: Logs, other: Logs) -> list[Difference]:
    pairs = zip(base.tolist(), other.tolist(), strict=True)
    return differences([Pair(tuple(a), tuple(b)) for a, b in pairs])


def _declared(p: np.ndarray, base: Logs, other: Logs) -> Found:
    """By the same rate of false discoveries, and the same limit of size."""
    apart = np.abs(np.median(other, 2) - np.median(base, 2))
    return (stats.false_discovery_control(p, axis=1) <= SHARE) & (np.exp(apart) - 1 >= Limits.matters)


OTHERS: dict[str, Callable[[Logs, Logs], Found]] = {"rank": _rank, "Welch": _welch, "paired": _paired}
FIGURES: dict[str, Callable[[argparse.Namespace], list[Figure]]] = {"verdicts": verdicts}
