"""Two targets across links that can be cut: network namespaces of the test's own. Needs root.

    @pytest.mark.root
    def test_something(two_targets):
        first, second = two_targets
        first.sshd.add_target("nuc")      # everything that the fixture `sshd` can do
        first.link_down(); first.link_up()  # nothing gets through, no connection is told of it

Both share this machine's disk and processes: only the network is theirs.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.sshd import Sshd


@dataclass
class FarTarget:
    """An sshd in a network namespace of its own."""

    sshd: Sshd
    namespace: str

    def link_down(self) -> None:
        """Packets are lost both ways; this side sees no more than silence."""
        _ip("-n", self.namespace, "link", "set", "far", "down")

    def link_up(self) -> None:
        _ip("-n", self.namespace, "link", "set", "far", "up")


@pytest.fixture
def two_targets(tmp_path: Path, ssh_folder: Path) -> Iterator[tuple[FarTarget, FarTarget]]:
    """Two targets; each has an address and a link of its own."""
    names = [_name(), _name()]
    made: list[FarTarget] = []
    try:
        for number, name in enumerate(names):
            made.append(_far_target(tmp_path / f"far{number}", name))
        yield made[0], made[1]
    finally:
        for far in made:
            far.sshd.stop()
        for name in names:
            _remove(name)


def _far_target(folder: Path, name: str) -> FarTarget:
    """198.18.0.0/15 is set apart for such links (RFC 2544); each name has its own part of it."""
    number = int(name.removeprefix("dyno"), 16) % (1 << 15)
    network = (198 << 24) + (18 << 16) + number * 4
    near, far = _dotted(network + 1), _dotted(network + 2)
    _ip("netns", "add", name)
    _ip("link", "add", name, "type", "veth", "peer", "name", "far", "netns", name)
    _ip("addr", "add", f"{near}/30", "dev", name)
    _ip("link", "set", name, "up")
    _ip("-n", name, "addr", "add", f"{far}/30", "dev", "far")
    _ip("-n", name, "link", "set", "lo", "up")
    _ip("-n", name, "link", "set", "far", "up")
    return FarTarget(Sshd(folder, address=far, prefix=["ip", "netns", "exec", name]), name)


@dataclass
class Network:
    """Targets behind one switch; this machine has the address `here` in it."""

    here: str
    sshds: list[Sshd]


@pytest.fixture
def sixteen_targets(tmp_path: Path, ssh_folder: Path) -> Iterator[Network]:
    """Sixteen targets, each in a namespace of its own."""
    switch = _name()
    network = (198 << 24) + (18 << 16) + (int(switch.removeprefix("dyno"), 16) % (1 << 9)) * 256
    here, *there = (_dotted(network + host) for host in range(1, 18))
    names = [_name() for _ in there]
    made: list[Sshd] = []
    try:
        _ip("link", "add", switch, "type", "bridge")
        _ip("addr", "add", f"{here}/24", "dev", switch)
        _ip("link", "set", switch, "up")
        for name, address in zip(names, there, strict=True):
            made.append(_behind(switch, name, address, tmp_path / name))
        yield Network(here, made)
    finally:
        for sshd in made:
            sshd.stop()
        for name in names:
            _remove(name)
        _ip("link", "del", switch)


def _behind(switch: str, name: str, address: str, folder: Path) -> Sshd:
    _ip("netns", "add", name)
    _ip("link", "add", name, "type", "veth", "peer", "name", "far", "netns", name)
    _ip("link", "set", name, "master", switch, "up")
    _ip("-n", name, "addr", "add", f"{address}/24", "dev", "far")
    _ip("-n", name, "link", "set", "lo", "up")
    _ip("-n", name, "link", "set", "far", "up")
    return Sshd(folder, address=address, prefix=["ip", "netns", "exec", name])


def _dotted(address: int) -> str:
    return ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))


def _remove(name: str) -> None:
    """The namespace, the link and what was started in there."""
    pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, check=False, timeout=10)
    for pid in pids.stdout.split():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    for command in (["link", "del", name], ["netns", "del", name]):
        subprocess.run(["ip", *command], check=False, stderr=subprocess.DEVNULL, timeout=10)


def _name() -> str:
    return f"dyno{secrets.token_hex(4)}"  # another worker may have the same process id


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, timeout=10)
