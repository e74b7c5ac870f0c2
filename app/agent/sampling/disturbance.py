"""Other load on the machine between two readings, and whether it was more than a plan allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, NamedTuple, Optional

from app.agent.server.affinity import count_cpus
from app.protocol.others import (
    DISK_SHARE,
    LEAST_KB,
    MEMORY_PCT,
    THROTTLED_PCT,
    UNSEEN_KB,
    UNSEEN_SHARE,
    UNSEEN_WRITES,
    Others,
    ProcessesOfName,
)
from app.protocol.plan import Plan

from .host import disk_kb_by_others, irq_kthread_cpu_s, others_cpu_s
from .other_processes import OtherProcesses
from .proc_files import TICK_S
from .reading import PROCESSES, Reading, grown

# on each CPU: by so much the ticks of machine, server and load may be apart, and those of the hypervisor late
COARSE_S, LATE_S = 2 * TICK_S, TICK_S


class DisturbanceLimits(NamedTuple):
    """The most that others may take, in percent of the CPUs that the server can use."""

    others_pct: float
    steal_pct: float
    swaps: bool = False  # a server with a memory limit runs short of memory by itself
    only_drives: bool = False  # the server is on another machine: the disk of this one is not at work for it

    @staticmethod
    def of(plan: Plan, swaps: bool = False, only_drives: bool = False) -> DisturbanceLimits:
        return DisturbanceLimits(plan.others_pct, plan.steal_pct, swaps, only_drives)


def others_between(
    before: Reading, after: Reading, processes: OtherProcesses, allowed: DisturbanceLimits
) -> Others:
    """Means over that time, the programs that took most, and what was above its limit."""
    processes.look(at_once=True)
    seconds = max(after.at - before.at, 0.01)
    others = _means(before, after, seconds, processes.most(set(after.pids.values())))
    causes = _causes(others, before, after, seconds, allowed)
    return replace(others, causes=causes, only_drives=allowed.only_drives or None)


def _means(before: Reading, after: Reading, seconds: float, programs: List[ProcessesOfName]) -> Others:
    def rate(value: Optional[float], factor: float = 1.0) -> Optional[float]:
        return None if value is None else round(value * factor / seconds, 2)

    ticks, steal = grown("cpu_total", before, after), grown("cpu_steal", before, after)
    return Others(
        cpus=count_cpus(after.pids.get("server", 0)),
        cpu_pct=rate(others_cpu_s(before, after), 100),
        kernel_pct=rate(irq_kthread_cpu_s(before, after), 100),
        steal_pct=round(100 * steal / ticks, 2) if ticks and steal is not None else None,
        read_kb=rate(disk_kb_by_others("read", before, after)),
        write_kb=rate(disk_kb_by_others("write", before, after)),
        swap_kb=grown("swap_kb", before, after),
        throttled_pct=rate(grown("server_throttled_s", before, after), 100),
        heat_events=grown("heat_events", before, after),
        memory_pct=rate(grown("pressure_memory_some_s", before, after), 100),
        stopped_s=_stopped(before, after),
        programs=programs,
    )


def _stopped(before: Reading, after: Reading) -> Dict[str, float]:
    """How many readings, about one a second, found a process stopped."""
    found = {name: grown(name + "_stopped", before, after) for name in PROCESSES}
    return {name: count for name, count in found.items() if count}


def _causes(
    others: Others, before: Reading, after: Reading, seconds: float, allowed: DisturbanceLimits
) -> List[str]:
    above = {
        "cpu": (others.cpu_pct or 0) > (allowed.others_pct + 100 * COARSE_S / seconds) * others.cpus,
        "steal": (others.steal_pct or 0) > allowed.steal_pct + 100 * LATE_S / seconds,
        "disk": not allowed.only_drives and _is_disk_shared(others, before, after, seconds),
        "swap": not allowed.swaps and (others.swap_kb or 0) > 0,
        "memory": not allowed.swaps and (others.memory_pct or 0) > MEMORY_PCT,
        "quota": (others.throttled_pct or 0) > THROTTLED_PCT,
        "heat": (others.heat_events or 0) > 0,
        "stopped": bool(others.stopped_s),
    }
    return [cause for cause, is_above in above.items() if is_above]


def _is_disk_shared(others: Others, before: Reading, after: Reading, seconds: float) -> bool:
    """Whether other programs use the disk: those that may be read, else by the counters of the device."""
    named = sum(each.read_kb + each.write_kb for each in others.programs)
    device = _device_kb(before, after, seconds)
    if named > LEAST_KB / min(seconds, 1.0) and named > DISK_SHARE * device:
        return True
    reads, writes, least = others.read_kb or 0, others.write_kb or 0, max(LEAST_KB, UNSEEN_KB / seconds)
    of_server = (grown("server_write_kb", before, after) or 0) / seconds
    return (reads > least and reads > UNSEEN_SHARE * device) or (
        writes > least and writes > UNSEEN_WRITES * of_server
    )


def _device_kb(before: Reading, after: Reading, seconds: float) -> float:
    return sum(grown("disk_{}_kb".format(way), before, after) or 0 for way in ("read", "write")) / seconds
