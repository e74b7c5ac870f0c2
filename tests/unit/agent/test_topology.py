"""How CPUs hang together: a real machine with 32 cores as it was recorded, /sys, and this one."""

from __future__ import annotations

import os
from pathlib import Path

from app.agent.survey.machine import LogicalCpu, cores_by_node, topology

RECORDED = Path(__file__).parents[2] / "data/topology/xeon-x7550.csv"


def recorded() -> list[list[list[int]]]:
    """The recorded machine, as a survey of it would have it."""
    rows = [line.split(",") for line in RECORDED.read_text().splitlines() if line[0] != "#"]
    return cores_by_node(
        LogicalCpu(int(cpu), int(core), int(socket), int(node or -1)) for cpu, core, socket, node in rows
    )


def put(folder: Path, siblings: str, package: int, node: int | None) -> None:
    (folder / "topology").mkdir(parents=True)
    (folder / "topology/thread_siblings_list").write_text(siblings + "\n")
    (folder / "topology/physical_package_id").write_text(f"{package}\n")
    if node is not None:
        (folder / f"node{node}").mkdir()


def test_a_recorded_machine_of_four_sockets() -> None:
    nodes = recorded()
    assert [len(node) for node in nodes] == [8] * 4
    assert nodes[0][:2] == [[0, 32], [4, 36]]
    assert [node[0][0] for node in nodes] == [0, 2, 1, 3], "those of no known node come last"
    assert sorted(cpu for node in nodes for core in node for cpu in core) == list(range(64))


def test_sys_is_read(tmp_path: Path) -> None:
    for cpu in range(8):
        first = cpu % 4
        put(tmp_path / f"cpu{cpu}", f"{first},{first + 4}", package=first // 2, node=1 - first // 2)
    assert topology(str(tmp_path), range(8)) == [[[2, 6], [3, 7]], [[0, 4], [1, 5]]]
    assert topology(str(tmp_path), [0, 1, 5]) == [[[0], [1, 5]]], "what others may use is not ours"


def test_a_cpu_without_description_is_a_core_of_its_own(tmp_path: Path) -> None:
    assert topology(str(tmp_path), [0, 3]) == [[[0], [3]]]


def test_this_machine() -> None:
    cpus = [cpu for node in topology() for core in node for cpu in core]
    assert sorted(cpus) == sorted(os.sched_getaffinity(0))
