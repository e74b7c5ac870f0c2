"""Sentences in the situations in which they would be false if they said more than is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.comparison.answers.gate import GateRequest, gate_answer
from app.comparison.answers.sentences import verdict_sentences
from app.comparison.differences.warnings import REPEATS
from app.comparison.verdicts.compare import compare
from app.history.steps.step_text import MARKS, repeated_attempt_text
from app.history.store.history import History
from app.report.content import read_report
from tests import comparable, journals
from tests.journals import Maker, contender, plan, store
from tests.sliced import Odd, keep
from tests.sliced import plan as sliced_plan
from tests.unit.comparison.cells import texts_of

LOAD, READ, WRITE = 0, 1, 2


def test_two_failed_repeats_are_not_one(history: History) -> None:
    odd = {(1, repeat, READ): Odd(failed=True) for repeat in (2, 3)}
    found = compare(history, keep(history, sliced_plan(), (1.0, 0.9), odd))
    assert "failed-repeat" in found.rows[READ].cells[1].marks
    assert MARKS["failed-repeat"].startswith("at least one")


def test_one_attempt_before_is_not_several() -> None:
    assert repeated_attempt_text(2) == "attempt 2: the attempt before was disturbed"
    assert repeated_attempt_text(3) == "attempt 3: the two attempts before were disturbed"
    assert repeated_attempt_text(1) == repeated_attempt_text(9) == ""


def test_a_report_without_verdict_names_the_reason_of_each_step(history: History) -> None:
    """Marked, failed and too few: none of these holds for every step."""
    odd = {(1, repeat, READ): Odd(marks=["indebted"]) for repeat in (1, 2)}
    odd |= {(1, repeat, WRITE): Odd(failed=True) for repeat in (1, 2)}
    first, *_ = read_report(history, keep(history, sliced_plan(rounds=2), (1.0, 0.9), odd)).summary
    for step, reason in (("load", "fewer than 3"), ("point-query", "flushed"), ("update-index", "failed")):
        (said,) = (each for each in first.split(". ") if step in each)
        assert reason in said


def test_a_spread_of_a_positive_rate_is_never_below_zero(tmp_path: Path) -> None:
    """The median is 100 and the highest 300: not "within 200 % of their median"."""
    its_plan = plan([contender()], repeats=3)
    with History(tmp_path) as history:
        for turn, value in zip(its_plan.turns, (90.0, 100.0, 300.0), strict=True):
            maker = Maker(its_plan, turn.session).begin()
            for at in range(len(its_plan.steps)):
                maker.step(at, value=value)
            store(history, maker.end())
        told = read_report(history, [turn.session for turn in its_plan.turns]).caveats
    (line,) = (each for each in told if "the highest is at most" in each)
    assert "the highest is at most 3.33 times the lowest" in line


def test_a_machine_that_got_another_disk_is_not_two_of_one_name(history: History) -> None:
    ids = []
    for number, key in ((1, "a" * 64), (2, "b" * 64)):
        its_plan = journals.renamed(plan([contender()], number=number), machine_key=key)
        store(history, journals.whole(its_plan))
        ids.append(its_plan.turns[0].session)
    (said,) = (each for each in texts_of(compare(history, ids)) if "machines" in each)
    assert said == "different machines: local (its CPU, memory or disk is another one now)"


def test_repeats_that_differ_are_not_said_to_differ_by_noise_alone(history: History) -> None:
    """A kernel, or other programs, may have changed between two plans of one contender."""
    ids = comparable.keep(history.directory, comparable.plan(1))
    more = comparable.keep(history.directory, comparable.plan(1, number=2))
    assert REPEATS in texts_of(compare(history, [*ids, *more]))
    assert "or because the machine did" in REPEATS


def test_the_only_step_is_not_each_of_one(history: History) -> None:
    its_plan = replace(sliced_plan(), steps=sliced_plan().steps[:1])
    found = compare(history, keep(history, its_plan, (1.0, 1.0), {}))
    sentence = gate_answer(found, GateRequest(3.0))["sentence"]
    assert sentence.endswith("in the only step that they share")


@pytest.mark.parametrize("n", [1, 2])
def test_no_verdict_is_said_with_its_reason(history: History, n: int) -> None:
    found = compare(history, keep(history, sliced_plan(rounds=n), (1.0, 0.5), {}))
    (said,) = verdict_sentences(found)
    why = "measured once: the noise is unknown" if n == 1 else "fewer than 3 repeats"
    seen = "0.50 (load), 0.50 (point-query threads=2), 0.50 (update-index threads=2)"
    assert said == f"MyRocks measured at {seen} of InnoDB's rate: none of these is judged ({why})."
