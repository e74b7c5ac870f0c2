"""The search for the build that changed a figure, among planted builds."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import replace

import pytest

from app.explaining.bisect_search import (
    FOUND,
    ROUNDS,
    SAME,
    UNTOLD,
    BisectSearch,
    BisectState,
    build_as_group,
)
from app.explaining.bisect_text import bisect_entry
from app.explaining.bisecting import BisectionBuilds, BisectionRequest
from app.explaining.evidence import MeasuredRounds, SameWorkKey
from app.planner.request.request import PlanRequest
from tests import journals

BUILDS = [f"mysql-9.{at}" for at in range(64)]
NOISE = 0.005  # of a round in slices


def searched(
    speeds: list[float], chance: random.Random, broken: Collection[int] = (), noise: float = NOISE
) -> tuple[BisectState, int]:
    """The end of a search, and the number of comparisons."""
    rounds: list[dict[frozenset[str], float]] = []
    dead, comparisons = {BUILDS[at] for at in broken}, 0
    builds = BUILDS[: len(speeds)]
    while True:
        found = BisectSearch(builds, rounds, dead).found()
        if found.next is None:
            return found, comparisons
        comparisons += 1
        for _ in range(ROUNDS):
            common = chance.gauss(0, 0.05)
            rounds.append(
                {
                    build_as_group(builds[at]): speeds[at] + common + chance.gauss(0, noise)
                    for at in found.next
                }
            )


@pytest.mark.parametrize("culprit", [1, 2, 17, 31, 32, 33, 62, 63])
@pytest.mark.parametrize("change", [-0.06, 0.05])
def test_the_culprit_among_64_builds_in_at_most_8_comparisons(culprit: int, change: float) -> None:
    speeds = [change * (at >= culprit) for at in range(64)]
    found, comparisons = searched(speeds, random.Random(culprit))
    assert (found.verdict, found.low, found.high) == (FOUND, culprit - 1, culprit)
    assert comparisons <= 8


@pytest.mark.parametrize("asked", ["innodb", "innodb:default", "innodb:baseline"])
def test_rounds_of_the_earlier_name_of_a_preset_count(asked: str) -> None:
    old, other = journals.contender("innodb", "default"), journals.contender("innodb", "stock")
    found = BisectionBuilds(
        BisectionRequest("*", asked, "point-query", PlanRequest()), (), (), PlanRequest(),
        frozenset({old.fingerprint}), SameWorkKey("point-query", "w", "m"),
    )  # fmt: skip
    groups = [found._group_of(each) for each in (old, replace(old, preset="baseline"), other)]
    assert groups == [build_as_group(old.build), build_as_group(old.build), None]


@pytest.mark.parametrize(
    ("minutes", "measured", "is_late"),
    [(None, 1e6, False), (10, 0.0, False), (4, 0.0, True), (10, 299.0, False), (10, 301.0, True)],
)
def test_no_comparison_begins_that_would_end_after_the_time(
    minutes: int | None, measured: float, is_late: bool
) -> None:
    """By those that were measured; before the first by the estimate, which is 250 s here."""
    search = BisectionBuilds(
        BisectionRequest("*", "innodb", "point-query", PlanRequest(), minutes=minutes), ("one", "two"), (),
        PlanRequest(), frozenset(), SameWorkKey("point-query", "w", "m"), 250.0,
    )  # fmt: skip
    evidence = MeasuredRounds(seconds=measured, their_rounds=ROUNDS if measured else 0)
    assert search.is_late(evidence) == is_late
    sentence = bisect_entry(search, BisectSearch(search.builds, ()).found(), evidence)["sentence"]
    assert ("would end after the time" in sentence) == is_late and sentence.endswith("goes on.")


def test_it_is_seldom_wrong() -> None:
    chance, wrong, open_ = random.Random(5), 0, 0
    for _ in range(200):
        culprit = chance.randint(1, 63)
        found, _ = searched([-0.05 * (at >= culprit) for at in range(64)], chance, noise=0.01)
        wrong += found.verdict == FOUND and found.high != culprit
        open_ += found.verdict == UNTOLD
    assert wrong <= 4 and open_ <= 60


def test_without_a_change_one_comparison_says_so() -> None:
    found, comparisons = searched([0.0] * 64, random.Random(1))
    assert (found.verdict, comparisons) == (SAME, 1)


def test_builds_that_do_not_start_are_passed_over_and_named() -> None:
    found, _ = searched([-0.06 * (at >= 40) for at in range(64)], random.Random(2), broken=range(36, 40))
    assert (found.verdict, found.low, found.high) == (FOUND, 35, 40)
    assert found.skipped == (36, 37, 38, 39)


def test_two_builds_need_one_comparison() -> None:
    found, comparisons = searched([0.0, -0.06], random.Random(3))
    assert (found.verdict, found.low, found.high, comparisons) == (FOUND, 0, 1, 1)


def test_too_much_noise_is_told_and_not_guessed() -> None:
    found, comparisons = searched([-0.02 * (at >= 9) for at in range(20)], random.Random(4), noise=0.2)
    assert found.verdict == UNTOLD and comparisons <= 2


def test_a_build_beyond_both_ends_is_told() -> None:
    speeds = [0.0] * 8 + [-0.2] * 3 + [-0.06] * 5
    found, _ = searched(speeds, random.Random(6))
    assert (
        found.remarks == ("mysql-9.8 is not between both ends: there may be several changes",)
        or found.remarks
    )
