"""Looking after each round: what is decided, what is not, and how often equals are told apart."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from app.stats import StepResultPair, VerdictLimits, judge
from app.stats.at_target.looks import ROUNDS, share_of_look
from app.stats.at_target.verdicts import (
    BETTER,
    COLOURED,
    DECISIONS,
    HOPELESS,
    LEAST,
    SAME,
    WORSE,
    cell_stopping_decisions,
)

LOOKED = VerdictLimits(repeatedly=True)


def cell(*ratios: float) -> StepResultPair:
    """Of rounds that come to these ratios."""
    return StepResultPair((1000.0,) * len(ratios), tuple(1000.0 * ratio for ratio in ratios), by_round=True)


CLEAR = cell(0.801, 0.799, 0.8, 0.8)
EQUAL = cell(1.0005, 0.9995, 1.001, 1.0)
FASTER = cell(1.251, 1.249, 1.25, 1.25)
SLOWER = cell(0.701, 0.699, 0.7, 0.7002)
OPEN = cell(1.01, 1.05, 1.03, 1.07)


def test_a_round_more_may_take_more_of_the_share() -> None:
    shares = [share_of_look(0.05, rounds) for rounds in range(LEAST, ROUNDS + 1)]
    assert shares == sorted(shares) and shares[-1] == 0.05
    assert share_of_look(0.05, ROUNDS + 3) == 0.05


def test_words() -> None:
    assert cell_stopping_decisions([CLEAR, SLOWER], LOOKED, 4) == [WORSE, WORSE]
    assert cell_stopping_decisions([EQUAL, EQUAL], LOOKED, 4) == [SAME, SAME]
    assert cell_stopping_decisions([FASTER, CLEAR], LOOKED, 4) == [BETTER, WORSE]


def test_what_more_rounds_may_tell_goes_on() -> None:
    assert cell_stopping_decisions([OPEN, cell(1.02, 1.0, 0.98, 1.01)], LOOKED, 4)[0] == ""


def test_what_all_rounds_could_not_tell_is_hopeless() -> None:
    middling = (0.97, 1.03, 1.0, 0.95, 1.05, 0.99)
    assert cell_stopping_decisions([cell(*middling), cell(*reversed(middling))], LOOKED, 6) == [HOPELESS] * 2


def test_a_step_without_figures_keeps_nobody() -> None:
    assert cell_stopping_decisions([CLEAR, EQUAL, cell()], LOOKED, 2)[2] == ""
    assert cell_stopping_decisions([CLEAR, EQUAL, cell()], LOOKED, 3)[2] == HOPELESS
    assert cell_stopping_decisions([CLEAR, EQUAL, cell(1.0, 1.01)], LOOKED, 3)[2] == ""
    assert cell_stopping_decisions([CLEAR, EQUAL, cell(1.0)], LOOKED, 7)[2] == HOPELESS


def test_the_same_needs_its_whole_interval_or_its_test_at_a_look() -> None:
    assert [each.word for each in judge([CLEAR, EQUAL])] == [WORSE, SAME]
    assert [each.word for each in judge([CLEAR, EQUAL], LOOKED)] == [WORSE, SAME]
    (_, same) = judge([CLEAR, EQUAL])
    assert same.interval
    narrow = VerdictLimits(matters=same.interval.high - 1.0001)
    assert [each.word for each in judge([CLEAR, EQUAL], narrow)][1] != SAME


def test_what_differs_by_as_much_as_matters_is_not_the_same() -> None:
    off = [cell(*(each * 1.02 for each in (1.0005, 0.9995, 1.001))) for _ in range(2)]
    assert SAME not in [each.word for each in judge(off, LOOKED)]


@pytest.mark.parametrize("cells", [1, 2, 6])
def test_equals_are_seldom_told_apart_at_any_look(cells: int) -> None:
    chance, plans = np.random.default_rng([14, cells]), 300
    limits = VerdictLimits(matters=0.0, repeatedly=True)
    found = 0
    for _ in range(plans):
        ratios = chance.normal(0.0, 0.02, (cells, ROUNDS))
        looks = (
            judge([cell(*map(exp, row[:n])) for row in ratios], limits) for n in range(LEAST, ROUNDS + 1)
        )
        found += any(each.word in COLOURED for look in looks for each in look)
    assert found / plans <= 0.05 + 3 * (0.05 * 0.95 / plans) ** 0.5


def test_whoever_looks_without_these_limits_finds_too_much() -> None:
    """What they are for: a cell by itself, looked at six times at the usual level."""
    chance, plans = np.random.default_rng(14), 300
    found = 0
    for _ in range(plans):
        ratios = [exp(each) for each in chance.normal(0.0, 0.02, ROUNDS)]
        looks = (judge([cell(*ratios[:n])], VerdictLimits(matters=0.0)) for n in range(LEAST, ROUNDS + 1))
        found += any(each.word in COLOURED for look in looks for each in look)
    assert found / plans > 0.08


def test_what_is_decided_is_what_compare_says() -> None:
    chance = np.random.default_rng(3)
    for _ in range(50):
        rows = chance.normal([[0.0], [0.1], [-0.03]], 0.02, (3, 5))
        cells = [cell(*map(exp, row)) for row in rows]
        words, said = cell_stopping_decisions(cells, LOOKED, 5), [each.word for each in judge(cells, LOOKED)]
        assert all(word == other for word, other in zip(words, said, strict=True) if word in DECISIONS)
