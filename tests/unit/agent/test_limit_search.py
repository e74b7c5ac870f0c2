"""The search for the highest rate under a limit, on simulated servers."""

from __future__ import annotations

import math
import random

import pytest

from app.agent.steps.limit_step import LOWEST, PASSES, LimitSearch

SERVICE_MS, LIMIT_MS = 0.2, 3.0


def p99_ms(rate: float, capacity: float) -> float:
    """Of a queue with one server: it has no end at its capacity."""
    return math.inf if rate >= capacity else SERVICE_MS * 4.6 / (1 - rate / capacity)


def true_rate(capacity: float) -> float:
    return capacity * (1 - SERVICE_MS * 4.6 / LIMIT_MS)


def search(seed: int, hiccups: float = 0.0) -> tuple[float | None, float, int]:
    """The answer of a search with noise, the truth, and how many tries it took."""
    chance = random.Random(seed)
    capacity = chance.uniform(500, 50_000)
    found, tries, passed = LimitSearch(capacity * chance.uniform(0.93, 1.0)), 0, dict[float, int]()
    while (rate := found.rate) is not None:
        noise = math.exp(chance.gauss(0, 0.05))
        is_good = p99_ms(rate, capacity) * noise <= LIMIT_MS and chance.random() >= hiccups
        found.take(is_good)
        passed[rate] = passed.get(rate, 0) + is_good
        tries += 1
    if found.answer is not None:
        assert passed[found.answer] == PASSES
    return found.answer, true_rate(capacity), tries


@pytest.mark.parametrize("hiccups", [0.0, 0.05])
def test_twenty_searches_are_within_three_percent(hiccups: float) -> None:
    for seed in range(20):
        answer, truth, tries = search(seed, hiccups)
        assert answer == pytest.approx(truth, rel=0.03), seed
        assert tries <= 30


def test_where_all_passes_the_answer_is_the_rate_without_a_limit() -> None:
    found = LimitSearch(1000.0)
    while found.rate is not None:
        found.take(passed=True)
    assert found.answer == 1000.0


def test_where_nothing_passes_there_is_no_answer() -> None:
    found = LimitSearch(1000.0)
    while found.rate is not None:
        assert found.rate >= 1000.0 * LOWEST
        found.take(passed=False)
    assert found.answer is None


def test_there_is_no_answer_before_the_end() -> None:
    found = LimitSearch(1000.0)
    assert found.rate == pytest.approx(1000 * LOWEST**0.5, rel=0.01) and found.answer is None
    found.take(passed=False)
    first = found.rate
    found.take(passed=True)
    assert found.rate == first  # one of two: the third decides


def test_a_lucky_pass_costs_few_tries() -> None:
    found, tries, luck = LimitSearch(1000.0), 0, 1
    while (rate := found.rate) is not None:
        is_lucky = rate > 450 and luck > 0
        luck -= is_lucky
        found.take(rate <= 450 or is_lucky)
        tries += 1
    assert found.answer == pytest.approx(450, rel=0.01) and tries <= 35
