"""A team's history on a Galera cluster: three nodes on loopback, one of which is killed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pymysql
import pytest

from app.history.store.history import History
from app.remote.secrets import forget_secrets
from app.team.login import connect_to_team_server, join_team_history
from app.team.store import TeamError, TeamServerAwayError
from app.team.syncing import sync
from tests.installed import BUILD
from tests.integration.test_team import ask, choice
from tests.team_server import Database, free_port, started
from tests.unit.team.test_merging import desktops, edit_something, state_of
from tests.waiting import wait_until

__all__ = ["desktops"]

PROVIDER = Path("/usr/lib/galera/libgalera_smm.so")
NODES = 3


@pytest.fixture
def nodes() -> Iterator[list[Database]]:
    """All have the same certificate; the first one gives its data to the others."""
    forget_secrets()
    with ExitStack() as stack:
        made = [stack.enter_context(started(BUILD)) for _ in range(NODES)]
        ports = [free_port() for _ in range(NODES)]
        members = ",".join(f"127.0.0.1:{port}" for port in ports)
        for node, port in zip(made, ports, strict=True):
            node.stop()
            for name in ("cert.pem", "key.pem"):
                if node is not made[0]:
                    shutil.copy(made[0].folder / name, node.folder / name)
            give(node.folder)
            node.set(
                "wsrep_on=ON", f"wsrep_provider={PROVIDER}", f"wsrep_cluster_address=gcomm://{members}",
                "wsrep_node_address=127.0.0.1", "wsrep_sst_method=rsync", "binlog_format=ROW",
                "innodb_autoinc_lock_mode=2", "innodb_force_primary_key=ON", "wsrep_max_ws_size=4M",
                f'wsrep_provider_options="base_host=127.0.0.1;base_port={port};'
                f"gmcast.listen_addr=tcp://127.0.0.1:{port};ist.recv_addr=127.0.0.1:{free_port()};"
                'pc.recovery=false"',
                f"tmpdir={node.folder / 'data'}",
                f"wsrep_sst_receive_address=127.0.0.1:{free_port()}", "[sst]", "ssl-mode=DISABLED",
            )  # fmt: skip
        for node in made:
            node.start(*(["--wsrep-new-cluster"] if node is made[0] else []))
            wait_until(lambda node=node: is_ready(node), "the node has joined", 180)  # type: ignore[misc]
        yield made
    forget_secrets()


def give(folder: Path) -> None:
    """Let the server run as its own user: rsync of root gives up its rights."""
    text = (folder / "my.cnf").read_text().replace("user=root", "user=mysql")
    (folder / "my.cnf").write_text(text)
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, "mysql", "mysql")


def is_ready(node: Database) -> bool:
    """Until it has joined, a node takes connections and ends them."""
    try:
        return status(node, "wsrep_ready") == "ON"
    except pymysql.OperationalError:
        return False


def status(node: Database, name: str) -> str:
    return str(node.query(f"SHOW STATUS LIKE '{name}'")[0][1])


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
