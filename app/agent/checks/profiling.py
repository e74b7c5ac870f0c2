"""What a plan that profiles steps gets on this machine, and what would bring the rest."""

from __future__ import annotations

from typing import List

from app.agent.profiling.tools import Tools, find_tools
from app.protocol.answers import INFO, Check
from app.protocol.plan import Plan

_PERF_TODO = "install perf (Debian package linux-perf) and, not as root, set kernel.perf_event_paranoid to 1"
_DUMPS_TODO = "install elfutils, or gdb; not as root, set kernel.yama.ptrace_scope to 0"


def profile_checks(plan: Plan) -> List[Check]:
    """One check with all that there is and is not; none if no step is profiled."""
    if not any(step.profile for step in plan.steps):
        return []
    return [profile_check(find_tools())]


def profile_check(tools: Tools) -> Check:
    """What these tools give."""
    texts = [_stacks_text(tools), _counters_text(tools)]
    if not tools.kernel_stacks:
        texts.append("no stacks of waiting threads: root can read /proc/PID/stack only if the kernel has it")
    todo = "" if tools.event else _PERF_TODO if tools.dumper else "{}; or {}".format(_PERF_TODO, _DUMPS_TODO)
    return Check("profile", INFO, "; ".join(texts), todo)


def _stacks_text(tools: Tools) -> str:
    if tools.event:
        return "perf samples stacks by {}".format(tools.event)
    if tools.dumper:
        text = "{}: a few stacks by {}, which stops the server for each"
        return text.format(tools.no_perf, tools.dumper)
    return "no stacks: {}; {}".format(tools.no_perf, tools.no_dumper)


def _counters_text(tools: Tools) -> str:
    names = ", ".join(tools.counters) or "none"
    missing = "" if tools.has_hardware_counters else " (the machine shows no counters of its processor)"
    return "counters per query: {}{}".format(names, missing)
