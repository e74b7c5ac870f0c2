"""Round figures and times of axes."""

from __future__ import annotations

import pytest

from ui.widgets.charts.scale import (
    axis_places,
    clock_form,
    figure_ticks,
    logarithmic_range,
    logarithmic_ticks,
    number_text,
    snug,
    steady_axis_range,
    time_text,
    time_ticks,
    value_text,
)


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (0, 12_000, 6, "0 2k 4k 6k 8k 10k 12k"),
        (0, 2_000, 4, "0 500 1,000 1,500 2,000"),
        (0, 2, 4, "0 0.5 1.0 1.5 2.0"),
        (0, 0.05, 5, "0 0.01 0.02 0.03 0.04 0.05"),
        (0, 5e6, 5, "0 1M 2M 3M 4M 5M"),
        (0, 12_500, 25, "0 0.5k 1.0k 1.5k"),
        (-2, 2, 4, "-2 -1 0 1 2"),
    ],
)
def test_ticks_are_round_and_short(low: float, high: float, most: int, texts: str) -> None:
    found = [text for _, text in figure_ticks(low, high, most)]
    assert found[: len(texts.split())] == texts.split()
    assert len(found) <= most + 2


@pytest.mark.parametrize(
    ("first", "last", "texts"),
    [
        (0, 600, "0:00 2:00 4:00 6:00 8:00 10:00"),
        (-10, 20, "-0:10 -0:05 0:00 0:05 0:10 0:15 0:20"),
        (0, 36_000, "0:00 2:00 4:00 6:00 8:00 10:00"),
        (3600, 3630, "1:00:00 1:00:05 1:00:10 1:00:15 1:00:20 1:00:25 1:00:30"),
        (80_000, 100_000, "23:00 1d 0:00 1d 1:00 1d 2:00 1d 3:00"),
        (5, 7, "0:05.0 0:05.5 0:06.0 0:06.5 0:07.0"),
    ],
)
def test_times_are_those_of_a_clock(first: float, last: float, texts: str) -> None:
    assert " ".join(text for _, text in time_ticks(first, last, 6)) == texts


def test_how_times_are_to_be_read_is_told() -> None:
    forms = [clock_form(0, 600, 6), clock_form(0, 36_000, 6), clock_form(3600, 3630, 6)]
    assert forms == ["m:ss", "h:mm", "h:mm:ss"]
    assert clock_form(0, 90_000, 6) == "d h:mm"


@pytest.mark.parametrize(
    ("t", "text"),
    [
        (7.4, "0:07"),
        (751, "12:31"),
        (3723, "1:02:03"),
        (93784, "1d 2:03:04"),
        (59.6, "1:00"),
        (-5, "-0:05"),
        (-0.2, "0:00"),
    ],
)
def test_a_moment_in_full(t: float, text: str) -> None:
    assert time_text(t) == text


def test_a_moment_with_tenths() -> None:
    assert time_text(59.96, is_fine=True) == "1:00.0"


def test_the_range_does_not_jump_with_every_value() -> None:
    now = steady_axis_range(0, 9_800, (0.0, 0.0), 6)
    assert now == (0.0, 12_000.0)
    assert steady_axis_range(0, 11_900, now, 6) == now
    assert steady_axis_range(0, 7_000, now, 6) == now
    assert steady_axis_range(0, 12_100, now, 6)[1] > 12_100
    assert steady_axis_range(0, 900, now, 6)[1] <= 2_000


def test_a_range_of_nothing_is_a_range() -> None:
    assert steady_axis_range(0.0, 0.0, (0.0, 0.0), 5) == (0.0, 1.0)
    assert steady_axis_range(float("nan"), float("nan"), (0.0, 1.0), 5) == (0.0, 1.0)
    low, high = steady_axis_range(-3.0, 5.0, (0.0, 1.0), 5)
    assert low <= -3.0 < 5.0 <= high


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.0, "0"), (0.00123, "0.0012"), (1.5, "1.50"), (250.55, "250.6"), (12_345.6, "12,346")],  # noqa: RUF001
)
def test_values_have_the_digits_of_a_bench(value: float | None, text: str) -> None:
    assert value_text(value) == text


def test_threads_that_double_stand_evenly() -> None:
    assert list(axis_places([1, 2, 4, 8], is_logarithmic=True).values()) == [0, 1, 2, 3]
    assert list(axis_places([10, 20, 30], is_logarithmic=False).values()) == [10, 20, 30]
    assert list(axis_places([0, 1], is_logarithmic=True).values()) == [0, 1]
    assert axis_places([], is_logarithmic=True) == {}


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (4, "4"),
        (0.5, "0.5"),
        (1024, "1,024"),
        (100_000, "100,000"),
        (40e6, "40M"),
        (2.5e6, "2.5M"),
        (1e9, "1G"),
    ],
)
def test_numbers_that_were_chosen(number: float, text: str) -> None:
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (-1, 1, 8, "0.1 0.2 0.5 1 2 5 10"),
        (-1, 1, 5, "0.1 0.3 1 3 10"),
        (-3, 4, 8, "0.001 0.01 0.1 1 10 100 1,000 10,000"),
        (-3, 4, 4, "0.001 0.1 10 1,000"),
        (0.28, 0.5, 8, "2 3"),
    ],
)
def test_ticks_of_logarithms_are_told_as_they_are(low: float, high: float, most: int, texts: str) -> None:
    assert [text for _, text in logarithmic_ticks(low, high, most)] == texts.split()


@pytest.mark.parametrize("ends", [(0.0, 0.0), (1.0, 1.1), (-2.0, 3.0)])
def test_a_range_of_logarithms_has_room_and_a_tick(ends: tuple[float, float]) -> None:
    low, high = logarithmic_range(*ends)
    assert low < ends[0] <= ends[1] < high and high - low >= 0.5
    assert logarithmic_ticks(low, high, 8)


@pytest.mark.parametrize("high", [0.0, 0.07, 1.0, 2.34, 10.7, 608_509.0])
@pytest.mark.parametrize("most", [2, 5])
def test_what_stands_still_takes_up_most_of_its_chart(high: float, most: int) -> None:
    low, top = snug(0.0, high, most)
    assert low == 0.0 and high <= top
    assert top <= 1.6 * high or not high
    assert len(figure_ticks(low, top, most)) <= most + 2
    assert snug(-high, 0.0, most)[0] <= -high
