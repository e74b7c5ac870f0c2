"""Comparisons of equals in worlds that are not kind: few have a verdict, or an interval without 1.

The table of docs/measured/verdicts.md has ten times as many of each (`python -m tests.bench verdicts`).
"""

from __future__ import annotations

from math import sqrt
from zlib import crc32

import numpy as np
import pytest

from app.stats import StepResultPair, judge
from app.stats.at_target.verdicts import COLOURED
from app.stats.groups import StepGroupPair, step_group_ratios
from tests.worlds import NOISIER, ORDERS, SLICES, WORLDS, cells_of, compared

RUNS = 200
MOST = 0.05 + 3 * sqrt(0.05 * 0.95 / RUNS)  # three times the spread of such a count


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("world", [*WORLDS, NOISIER])
def test_levels_of_equals_are_seldom_called_different(world: str, order: str) -> None:
    chance = np.random.default_rng(crc32(f"{world} {order}".encode()))
    pairs = list(zip(*compared(world, order, 3, 9, RUNS, chance), strict=True))
    false = [any(verdict.word in COLOURED for verdict in judge(cells_of(*pair, order))) for pair in pairs]
    assert sum(false) / RUNS <= MOST
    if order == "interleaved":
        assert sum(excludes_one(*pair) for pair in pairs) / RUNS <= MOST


def excludes_one(base: np.ndarray, other: np.ndarray) -> bool:
    """Whether the interval of one of three groups does."""
    groups = [
        StepGroupPair(np.exp(base[at::3]).T.tolist(), np.exp(other[at::3]).T.tolist()) for at in range(3)
    ]
    return any(
        each and each.low and each.high and not each.low <= 1 <= each.high
        for each in step_group_ratios([groups])[0]
    )


def test_grouped_columns_would_deceive_if_they_were_judged_as_they_are() -> None:
    """What the variance between plans is added for."""
    chance = np.random.default_rng(5)
    pairs = zip(*compared("drift of 5 % over the plan", "grouped", 5, 9, 50, chance), strict=True)
    cells = [[cell.__class__(cell.base, cell.other) for cell in cells_of(*pair, "grouped")] for pair in pairs]
    assert sum(any(verdict.word in COLOURED for verdict in judge(each)) for each in cells) > 25


def test_a_difference_is_found() -> None:
    """5 % in one of ten cells, at 1 % of noise, by three repeats."""
    chance = np.random.default_rng(6)
    base, other = compared("plain, 1 % of noise", "interleaved", 3, 20, 100, chance)
    other[:, :2] += np.log(1.05)
    words = [
        [v.word for v in judge(cells_of(*pair, "interleaved"))] for pair in zip(base, other, strict=True)
    ]
    assert sum(each[:2].count("better") for each in words) / 200 > 0.75
    assert sum(word in COLOURED for each in words for word in each[2:]) / 1800 < 0.01


@pytest.mark.parametrize(("order", "repeats", "effect"), [("interleaved", 3, 1.1), (SLICES, 3, 1.5)])
def test_a_large_difference_is_found_where_the_noises_of_cells_differ(
    order: str, repeats: int, effect: float
) -> None:
    """1 and 10 % of noise: what the one cell tells of the other is little, and its own repeats have to do."""
    chance = np.random.default_rng(7)
    base, other = compared("mixed noise: half of the cells 10 %", order, repeats, 4, 100, chance)
    other[:, 0] += np.log(effect)
    words = [[v.word for v in judge(cells_of(*pair, order))] for pair in zip(base, other, strict=True)]
    assert sum(each[0] == "better" for each in words) > 90
    assert sum(any(word in COLOURED for word in each[1:]) for each in words) <= 10


def test_three_sessions_that_vary_as_a_whole_against_eight_quiet_ones_deceive_nobody() -> None:
    """Repeats that are left out leave columns uneven; 3 % off in all cells of a session, against 0.3 %."""
    chance = np.random.default_rng(8)

    def column(sessions: int, whole: float) -> np.ndarray:
        off = whole * chance.standard_normal((300, 1, sessions))
        return np.exp(off + 0.001 * chance.standard_normal((300, 9, sessions)))

    tables = zip(column(8, 0.003).tolist(), column(3, 0.03).tolist(), strict=True)
    words = [
        [
            verdict.word
            for verdict in judge([StepResultPair(tuple(a), tuple(b)) for a, b in zip(*pair, strict=True)])
        ]
        for pair in tables
    ]
    assert sum(any(word in COLOURED for word in each) for each in words) <= 20  # 5 %, and a third of that
