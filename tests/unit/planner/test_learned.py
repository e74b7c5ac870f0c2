"""Estimates that go by what earlier sessions on the machine took."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt
from typing import Any

import pytest

from app.comparison.answers.self_test import machine_measures_from
from app.history.machines.measured import read_machine_record
from app.history.store.history import History
from app.planner.checks.checks import check_plan
from app.planner.checks.parity import IN_FORCE
from app.planner.estimate.estimate import PlanEstimate, estimate
from app.planner.estimate.guesses import SERVER_S, step_guesses
from app.protocol.others import DISTURBED
from app.protocol.plan import Plan
from tests import journals
from tests.plans import MARIADB, plan, survey
from tests.took import carry_out

INNODB, MYISAM, OTHER_BUILD = f"{MARIADB}:innodb", f"{MARIADB}:myisam", "mysql-9.7.4:innodb"
NEAR = pytest.approx


def estimated(history: History, *contenders: str, **options: Any) -> PlanEstimate:
    its_plan = plan(*contenders, **options)
    return estimate(its_plan, survey(), read_machine_record(history, its_plan.machine_key))


def guess_of(its_plan: Plan, kind: str) -> float:
    guesses = step_guesses(its_plan, its_plan.contenders[0])
    return sum(guess for step, guess in zip(its_plan.steps, guesses, strict=True) if step.kind == kind)


def test_without_earlier_sessions_it_is_the_guess(history: History) -> None:
    assert estimated(history, INNODB) == estimate(plan(INNODB), survey())
    assert "guessed: innodb" in estimated(history, INNODB).seconds_text


def test_a_load_that_took_three_times_as_long_is_expected_to(history: History) -> None:
    carry_out(history, plan(INNODB, rows=100_000), load=3)
    larger = plan(INNODB, rows=200_000)
    found = estimated(history, INNODB, rows=200_000)
    more = found.guessed_s - estimate(larger, survey()).guessed_s
    assert more == NEAR(2 * guess_of(larger, "load"), rel=0.01)
    assert found.declared_s == estimate(larger, survey()).declared_s
    assert "settling (by 1 earlier session here)" in found.seconds_text


def test_the_time_of_the_server_is_learned_too(history: History) -> None:
    carry_out(history, plan(INNODB), outside=2.5)
    more = estimated(history, INNODB).guessed_s - estimate(plan(INNODB), survey()).guessed_s
    assert more == NEAR(1.5 * SERVER_S, rel=0.01)


def test_steps_of_about_the_same_size_tell_most(history: History) -> None:
    for _ in range(5):
        carry_out(history, plan(INNODB, rows=1_000), load=9)
        carry_out(history, plan(INNODB, rows=1_000_000), load=2)
    large = plan(INNODB, rows=900_000)
    more = estimated(history, INNODB, rows=900_000).guessed_s - estimate(large, survey()).guessed_s
    assert more == NEAR(guess_of(large, "load"), rel=0.01)


def test_sessions_of_the_same_contender_go_before_those_of_its_engine(history: History) -> None:
    carry_out(history, plan(OTHER_BUILD, rows=100_000), load=9)
    found = estimated(history, INNODB, rows=100_000)
    carry_out(history, plan(INNODB, rows=100_000), load=2)
    after = estimated(history, INNODB, rows=100_000)
    assert found.guessed_s - after.guessed_s == NEAR(
        7 * guess_of(plan(INNODB, rows=100_000), "load"), rel=0.01
    )


def test_an_engine_that_was_never_loaded_is_still_guessed(history: History) -> None:
    carry_out(history, plan(INNODB))
    text = estimated(history, INNODB, MYISAM).seconds_text
    assert "by 1 earlier session here; guessed: myisam" in text
    assert "innodb" not in text


def test_of_a_session_in_slices_the_whole_steps_teach(history: History) -> None:
    sliced = plan(INNODB, MYISAM, order="slices")
    assert {step.kind for step in sliced.steps if step.sliced} == {"drive"}
    carry_out(history, sliced, outside=9, load=3, drive=9)
    more = estimated(history, INNODB).guessed_s - estimate(plan(INNODB), survey()).guessed_s
    assert more == NEAR(2 * guess_of(plan(INNODB), "load"), rel=0.01)


def test_what_was_stopped_or_on_another_machine_teaches_nothing(history: History) -> None:
    carry_out(history, plan(INNODB), "stopped", load=9)
    carry_out(history, journals.renamed(plan(INNODB), machine_key="another"), load=9)
    assert estimated(history, INNODB).seconds == estimate(plan(INNODB), survey()).seconds


def test_a_thread_without_a_history_finds_the_same(history: History) -> None:
    carry_out(history, plan(INNODB))
    key = plan(INNODB).machine_key
    assert machine_measures_from(history.directory, key) == read_machine_record(history, key)


# how much results vary


def varied(history: History, its_plan: Plan, spread: float, **how: Any) -> None:
    """All sessions of a plan: those of a contender are in turn above and below its usual result."""
    for at, turn in enumerate(its_plan.turns):
        carry_out(history, its_plan, at=at, value=1000.0 * spread ** (-1) ** turn.repeat, **how)


def test_the_noise_is_that_of_the_latest_sessions_whatever_the_calibration_says(history: History) -> None:
    again = plan(INNODB, MYISAM, repeats=4)
    assert estimate(again, survey()).least_text == "which differences it finds is not known here yet"
    varied(history, plan(INNODB, MYISAM, repeats=4), 2.0)
    known = replace(read_machine_record(history, again.machine_key), noise=0.01)
    found = estimate(again, survey(), known)
    assert found.noise == NEAR(log(2.0) * sqrt(4 / 3), rel=0.001)  # of 4 sessions: a variance of n / (n - 1)
    assert found.noise_of == "as its last 8 sessions did"
    assert found.least_text.startswith("finds differences from a factor of ")


def test_in_slices_what_all_contenders_of_a_round_have_in_common_is_no_noise(history: History) -> None:
    sliced = plan(INNODB, MYISAM, repeats=4, order="slices")
    varied(history, sliced, 2.0)
    known = read_machine_record(history, sliced.machine_key)
    found = estimate(sliced, survey(), known)
    assert found.noise == NEAR(0.0, abs=1e-9) and found.least == NEAR(0.02)
    alone = estimate(plan(INNODB, MYISAM, repeats=4), survey(), known)
    assert alone.noise is None


def test_what_others_disturbed_or_a_plan_set_is_no_noise(history: History) -> None:
    varied(history, plan(INNODB, MYISAM, repeats=4), 2.0, marks=[DISTURBED])
    varied(history, plan(INNODB, MYISAM, repeats=4, rate=(500,)), 1.0)
    assert estimated(history, INNODB, MYISAM, repeats=4).noise is None


def test_counts_tell_nothing_of_how_much_speed_varies(history: History) -> None:
    """They differ by a few hundredths of a per cent, and would promise to find what no plan finds."""
    varied(history, plan(INNODB, MYISAM, repeats=4, sequence="work"), 1.0001)
    assert estimated(history, INNODB, MYISAM, repeats=4).noise is None


def test_few_sessions_tell_no_noise(history: History) -> None:
    """Two of one contender, in one step: one degree of freedom."""
    varied(history, plan(INNODB, repeats=2, steps=("point-query",)), 2.0)
    assert estimated(history, INNODB, MYISAM, repeats=4).noise is None


# what builds set by themselves


def test_defaults_that_differ_are_named_before_a_rehearsal(history: History) -> None:
    of_mariadb = {"innodb_flush_neighbors": "1", "sync_binlog": "0", "back_log": "80", "version": "10"}
    of_mysql = {"innodb_flush_neighbors": "0", "sync_binlog": "1", "back_log": "151", "version": "9"}
    carry_out(history, plan(INNODB), variables=of_mariadb)
    carry_out(history, plan(OTHER_BUILD), variables=of_mysql)
    both = plan(INNODB, OTHER_BUILD)
    found = estimate(both, survey(), read_machine_record(history, both.machine_key))
    (check,) = (each for each in check_plan(both, survey(), found) if each.name == IN_FORCE)
    differ = "the defaults of these builds differ in 2 variables: innodb_flush_neighbors, back_log"
    assert (check.state, check.text) == (
        "info",
        f"not known before a rehearsal; {differ}",  # the preset sets sync_binlog
    )
