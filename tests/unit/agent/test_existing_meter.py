"""What of a step on a server that runs already is the network's, the relay's or a neighbour's, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.agent.existing import meter
from app.agent.existing.lag import Beats
from app.agent.existing.meter import ExistingServerMeter
from app.agent.existing.server import ExistingServer
from app.agent.existing.settling import WritesComeToRest
from app.agent.server.mysql import Client
from app.engines.server import CALM_S


class ScriptedClient:
    """Answers SELECT 1 at once, and counts what is sent as a client does."""

    def __init__(self) -> None:
        self.sent = 0

    def query(self, _: str) -> list[dict[str, Any]]:
        self.sent += 1
        return []


@dataclass
class ShownServer:
    """The one server of a step."""

    client: ScriptedClient
    shown: SimpleNamespace
    several: str = ""
    lags: tuple[()] = ()
    relay: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(pids=[]))

    @property
    def used(self) -> list[SimpleNamespace]:
        return [self.shown]

    @property
    def sent(self) -> int:
        return self.client.sent


def metered(several: str = "", **of_contender: Any) -> tuple[ExistingServerMeter, ScriptedClient]:
    client = ScriptedClient()
    asked = {"host": "db.example", "max_queries": 0, "price": "", **of_contender}
    place = SimpleNamespace(host=asked["host"], max_queries=asked["max_queries"])
    shown = SimpleNamespace(place=place, price=asked["price"], name="")
    return ExistingServerMeter(cast(ExistingServer, ShownServer(client, shown, several))), client


@pytest.fixture
def ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The measured part takes as long."""
    times = iter((0.0, 10.0))
    monkeypatch.setattr(meter, "_now", lambda: next(times))


@pytest.mark.parametrize(
    ("grown", "own", "queries", "others", "marks"),
    [
        (10_050, 50, 10_000, 0.0, ["remote"]),
        (10_240, 40, 10_000, 20.0, ["remote"]),  # 200 of 10,000 are two percent
        (10_241, 40, 10_000, 20.1, ["remote", "not-alone"]),
        (240, 40, 0, 20.0, ["remote"]),  # of few statements 20 a second are nobody
        (251, 40, 0, 21.1, ["remote", "not-alone"]),
        (9_000, 40, 10_000, 0.0, ["remote"]),  # it counts less than the clients: none of others
    ],
)
def test_statements_of_others(
    grown: int, own: int, queries: int, others: float, marks: list[str], ten_seconds: None
) -> None:
    seen, client = metered()
    seen.begin({"questions": "1000"})
    client.sent += own
    seen.end({"questions": str(1000 + grown)}, queries)
    assert seen.marks(queries, False) == marks
    assert seen.fact(queries, None, None)["others_statements"] == pytest.approx(others)


def test_a_load_is_not_measured_by_its_statements(ten_seconds: None) -> None:
    seen, _ = metered()
    seen.begin({"questions": "0"})
    seen.end({"questions": "5000"}, 10)
    assert seen.marks(10, True) == ["remote"]


def test_without_the_counter_nothing_is_said_of_others(ten_seconds: None) -> None:
    seen, _ = metered()
    seen.begin({})
    seen.end({}, 10_000)
    assert seen.marks(10_000, False) == ["remote"]
    assert seen.fact(10_000, None, None)["others_statements"] is None


@pytest.mark.parametrize(("queries", "is_limited"), [(4_500, False), (4_501, True)])
def test_a_step_at_its_limit_is_marked(queries: int, is_limited: bool, ten_seconds: None) -> None:
    seen, _ = metered(max_queries=500, host="127.0.0.1")
    seen.begin({})
    seen.end({}, queries)
    assert seen.marks(queries, False) == ["query-limited"] * is_limited


@pytest.mark.parametrize(("price", "found"), [("0.52 USD", 0.52), ("", None), ("x y", None)])
def test_the_price_of_an_hour(price: str, found: float | None, ten_seconds: None) -> None:
    seen, _ = metered(price=price)
    seen.begin({})
    seen.end({}, 1)
    assert seen.fact(1, None, None)["price"] == found


def test_the_network_is_at_most_the_shorter_round_trip(ten_seconds: None) -> None:
    seen, _ = metered()
    seen.begin({})
    seen.end({}, 1000)
    assert seen.fact(1000, 2.0, 8.0)["network_pct"] == 25.0
    assert seen.fact(1000, 9.0, 8.0)["network_pct"] == 100.0
    assert seen.fact(1000, None, 8.0)["network_pct"] is None


def test_of_several_servers_neither_network_nor_neighbours_are_known(ten_seconds: None) -> None:
    seen, _ = metered("connections reached 2 servers")
    seen.begin({"questions": "1000"})
    seen.end({}, 1000)
    found = seen.fact(1000, 2.0, 8.0)
    assert found["network_pct"] is None and found["others_statements"] is None
    assert found["rtt_during_ms"] == 2.0 and seen.marks(1000, False) == ["remote"]


def test_a_first_reading_that_is_lost_makes_no_neighbour(ten_seconds: None) -> None:
    seen, _ = metered()
    seen.begin({})
    seen.end({"questions": "9000000"}, 10_000)
    assert seen.marks(10_000, False) == ["remote"]


class Writing:
    """A server whose counter of writes grows by these amounts."""

    def __init__(self, *growth: int) -> None:
        self._growth, self._written = iter(growth), 0

    def close(self) -> None:
        pass

    def pairs(self, _: str) -> dict[str, str]:
        self._written += next(self._growth)
        return {"innodb_data_written": str(self._written), "version": "8"}


def test_settling_is_over_when_writes_rest() -> None:
    beats = SimpleNamespace(rest=False)
    settling = WritesComeToRest(cast(Client, Writing(0, 9000, 5000, *[10] * CALM_S)), cast(Beats, beats))
    settling.begin()
    assert beats.rest  # what Dyno writes for replicas would go on for ever
    looks = [settling.is_over(None) for _ in range(3 + CALM_S)]
    assert looks == [False] * (2 + CALM_S) + [True]
    assert settling.waited_for["innodb_data_written"] == 2 and settling.end() == [] and not beats.rest


def test_a_neighbour_that_writes_is_waited_for() -> None:
    settling = WritesComeToRest(cast(Client, Writing(*[9000] * 20)), cast(Beats, SimpleNamespace()))
    assert not any(settling.is_over(None) for _ in range(20))
    assert settling.unpaid == ["innodb_data_written"]
