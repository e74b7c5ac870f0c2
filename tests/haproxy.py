"""HAProxy before servers of the tests: it passes on bytes of TCP, connection by connection in turn."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.team_server import free_port
from tests.waiting import wait_until

CONFIGURATION = """
global
    maxconn 4000
defaults
    mode tcp
    timeout connect 5s
    timeout queue 90s
    timeout client {idle_s}s
    timeout server {idle_s}s
frontend clients
    bind {address}
    maxconn {most}
    default_backend servers
backend servers
    balance roundrobin
    option redispatch
    {servers}
"""


@contextmanager
def balanced(
    *servers: str, idle_s: int = 600, most: int = 2000, address: str = ""
) -> Iterator[tuple[str, int]]:
    """The address in front of servers; `idle_s`: in which a connection may rest, `most`: connections."""
    host, _, port = (address or f"127.0.0.1:{free_port()}").partition(":")
    folder = Path(tempfile.mkdtemp(prefix="dyno-t-"))
    lines = "\n    ".join(f"server s{at} {each} check inter 500ms" for at, each in enumerate(servers))
    file = folder / "haproxy.cfg"
    at = f"{host}:{port}"
    file.write_text(CONFIGURATION.format(idle_s=idle_s, most=most, address=at, servers=lines))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([haproxy(), "-db", "-f", str(file)], stdout=log, stderr=log)
    try:
        wait_until(lambda: _listens(host, int(port)), f"HAProxy listens: {folder / 'log'}", 180)
        yield host, int(port)
    finally:
        process.terminate()
        process.wait(60)
        shutil.rmtree(folder)


def haproxy() -> str:
    return shutil.which("haproxy") or "/usr/sbin/haproxy"


def _listens(host: str, port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex((host, port)) == 0
