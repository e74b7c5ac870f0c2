"""What a server did in a profiled or counted step: stacks of sessions merged, functions, and what changed.

In a counted step instructions take the place of samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

from app.comparison.cells.cell import Comparison
from app.comparison.cells.labels import row_label
from app.core.harmless import harmless
from app.core.units import count_text, seconds_text
from app.history.steps.stacks import stacks
from app.history.store.history import History
from app.protocol.stacks import Folded, Stacks, unpack

DEEPEST = 256  # frames
LONGEST = 64 << 10  # characters of a stack
NO_STACKS = "not profiled; run it with --profile STEP"
NO_STACKS_WINDOW = "not profiled; mark the step with Profile on Bench, and run it again"
NO_COUNTED = "no stacks: of a counted step the first start of a contender has them"
FEW_NAMES_PCT = 5.0
NAMELESS = "[without a name]"


@dataclass(frozen=True)
class StepStacks:
    """The stacks of a step, of one session or several."""

    on_cpu: Folded = field(default_factory=dict)
    off_cpu: Folded = field(default_factory=dict)
    sessions: int = 0
    remarks: tuple[str, ...] = ()  # how they were sampled, and what is missing
    events: int = 0  # that took these instructions, of a counted step; 0: samples

    @property
    def samples(self) -> int:
        return sum(self.on_cpu.values())

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Those that ran, by name; all without a name are one."""
        return {each.name: each for each in functions(_with_one_unnamed(self.on_cpu))}

    def side(self, is_off_cpu: bool) -> Folded:
        """The stacks of threads that waited, or of those that ran."""
        return self.off_cpu if is_off_cpu else self.on_cpu


StepProfiles = dict[str, list[StepStacks]]  # by the label of a step: one for each column


@dataclass(frozen=True)
class Function:
    """A function with its samples: in itself, and with all that it calls."""

    name: str
    own: int
    total: int


@dataclass(frozen=True)
class FunctionChange:
    """A function in two profiles."""

    name: str
    own: tuple[float, float]  # of the base, and of the other
    total: tuple[float, float]  # with all that it calls

    @property
    def own_change(self) -> float:
        return self.own[1] - self.own[0]

    @property
    def total_change(self) -> float:
        return self.total[1] - self.total[0]


@dataclass(frozen=True)
class FunctionShareChange(FunctionChange):
    """Shares of a function in two profiles, and how far chance alone moves the difference."""

    samples: tuple[int, int]  # with all that it calls
    own_error: float  # 95 % of the differences between equals are smaller
    total_error: float

    @property
    def growth(self) -> float:
        """What colours it; 0 is grey."""
        return 0.0 if self.is_noise else self.total_change

    @property
    def is_noise(self) -> bool:
        """Whether chance explains the change of both shares."""
        return abs(self.own_change) <= self.own_error and abs(self.total_change) <= self.total_error


def profile_of(history: History, sessions: Sequence[str], label: str) -> StepStacks:
    """The stacks of a step in these sessions together; empty if none was profiled."""
    found = [every[label] for every in (stacks(history, each) for each in sessions) if label in every]
    return merge_profiles(found)


def profiles_of(history: History, comparison: Comparison, step: str) -> StepProfiles:
    """A profile for each column, for each step of this name or label."""
    chosen = [row_label(row) for row in comparison.rows if step in (row.workload, row_label(row))]
    return {
        label: [profile_of(history, column.ids, label) for column in comparison.columns] for label in chosen
    }


def profiled_steps(history: History, session: str) -> list[str]:
    """The labels of the steps of a session that have stacks."""
    return list(stacks(history, session))


def are_comparable(one: StepStacks, other: StepStacks) -> bool:
    """Whether both have stacks, of the same kind."""
    return bool(one.samples and other.samples) and bool(one.events) == bool(other.events)


def merge_profiles(found: Sequence[Stacks]) -> StepStacks:
    on_cpu, off_cpu, problems = [], [], []
    counted = [each for each in found if each.events]
    found = counted or found  # a step is one or the other, whatever a journal says
    for each in found:
        try:
            on_cpu.append(_harmless(unpack(each.on_cpu)))
            off_cpu.append(_harmless(unpack(each.off_cpu)))
        except ValueError as error:
            problems.append(str(error))
    remarks = dict.fromkeys([*problems, *(text for each in found for text in remarks_of(each))])
    events = sum(each.events for each in counted)
    return StepStacks(add_stacks(on_cpu), add_stacks(off_cpu), len(found), tuple(remarks), events)


