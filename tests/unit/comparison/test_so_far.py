"""The line on what a plan has found so far: true after each repeat, and no verdict before there is one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.comparison.answers.so_far import so_far_lines
from app.comparison.verdicts.rounds_left import DECIDED, LATE, rounds_left
from app.history.store.history import History
from app.protocol.plan import Plan
from app.stats.at_target.looks import ROUNDS
from app.stats.at_target.verdicts import StepResultPair, VerdictLimits
from tests.sliced import INNODB, MYISAM, ROCKSDB, keep, plan

LIMITS = VerdictLimits(repeatedly=True)
NOISE = (1.0, 1.1, 0.93, 1.04, 0.97, 1.06, 0.95, 1.02)


def until_decided(count: int = 2, number: int = 1) -> Plan:
    contenders = (INNODB, ROCKSDB, MYISAM)[:count]
    return replace(plan(contenders, ROUNDS, number, "interleaved"), until_decided=True)


def after(history: History, rounds: int, factors: tuple[float, ...] = (1.0, 0.69, 1.0)) -> list[str]:
    """What is said after so many rounds of a plan of two contenders until decided."""
    its_plan = until_decided(number=rounds)
    keep(history, its_plan, factors, until=2 * rounds)
    return so_far_lines(history, its_plan)


def test_nothing_is_said_before_the_first_round(history: History) -> None:
    its_plan = until_decided()
    keep(history, its_plan, until=1)
    assert so_far_lines(history, its_plan) == []


def test_after_one_round_there_is_a_ratio_and_no_interval(history: History) -> None:
    (line,) = after(history, 1)
    assert line.startswith("MyRocks so far (1 repeat) 0.69 of InnoDB's rate in ")
    assert line.endswith(
        ", the largest difference of 2 steps; at least 2 more repeats until each step is decided"
    )


def test_the_line_grows_with_the_rounds(history: History) -> None:
    (line,) = after(history, 3)
    assert "InnoDB (" not in line and line.endswith("; some steps may stay undecided after all 8 repeats"), (
        "it would be too wide"
    )
    (line,) = after(history, 6)
    assert "InnoDB's rate (0." in line and " to " in line


def test_what_the_agent_has_decided_is_decided(history: History) -> None:
    (line,) = after(history, 6, (1.0, 0.3, 1.0))
    assert line.endswith("; decided: slower")


def test_a_decision_does_not_contradict_its_interval(history: History) -> None:
    (line,) = after(history, 5, (1.0, 0.66, 1.0))
    assert "(0.43 to 1.02)" in line and line.endswith("; decided: probably slower")


def test_each_contender_has_a_line(history: History) -> None:
    its_plan = until_decided(3)
    keep(history, its_plan, until=6)
    assert [line.split(" so far")[0] for line in so_far_lines(history, its_plan)] == ["MyRocks", "MyISAM"]


def test_a_plan_of_so_many_repeats_says_how_far_it_is(history: History) -> None:
    its_plan = plan(rounds=5, order="interleaved")
    keep(history, its_plan, (1.0, 0.69), until=4)
    (line,) = so_far_lines(history, its_plan)
    assert line.endswith("; 2 of 5 repeats measured")


def test_the_line_of_a_plan_that_is_over_is_its_first_sentence(history: History) -> None:
    its_plan = plan(rounds=5)
    keep(history, its_plan, (1.0, 0.69))
    (line,) = so_far_lines(history, its_plan)
    assert "MyRocks at 0.69 of InnoDB" in line and line.endswith("slower.") and "so far" not in line


def test_one_contender_is_compared_with_nothing(history: History) -> None:
    its_plan = plan((INNODB,), rounds=3, order="interleaved")
    keep(history, its_plan)
    assert so_far_lines(history, its_plan) == []


def samples(ratio: float, n: int) -> StepResultPair:
    return StepResultPair(NOISE[:n], tuple(ratio * each for each in NOISE[-n:]))


@pytest.mark.parametrize("ratio", [0.5, 0.8, 0.9])
def test_fewer_rounds_are_left_after_more_of_them(ratio: float) -> None:
    left = [rounds_left([samples(ratio, n)], LIMITS, n, ROUNDS)[0] for n in range(3, ROUNDS + 1)]
    foreseen = [n + more for n, more in zip(range(3, ROUNDS + 1), left, strict=True) if more > 0]
    assert all(each <= ROUNDS for each in foreseen)
    assert left[-1] in (DECIDED, LATE)


def test_a_large_difference_takes_fewer_rounds_than_a_small_one() -> None:
    large, small = (rounds_left([samples(ratio, 3)], LIMITS, 3, ROUNDS)[0] for ratio in (0.4, 0.8))
    assert small == LATE or large < small


def test_too_few_repeats_need_more_first() -> None:
    assert rounds_left([samples(0.5, 1)], LIMITS, 1, ROUNDS) == [2]
    assert rounds_left([samples(0.5, 1)], LIMITS, 1, 2) == [LATE]
