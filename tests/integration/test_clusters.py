"""Clusters and proxies as contenders: what becomes false behind a balancer is left out, and said once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.existing.schema import OwnedSchema
from app.agent.existing.statements import may_send
from app.agent.server.mysql import READ_S, Client
from app.agent.system.errors import AgentError
from app.protocol.events import LogEvent, SessionEnded
from tests.galera import NODES, PROVIDER, galera, is_ready
from tests.haproxy import balanced
from tests.integration.desktop import Desktop
from tests.integration.test_existing_servers import (
    PASSWORD,
    add,
    begun,
    ended,
    facts,
    given_password,
    run,
    tables,
)
from tests.team_server import Database
from tests.waiting import beside, wait_until

__all__ = ["given_password"]

REACHED = f"reached {NODES} servers"
pytestmark = [
    pytest.mark.full,
    pytest.mark.root,
    pytest.mark.skipif(not PROVIDER.exists(), reason="needs the package galera-4"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[list[Database]]:
    with galera() as nodes:
        nodes[0].query(
            "CREATE DATABASE bench",
            f"CREATE USER measured@localhost IDENTIFIED BY '{PASSWORD}' REQUIRE SSL",
            "GRANT ALL ON bench.* TO measured@localhost",
        )
        yield nodes


def addresses(*servers: Database) -> list[str]:
    return [f"127.0.0.1:{each.port}" for each in servers]


def at(port: int) -> Any:
    """As `add` takes a server."""
    return SimpleNamespace(port=port)


def agent_lines(desktop: Desktop) -> list[str]:
    """What the session said to people."""
    events = desktop.events(desktop.sessions()[0]["id"])
    return [each.text for each in events if isinstance(each, LogEvent) and each.source == "agent"]


def end_of(desktop: Desktop) -> SessionEnded:
    last = desktop.events(desktop.sessions()[0]["id"])[-1]
    assert isinstance(last, SessionEnded)
    return last


def owned(node: Database, who: str) -> OwnedSchema:
    return OwnedSchema(Client(str(node.folder / "s"), READ_S, may_send), who, ())


def tried(schema: OwnedSchema) -> OwnedSchema | None:
    """The schema if it has become its owner."""
    try:
        schema.take()
    except AgentError as error:
        assert "another one has become its owner" in str(error) or "is in use by" in str(error)
        return None
    return schema


def test_it_goes_to_its_end_without_the_figures_of_one_node(
    cluster: list[Database], desktop: Desktop
) -> None:
    with balanced(*addresses(*cluster)) as (_, port):
        add(desktop, at(port), "cluster")
        shown = " ".join(desktop.dyno("server", "show", "cluster").stdout.split())
        said = run(desktop, "@cluster", "--sequence", "settled", "--threads", "6", "--details")
    for text in (shown, " ".join(said.split())):
        assert text.count(f"it leads to {NODES} servers or more: ") == 1
    assert all(f":{node.port} with server_id" in shown for node in cluster)
    assert "counters, waits and sizes will be missing" in shown
    assert end_of(desktop).outcome == "completed"
    (reached,) = facts(desktop, "servers_reached").values()
    assert len(reached) == NODES and len({each.split()[0] for each in reached}) == NODES
    assert len([text for text in agent_lines(desktop) if REACHED in text]) == 1
    assert REACHED in desktop.dyno("session", "show", "last").stdout
    for each in ended(desktop):
        assert not each.status and each.waits is None and not each.sizes
        assert not {"not-alone", "indebted"} & {*each.marks}
    settled = ended(desktop)[2]
    assert settled.value is None and "one server, of several" in settled.reason
    for found in facts(desktop, "existing").values():
        assert found["others_statements"] is None and found["network_pct"] is None
        assert found["rtt_before_ms"] > 0
    assert [tables(node) for node in cluster] == [[]] * NODES


def test_one_of_several_takes_a_silent_marker_over(
    cluster: list[Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each on a node of its own, at the same moment: the changes conflict when they are committed."""
    monkeypatch.setattr("app.agent.existing.schema.BEAT_S", 0.0)
    cluster[0].query("CREATE DATABASE dyno")
    for turn in range(5):
        lost = owned(cluster[1], f"lost {turn}")
        lost.take()
        cluster[1].query("UPDATE dyno.dyno_marker SET at = at - INTERVAL 61 SECOND")
        with ThreadPool(NODES) as pool:
            found = pool.map(tried, [owned(node, f"{node.port}") for node in cluster])
        (taken,) = filter(None, found)
        taken.give_back()
    assert [tables(node, "dyno") for node in cluster] == [[]] * NODES


def test_an_owner_whose_node_has_another_clock_keeps_its_schema(cluster: list[Database]) -> None:
    """It is five minutes behind, so all that it writes looks old."""
    cluster[0].query("CREATE DATABASE IF NOT EXISTS dyno")
    owner = owned(cluster[1], "one")
    owner.take()
    old = "UPDATE dyno.dyno_marker SET at = UTC_TIMESTAMP() - INTERVAL 300 SECOND"
    cluster[1].query(old)

    def beat(stop: threading.Event) -> None:
        while not stop.wait(5):
            cluster[1].query(old)

    with beside(beat):
        assert tried(owned(cluster[0], "two")) is None
    owner.give_back()


def test_a_node_that_is_killed_ends_a_step_with_its_reason(cluster: list[Database], desktop: Desktop) -> None:
    with balanced(*addresses(*cluster)) as (_, port):
        add(desktop, at(port), "cluster")
        words = ("@cluster", "--sequence", "tiny", "--tables", "2", "--rows", "2000", "--repeats", "1")
        running = desktop.begin("run", *words, "--allow-busy", "--threads", "6", "--seconds", "20")
        wait_until(begun(desktop, 2), "it drives", 300)
        time.sleep(3)
        cluster[1].kill()
        running.communicate(timeout=240)
        failed = [each for each in ended(desktop) if each.outcome == "failed"]
        assert failed and all("\n" not in each.reason and each.reason for each in failed)
        assert "20" in failed[0].reason, failed[0].reason  # 2013 or 2006, in the words of sysbench
        cluster[1].start()
        wait_until(lambda: is_ready(cluster[1]), "the node has joined again", 180)
        desktop.dyno("server", "clean", "cluster")
    assert [tables(node) for node in cluster] == [[]] * NODES
