"""How many statements a second a server that runs already may be sent."""

from __future__ import annotations

import pytest

from app.agent.existing import passing
from app.agent.existing.passing import QueryLimit


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(passing, "time", made)
    return made


def test_the_first_goes_at_once_and_others_one_after_the_other(clock: Clock) -> None:
    limit = QueryLimit(10)
    assert [round(limit.wait_s(), 3) for _ in range(4)] == [0.0, 0.1, 0.2, 0.3]
    clock.now += 0.4
    assert limit.wait_s() == pytest.approx(0.0)


def test_time_without_statements_is_not_saved_up(clock: Clock) -> None:
    limit = QueryLimit(10)
    limit.wait_s()
    clock.now += 60.0
    assert [round(limit.wait_s(), 3) for _ in range(3)] == [0.0, 0.1, 0.2]


@pytest.mark.parametrize("most", [1, 7, 5000])
def test_never_more_than_the_limit_in_any_second(clock: Clock, most: int) -> None:
    limit, sent = QueryLimit(most), []
    while clock.now < 103.0:
        clock.now += limit.wait_s()
        sent.append(clock.now)
    assert all(sum(at <= each < at + 1 - 1e-9 for each in sent) <= most + 1 for at in sent[:50])