def _harmless(folded: Folded) -> Folded:
    """The stacks with names that steer nothing, whatever a target has sent."""
    return {harmless(stack, LONGEST): count for stack, count in folded.items()}


def add_stacks(many: Iterable[Mapping[str, int]]) -> Folded:
    """The sum of several sets of stacks."""
    found: Folded = {}
    for each in many:
        for stack, count in each.items():
            found[stack] = found.get(stack, 0) + count
    return found


def remarks_of(stacks: Stacks) -> list[str]:
    """How stacks were sampled, and what to know before they are believed."""
    cut, what = stacks.on_cut + stacks.off_cut, "instruction" if stacks.events else "sample"
    names = f"{stacks.unnamed_pct:g}% of the {_NAMELESS[bool(stacks.events)]}"
    return [
        *([stacks.problem] if stacks.problem else []),
        *([_tool_text(stacks)] if stacks.tool else []),
        *([f"off the CPU by {stacks.off_tool}"] if stacks.off_samples else []),
        *([f"{count_text(cut, what)} of rare stacks left out"] if cut else []),
        *([f"{names}{_symbols_text(stacks)}"] if stacks.unnamed_pct > FEW_NAMES_PCT else []),
    ]


_NAMELESS = ("frames have no name of a function", "instructions are in functions without a name")


def _tool_text(stacks: Stacks) -> str:
    if stacks.events:
        return f"counted by {stacks.tool} in the thread of the client, {count_text(stacks.events, 'event')}"
    if stacks.tool == "perf":
        rate = f"{stacks.rate_hz:g} times a second on each CPU"
        return f"on the CPU by perf, {stacks.event}, {rate}, unwound by {stacks.unwinding}"
    stopped = seconds_text(stacks.stopped_s)
    return f"{count_text(stacks.dumps, 'dump')} by {stacks.tool}, which stopped the server for {stopped}"


def _symbols_text(stacks: Stacks) -> str:
    return f": install {stacks.symbols} on the target" if stacks.symbols else ": the build has no symbols"


def frames_of(stack: str) -> list[str]:
    """The frames of a stack, the thread first."""
    return stack.split(";", DEEPEST)[:DEEPEST]


def is_unnamed(name: str) -> bool:
    """Whether a frame is called after its file, as its function has no name."""
    return name.startswith("[")


def functions(folded: Mapping[str, int]) -> list[Function]:
    """All functions, the one with the most samples of its own first."""
    own: dict[str, int] = {}
    total: dict[str, int] = {}
    for stack, count in folded.items():
        frames = frames_of(stack)
        called = frames[1:] or frames  # without the thread
        own[called[-1]] = own.get(called[-1], 0) + count
        for name in set(called):  # once, however often it calls itself
            total[name] = total.get(name, 0) + count
    found = [Function(name, own.get(name, 0), count) for name, count in total.items()]
    return sorted(found, key=lambda each: (-each.own, -each.total, each.name))


def _with_one_unnamed(folded: Mapping[str, int]) -> Folded:
    found: Folded = {}
    for stack, count in folded.items():
        named = stack
        if ";[" in stack:
            named = ";".join(NAMELESS if is_unnamed(frame) else frame for frame in frames_of(stack))
        found[named] = found.get(named, 0) + count
    return found


def function_share_changes(base: Mapping[str, int], other: Mapping[str, int]) -> list[FunctionShareChange]:
    """The functions of two profiles, the largest change of a share first."""
    n = sum(base.values()), sum(other.values())
    if not all(n):
        return []
    sides = [{each.name: each for each in functions(side)} for side in (base, other)]
    nothing = Function("", 0, 0)
    found = [
        _change(name, [side.get(name, nothing) for side in sides], n) for name in {**sides[0], **sides[1]}
    ]
    return sorted(found, key=lambda each: (-abs(each.own_change), -abs(each.total_change), each.name))


def _change(name: str, sides: Sequence[Function], n: tuple[int, int]) -> FunctionShareChange:
    own, total = (
        [(getattr(side, kind) / n[at]) for at, side in enumerate(sides)] for kind in ("own", "total")
    )
    return FunctionShareChange(
        name,
        (own[0], own[1]),
        (total[0], total[1]),
        (sides[0].total, sides[1].total),
        _error(own, n),
        _error(total, n),
    )


def _error(shares: Sequence[float], n: tuple[int, int]) -> float:
    """Half of the 95 % interval of the difference of two shares."""
    return 1.96 * sqrt(sum(share * (1 - share) / count for share, count in zip(shares, n, strict=True)))
