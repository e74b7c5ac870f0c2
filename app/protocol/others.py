"""What else took the machine during a step: other programs, the hypervisor, swapping, a quota, heat."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from .reading import Count, Name, Number

DISTURBED = "disturbed"  # the mark of a step during which that was above a limit
ATTEMPT_MARKS = {2: "second-attempt", 3: "third-attempt"}  # of a step that they disturbed before
BY_CPU = {"cpu", "steal"}  # causes that take nothing but CPU
ALIKE_PCT = 2.0  # of the CPUs: how far sessions may be apart whose load was the same
OTHERS_PCT, STEAL_PCT = 5.0, 2.0  # limits, of the CPUs that the server can use
LEAST_KB = 1024.0  # read or written by others: less in a second, or in a shorter step, does not matter
DISK_SHARE = 0.05  # of what the device reads and writes
UNSEEN_SHARE = 0.25  # the same for unknown programs: a file system reads and writes too
UNSEEN_WRITES = 3.0  # of the server's writes: its log and file system may add this much
UNSEEN_KB = 16384.0  # in all: for each table that is made or altered a file system writes 1 or 2 MiB itself
THROTTLED_PCT = 1.0
UNNAMED_PCT = 10.0  # of one CPU: less is not mentioned
MEMORY_PCT = 2.0  # of the time, waiting for memory


@dataclass(frozen=True)
class ProcessesOfName:
    """All processes of one name."""

    name: Name
    processes: Count = 1
    cpu_pct: Number = 0.0  # 100: one CPU
    read_kb: Number = 0.0  # a second
    write_kb: Number = 0.0
    memory_mb: Number = 0.0


@dataclass(frozen=True)
class Others:
    """Means over the measured time; None is not known on that machine."""

    cpus: Count = 1  # that the server can use
    cpu_pct: Number | None = None  # of other processes; 100: one CPU
    kernel_pct: Number | None = None
    steal_pct: Number | None = None  # of all CPUs
    read_kb: Number | None = None  # a second, by the device beyond what the server asked for
    write_kb: Number | None = None
    swap_kb: Number | None = None  # in all
    throttled_pct: Number | None = None  # of the time, by a quota of the server's group
    heat_events: Number | None = None  # CPUs slowed down
    memory_pct: Number | None = None  # of the time in which some task waited for memory
    stopped_s: dict[Name, Number] = field(default_factory=dict)  # by `server` or `sysbench`
    programs: list[ProcessesOfName] = field(default_factory=list)  # the three that took most
    causes: list[Name] = field(default_factory=list)  # what was above its limit; none: not disturbed
    only_drives: bool | None = None  # all this is of the machine that drives, the server is on another one

    @property
    def share_pct(self) -> float:
        """The load of other processes in percent of the CPUs that the server can use."""
        return (self.cpu_pct or 0.0) / max(self.cpus, 1)

    @property
    def texts(self) -> list[str]:
        """A sentence for each cause, with figures and names."""
        return [self.where + _WORDS[cause](self) for cause in self.causes if cause in _WORDS]

    @property
    def where(self) -> str:
        """In front of a sentence; '' where the machine is that of the server too."""
        return "on the machine that drives, " if self.only_drives else ""

    def to_json(self) -> dict[str, Any]:
        """As it is written: without unknown values and events that did not happen."""
        return {name: value for name, value in vars(self).items() if value not in (None, [], {})}


def are_equally_disturbed(steps: Sequence[tuple[Collection[str], Others]]) -> bool:
    """Whether others took the same CPU from all of these, by marks and `others` of each: it favours nobody."""
    if not all(DISTURBED in marks and BY_CPU.issuperset(others.causes) for marks, others in steps):
        return False
    shares = [others.share_pct + (others.steal_pct or 0.0) for _, others in steps]
    return len(shares) > 1 and max(shares) - min(shares) <= ALIKE_PCT


def _cpu(others: Others) -> str:
    named = _named(others, "cpu_pct", "{:.0f}%") + _unnamed(others)
    return "other programs took {:.0f}% of {}% CPU{}".format(others.cpu_pct or 0, 100 * others.cpus, named)


def _unnamed(others: Others) -> str:
    """The load of programs that are hidden or had already ended."""
    rest = (others.cpu_pct or 0) - sum(each.cpu_pct for each in others.programs)
    return ", others {:.0f}%".format(rest) if others.programs and rest >= UNNAMED_PCT else ""


def _disk(others: Others) -> str:
    # the journal of a file system, and what it was given before and writes late, are no program's
    rates = "other programs and the file system read {:.1f} and wrote {:.1f} MiB/s"
    named = ", ".join(each.name for each in others.programs if each.read_kb + each.write_kb >= LEAST_KB)
    read = max(others.read_kb or 0, sum(each.read_kb for each in others.programs))
    written = max(others.write_kb or 0, sum(each.write_kb for each in others.programs))
    text = rates.format(read / 1024, written / 1024)  # the device may not have the programs' writes yet
    return "{}: {}".format(text, named) if named else text


def _memory(others: Others) -> str:
    text = "tasks waited for memory for {:.0f}% of the time".format(others.memory_pct or 0)
    return text + _named(others, "memory_mb", "{:.0f} MiB")


def _named(others: Others, figure: str, form: str) -> str:
    """`: cc1plus (8) 120%, rsync 40%`."""
    programs = sorted(others.programs, key=lambda each: -getattr(each, figure))
    texts = [
        "{} {}".format(_program(each), form.format(getattr(each, figure)))
        for each in programs
        if getattr(each, figure) >= 1
    ]
    return ": " + ", ".join(texts) if texts else ""


def _program(program: ProcessesOfName) -> str:
    return "{} ({})".format(program.name, program.processes) if program.processes > 1 else str(program.name)


def _swap(others: Others) -> str:
    return "the machine swapped {:.1f} MiB".format((others.swap_kb or 0) / 1024)


def _stopped(others: Others) -> str:
    return " and ".join(
        "{} was stopped for {:.0f} s".format(name, seconds) for name, seconds in others.stopped_s.items()
    )


_WORDS = {
    "cpu": _cpu,
    "steal": lambda others: "the hypervisor took {:.1f}% of the CPU".format(others.steal_pct or 0),
    "disk": _disk,
    "swap": _swap,
    "memory": _memory,
    "quota": lambda others: "a CPU quota held the server back for {:.0f}% of the time".format(
        others.throttled_pct or 0
    ),
    "heat": lambda others: "heat slowed the CPUs down {:.0f} times".format(others.heat_events or 0),
    "stopped": _stopped,
}
