"""The CPU topology of a machine: nodes, their cores, their CPUs."""

from __future__ import annotations

import glob
import os
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from app.agent.system.disk import read_text
from app.protocol.cpus import from_text

SYSTEM = "/sys/devices/system/cpu"


class Cpu(NamedTuple):
    """The place of a CPU (a hardware thread); node -1 is unknown."""

    number: int
    core: int  # the first CPU of the core
    socket: int
    node: int


def topology(root: str = SYSTEM, usable: Optional[Iterable[int]] = None) -> List[List[List[int]]]:
    """The CPUs that our processes may use."""
    numbers = os.sched_getaffinity(0) if usable is None else usable
    return grouped([_cpu(root, number) for number in sorted(numbers)])


def grouped(cpus: Iterable[Cpu]) -> List[List[List[int]]]:
    """Nodes, with their cores by first CPU; sockets of one node stay separate."""
    cores: Dict[Tuple[int, int, int], List[int]] = {}
    for cpu in sorted(cpus):
        cores.setdefault((_last_if_unknown(cpu.node), cpu.socket, cpu.core), []).append(cpu.number)
    nodes: Dict[Tuple[int, int], List[List[int]]] = {}
    for (node, socket, _), siblings in sorted(cores.items(), key=lambda item: (item[0][:2], item[1])):
        nodes.setdefault((node, socket), []).append(siblings)
    return list(nodes.values())


def _last_if_unknown(node: int) -> int:
    return node if node >= 0 else 1 << 30


def _cpu(root: str, number: int) -> Cpu:
    """A CPU as /sys describes it; without a description it counts as a separate core."""
    folder = os.path.join(root, "cpu{}".format(number))
    nodes = [re.search(r"\d+$", path) for path in glob.glob(os.path.join(folder, "node[0-9]*"))]
    return Cpu(
        number,
        min(from_text(read_text(os.path.join(folder, "topology", "thread_siblings_list")) or str(number))),
        _number(os.path.join(folder, "topology", "physical_package_id"), 0),
        int(nodes[0].group()) if nodes and nodes[0] else -1,
    )


def _number(path: str, otherwise: int) -> int:
    text = read_text(path)
    return int(text) if text and text.isdigit() else otherwise
