"""Two targets across links that can be cut: network namespaces of the test's own. Needs root.

    @pytest.mark.root
    def test_something(two_targets, dyno_home):
        first, second = two_targets
        first.sshd.add_target("nuc")      # everything that the fixture `sshd` can do
        first.link_down(); first.link_up()  # nothing gets through, no connection is told of it

Both share this machine's disk and processes: only the network is theirs.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from .sshd import Sshd


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
def two_targets(tmp_path: Path, dyno_home: Path) -> Iterator[tuple[FarTarget, FarTarget]]:
    """Two targets; each has an address and a link of its own."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    made: list[FarTarget] = []
    try:
        made = [_far_target(tmp_path, number) for number in range(2)]
        yield made[0], made[1]
    finally:
        for far in made:
            far.sshd.stop()
        for number in range(2):
            subprocess.run(["ip", "netns", "del", _name(number)], check=False, stderr=subprocess.DEVNULL)


def _far_target(folder: Path, number: int) -> FarTarget:
    """198.18.0.0/15 is set apart for such links (RFC 2544); each process takes its own part of it."""
    network = (198 << 24) + (18 << 16) + ((os.getpid() * 2 + number) % (1 << 15)) * 4
    near, far = (
        ".".join(str((network + host) >> shift & 255) for shift in (24, 16, 8, 0)) for host in (1, 2)
    )
    name = _name(number)
    _ip("netns", "add", name)
    _ip("link", "add", name, "type", "veth", "peer", "name", "far", "netns", name)
    _ip("addr", "add", f"{near}/30", "dev", name)
    _ip("link", "set", name, "up")
    _ip("-n", name, "addr", "add", f"{far}/30", "dev", "far")
    _ip("-n", name, "link", "set", "lo", "up")
    _ip("-n", name, "link", "set", "far", "up")
    prefix = ["ip", "netns", "exec", name]
    return FarTarget(Sshd(folder / f"far{number}", address=far, prefix=prefix), name)


def _name(number: int) -> str:
    return f"dyno{os.getpid()}-{number}"


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, timeout=10)
