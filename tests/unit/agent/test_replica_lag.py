"""The lag of a replica: from the primary's answer to the look that finds the number."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.agent.existing.lag import Beats, ReplicaLag
from app.agent.existing.relayed import RelayedServer
from app.agent.server.mysql import QueryError
from app.agent.system.errors import AgentError
from app.protocol.checked.facts import ReplicaLagOfStep
from app.protocol.reading import read
from tests.waiting import wait_until

TOKEN = "0a1b2c3d"


class ShownRow:
    """A client of a replica: what it answers, and how often it was asked."""

    def __init__(self, row: Callable[[], str]) -> None:
        self._row = row
        self.asked = list[float]()

    def query(self, _: str) -> list[dict[str, Any]]:
        self.asked.append(time.monotonic())
        row = self._row()
        return [{"about": row}] if row else []

    def close(self) -> None: ...


def server_of(client: object, most: int = 0) -> RelayedServer:
    found = SimpleNamespace(
        name="replica1",
        place=SimpleNamespace(max_queries=most, host="r.example", port=3306),
        another_client=lambda _: client,
        text_with=lambda problem: f"replica1: {problem}",
    )
    return cast(RelayedServer, found)


@contextmanager
def looking(client: ShownRow, most: int = 0) -> Iterator[ReplicaLag]:
    lag = ReplicaLag(server_of(client, most), TOKEN)
    lag.start()
    try:
        yield lag
    finally:
        lag.end()
        lag.join(10)


def shown_after(seconds: float, row: str, before: str = "") -> Callable[[], str]:
    at = time.monotonic() + seconds
    return lambda: row if time.monotonic() >= at else before


def figures(lag: ReplicaLag, first: float = 0.0) -> ReplicaLagOfStep:
    return read(ReplicaLagOfStep, lag.fact(first, time.monotonic()))


def seen(lag: ReplicaLag, number: int) -> None:
    wait_until(lambda: lag.number >= number, "the number is shown", 60)


def test_a_lag_is_found_with_its_resolution() -> None:
    client = ShownRow(shown_after(0.25, f"{TOKEN} 1"))
    with looking(client) as lag:
        lag.expect(1, time.monotonic())
        seen(lag, 1)
        found = figures(lag)
    assert found.median_ms == found.p95_ms == found.longest_ms
    assert found.beats == 1 and found.waiting == found.lost == 0 and found.resolution_ms
    assert 250 - 5 <= (found.longest_ms or 0) <= 250 + found.resolution_ms + 5
    assert lag.now_ms() == pytest.approx(found.longest_ms, abs=0.01)


def test_it_looks_at_most_fifteen_times_a_second() -> None:
    client = ShownRow(lambda: "")
    with looking(client) as lag:
        for number in (1, 2, 3):
            lag.expect(number, time.monotonic())
            time.sleep(1)
    began = client.asked[0]
    for second in range(3):
        assert sum(second <= at - began < second + 1 for at in client.asked) <= 15


def test_a_limit_leaves_nearly_all_statements_to_the_clients() -> None:
    client = ShownRow(lambda: "")
    with looking(client, most=100) as lag:
        lag.expect(1, time.monotonic())
        time.sleep(1)
    assert 1 <= len(client.asked) <= 6


def test_numbers_wait_until_they_arrive_all_at_once() -> None:
    now = time.monotonic()
    client = ShownRow(shown_after(0.3, f"{TOKEN} 60"))
    with looking(client) as lag:
        for number in range(1, 61):
            lag.expect(number, now - 60 + number)
        wait_until(lambda: client.asked != [], "it looks", 60)
        time.sleep(0.05)
        waiting = figures(lag)
        seen(lag, 60)
        found = figures(lag)
    assert waiting.waiting == waiting.beats == 60 and 59_000 <= (waiting.longest_ms or 0) < 60_000
    assert waiting.median_most_ms is None
    assert found.waiting == 0 and found.beats == 60
    assert 59_300 <= (found.longest_ms or 0) < 62_000 and 29_000 < (found.median_ms or 0) < 32_000
    assert (lag.now_ms() or 0) >= 59_000


def test_a_few_that_wait_change_the_median_by_little() -> None:
    now = time.monotonic()
    with looking(client := ShownRow(lambda: f"{TOKEN} 4")) as lag:
        for number in range(1, 6):
            lag.expect(number, now - number)
        seen(lag, 4)
        wait_until(lambda: len(client.asked) > 3, "it looks for the last one", 60)
        found = figures(lag)
    assert (found.beats, found.waiting) == (5, 1)
    assert found.median_most_ms is not None and found.median_ms is not None
    assert found.median_most_ms >= found.median_ms >= 3000


def test_only_the_numbers_of_a_step_count() -> None:
    client = ShownRow(lambda: f"{TOKEN} 2")
    with looking(client) as lag:
        now = time.monotonic()
        lag.expect(1, now - 100)
        lag.expect(2, now)
        seen(lag, 2)
        assert figures(lag, now).beats == 1 and figures(lag, now - 200).beats == 2
        assert figures(lag, time.monotonic()).median_ms is None
        lag.forget()
        assert figures(lag).beats == 0


@pytest.mark.parametrize(
    "row", ["", "ffffffff 99", TOKEN, f"{TOKEN} -1", f"{TOKEN} 1e9", f"{TOKEN} ٣", "x" * 250, "\x1b[31m 7"]
)
def test_rows_of_another_session_or_of_a_stranger_are_none(row: str) -> None:
    with looking(client := ShownRow(lambda: row)) as lag:
        lag.expect(1, time.monotonic())
        wait_until(lambda: len(client.asked) > 3, "it looks", 60)
        assert lag.number == 0 and figures(lag).waiting == 1


def test_while_it_does_not_answer_nothing_is_known() -> None:
    def refuse() -> str:
        raise QueryError("2003 cannot connect", "SELECT")

    with looking(ShownRow(refuse)) as lag:
        lag.expect(1, time.monotonic())
        wait_until(lambda: bool(lag.problem), "it has looked", 60)
        found = figures(lag)
    assert (found.lost, found.beats, found.median_ms, found.resolution_ms) == (1, 0, None, None)
    assert lag.now_ms() is None


def test_a_table_that_has_not_arrived_is_waited_for() -> None:
    def missing() -> str:
        raise QueryError("1146 Table 'bench.dyno_marker' doesn't exist", "SELECT")

    with looking(client := ShownRow(missing)) as lag:
        lag.expect(1, time.monotonic())
        wait_until(lambda: len(client.asked) > 3, "it looks", 60)
        assert lag.problem == "" and figures(lag).waiting == 1


class Primary:
    """Takes the numbers, until it does not; its replica shows the latest of them."""

    def __init__(self, fails: bool = False, shows: bool = True) -> None:
        self._fails, self._shows = fails, shows
        self.row = ""

    def run(self, statement: str) -> None:
        if self._fails and statement.startswith("UPDATE"):
            raise QueryError("1290 read only", statement)
        self.row = statement.split("'")[1] if statement.startswith("UPDATE") else ""

    def shown(self) -> str:
        return self.row if self._shows else ""

    def close(self) -> None: ...


def waited(primary: Primary, client: ShownRow, still_s: float) -> None:
    beats = Beats(server_of(primary), [server_of(client)])
    beats.begin()
    try:
        for _ in beats.until_shown("replica1", still_s):
            time.sleep(0.01)
    finally:
        beats.end()


def test_a_replica_is_waited_for_until_it_has_what_was_written() -> None:
    primary = Primary()
    waited(primary, ShownRow(primary.shown), 60)


def test_one_that_shows_nothing_new_is_given_up() -> None:
    with pytest.raises(AgentError, match=r"^replica1: it has shown nothing new for 1 s of what Dyno writes"):
        waited(Primary(), ShownRow(lambda: "ffffffff 7"), 1)


def test_a_primary_that_takes_nothing_is_not_the_fault_of_a_replica() -> None:
    with pytest.raises(AgentError, match=r"^replica1: it does not take a row: 1290"):
        waited(Primary(fails=True), ShownRow(lambda: ""), 1)


def test_one_that_does_not_answer_is_given_up_with_its_reason() -> None:
    def refuse() -> str:
        raise QueryError("2003 cannot connect", "SELECT")

    with pytest.raises(AgentError, match=r"^replica1: 2003 cannot connect"):
        waited(Primary(), ShownRow(refuse), 1)


def test_progress_with_another_session_is_progress() -> None:
    """It still applies what an earlier session has written: its rows change."""
    primary, began = Primary(), time.monotonic()

    def row() -> str:
        late = time.monotonic() - began
        return f"ffffffff {int(late * 10)}" if late < 2 else primary.row

    waited(primary, ShownRow(row), 1)
    assert time.monotonic() - began >= 2
