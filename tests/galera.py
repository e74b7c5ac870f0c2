"""A Galera of three nodes on loopback, of the MariaDB of this system and Debian's package galera-4."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pymysql

from tests.installed import BUILD
from tests.team_server import Database, free_port, started
from tests.waiting import wait_until

PROVIDER = Path("/usr/lib/galera/libgalera_smm.so")
NODES = 3


@contextmanager
def galera() -> Iterator[list[Database]]:
    """All have the same certificate; the first one gives its data to the others."""
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
