"""The profile of a step: stacks and counters of the server in its measured seconds."""

from __future__ import annotations

import contextlib
import os
import random
import re
import time
from typing import Any, Dict, List, Optional

from app.agent.server.program import mapped_server_binary
from app.protocol.plan import Step
from app.protocol.stacks import KERNEL, PROFILED, PROFILED_ON_REQUEST, Folded, Stacks, pack

from .dumps import StackDumps
from .names import safe_thread_name, short_function_name
from .perf import CpuStackRecording, PerfStatCounters
from .tools import Tools, counted_instructions, find_profiling_tools, symbols_package, unwinding_of

MOST_OFF_CPU = 64 << 10  # characters
FEW_NAMES_PCT = 5.0  # frames, or instructions, without a name: beyond it the package with them is named
_NOTHING = "{}; {}: no stacks"
_SLICED = (
    "{}; only perf samples stacks where servers take turns: a dump would stop one in the turn of another"
)
GAP_S = 0.25
MOST_THREADS = 64  # of each look, drawn anew
_FRAME = re.compile(r"^\[<[0-9a-f]+>\] ([\w.]+)")


class StackSampling:
    """Samples a server from `begin` to `end`; of a step that is not profiled it counts instructions alone."""

    def __init__(self, pid: int, folder: str, step: Step) -> None:
        self._pid = pid
        self._folder = folder
        self._step = step
        self._tools = Tools()
        self._recording: Optional[CpuStackRecording] = None
        self._counting: Optional[PerfStatCounters] = None
        self._dumps: Optional[StackDumps] = None
        self._waits: Optional[KernelStacks] = None
        self._unwinding = ""
        self._has_begun = False
        self.mark = PROFILED if step.profile else ""  # that the step gets once something samples it

    def prepare(self) -> None:
        """Find the tools before the step, and begin at once if it has no warm-up."""
        if self._step.profile:
            self._find_tools()
        elif self._pid:
            self._tools = Tools(counters=counted_instructions())
        if not self._step.warmup:
            self.begin()

    def request(self) -> bool:
        """A person asks for stacks while the step runs; False if they are sampled already."""
        if self.mark:
            return False
        self.mark = PROFILED_ON_REQUEST
        self._find_tools()
        if self._has_begun:
            self._start(self._tools)
        return True

    def _find_tools(self) -> None:
        self._tools = find_profiling_tools()
        if self._tools.event:
            self._unwinding = unwinding_of(mapped_server_binary(self._pid))

    def begin(self) -> None:
        """The measured seconds begin; further calls change nothing."""
        if not self._has_begun:
            self._has_begun = True
            self._start(self._tools)

    def _start(self, tools: Tools) -> None:
        if tools.event:
            path = self._at("perf.data")
            self._recording = CpuStackRecording(
                self._pid, path, tools.event, self._unwinding, self._step.seconds
            )
        elif tools.dumper and not self._step.sliced:
            self._dumps = StackDumps(tools.dumper, self._pid, self._at("stacks.txt"))
        # of a part of its seconds there is no cost per query
        if tools.counters and self.mark != PROFILED_ON_REQUEST:
            self._counting = PerfStatCounters(self._pid, self._at("counters.txt"), tools.counters)
        if tools.kernel_stacks:
            self._waits = KernelStacks(self._pid)

    def look(self) -> None:
        """Take what is due; called several times a second."""
        for each in (self._recording, self._dumps, self._waits):
            if each is not None:
                each.look()

    def end(self) -> None:
        """The measured seconds are over, or the step is."""
        for each in (self._recording, self._counting, self._dumps):
            if each is not None:
                each.end()

    def discard(self) -> None:
        """Delete the files of perf."""
        for each in (self._recording, self._counting):
            if each is not None:
                each.remove()

    @property
    def marks(self) -> List[str]:
        """The mark of a step that something has sampled."""
        sources = (self._recording, self._counting, self._dumps, self._waits)
        return [self.mark] if self.mark and any(each is not None for each in sources) else []

    def spent(self) -> Dict[str, Optional[float]]:
        """The counters, named like the costs per query."""
        return self._counting.spent() if self._counting is not None else {}

    def stacks(self) -> Stacks:
        """What was sampled; it takes the time to read it."""
        if self._recording is not None:
            return self._by_perf(self._recording)
        if self._dumps is not None:
            return self._by_dumps(self._dumps)
        tools = self._tools
        problem = _SLICED.format(tools.no_perf) if self._step.sliced and tools.dumper else ""
        return Stacks(problem=problem or _NOTHING.format(tools.no_perf, tools.no_dumper), **self._off_cpu())

    def _by_perf(self, recording: CpuStackRecording) -> Stacks:
        folded, unnamed = recording.folded()
        packed, cut = pack(folded)
        problem = "" if folded else "perf has taken no sample"
        return Stacks(
            tool="perf",
            event=recording.event,
            unwinding=recording.unwinding,
            rate_hz=recording.rate_hz,
            on_cpu=packed,
            on_samples=sum(folded.values()),
            on_cut=cut,
            problem=problem,
            **self._off_cpu(),
            **self._names(unnamed),
        )

    def _by_dumps(self, dumps: StackDumps) -> Stacks:
        on_cpu, on_cut = pack(dumps.on_cpu)
        off_cpu, off_cut = pack(dumps.off_cpu, MOST_OFF_CPU)
        return Stacks(
            tool=self._tools.dumper,
            on_cpu=on_cpu,
            on_samples=sum(dumps.on_cpu.values()),
            on_cut=on_cut,
            off_cpu=off_cpu,
            off_samples=sum(dumps.off_cpu.values()),
            off_cut=off_cut,
            off_tool=self._tools.dumper,
            dumps=dumps.taken,
            stopped_s=round(dumps.stopped_s, 3),
            **self._names(dumps.unnamed),
        )

    def _off_cpu(self) -> Dict[str, Any]:
        if self._waits is None:
            return {}
        text, cut = pack(self._waits.folded, MOST_OFF_CPU)
        count = sum(self._waits.folded.values())
        return {"off_cpu": text, "off_samples": count, "off_cut": cut, "off_tool": "kernel stacks"}

    def _names(self, unnamed: float) -> Dict[str, Any]:
        """The share of frames without a name; if it is large, what would bring them."""
        pct = round(100 * unnamed, 1)
        return {
            "unnamed_pct": pct,
            "symbols": symbols_package(mapped_server_binary(self._pid)) if pct > FEW_NAMES_PCT else "",
        }

    def _at(self, name: str) -> str:
        return os.path.join(self._folder, name)


