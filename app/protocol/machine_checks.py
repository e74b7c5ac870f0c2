"""What would spoil a measurement on a machine: a survey warns of it, the checks of a plan repeat it."""

from __future__ import annotations

import re
from typing import List, Tuple

from .answers import FAIL, PASS, WARN, Check, Machine

OLDEST_PYTHON, OLDEST_SYSBENCH = (3, 8), (1, 0, 20)
BUSY_LOAD = 0.5
# what to do about another plan: in the directory, where nothing can be allowed, and elsewhere on the machine
IN_USE_TODO = "wait for it, or stop it (dyno stop)"
ELSEWHERE_TODO = "wait for it, or start beside it (--allow-busy)"
WITH_QUEUE = {  # the same where this plan may wait in the queue
    IN_USE_TODO: "wait for it, stop it (dyno stop), or queue this plan (--queue)",
    ELSEWHERE_TODO: "wait for it, queue this plan (--queue), or start beside it (--allow-busy)",
}
BUSY_START = "the session starts on a busy machine, as the plan allows: "  # in the log, then the other plan
REHEARSAL_TODO = "try again when it is over"
NO_POWER_CUT = "the power cannot be cut on this target: {}"
POWER_CUT_TODO = "correct that, or leave out the steps of kind power-cut"
PATIENCE_S = 60.0  # of a rehearsal or a start, for the rehearsal of another plan


def program_checks(machine: Machine) -> List[Check]:
    """Checks of required programs."""
    return [_version("python", machine.python, OLDEST_PYTHON, "Python"), sysbench_check(machine)]


def sysbench_check(machine: Machine) -> Check:
    if machine.sysbench_path and not machine.sysbench:
        text, todo = (
            "{} reports no version",
            ("run it with --version; install another one if it reports nothing"),
        )
        return Check("sysbench", FAIL, text.format(machine.sysbench_path), todo)
    return _version("sysbench", machine.sysbench, OLDEST_SYSBENCH, "sysbench")


def _version(name: str, version: str | None, oldest: Tuple[int, ...], label: str) -> Check:
    todo = "install {} {} or newer on the target".format(label, ".".join(map(str, oldest)))
    if not version:
        return Check(name, FAIL, "{} is missing".format(label), todo)
    text = "{} {}".format(label, version)
    if tuple(int(part) for part in re.findall(r"\d+", version)[:3]) < oldest:
        return Check(name, FAIL, "{} is too old".format(text), todo)
    return Check(name, PASS, text)


def machine_checks(machine: Machine) -> List[Check]:
    """Checks of what makes the machine's speed vary."""
    found = (_governor(machine), _turbo(machine), _huge_pages(machine), _load(machine))
    return [check for check in found if check]


def _governor(machine: Machine) -> Check | None:
    governor = machine.governor
    if governor in (None, "performance"):
        return Check("governor", PASS, "CPU governor: {}".format(governor or "none to set"))
    text = "the CPU governor is {}: the clock speed follows the load".format(governor)
    return Check("governor", WARN, text, "set it to performance: cpupower frequency-set -g performance")


def _turbo(machine: Machine) -> Check | None:
    if not machine.turbo:
        return None
    return Check("turbo", WARN, "turbo is on: the clock speed follows the temperature", "switch it off")


def _huge_pages(machine: Machine) -> Check | None:
    if machine.huge_pages != "always":
        return None
    todo = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
    return Check("huge pages", WARN, "transparent huge pages are on for everything", todo)


def _load(machine: Machine) -> Check:
    load = machine.load[0] if machine.load else 0.0
    text = "the load of the target is {}".format(load)
    threads = machine.cpu.threads if machine.cpu else None
    if load > max(BUSY_LOAD, 0.05 * (threads or 1)):
        todo = "wait until other programs finish, or expect results that they disturb"
        return Check("load", WARN, "{}: other programs are at work".format(text), todo)
    return Check("load", PASS, text)


def warnings_of(machine: Machine) -> List[str]:
    """Warnings for a survey, a line each, with what to do."""
    checks = [*program_checks(machine), *machine_checks(machine)]
    lines = ["; ".join(filter(None, (each.text, each.todo))) for each in checks if each.state != PASS]
    return [*lines, *_swap_warnings(machine), *_disk_warnings(machine), *_agent_warnings(machine)]


def _swap_warnings(machine: Machine) -> List[str]:
    if not machine.swap_bytes or (machine.swappiness or 0) <= 10:
        return []
    return ["swappiness is {}; set vm.swappiness to 1".format(machine.swappiness)]


def _disk_warnings(machine: Machine) -> List[str]:
    disk = machine.disk
    texts = {
        "virtual": "the disk under {path} is virtual: its speed depends on other users of the physical disk",
        "memory": "{path} is in memory ({filesystem}): nothing is written to a disk",
        "network": "{path} is on a network file system ({filesystem}): its speed depends on the network",
        "overlay": "{path} is on an overlay; choose a directory on the disk itself",
        "file": "{path} is in a file on another disk (loop device)",
    }
    text = texts.get(disk.kind or "") if disk else None
    return [text.format(**vars(disk))] if text else []


def _agent_warnings(machine: Machine) -> List[str]:
    return ["{}; wait for it".format(other) for other in machine.agents]
