"""When a rate is back after an operation."""

from __future__ import annotations

import pytest

from app.agent.sampling.way_back import AnsweredSoFar, RateOfSecond, kept_pct, rate_before, seconds_back


def seconds(*events: int) -> list[RateOfSecond]:
    return [RateOfSecond(float(at), at + 1.0, each) for at, each in enumerate(events)]


BEFORE = (100,) * 10


def test_the_rate_before_is_that_of_the_last_ten_seconds() -> None:
    load = seconds(*(900, 900, *BEFORE), 7)
    assert rate_before(load, 12.4) == 100  # the second of the operation itself is in none
    assert rate_before(seconds(50, 70, 0), 2.1) == 60
    assert rate_before(seconds(50), 0.5) is None


@pytest.mark.parametrize(
    ("after", "back"),
    [
        ((30, 0, 0, 100, 100, 100, 100, 100), {"50": 2.75, "90": 2.75, "95": 2.75}),
        ((30, 0, 0, 60, 60, 92, 92, 96, 100, 100, 100, 100), {"50": 2.75, "90": 4.75, "95": 6.75}),
        # it was back, and then it was not
        (
            (0, 100, 100, 100, 100, 100, 0, 0, 0, 100, 100, 100, 100, 100),
            {"50": 8.75, "90": 8.75, "95": 8.75},
        ),
        ((0, 0, 0, 40, 40, 40, 40, 40, 40), {"50": None, "90": None, "95": None}),
        (
            (0, 0, 0, 100, 100, 100, 100),
            {"50": None, "90": None, "95": None},
        ),  # four seconds are no mean of five
        ((), {"50": None, "90": None, "95": None}),
        ((100,) * 8, {"50": 0.75, "90": 0.75, "95": 0.75}),  # nothing happened: the next second
    ],
)
def test_it_is_back_in_the_first_second_from_which_on_it_stays(
    after: tuple[int, ...], back: dict[str, float | None]
) -> None:
    assert seconds_back(seconds(*BEFORE, *after), 10.25, 100.0) == back


def test_without_a_rate_before_it_is_never_back() -> None:
    assert set(seconds_back(seconds(*(5,) * 9), 0.0, None).values()) == {None}
    assert set(seconds_back(seconds(*(5,) * 9), 0.0, 0.0).values()) == {None}


def test_a_rate_is_not_back_before_the_server_answers() -> None:
    back = seconds_back(seconds(*BEFORE, 30, 0, 100, 100, 100, 100, 100), 10.25, 100.0, answer_s=2.1)
    assert set(back.values()) == {2.1}


def test_what_is_kept_while_an_operation_runs_goes_by_its_moments() -> None:
    before, begin = AnsweredSoFar(0.0, 50), AnsweredSoFar(4.0, 450)
    assert kept_pct(before, begin, AnsweredSoFar(4.5, 475)) == 50.0
    assert kept_pct(before, begin, AnsweredSoFar(9.0, 450)) == 0.0
    assert kept_pct(before, begin, begin) is None
    assert kept_pct(before, AnsweredSoFar(4.0, 50), AnsweredSoFar(9.0, 450)) is None