class KernelStacks:
    """Where threads that do not run wait in the kernel, by /proc/PID/task/TID/stack, for root only."""

    def __init__(self, pid: int, proc: str = "/proc") -> None:
        self._folder = "{}/{}/task".format(proc, pid)
        self._next = 0.0
        self._draw = random.Random(pid)
        self.folded: Folded = {}

    def look(self) -> None:
        """Read the stacks of some threads, if it is time."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + GAP_S
        with contextlib.suppress(OSError):
            threads = sorted(os.listdir(self._folder))
            for tid in self._draw.sample(threads, min(MOST_THREADS, len(threads))):
                with contextlib.suppress(OSError):
                    self._add(os.path.join(self._folder, tid))

    def _add(self, thread: str) -> None:
        head, _, rest = _read(os.path.join(thread, "stat")).rpartition(")")
        if rest.split()[:1] == ["R"]:
            return
        frames = frames_of(_read(os.path.join(thread, "stack")))
        if frames:
            stack = ";".join([safe_thread_name(head.partition("(")[2]), *reversed(frames)])
            self.folded[stack] = self.folded.get(stack, 0) + 1


def frames_of(text: str) -> List[str]:
    """The functions of a stack of the kernel, the innermost first."""
    found = (_FRAME.match(line) for line in text.splitlines())
    return [short_function_name(each.group(1)) + KERNEL for each in found if each]


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
