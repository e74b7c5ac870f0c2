"""What a server counted between two readings, and what it does not count."""

from __future__ import annotations

import time
from typing import Any

import pytest

from app.agent.sampling import counters
from app.agent.sampling.counters import ServerCounterSampler, await_last_client
from app.agent.sampling.host import SERIES
from app.agent.server.mysql import Client, QueryError
from app.engines import KNOWN
from app.engines.server import HANDLER_READS, OWN_ROWS
from app.protocol.series import LOAD


@pytest.mark.parametrize(
    ("engine", "grown", "spent"),
    [
        ("innodb", {"rows_read": 7, "innodb_os_log_written": 1024}, {"rows_read": 7, "log_kb": 1}),
        ("innodb", {"innodb_rows_read": 7, "innodb_os_log_written": 2048}, {"rows_read": 7, "log_kb": 2}),
        (
            "rocksdb",
            {"rows_read": 0, "rocksdb_rows_read": 7, "rocksdb_wal_bytes": 1024},
            {"rows_read": 7, "log_kb": 1},
        ),
        ("myisam", {"handler_read_key": 4, "handler_read_next": 3}, {"rows_read": 7, "log_kb": None}),
    ],
)
def test_rows_and_log_as_each_engine_counts_them(engine: str, grown: Any, spent: Any) -> None:
    counters = ServerCounterSampler(None, engine)
    before = dict.fromkeys([*HANDLER_READS.split("+"), *grown], "100")
    after = {name: str(100 + grown.get(name, 0)) for name in before}
    assert counters.spent(before, after) == {**spent, "rows_sorted": None}
    assert counters.spent(before, {}) == dict.fromkeys(("rows_read", "rows_sorted", "log_kb"))
    assert counters.spent(after, before)["rows_read"] is None  # started anew in between


class Leaving(Client):
    """Of a server whose clients go one after the other; None: it does not answer."""

    def __init__(self, *clients: int | None) -> None:
        super().__init__("")
        self.clients = list(clients)

    def pairs(self, sql: str) -> dict[str, str]:
        assert "Threads_connected" in sql
        found = self.clients.pop(0)
        if found is None:
            raise QueryError("it has gone")
        return {"threads_connected": str(found)}


@pytest.mark.parametrize("clients", [(9, 4, 1), (1,), (3, None)])
def test_the_last_client_is_waited_for(clients: tuple[int | None, ...]) -> None:
    server = Leaving(*clients)
    await_last_client(server)
    assert not server.clients


def test_a_client_that_stays_is_not_waited_for_longer_than_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "LEAVE_S", 0.05)
    began = time.monotonic()
    await_last_client(Leaving(*[2] * 100))
    assert 0.05 <= time.monotonic() - began < 2


@pytest.mark.parametrize(("own", "rows"), [(("100", "2100"), 10_000), ((None, "2100"), 12_000)])
def test_rows_that_dyno_reads_itself_are_not_those_of_clients(
    own: tuple[str | None, str], rows: float
) -> None:
    before, after = ({"rows_read": each} for each in ("1000", "13000"))
    before, after = (
        {**each, **({OWN_ROWS: its} if its else {})} for each, its in zip((before, after), own, strict=True)
    )
    assert ServerCounterSampler(None, "innodb").spent(before, after)["rows_read"] == rows


def test_no_two_series_have_one_title() -> None:
    engines = [*KNOWN, "archive"]
    declared = {each.name: each for name in engines for each in ServerCounterSampler(None, name).declare()}
    titles = [(each.label, each.unit) for each in [*LOAD, *SERIES, *declared.values()]]
    assert len(titles) == len({*titles})
    assert declared["innodb.rows_read"].label == "InnoDB: rows read"
    assert declared["server.threads_running"].label == "Server: running threads"
    assert declared["archive.rows_written"].label == "archive: rows inserted"
