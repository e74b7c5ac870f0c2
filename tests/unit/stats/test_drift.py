"""What a machine that drifts does to the verdicts of a plan, by the order of its sessions."""

from __future__ import annotations

import numpy as np
import pytest

from app.stats import StepResultPair, judge
from app.stats.at_target.verdicts import COLOURED
from tests.plans import MARIADB, plan

PAIR = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")
NOISE = 0.01  # between sessions
TRIED = 200


def speeds(repeats: int, drift: float) -> np.ndarray:
    """How fast the machine is in each turn."""
    return 1 - drift * np.linspace(0, 1, 2 * repeats)


def second_ones(order: str, repeats: int) -> np.ndarray:
    """Which turns belong to the second of two contenders."""
    return np.array([turn.contender for turn in plan(*PAIR, order=order, repeats=repeats).turns]) == 1


def called_different(order: str, repeats: int, drift: float) -> float:
    """The share of comparisons in which two equal contenders are judged better or worse."""
    chance = np.random.default_rng(9)
    is_second = second_ones(order, repeats)
    figures = speeds(repeats, drift) * (1 + NOISE * chance.standard_normal((TRIED, 2 * repeats)))
    return float(np.mean([_is_different(row[~is_second], row[is_second]) for row in figures]))


def _is_different(base: np.ndarray, other: np.ndarray) -> bool:
    return judge([StepResultPair(tuple(base.tolist()), tuple(other.tolist()))])[0].word in COLOURED


@pytest.mark.parametrize("drift", [0.05, -0.05, 0.1, -0.1])
@pytest.mark.parametrize("repeats", [5, 6, 8])
def test_drift_deceives_grouped_order_and_not_the_default(repeats: int, drift: float) -> None:
    assert called_different("grouped", repeats, drift) > 0.58
    assert called_different("interleaved", repeats, drift) <= 0.03


def test_four_repeats_are_not_deceived_either() -> None:
    assert max(called_different("interleaved", 4, drift) for drift in (0.05, 0.1)) <= 0.03


@pytest.mark.parametrize("repeats", [2, 4, 6])
def test_even_drift_cancels_out_of_the_means(repeats: int) -> None:
    """Which A B A B does not do: B is always the later one."""
    is_second, speed = second_ones("interleaved", repeats), speeds(repeats, 0.1)
    assert speed[is_second].mean() == pytest.approx(speed[~is_second].mean(), rel=1e-12)
    assert speed[1::2].mean() < speed[::2].mean()
