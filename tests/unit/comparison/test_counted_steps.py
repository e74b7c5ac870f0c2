"""Counted instructions in Compare: sentences, the table, and that work is never called speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.comparison.answers.sentences import verdict_sentences
from app.comparison.answers.tally import tally_text
from app.comparison.cells.cell import Comparison
from app.comparison.differences.warnings import OF_COUNTS, OF_WRITES
from app.comparison.texts.caveats import joined_texts
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.verdicts.counted_writes import OTHER_ENGINE, OTHER_SIDE, WHY_NOT_BY_COUNTS
from app.comparison.verdicts.judgement import signs_text
from app.history.store.history import History
from app.protocol.plan import COUNT, Step
from tests import comparable, journals
from tests.unit.comparison.cells import cells


def counted(
    history: History,
    *starts: Sequence[tuple[float, float]],
    others: Sequence[tuple[float | None, float | None]] = (),
    engine: str = "innodb",
    number: int = 1,
) -> Comparison:
    """Of each step the starts of base and other: ((67_000, 67_010), (74_400, 74_390)).

    others: of the other threads for a query, two of which make an event; then the steps write.
    """
    steps = [
        Step(
            f"step{at}", COUNT, "a", "reads", unit="instructions", figure="instructions", events=100,
            writes=bool(others),
        )
        for at in range(len(starts))
    ]  # fmt: skip
    plan = comparable.plan(2, 2, its_steps=steps, number=number)
    contenders = [replace(each, engine=engine) if at else each for at, each in enumerate(plan.contenders)]
    plan = replace(plan, contenders=contenders) if others else plan
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        for at, sides in enumerate(starts):
            value = sides[turn.contender][turn.repeat - 1]
            of_others = others[turn.contender][turn.repeat - 1] if others else None
            maker.per_query = {"instructions": value / 2, "other_instructions": of_others}
            maker.step(at, value=value)
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


READ = ((67_000, 67_010), (74_400, 74_390))


def test_a_write_names_the_work_of_the_other_threads(history: History) -> None:
    found = counted(history, READ, others=((100_000, 110_000), (120_000, 121_000)))
    (sentence,) = verdict_sentences(found)
    figures = "(74,395 against 67,005 for an event; starts within 0.01%"
    assert sentence.endswith(f"{figures}; other threads 241,000 against 210,000, starts within 9.5%).")
    assert cells(found.rows[0], "verdict")[1:] == ["worse"]
    assert joined_texts(found)[:2] == [OF_COUNTS, OF_WRITES.format("InnoDB")]


def test_a_write_is_not_judged_by_one_figure_where_the_other_points_the_other_way(history: History) -> None:
    found = counted(history, READ, others=((100_000, 100_100), (50_000, 50_100)))
    (sentence,) = verdict_sentences(found)
    assert cells(found.rows[0], "verdict")[1:] == [OTHER_SIDE]
    assert "'s instructions; its other threads at 0.50: not judged" in sentence
    assert WHY_NOT_BY_COUNTS[OTHER_SIDE] in sentence


def test_a_write_is_not_judged_between_engines(history: History) -> None:
    found = counted(history, READ, others=((100_000, 100_100), (300, 310)), engine="myisam")
    (sentence,) = verdict_sentences(found)
    assert cells(found.rows[0], "verdict")[1:] == [OTHER_ENGINE]
    assert WHY_NOT_BY_COUNTS[OTHER_ENGINE] in sentence and "its other threads at" in sentence
    assert f"not judged: {WHY_NOT_BY_COUNTS[OTHER_ENGINE]}" in signs_text(found)


def test_noise_of_the_other_threads_points_nowhere(history: History) -> None:
    found = counted(history, READ, others=((100_000, 190_000), (90_000, 100_000)))
    assert cells(found.rows[0], "verdict")[1:] == ["worse"]


def test_a_write_without_the_other_figure_says_so(history: History) -> None:
    (sentence,) = verdict_sentences(counted(history, READ, others=((None, None), (None, None))))
    assert "the work of other threads is unknown" in sentence


def test_another_measure_of_a_counted_step_is_not_called_its_result(history: History) -> None:
    found = counted(history, READ, others=((100_000, 100_100), (120_000, 120_100)))
    by_others = comparison_by_measure(found, "other_instructions")
    (sentence,) = verdict_sentences(by_others, "instructions of other threads per query")
    assert "takes 20% more instructions of other threads per query than" in sentence
    assert sentence.endswith("(120,050 against 100,050; starts within 0.10%).") and "95% sure" not in sentence


def test_two_starts_that_agree_by_chance_are_judged_by_all_that_are_known(history: History) -> None:
    lucky = ((67_000, 67_000), (68_000, 68_000))
    assert cells(counted(history, lucky).rows[0], "verdict")[1:] == ["worse"]
    counted(history, ((67_000, 67_500), (68_000, 68_000)), number=2)
    found = counted(history, lucky, number=3)
    (sentence,) = verdict_sentences(found)
    assert cells(found.rows[0], "verdict")[1:] == ["~"]
    assert "undecided" in sentence and "starts within 0.00%, all known ones 0.7%)" in sentence
