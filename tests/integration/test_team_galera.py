"""A team's history on a Galera cluster: three nodes on loopback, one of which is killed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.history.store.history import History
from app.remote.secrets import forget_secrets
from app.team.login import connect_to_team_server, join_team_history
from app.team.store import TeamError, TeamServerAwayError
from app.team.syncing import sync
from tests.galera import NODES, PROVIDER, galera, status
from tests.integration.test_team import ask, choice
from tests.team_server import Database
from tests.unit.team.test_merging import desktops, edit_something, state_of
from tests.waiting import wait_until

__all__ = ["desktops"]


@pytest.fixture
def nodes() -> Iterator[list[Database]]:
    forget_secrets()
    with galera() as made:
        yield made
    forget_secrets()


@pytest.mark.full
@pytest.mark.root
@pytest.mark.skipif(not PROVIDER.exists(), reason="needs the package galera-4")
def test_three_nodes_serve_and_one_is_killed(
    nodes: list[Database], desktops: list[History], tmp_path: Path
) -> None:
    assert status(nodes[0], "wsrep_cluster_size") == str(NODES)
    choices = [choice(node) for node in nodes]
    join_team_history(tmp_path / "settings", choices[0], ask)
    wait_until(lambda: has_tables(nodes[-1]), "the tables are on all nodes")
    chance = random.Random(7)
    at = {who: who % NODES for who in range(len(desktops))}  # the node of each desktop
    servers = {number: connect_to_team_server(wanted, ask) for number, wanted in enumerate(choices)}
    for turn in range(60):
        if turn == 30:
            nodes[0].kill()
        who = chance.randrange(len(desktops))
        for _ in range(3):
            edit_something(desktops[who], chance, turn)
        try:
            sync(desktops[who], servers[at[who]], f"person {who}")
        except (TeamServerAwayError, TeamError):
            assert turn >= 30 and at[who] == 0, "only the node that was killed is away"
            at[who] = 1 + who % 2
    left = [1 + who % 2 for who in range(len(desktops))]

    def are_equal() -> bool:
        for history, number in zip(desktops, left, strict=True):
            sync(history, servers[number], "")
        states = [state_of(history) for history in desktops]
        return bool(states[0][0]) and states[1:] == states[:-1]

    wait_until(are_equal, "all desktops have everything", 180)
    state = sorted(state_of(desktops[0])[-1])
    for node in nodes[1:]:
        found = node.query("SELECT subject, kind, item, author, number FROM team.in_force")
        assert sorted(found) == state


def has_tables(node: Database) -> bool:
    return bool(node.query("SHOW TABLES IN team LIKE 'in_force'"))
