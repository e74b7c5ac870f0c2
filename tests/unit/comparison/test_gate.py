"""The gate: worse, not worse, or cannot be told; and how often it is wrong, by simulation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from app.comparison.answers.gate import (
    CODES,
    NOT_WORSE,
    UNTOLD,
    WORSE,
    GateEntry,
    GateLine,
    GateRequest,
    gate,
    gate_answer,
)
from app.comparison.verdicts.disturbing import GivenDisturbanceLimits
from app.core.errors import InputError
from app.history.store.history import History
from app.protocol.plan import Plan
from app.stats import VerdictLimits
from tests.gates import filled, skeleton
from tests.plans import MARIADB
from tests.sliced import INNODB, MYISAM, ROCKSDB, Odd, Oddities, keep, plan
from tests.worlds import ROUNDS, compared

RUNS = 300
MOST = 0.05 + 3 * (0.05 * 0.95 / RUNS) ** 0.5  # three times the spread of such a count
THREE = GateRequest(3.0)


def ask(
    history: History,
    factor: float,
    odd: Oddities | None = None,
    asked: GateRequest = THREE,
    its_plan: Plan | None = None,
) -> GateEntry:
    ids = keep(history, its_plan or plan(), (1.0, factor), odd)
    return gate(history, ids[0], ids[1], asked)


def verdicts(found: GateEntry) -> list[str]:
    return [line["verdict"] for line in found["steps"]]


def test_a_loss_beyond_the_limit_is_worse(history: History) -> None:
    found = ask(history, 0.93)
    assert (found["verdict"], found["exit_code"]) == (WORSE, 1) and verdicts(found) == [WORSE] * 3
    line = found["steps"][1]
    assert line["low"] and line["high"] and line["ratio"]
    assert line["ratio"] == pytest.approx(0.93, rel=0.01) and line["n"] == 5
    assert line["low"] < line["ratio"] < line["high"] < 0.97
    assert found["sentence"].startswith(
        f"worse: {MARIADB}-rocksdb-default loses more than 3% against"
        f" {MARIADB}-innodb-default in 3 of 3 steps: load (0.92"
    )
    assert found["by_round"] and len(found["base"]) == len(found["other"]) == 5


def test_equals_are_not_worse_where_the_loss_is_ruled_out(history: History) -> None:
    found = ask(history, 1.0)
    assert (found["verdict"], found["exit_code"]) == (NOT_WORSE, 0)
    assert found["sentence"] == (
        f"not worse: a loss of 3% is ruled out for {MARIADB}-rocksdb-default against"
        f" {MARIADB}-innodb-default in each of 3 steps"
    )
    assert ask(history, 1.2, its_plan=plan(number=2))["verdict"] == NOT_WORSE


def test_what_the_noise_hides_cannot_be_told(history: History) -> None:
    found = ask(history, 1.0, asked=GateRequest(0.1))
    assert (found["verdict"], found["exit_code"]) == (UNTOLD, 3)
    assert found["sentence"].startswith(
        "cannot be told: in 3 of 3 steps: load (a loss of 0.1% is not ruled out)"
    )
    whole = ask(history, 0.93, its_plan=plan(number=2, order="interleaved"))
    assert whole["verdict"] == UNTOLD and not whole["by_round"]  # rounds lie 50 % apart
    edge = ask(history, 0.97, its_plan=plan(number=3))
    assert edge["verdict"] == UNTOLD


def test_one_worse_step_is_enough_and_one_that_cannot_be_told_is_not_fine(history: History) -> None:
    slower = {(1, repeat, 1): Odd(factor=0.9) for repeat in range(1, 6)}
    found = ask(history, 1.0, slower)
    assert verdicts(found) == [NOT_WORSE, WORSE, NOT_WORSE] and found["verdict"] == WORSE
    assert "in 1 of 3 steps: point-query threads=2 (0.89" in found["sentence"]
    marked = {(1, repeat, 1): Odd(["indebted"]) for repeat in range(1, 6)}
    found = ask(history, 1.0, marked, its_plan=plan(number=2))
    assert verdicts(found) == [NOT_WORSE, UNTOLD, NOT_WORSE] and found["verdict"] == UNTOLD
    assert found["sentence"] == "cannot be told: in 1 of 3 steps: point-query threads=2 (indebted)"
    both = {**marked, **{(1, repeat, 2): Odd(factor=0.9) for repeat in range(1, 6)}}
    assert ask(history, 1.0, both, its_plan=plan(number=3))["verdict"] == WORSE


def test_only_the_steps_asked_for_are_judged(history: History) -> None:
    slower = {(1, repeat, 1): Odd(factor=0.9) for repeat in range(1, 6)}
    ids = keep(history, plan(), (1.0, 1.0), slower)
    for steps, verdict, judged in (
        (("update-index",), NOT_WORSE, ["update-index threads=2"]),
        (("point-query threads=2", "load"), WORSE, ["load", "point-query threads=2"]),
    ):
        found = gate(history, *ids[:2], replace(THREE, steps=steps))
        assert found["verdict"] == verdict and [line["step"] for line in found["steps"]] == judged
    one = gate(history, *ids[:2], replace(THREE, steps=("update-index",)))
    assert one["sentence"].endswith(f"against {MARIADB}-innodb-default in update-index threads=2")
    with pytest.raises(
        InputError, match="no step 'scan' to judge: choose one of load, point-query, update-ind"
    ):
        gate(history, *ids[:2], replace(THREE, steps=("update-index", "scan")))
    with pytest.raises(InputError, match="leave --step or --groups out"):
        replace(THREE, steps=("load",), by_groups=True)


def test_a_load_that_was_disturbed_holds_no_gate_on_other_steps(history: History) -> None:
    disturbed = {(at, repeat, 0): Odd(["disturbed"]) for at in (0, 1) for repeat in range(at, 4 + at)}
    ids = keep(history, plan(), (1.0, 1.0), disturbed)
    found = gate(history, *ids[:2], THREE)
    assert found["verdict"] == NOT_WORSE and verdicts(found) == [UNTOLD, NOT_WORSE, NOT_WORSE]
    assert found["remarks"] == ["load: disturbed, so the answer is that of the other steps"]
    assert found["sentence"].endswith("in each of 2 steps")
    alone = gate(history, *ids[:2], replace(THREE, steps=("load",)))
    assert alone["verdict"] == UNTOLD and "load (" in alone["sentence"]
    other = {(1, repeat, 0): Odd(["indebted"]) for repeat in range(1, 6)}
    assert ask(history, 1.0, other, its_plan=plan(number=2))["verdict"] == UNTOLD


def test_the_limits_of_a_person_for_other_load_count(history: History) -> None:
    busy = Odd(["disturbed"], others={"causes": ["cpu"], "cpu_pct": 60.0, "cpus": 2, "steal_pct": 1.0})
    ids = keep(history, plan(), (1.0, 1.0), {(1, repeat, 1): busy for repeat in range(1, 6)})
    for allowed, verdict in (
        (GivenDisturbanceLimits(), UNTOLD), (GivenDisturbanceLimits(40.0), NOT_WORSE),
        (GivenDisturbanceLimits(20.0), UNTOLD),
        (GivenDisturbanceLimits(40.0, 0.5), UNTOLD), (GivenDisturbanceLimits(steal_pct=50.0), UNTOLD),
    ):  # fmt: skip
        found = gate(history, *ids[:2], replace(THREE, allowed=allowed))
        assert found["verdict"] == verdict, allowed
        assert found["remarks"] == allowed.texts
    assert GivenDisturbanceLimits(40.0).texts == [
        "disturbed by CPU, as asked for: where other programs took more than 40% of the CPUs"
    ]


def test_a_step_that_failed_cannot_be_told(history: History) -> None:
    all_failed = {(1, repeat, 1): Odd(failed=True) for repeat in range(1, 6)}
    found = ask(history, 1.0, all_failed)
    assert found["verdict"] == UNTOLD and "failed: sysbench: FATAL" in found["sentence"]
    one = ask(history, 1.0, {(1, 2, 1): Odd(failed=True)}, its_plan=plan(number=2))
    assert one["verdict"] == UNTOLD and "failed" in one["sentence"]


@pytest.mark.parametrize(
    ("rounds", "why"), [(1, "measured once: the noise is unknown"), (2, "fewer than 3 repeats")]
)
def test_too_few_repeats_cannot_be_told(history: History, rounds: int, why: str) -> None:
    found = ask(history, 0.2, its_plan=plan(rounds=rounds))
    assert found["verdict"] == UNTOLD and why in found["sentence"]


def test_other_work_cannot_be_told_however_slow_it_is(history: History) -> None:
    ours = keep(history, plan([INNODB]))
    theirs = keep(history, replace(plan([ROCKSDB], number=2), rows=5), (0.3,))
    found = gate(history, ours[0], theirs[0], THREE)
    assert found["verdict"] == UNTOLD and found["sentence"].startswith("cannot be told: different work: ")


def test_across_time_only_a_large_loss_is_worse(history: History) -> None:
    ours = keep(history, plan([INNODB]))
    small = gate(history, ours[0], keep(history, plan([ROCKSDB], number=2), (0.9,))[0], THREE)
    assert small["verdict"] == UNTOLD and "across time" in small["remarks"][0]
    slow = plan([ROCKSDB], number=3)
    large = gate(history, ours[0], keep(history, slow, (0.2,))[0], THREE)
    assert large["verdict"] == WORSE
    assert large == gate(history, plan([INNODB]).id, slow.id, THREE), "a plan of one contender stands for it"


def test_any_session_stands_for_its_repeats_whatever_its_place(history: History) -> None:
    ids = keep(history, plan(), (1.0, 0.93))
    first, last = (gate(history, *pair, THREE) for pair in ((ids[0], ids[1]), (ids[8], ids[9])))
    assert first == last
    turned = gate(history, ids[1], ids[0], THREE)
    assert turned["verdict"] == NOT_WORSE
    with pytest.raises(InputError, match="are repeats of one contender: name sessions of two"):
        gate(history, ids[0], ids[2], THREE)


def test_a_build_against_itself_is_two_columns(history: History) -> None:
    """Of one key: compare would pool them."""
    found = ask(history, 1.0, its_plan=plan([INNODB, replace(INNODB, name="again")]))
    assert found["verdict"] == NOT_WORSE and found["by_round"] and verdicts(found) == [NOT_WORSE] * 3
    ids = keep(history, plan([INNODB, replace(INNODB, name="again")], number=2), (1.0, 0.9))
    assert gate(history, ids[0], ids[1], THREE)["verdict"] == WORSE


def test_a_plan_that_goes_on_is_not_judged(history: History) -> None:
    """Whoever asks after each round until he likes the answer gets it too often."""
    ids = keep(history, plan(), (1.0, 0.9), until=8)
    found = gate(history, ids[0], ids[1], THREE)
    assert found["verdict"] == UNTOLD and found["sentence"].endswith(
        "a session is still being measured: compare again at the end"
    )


def test_less_is_better_of_latencies(history: History) -> None:
    found = ask(history, 0.93, asked=replace(THREE, measure="p95_ms"))
    assert found["verdict"] == NOT_WORSE and {line["direction"] for line in found["steps"]} == {"lower"}
    asked = GateRequest(3.0)
    assert asked.is_worse(1.031, 1.2, "lower") and not asked.is_worse(1.02, 1.2, "lower")
    assert asked.is_within(0.5, 1.029, "lower") and not asked.is_within(0.5, 1.04, "lower")


def test_steps_in_which_a_person_only_waits_are_no_loss(history: History) -> None:
    its_plan = plan()
    settle = replace(its_plan.steps[0], name="settle", kind="settle", unit="s")
    its_plan = replace(its_plan, steps=[*its_plan.steps, settle])
    slow = {(1, repeat, 3): Odd(factor=5.0) for repeat in range(1, 6)}
    found = ask(history, 1.0, slow, its_plan=its_plan)
    assert [line["step"] for line in found["steps"]] == [
        "load",
        "point-query threads=2",
        "update-index threads=2",
    ]
    assert found["verdict"] == NOT_WORSE


def test_means_of_groups_in_place_of_steps(history: History) -> None:
    asked = replace(THREE, by_groups=True)
    found = ask(history, 0.93, asked=asked)
    assert [line["step"] for line in found["steps"]] == ["mean of read", "mean of write"]
    assert found["verdict"] == WORSE and "in 2 of 2 means" in found["sentence"]
    assert ask(history, 1.0, asked=asked, its_plan=plan(number=2))["verdict"] == NOT_WORSE
    marked = {(1, repeat, 1): Odd(["indebted"]) for repeat in range(1, 6)}
    left_out = ask(history, 1.0, marked, asked, plan(number=3))
    assert (
        left_out["verdict"] == UNTOLD
        and "mean of read (1 of 1 step cannot be judged)" in left_out["sentence"]
    )


def test_a_few_odd_sessions_are_no_loss(history: History) -> None:
    ids = keep(history, plan([INNODB, MYISAM]), (1.0, 1.0), {(1, 3, 1): Odd(factor=0.3)})
    assert gate(history, ids[0], ids[1], THREE)["verdict"] == UNTOLD


def test_a_plan_until_decided_is_judged_by_its_own_share_of_false_answers(history: History) -> None:
    """As Compare does, by the same function; a narrower share gives wider intervals."""
    own = replace(plan(rounds=8), until_decided=True, false_share_pct=1.0)
    ids = keep(history, own, (1.0, 0.93))
    found = gate(history, ids[0], ids[1], THREE, VerdictLimits(0.05))
    assert found["false_share"] == 0.01
    assert found["remarks"] == ["at most 1% of the answers false, as its plan until decided says, not 5%"]
    assert gate(history, ids[0], ids[1], THREE)["steps"] == found["steps"]
    others = keep(history, replace(plan(rounds=8, number=2), until_decided=True), (1.0, 0.93))
    usual = gate(history, others[0], others[1], THREE)
    assert usual["false_share"] == 0.05 and not usual["remarks"]
    assert all(
        _width(ours) > _width(theirs) for ours, theirs in zip(found["steps"], usual["steps"], strict=True)
    )


def test_the_share_of_false_answers_is_that_of_who_asks(history: History) -> None:
    ids = keep(history, plan(), (1.0, 0.93))
    seldom, often = (gate(history, ids[0], ids[1], THREE, VerdictLimits(share)) for share in (0.01, 0.2))
    assert (seldom["false_share"], often["false_share"]) == (0.01, 0.2) and not seldom["remarks"]
    assert _width(seldom["steps"][1]) > _width(often["steps"][1])


def _width(line: GateLine) -> float:
    assert line["low"] and line["high"]
    return line["high"] - line["low"]


def test_each_verdict_has_a_code() -> None:
    assert CODES == {NOT_WORSE: 0, WORSE: 1, UNTOLD: 3}


# how often it is wrong


def shares(
    home: Path, world: str, order: str, rounds: int, loss: float, asked: GateRequest, cells: int = 9
) -> dict[str, float]:
    chance = np.random.default_rng(crc32(f"{world} {order} {rounds} {loss}".encode()))
    model = skeleton(home, rounds, order)
    base, other = compared(world, order, rounds, cells, RUNS, chance)
    told = [
        gate_answer(filled(model, *pair), asked)["verdict"]
        for pair in zip(base, other + np.log1p(-loss), strict=True)
    ]
    return {verdict: told.count(verdict) / RUNS for verdict in CODES}


@pytest.mark.parametrize("rounds", [pytest.param(3, marks=pytest.mark.full), 5])
@pytest.mark.parametrize(
    ("world", "order"),
    [(ROUNDS, "slices"), ("plain, 1 % of noise", "interleaved"), ("two speeds, all cells", "slices")],
)
def test_equals_are_seldom_worse(tmp_path: Path, world: str, order: str, rounds: int) -> None:
    """By a limit so small that noise alone could do it."""
    assert shares(tmp_path, world, order, rounds, 0.0, GateRequest(0.01))[WORSE] <= MOST


@pytest.mark.parametrize("rounds", [pytest.param(3, marks=pytest.mark.full), 5])
def test_a_loss_as_large_as_the_limit_is_seldom_fine(tmp_path: Path, rounds: int) -> None:
    found = shares(tmp_path, ROUNDS, "slices", rounds, 0.03, THREE)
    assert found[NOT_WORSE] <= MOST and found[WORSE] <= MOST


def test_answers_are_given_where_rounds_are_quiet_enough(tmp_path: Path) -> None:
    world = "plain, 1 % of noise"
    assert shares(tmp_path, world, "slices", 8, 0.0, GateRequest(5.0))[NOT_WORSE] > 0.9
    assert shares(tmp_path / "b", world, "slices", 8, 0.08, THREE)[WORSE] > 0.9
