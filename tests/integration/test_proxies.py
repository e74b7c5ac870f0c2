"""Proxies as contenders: HAProxy before one server or two, which rests, lets few in, or leads astray."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.protocol.events import SeriesDeclared
from tests.haproxy import balanced
from tests.integration.desktop import Desktop
from tests.integration.test_clusters import addresses, agent_lines, at, end_of
from tests.integration.test_existing_servers import (
    add,
    begun,
    ended,
    facts,
    given_password,
    measured_server,
    run,
    tables,
    with_account,
)
from tests.sequences import INDEX, LOAD, own_sequence
from tests.team_server import Database
from tests.waiting import wait_until

__all__ = ["given_password", "measured_server"]

SLOW = own_sequence("slow", LOAD, INDEX, 'workload = "point-query"\nrate = 1', seconds=15)


@pytest.mark.full
def test_a_proxy_that_drops_idle_connections_is_no_end(desktop: Desktop, measured_server: Database) -> None:
    """Neither of a load nor of settling, and the marker stays fresh."""
    with balanced(*addresses(measured_server), idle_s=3) as (_, port):
        add(desktop, at(port), "proxied")
        run(desktop, "@proxied", "--sequence", "settled", "--seconds", "6")
    assert end_of(desktop).outcome == "completed"
    assert not facts(desktop, "servers_reached")
    assert all(each.status for each in ended(desktop))
    assert tables(measured_server) == []


@pytest.mark.full
def test_clients_that_rest_longer_than_a_proxy_allows_end_their_step_with_its_reason(
    desktop: Desktop, measured_server: Database
) -> None:
    (desktop.home / "sequences" / "slow.toml").write_text(SLOW)
    with balanced(*addresses(measured_server), idle_s=3) as (_, port):
        add(desktop, at(port), "proxied")
        run(desktop, "@proxied", "--sequence", "slow", "--threads", "16", code=None)
    failed = [each for each in ended(desktop) if each.outcome == "failed"]
    assert failed and re.fullmatch(r"FATAL: .* error 20(06|13) \(.*", failed[0].reason)
    assert tables(measured_server) == []


@pytest.mark.full
def test_fewer_connections_than_clients_are_said(desktop: Desktop, measured_server: Database) -> None:
    with balanced(*addresses(measured_server), most=6) as (_, port):
        add(desktop, at(port), "proxied")
        run(desktop, "@proxied", "--threads", "12")
    assert [each for each in ended(desktop) if "fewer-clients" in each.marks]
    assert tables(measured_server) == []


@pytest.mark.full
def test_a_server_that_lets_fewer_in_is_said(desktop: Desktop, measured_server: Database) -> None:
    add(desktop, measured_server)
    measured_server.query("SET GLOBAL max_connections = 10")
    try:
        run(desktop, "@prod", "--threads", "16")
    finally:
        measured_server.query("SET GLOBAL max_connections = 151")
    assert [each for each in ended(desktop) if "fewer-clients" in each.marks]
    assert tables(measured_server) == []


def test_a_look_does_with_one_connection(desktop: Desktop, measured_server: Database) -> None:
    """Where the proxy or the account lets no more in, what the address leads to stays unknown."""
    with balanced(*addresses(measured_server), most=1) as (_, port):
        add(desktop, at(port), "proxied")
    add(desktop, measured_server)
    measured_server.query("ALTER USER measured@localhost WITH MAX_USER_CONNECTIONS 1")
    try:
        shown = desktop.dyno("server", "show", "prod").stdout
    finally:
        measured_server.query("ALTER USER measured@localhost WITH MAX_USER_CONNECTIONS 0")
    assert "SELECT 1 takes" in shown and "leads to" not in shown


@contextmanager
def with_twin(database: Database) -> Iterator[Database]:
    """Another server with the same account and certificate, and no data of the first one."""
    with with_account("") as other:
        for name in ("cert.pem", "key.pem"):
            (other.folder / name).write_bytes((database.folder / name).read_bytes())
        other.stop()
        other.start()
        yield other


def test_servers_that_do_not_share_their_data_are_refused(
    desktop: Desktop, measured_server: Database
) -> None:
    """Else some tables would be made on one, and some on the other."""
    with with_twin(measured_server) as other:
        with balanced(*addresses(measured_server, other)) as (_, port):
            add(desktop, at(port), "pair")
            refused = run(desktop, "@pair", code=1)
        assert "servers that do not share their data" in refused
        assert tables(other) == [] == tables(measured_server)


@pytest.mark.full
def test_a_proxy_that_turns_to_an_empty_server_fails_the_steps_with_reasons(desktop: Desktop) -> None:
    """The one that all connections had reached is killed in a step; the next one has nothing of Dyno."""
    with with_account("") as first, with_twin(first) as second:
        with balanced(*addresses(first), f"{addresses(second)[0]} backup") as (_, port):
            add(desktop, at(port), "pair")
            words = ("--sequence", "tiny", "--rows", "2000", "--repeats", "1", "--seconds", "15")
            running = desktop.begin("run", "@pair", *words, "--allow-busy", "--threads", "4")
            wait_until(begun(desktop, 2), "it drives", 300)
            time.sleep(2)
            first.kill()
            running.communicate(timeout=240)
        failed = [each.reason for each in ended(desktop) if each.outcome == "failed"]
        assert failed and all(reason and "\n" not in reason for reason in failed)
        assert len([text for text in agent_lines(desktop) if "reached 2 servers" in text]) == 1
        assert tables(second) == []


def test_nodes_with_certificates_of_their_own_are_refused(
    desktop: Desktop, measured_server: Database
) -> None:
    """One certificate is accepted, and a connection that meets another one sends no password."""
    with with_account("") as other, balanced(*addresses(measured_server, other)) as (_, port):
        desktop.dyno("server", "add", "pair", f"mysql://measured@127.0.0.1:{port}/bench", code=1)
        text = desktop.refused("server", "trust", "pair", "SHA256:" + "ab" * 32)
        assert "not the fingerprint you gave" in text
        assert tables(other) == []


@pytest.mark.full
def test_a_proxy_on_the_port_of_its_server_is_not_the_server(
    desktop: Desktop, measured_server: Database
) -> None:
    """It listens at another address of this machine: what Dyno would read of the server is not its own."""
    address = f"127.0.0.2:{measured_server.port}"
    with balanced(*addresses(measured_server), address=address) as (host, port):
        url = f"mysql://measured@{host}:{port}/bench"
        said = desktop.dyno("server", "add", "twin", url, code=1).stderr
        pin = next(word for word in said.split() if word.startswith("SHA256:"))
        desktop.dyno("server", "trust", "twin", pin.rstrip(";"))
        desktop.dyno("server", "show", "twin")
        run(desktop, "@twin")
    (server,) = facts(desktop, "existing_server").values()
    assert server["on_this_machine"] is False
    events = desktop.events(desktop.sessions()[0]["id"])
    labels = {of.name: of.label for each in events if isinstance(each, SeriesDeclared) for of in each.series}
    assert labels["host.cpu_pct"] == "Machine that drives: Machine CPU, all cores = 100"
    assert not any(name.startswith("disk.") for name in labels)
