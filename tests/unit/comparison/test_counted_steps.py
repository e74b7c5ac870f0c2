"""Counted instructions in Compare: sentences, the table, and that work is never called speed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.comparison.answers.sentences import verdict_sentences
from app.comparison.answers.tally import tally_text
from app.comparison.cells.cell import Comparison
from app.comparison.differences.warnings import OF_COUNTS
from app.comparison.texts.caveats import joined_texts
from app.comparison.verdicts.compare import compare
from app.history.store.history import History
from app.protocol.plan import COUNT, Step
from tests import comparable, journals
from tests.unit.comparison.cells import cells


def counted(history: History, *starts: Sequence[tuple[float, float]]) -> Comparison:
    """Of each step the starts of base and other: ((67_000, 67_010), (74_400, 74_390))."""
    steps = [
        Step(f"step{at}", COUNT, "a", "reads", unit="instructions", figure="instructions", events=100)
        for at in range(len(starts))
    ]
    plan = comparable.plan(2, 2, its_steps=steps)
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        for at, sides in enumerate(starts):
            maker.step(at, value=sides[turn.contender][turn.repeat - 1])
        journals.store(history, maker.end())
    return compare(history, [turn.session for turn in plan.turns])


def test_the_sentence_has_both_figures_and_how_far_starts_are_apart(history: History) -> None:
    found = counted(history, ((67_000, 67_010), (74_400, 74_390)), ((100, 100), (100, 100)))
    more, same = verdict_sentences(found)
    figures = "(74,395 against 67,005 for an event; starts within 0.01%)"
    assert more.endswith(f"takes 11% more instructions than InnoDB {figures}.")
    assert "takes as many instructions as InnoDB" in same
    assert cells(found.rows[0], "verdict")[1:] == ["worse"]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ((99_000, 99_000), "1.0% fewer instructions"),
        ((50_000, 50_000), "50% fewer instructions"),
        ((101_000, 103_000), "2.0% more instructions than InnoDB, undecided"),
    ],
)
def test_small_differences_have_a_decimal(history: History, other: tuple[float, float], said: str) -> None:
    (sentence,) = verdict_sentences(counted(history, ((100_000, 100_000), other)))
    assert f"takes {said}" in sentence


def test_no_mean_is_taken_of_events_of_different_size(history: History) -> None:
    found = counted(history, ((100, 100), (110, 110)), ((100_000, 100_000), (90_000, 90_000)))
    assert not any(each.ratios[1] for each in found.groups)
    assert len(verdict_sentences(found)) == 2


def test_work_is_never_called_speed(history: History) -> None:
    found = counted(history, ((100, 100), (110, 110)), ((100, 100), (90, 90)))
    assert joined_texts(found)[0] == OF_COUNTS
    told = tally_text(found)
    assert "more work" in told and "less work" in told and "er" not in told.split()
