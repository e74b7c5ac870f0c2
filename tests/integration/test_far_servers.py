"""A server behind a network: the round trips that a session states are those that were planted."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.integration.delaying_relay import delaying_relay
from tests.integration.desktop import Desktop
from tests.integration.test_existing_servers import ALL, add, facts, given_password, run, with_account
from tests.sequences import INDEX, LOAD, own_sequence

__all__ = ["given_password"]

TRIP_MS = 80.0
MORE_MS = 0.05 * TRIP_MS + 1  # that a round trip may take
BESIDE_MS = 0.15 * TRIP_MS  # the same beside clients, who take the CPU: it is a mean of few
READS = own_sequence("reads", LOAD, INDEX, 'workload = "point-query"', 'workload = "read-only"', seconds=6)


@pytest.mark.alone
@pytest.mark.full
@pytest.mark.parametrize("name", ALL)
def test_the_round_trip_is_that_of_the_network(name: str, desktop: Desktop) -> None:
    (desktop.home / "sequences" / "reads.toml").write_text(READS)
    with with_account(name) as database, delaying_relay(database.port, TRIP_MS / 2e3) as port:
        add(desktop, SimpleNamespace(port=port))  # type: ignore[arg-type]
        for clients in (1, 8):
            run(desktop, "@prod", "--sequence", "reads", "--rows", "200", "--threads", str(clients))
            found = facts(desktop, "existing")
            trips = [each[f"rtt_{when}_ms"] for each in found.values() for when in ("before", "after")]
            reads = [each for step, each in found.items() if "point-query" in step or "read-only" in step]
            beside = [each["rtt_during_ms"] for each in reads]
            assert len(reads) == 2 and not [ms for ms in trips if not TRIP_MS <= ms <= TRIP_MS + MORE_MS]
            assert not [ms for ms in beside if not TRIP_MS <= ms <= TRIP_MS + BESIDE_MS]
            assert all(90 <= each["network_pct"] <= 100 for each in reads)
