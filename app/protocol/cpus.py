"""Lists of CPUs in the form that taskset -c takes and /proc shows: 0-3,8."""

from __future__ import annotations

from typing import Iterable, List, Set


def as_text(cpus: Iterable[int]) -> str:
    """The shortest list: neighbours are put together."""
    runs: List[List[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else "{}-{}".format(first, last) for first, last in runs)


def cpu_set_of_text(text: str) -> Set[int]:
    """The CPUs of a list; none of an empty one."""
    found: Set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found
