"""Changes over many sessions: as Apache Otava finds them, seldom by chance, and soon."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from app.stats.changes import chance_level, chance_of_change, changes

DATA = Path(__file__).parents[2] / "data"
NOISE = 0.01


def noise(chance: random.Random, count: int, level: float = 0.0) -> list[float]:
    return [chance.gauss(level, NOISE) for _ in range(count)]


def test_it_finds_what_otava_finds() -> None:
    """Version 0.8.0, p 0.001. It divides variances by n and judges up to the end: some changes differ."""
    recorded = json.loads((DATA / "otava.json").read_text())
    same = [[change.at for change in changes(values, 0.001)] == places for values, places in recorded]
    assert len(same) == 60
    assert sum(same) >= 54


def test_noise_shows_a_change_in_one_of_a_hundred_series() -> None:
    chance = random.Random(1)
    false = sum(bool(changes(noise(chance, count))) for count in (8, 12, 20, 30) for _ in range(100))
    assert 1 <= false <= 9  # of 400


def test_a_shift_of_two_percent_is_found_within_eight_sessions() -> None:
    chance, found, tried = random.Random(2), 0, 60
    for _ in range(tried):
        values = [*noise(chance, 30), *noise(chance, 8, 0.02)]
        looks = (changes(values[:count]) for count in range(33, 39))
        found += any(abs(change.at - 30) <= 4 for look in looks for change in look)
    assert found >= 0.85 * tried  # more in docs/regressions.md


def test_a_change_has_its_place_size_and_interval() -> None:
    values = [0.0, 0.01, -0.01, 0.0, 0.1, 0.11, 0.09, 0.1]
    (change,) = changes(values)
    assert (change.at, change.freedom) == (4, 6)
    assert change.apart == pytest.approx(0.1)
    assert change.half_width() == pytest.approx(2.447 * change.error, rel=1e-3)
    assert change.p < chance_level(8)


def test_two_changes_are_two() -> None:
    chance = random.Random(3)
    values = [*noise(chance, 15), *noise(chance, 15, 0.05), *noise(chance, 15)]
    assert [change.at for change in changes(values)] == [15, 30]


def test_a_share_is_small_where_a_change_is_clear() -> None:
    chance = random.Random(4)
    assert chance_of_change([*noise(chance, 20), *noise(chance, 8, 0.05)]) < 1e-4
    assert chance_of_change([1.0, 2.0, 3.0]) == 1.0


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * 3, [1.0] * 50])
def test_few_or_equal_values_do_not_change(values: list[float]) -> None:
    assert changes(values) == []


def test_a_step_without_noise_is_a_change() -> None:
    assert [change.at for change in changes([1.0] * 5 + [2.0] * 5)] == [5]
