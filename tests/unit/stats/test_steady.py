"""Steady or not: what is found, what is let pass, and how often either is wrong, by simulation."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest

from app.stats.at_target.steady import LEAST_S, SHORT, STEADY, UNSTEADY, Stall, stalls, steadiness

QPS = 50_000.0
TRIED = 200


def seconds(chance: random.Random, n: int, spread: float, kept: float = 0.0) -> list[float]:
    """Noise of which each second keeps a share of the one before; `spread` is that of the seconds."""
    fresh = (1 - kept * kept) ** 0.5
    noise, found = chance.gauss(0, 1), []
    for _ in range(n):
        noise = kept * noise + fresh * chance.gauss(0, 1)
        found.append(QPS * (1 + spread * noise))
    return found


def checkpoints(chance: random.Random, n: int, every: int, length: int) -> list[float]:
    """Each so many seconds a third of the throughput is lost for a while."""
    begin = chance.randrange(every)
    values = enumerate(seconds(chance, n, 0.05, 0.3))
    return [value * (0.67 if (at + begin) % every < length else 1) for at, value in values]


def share(make: Callable[[random.Random], list[float]], word: str = UNSTEADY) -> float:
    chance = random.Random(6)
    return sum(steadiness(make(chance)).word == word for _ in range(TRIED)) / TRIED


@pytest.mark.parametrize("n", [LEAST_S, 30, 60, 300])
@pytest.mark.parametrize("kept", [0.0, 0.5, 0.7])
@pytest.mark.parametrize("spread", [0.02, 0.15])
def test_seconds_of_noise_are_steady(n: int, kept: float, spread: float) -> None:
    assert share(lambda chance: seconds(chance, n, spread, kept)) <= 0.05


@pytest.mark.parametrize(("n", "every", "length"), [(60, 10, 2), (60, 20, 4), (120, 30, 5), (600, 60, 20)])
def test_checkpoints_that_come_and_go_are_steady(n: int, every: int, length: int) -> None:
    assert share(lambda chance: checkpoints(chance, n, every, length)) <= 0.05


@pytest.mark.parametrize("n", [LEAST_S, 30, 60])
@pytest.mark.parametrize(("spread", "kept"), [(0.02, 0.0), (0.05, 0.3), (0.05, 0.7)])
@pytest.mark.parametrize("lost", [0.15, 0.33, 0.6])
def test_a_dip_of_6_seconds_is_steady_wherever_it_lies(
    n: int, spread: float, kept: float, lost: float
) -> None:
    def dipping(chance: random.Random) -> list[float]:
        begin = chance.randrange(-5, n)
        values = enumerate(seconds(chance, n, spread, kept))
        return [value * (1 - lost if begin <= at < begin + 6 else 1) for at, value in values]

    assert share(dipping) <= 0.05


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.5])
def test_a_fall_of_18_percent_is_found(kept: float) -> None:
    def falling(chance: random.Random) -> list[float]:
        return [v * (1 - 0.18 * at / 59) for at, v in enumerate(seconds(chance, 60, 0.05, kept))]

    assert share(falling) > 0.9


def test_two_levels_are_found() -> None:
    def stepping(chance: random.Random) -> list[float]:
        return [v * (1 if at < 22 else 0.85) for at, v in enumerate(seconds(chance, 60, 0.05, 0.3))]

    assert share(stepping) > 0.9


def test_a_second_level_of_the_last_10_of_30_seconds_is_found() -> None:
    def stepping(chance: random.Random) -> list[float]:
        return [v * (1 if at < 20 else 0.7) for at, v in enumerate(seconds(chance, 30, 0.05, 0.3))]

    assert share(stepping) > 0.9


def test_a_change_that_does_not_matter_is_none_however_sure() -> None:
    assert steadiness([QPS * (1 - 0.03 * at / 599) for at in range(600)]).word == STEADY


def test_the_reason_is_a_sentence_of_figures() -> None:
    falling = steadiness([QPS * (1 - 0.18 * (at + 0.5) / 60) for at in range(60)])
    rising = steadiness([QPS * (1 + 0.30 * (at + 0.5) / 60) for at in range(60)])
    levels = steadiness([QPS] * 24 + [QPS * 0.6] * 36)
    assert falling.text == "throughput falls 18% over the step"
    assert rising.text == "throughput rises 30% over the step"
    assert levels.text == "two levels: from about second 24 on throughput is 40% lower"
    assert steadiness([QPS] * 60).text == "no trend of 5% or more, no two levels, no stall in 60 seconds"


def test_seconds_are_counted_from_where_they_begin() -> None:
    levels = steadiness([QPS] * 24 + [QPS * 0.6] * 36, first_s=100)
    assert levels.text.startswith("two levels: from about second 124 on")


def test_stalls_are_counted() -> None:
    values = [QPS] * 60
    for at in (10, 11, 30, 31, 32, 50, 51):
        values[at] = 0.02 * QPS
    assert steadiness(values).text == "3 stalls of 2 s or more, 7 s together"
    assert steadiness([QPS] * 30 + [0.0] * 4 + [QPS] * 30).text == "1 stall of 4 s"
    assert steadiness([QPS] * 30 + [0.0] + [QPS] * 30).word == STEADY


def test_a_stall_is_seen_however_short_the_step_is() -> None:
    held = steadiness([QPS] * 3 + [0.0] * 3 + [QPS] * 4)
    assert (held.word, held.text) == (UNSTEADY, "1 stall of 3 s")
    assert steadiness([QPS, 0.0, 0.0]).text == "1 stall of 2 s"
    assert steadiness([QPS, 0.0, QPS]).word == steadiness([0.0] * 9).word == steadiness([]).word == SHORT


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([5000.0] * 5 + [0.0] * 55, "1 stall of 55 s"),
        ([5000.0, 0.0, 0.0] * 20, "20 stalls of 2 s or more, 40 s together"),
        ([5000.0, 20.0, 20.0] * 20, "20 stalls of 2 s or more, 40 s together"),  # one client gets through
        ([5000.0] * 2 + [0.0] * 26 + [5000.0] * 2, "1 stall of 26 s"),
        ([5000.0] + [0.0] * 59, "1 stall of 59 s"),
        ([2.0] * 10 + [0.0] * 10 + [2.0] * 10, "1 stall of 10 s"),
        ([1.0, 0.0, 0.0] * 10 + [0.0] * 9, "1 stall of 11 s"),
        ([1.0] * 5 + [0.0] * 55, "1 stall of 55 s"),
        (([3.0] + [0.0] * 10) * 5, "5 stalls of 2 s or more, 50 s together"),
    ],
)
def test_a_server_that_hangs_most_of_a_step_is_never_steady(values: list[float], text: str) -> None:
    found = steadiness(values)
    assert (found.word, found.text) == (UNSTEADY, text)


def test_a_query_that_takes_long_by_itself_is_no_stall() -> None:
    assert steadiness(([0.0] * 14 + [1.0]) * 8).word == STEADY


def test_a_gap_is_no_stall_and_no_part_of_one() -> None:
    assert steadiness([QPS] * 30 + [None] * 5 + [QPS] * 30).word == STEADY
    assert steadiness([QPS] * 30 + [0.0, None, None] + [QPS] * 30).word == STEADY
    assert steadiness([QPS] * 30 + [0.0, None, 0.0] + [QPS] * 30).text == "1 stall of 2 s"


def test_where_events_are_few_a_second_without_one_is_no_stall() -> None:
    def scan(chance: random.Random) -> list[float]:
        return [float(chance.random() < 0.6) for _ in range(120)]

    assert share(scan) <= 0.05


def test_what_begins_with_nothing_is_told_without_a_share() -> None:
    late = steadiness([0.0] * 30 + [10.0] * 30)
    assert late.text == "1 stall of 30 s, two levels: nothing is done until about second 30"
    assert steadiness([at / 4 for at in range(60)]).text == "throughput rises from nothing over the step"


def test_a_step_of_gaps_is_never_called_steady() -> None:
    found = steadiness([QPS if at % 10 == 0 else None for at in range(300)])
    assert (found.word, found.text) == (SHORT, "only 30 of 300 seconds have a figure")


def test_a_short_step_is_never_called_steady() -> None:
    for n in range(LEAST_S):
        found = steadiness([QPS] * n + [None] * 100)
        assert found.word == SHORT
        assert found.text == f"{n} seconds have a figure, {LEAST_S} are needed"
    assert steadiness([QPS] * LEAST_S).word == STEADY


@pytest.mark.parametrize("n", [10, 60])
def test_where_nothing_was_done_the_server_hung(n: int) -> None:
    found = steadiness([0.0] * n)
    assert (found.word, found.text) == (UNSTEADY, f"nothing was done in {n} seconds")


def test_the_smallest_trend_that_could_have_been_seen_stands_beside_steady() -> None:
    """What it says is seen, and half of it is not: in a noise of 8 % from second to second."""
    chance = np.random.default_rng(4)
    noise = 1 + 0.08 * chance.standard_normal((40, 60))
    texts = [steadiness(list(QPS * each)).text for each in noise]
    least = [
        int(found[1]) / 100 for text in texts if (found := re.match(r"no trend of (\d+)% or more,", text))
    ]
    assert len(least) >= 36 and 0.06 <= min(least) <= max(least) <= 0.25

    def seen(times: float) -> int:
        falls = (1 + times * float(np.median(least)) * np.linspace(0, -1, 60)) * noise * QPS
        return sum(steadiness(list(each)).word == UNSTEADY for each in falls)

    assert seen(0.5) <= 8 and seen(1.4) >= 32


def test_a_longer_step_shows_a_smaller_trend() -> None:
    chance = np.random.default_rng(5)
    short, long = (QPS * (1 + 0.05 * chance.standard_normal(length)) for length in (40, 900))
    of = [int(re.findall(r"trend of (\d+)%", steadiness(list(each)).text)[0]) for each in (short, long)]
    assert of[1] == 5 < of[0]


# where stalls are


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([100.0] * 10, []),
        ([100.0, 0.0, 100.0, 100.0], []),  # a second alone
        ([100.0] * 8 + [20.0, 19.0] + [100.0] * 8, [Stall(8, 9, 2)]),
        ([100.0] * 8 + [21.0, 21.0] + [100.0] * 8, []),  # slower, but at work
        ([None, 100.0, 0.0, None, 0.0, 100.0, 100.0, 100.0], [Stall(2, 4, 2)]),  # a hang has no line
        ([0.0, 0.0, *[100.0] * 5, 0.0, 0.0, 0.0], [Stall(0, 1, 2), Stall(7, 9, 3)]),
        ([2.0] * 20 + [0.0] * 9 + [2.0] * 20, []),  # of two events a second nine may be missing by chance
        ([2.0] * 20 + [0.0] * 10 + [2.0] * 20, [Stall(20, 29, 10)]),
        ([None, None], []),
        ([], []),
    ],
)
def test_a_stall_has_its_place_and_its_length(values: list[float | None], found: list[Stall]) -> None:
    assert stalls(values) == found
