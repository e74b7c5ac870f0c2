"""A connection for each event: connect, one query, close."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.generated import Server, drive, fill, shipped
from tests.integration.test_rows_read import BUILDS_IN_FULL, Build, running

CLIENTS, EVENTS = 4, 300
OURS = 6  # connections that ask for the counters


@pytest.mark.parametrize("build", BUILDS_IN_FULL)
def test_each_event_connects_reads_a_row_and_closes(build: Build, tmp_path: Path) -> None:
    names = ("connections", "aborted_clients", "aborted_connects")
    with running(build, tmp_path) as found:
        server = Server(Path(found.private))
        for engine in build.engines:
            fill(server, engine)
            before = server.counters(*names)
            outcome = drive(server, shipped("connect", engine, threads=CLIENTS, events=EVENTS))
            after = server.counters(*names)
            assert outcome.code == 0, outcome.said
            total = outcome.total
            counts = [total[name] for name in ("events", "reads", "writes", "other", "errors", "clients")]
            assert counts == [EVENTS, EVENTS, 0, 0, 0, CLIENTS]
            assert total["rows"]["read"] == EVENTS
            grown = {name: after[name] - before[name] for name in names}
            at_ends = 2 * CLIENTS  # each client has one before its first event, and one after its last
            assert EVENTS + at_ends <= grown.pop("connections") <= EVENTS + at_ends + OURS
            assert set(grown.values()) == {0}


def test_connections_per_second_are_the_result_of_a_session(desktop: Desktop) -> None:
    words = ("--sequence", "churn", "--steps", "connect", "--seconds", "2", "--warmup", "0", "--rows", "1000")
    desktop.dyno("run", *words, "--contender", f"{MARIADB}:innodb", "--allow-busy")
    (entry,) = desktop.sessions()
    steps = [
        step
        for step in desktop.json("session", "show", entry["id"])["steps"]
        if step["workload"] == "connect"
    ]
    assert [step["coordinates"]["threads"] for step in steps] == [1, 4]
    for step in steps:
        assert (step["state"], step["unit"], step["latency_per"]) == ("completed", "queries/s", "connection")
        assert step["value"] == pytest.approx(step["queries"] / step["seconds"], rel=0.01)
        assert step["latency_ms"]["p99"] >= step["latency_ms"]["p50"] > 0
    facts = desktop.json("session", "settings", entry["id"])["facts"]
    variables = next(value for name, value in facts.items() if name.startswith("variables"))
    assert {"thread_cache_size", "back_log"} <= set(variables)
