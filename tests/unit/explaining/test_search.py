"""The search for what did it, simulated: the right setting is named, an innocent one is not."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import combinations
from statistics import fmean

import pytest

from app.explaining.search import DID, LOOKS, NONE, OPEN, ROUNDS, DifferenceShares, shares_from_rounds
from app.explaining.squares import Round, SettingsSquare
from app.stats import VerdictLimits

NOISE = 0.02  # of a contender in a round
SEEDS = range(20)
MANY = 64  # rounds that fit into the time
INNOCENT = {"checksums": 0.0, "I/O threads": 0.0, "log buffer": 0.0}
PAIRS = {
    "redo size": 0.3, "flush at commit": 0.9, "doublewrite": 0.15, "binary log": -0.2, "GTID": -0.05,
    "buffer pool": 0.6, "I/O capacity": 0.06, "compression": -0.4, "Performance Schema": -0.07,
    "character set": -0.06,
}  # fmt: skip


def measured(
    effects: Mapping[str, float], together: Mapping[frozenset[str], float], seed: int, noise: float = NOISE
) -> tuple[DifferenceShares, int]:
    """An explanation to its end, and its rounds."""
    rnd, rounds = random.Random(seed), list[Round]()

    def figure(group: frozenset[str], common: float) -> float:
        extra = sum(value for settings, value in together.items() if settings <= group)
        return common + sum(effects[each] for each in group) + extra + rnd.gauss(0, noise)

    while True:
        found = shares_from_rounds(list(effects), rounds, VerdictLimits())
        if found.next is None or len(rounds) >= MANY:
            return found, len(rounds)
        for _ in range(ROUNDS):
            common = rnd.gauss(9, 0.2)  # what a round does to all contenders
            rounds.append({group: figure(group, common) for group in found.next.contenders})


def named(found: DifferenceShares) -> set[str]:
    return {name for part in found.parts if part.verdict == DID for name in part.settings}


@pytest.mark.parametrize("cause", PAIRS)
def test_one_cause_is_found_beside_three_innocents(cause: str) -> None:
    names = [*INNOCENT, cause]
    found = []
    for seed in SEEDS:
        random.Random(seed).shuffle(names)
        explained, _ = measured({name: {**INNOCENT, cause: PAIRS[cause]}[name] for name in names}, {}, seed)
        found.append(named(explained))
    assert sum(cause in each for each in found) >= 0.9 * len(SEEDS)
    assert sum(bool(each - {cause}) for each in found) <= len(SEEDS) / 20


def test_two_settings_that_work_only_together_are_named_together() -> None:
    both = frozenset(("doublewrite", "redo size"))
    right = 0
    for seed in SEEDS:
        explained, _ = measured({**INNOCENT, **dict.fromkeys(sorted(both), 0.0)}, {both: 0.2}, seed)
        assert not named(explained) - both
        right += any(set(each.settings) == both for each in explained.interactions)
    assert right >= 0.9 * len(SEEDS)


def test_equals_have_no_cause() -> None:
    found = [measured(dict.fromkeys("abcdef", 0.0), {}, seed)[0] for seed in range(100)]
    assert sum(bool(named(each)) for each in found) <= 5
    assert sum(part.verdict == NONE for each in found for part in each.parts) > 50


@pytest.mark.parametrize("count", [1, 2, 3, 7, 32])
def test_the_shares_add_up_to_the_ratio(count: int) -> None:
    effects = {f"s{at}": 0.0 for at in range(count)} | {"s0": 0.25}
    found, rounds = measured(effects, {}, 1)
    assert found.whole is not None and found.rest is not None
    shares = sum(part.share.apart for part in found.parts if part.share)
    assert shares + found.rest.apart == pytest.approx(found.whole.apart)
    assert abs(found.rest.apart) < found.rest.half_width(0.05) or count == 1
    assert sorted(name for part in found.parts for name in part.settings) == sorted(effects)
    assert named(found) == {"s0"} and rounds <= MANY


def test_a_square_is_measured_a_few_times_and_no_more() -> None:
    found, rounds = measured({"a": 0.019, "b": 0.0}, {}, 3)  # as large as an effect that is none
    assert found.next is None and rounds == ROUNDS * LOOKS
    assert found.parts[0].verdict == OPEN


def test_much_noise_ends_where_rounds_no_longer_help() -> None:
    found = [measured({**INNOCENT, "binary log": -0.2}, {}, seed, 0.05) for seed in SEEDS]
    assert all(each.next is None and named(each) == {"binary log"} for each, _ in found)
    assert fmean(rounds for _, rounds in found) <= 7 * ROUNDS


def test_the_square_of_the_only_cause_is_measured_on_to_clear_the_others() -> None:
    groups = [frozenset(each) for n in range(5) for each in combinations("abcd", n)]
    wave = (0.06, -0.06, -0.06, 0.06)  # noise of a: four rounds cannot tell
    rounds: list[Round] = [
        {each: 0.5 * ("d" in each) + wave[at] * ("a" in each) for each in groups} for at in range(ROUNDS)
    ]
    found = shares_from_rounds("abcd", rounds, VerdictLimits())
    assert named(found) == {"d"} and any(part.verdict == OPEN for part in found.parts)
    assert found.next == SettingsSquare.of(frozenset(), "d", "abc")


def test_each_part_of_the_tree_is_asked_for_in_turn() -> None:
    first = shares_from_rounds("abcd", (), VerdictLimits())
    assert first.next is not None and [set(each) for each in first.next.corners] == [
        set(), {"a", "b"}, {"c", "d"}, {"a", "b", "c", "d"},
    ]  # fmt: skip
    assert [part.verdict for part in first.parts] == [OPEN] and first.whole is None
    shown: list[Round] = [
        {each: 0.5 * ("d" in each) + at / 1000 for each in first.next.contenders} for at in range(ROUNDS)
    ]
    then = shares_from_rounds("abcd", shown, VerdictLimits())
    assert then.next == SettingsSquare.of(frozenset(), "c", "d")
    half = next(part for part in then.parts if part.settings == ("a", "b"))
    assert (half.verdict, half.n) == (NONE, ROUNDS)


def test_what_depends_is_searched_next_to_what_it_depends_on() -> None:
    groups = [frozenset(each) for n in range(5) for each in combinations("abcd", n)]
    rounds: list[Round] = [
        {each: 0.5 * ({"a", "c"} <= each) + at / 1000 for each in groups} for at in range(ROUNDS)
    ]
    found = shares_from_rounds("abcd", rounds, VerdictLimits())
    assert named(found) == {"a", "c"}
    assert [set(each.settings) for each in found.interactions] == [{"a", "c"}]
    assert found.interactions[0].share.apart == pytest.approx(0.5)


def test_who_begins_a_round_does_not_blur_what_is_looked_at() -> None:
    square = SettingsSquare.of(frozenset(), "d", "abc")
    rounds: list[Round] = []
    for at in range(ROUNDS):
        order = square.contenders[:: -1 if at % 2 else 1]
        rounds.append({each: 0.1 * ("d" in each) + 0.02 * place for place, each in enumerate(order)})
    found = square.measured(rounds)
    of_d, of_others = found.effect("d"), found.effect("abc")
    assert of_d.apart == pytest.approx(0.1) and of_d.error == pytest.approx(0, abs=1e-9)
    assert of_others.apart == pytest.approx(0) and 0 < of_others.error < 0.015


def test_a_lost_contender_takes_its_round_with_it() -> None:
    square = SettingsSquare.of(frozenset(), "a", "b")
    whole: Round = dict.fromkeys(square.contenders, 1.0)
    torn = {each: value for each, value in whole.items() if "b" not in each}
    assert square.measured([whole, torn]).n == 1


def test_limits_of_a_person_apply() -> None:
    rounds: list[Round] = [
        {
            each: 0.04 * ("a" in each) + at / 1000
            for each in SettingsSquare.of(frozenset(), "a", "b").contenders
        }
        for at in range(ROUNDS)
    ]
    assert named(shares_from_rounds("ab", rounds, VerdictLimits())) == {"a"}
    assert not named(shares_from_rounds("ab", rounds, VerdictLimits(matters=0.05)))
