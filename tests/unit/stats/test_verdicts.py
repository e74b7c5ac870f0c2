"""Verdicts, one by one and over simulated tables: no more false ones than were promised, true ones found."""

from __future__ import annotations

import random

import pytest

from app.stats import Cell, Limits, judge
from app.stats.verdicts import BETTER, COLOURED, DIFFERS, FEW, NOISE, SINGLE, SMALL, WORSE

BASE = (100.0, 101.0, 99.0, 100.5, 99.5)


def words(*cells: Cell) -> list[str]:
    return [verdict.word for verdict in judge(cells)]


def of(factor: float, direction: str = "higher") -> Cell:
    return Cell(BASE, tuple(each * factor for each in BASE), direction)


def test_what_is_beyond_the_noise_is_better_or_worse_by_its_direction() -> None:
    assert words(of(1.2), of(0.8)) == [BETTER, WORSE]
    assert words(of(1.2, "lower"), of(0.8, "lower"), of(0.8, "")) == [WORSE, BETTER, DIFFERS]


def test_what_is_within_the_noise_is_not_told_apart() -> None:
    assert words(of(1.002)) == [NOISE]


def test_what_is_sure_but_small_does_not_matter() -> None:
    tight = tuple(100 + each / 1000 for each in range(5))
    other = tuple(each * 1.01 for each in tight)
    assert words(Cell(tight, other)) == [SMALL]
    assert judge([Cell(tight, other)], Limits(matters=0.005))[0].word == BETTER


def test_whichever_is_the_base_it_matters_as_much() -> None:
    limits = Limits(matters=0.3)
    for factor, is_small in ((1.28, True), (1.32, False)):
        cells = (of(factor), of(1 / factor))
        assert [judge([cell], limits)[0].word == SMALL for cell in cells] == [is_small] * 2


def test_so_few_that_no_test_can_decide() -> None:
    assert words(Cell((100.0,), (200.0,))) == [SINGLE]
    assert words(Cell(BASE, (200.0,))) == [SINGLE]
    verdict = judge([Cell((100.0, 101.0, 102.0), (200.0, 201.0, 202.0))])[0]
    assert (verdict.word, verdict.p) == (FEW, None)


def test_one_clear_difference_among_many_cells_needs_more_repeats() -> None:
    alike = [Cell(BASE, tuple(reversed(BASE)))] * 60
    assert words(of(2.0), *alike)[0] == FEW
    longer = tuple(100 + each / 10 for each in range(10))
    assert words(Cell(longer, tuple(each * 2 for each in longer)), *alike)[0] == BETTER


def test_p_is_told_beside_the_verdict() -> None:
    assert judge([of(1.2)])[0].p == pytest.approx(2 / 252)


def sample(drawn: random.Random, n: int, mean: float = 100.0, noise: float = 0.01) -> tuple[float, ...]:
    return tuple(drawn.gauss(mean, mean * noise) for _ in range(n))


@pytest.mark.parametrize("n", [8, 10])
def test_of_tables_without_a_difference_few_have_a_coloured_cell(n: int) -> None:
    """1,000 comparisons of 40 cells without any difference: at most 5 % tell of one, and some do."""
    drawn = random.Random(n)
    limits = Limits(matters=0.0)  # what is too small would hide what is promised
    false = sum(
        any(
            verdict.word in COLOURED
            for verdict in judge([Cell(sample(drawn, n), sample(drawn, n)) for _ in range(40)], limits)
        )
        for _ in range(1000)
    )
    assert 10 <= false <= 65  # 5 %, and twice the spread of such a count


def test_three_per_cent_at_one_per_cent_of_noise_are_found() -> None:
    """8 repeats; a tenth of 40 cells are 3 % faster: over 90 % of them are found, few others are."""
    drawn = random.Random(3)
    found = missed = false = 0
    for _ in range(250):
        means = [103.0 if at % 10 == 0 else 100.0 for at in range(40)]
        cells = [Cell(sample(drawn, 8), sample(drawn, 8, mean)) for mean in means]
        for mean, verdict in zip(means, judge(cells), strict=True):
            if mean > 100:
                found += verdict.word == BETTER
                missed += verdict.word != BETTER
            else:
                false += verdict.word in COLOURED
    assert found / (found + missed) > 0.9
    assert false / (found + false) <= 0.05


def test_sessions_that_are_fast_as_a_whole_fool_nobody() -> None:
    """Three columns against one base, 20 steps, 5 repeats: a session is off by 1 % in all of its steps."""
    drawn = random.Random(11)
    limits = Limits(matters=0.0)

    def column() -> list[tuple[float, ...]]:
        wholes = sample(drawn, 5)
        return [tuple(whole * drawn.gauss(1, 0.003) for whole in wholes) for _ in range(20)]

    false = 0
    for _ in range(400):
        base, *others = (column() for _ in range(4))
        cells = [Cell(*pair) for other in others for pair in zip(base, other, strict=True)]
        false += any(verdict.word in COLOURED for verdict in judge(cells, limits))
    assert false <= 29  # 5 % of the tables, and twice the spread of such a count
