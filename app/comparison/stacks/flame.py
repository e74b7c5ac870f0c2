"""The layout of a flame graph, the same for the window and for SVG: frames, what is seen, colours, search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .counted import FunctionWorkChange, function_work_changes
from .stacks import FunctionShareChange, StepStacks, frames_of, function_share_changes, is_unnamed

MOST_FRAMES = 20_000
LEAST = 1 / 5_000  # of the samples: a narrower frame is left out
ALL = "all"  # the frame below every thread

FunctionChange = FunctionShareChange | FunctionWorkChange


@dataclass(frozen=True)
class Frame:
    """A function as one caller reached it; the caller is one row below."""

    name: str
    depth: int  # 0: all
    start: int  # samples to the left of it
    samples: int
    own: int  # those in which it did not call another
    parent: int  # its place in the frames; -1: none


@dataclass(frozen=True)
class Flame:
    """The frames row by row, each row from left to right."""

    frames: tuple[Frame, ...]
    base_samples: int = 0  # 0: it is not compared with a base
    changes: Mapping[str, FunctionChange] = field(default_factory=dict)  # of each function against the base
    events: int = 0  # of a counted step: its samples are instructions
    base_events: int = 0

    @property
    def samples(self) -> int:
        return self.frames[0].samples

    @property
    def depth(self) -> int:
        return self.frames[-1].depth

    @property
    def unit(self) -> str:
        return "instructions" if self.events else "samples"

    def share(self, frame: Frame) -> float:
        return frame.samples / self.samples if self.samples else 0.0

    def change(self, frame: Frame) -> FunctionChange | None:
        """What changed in all calls of a function; None of threads and of what has no name."""
        is_function = frame.depth > 1 and not is_unnamed(frame.name)
        return self.changes.get(frame.name) if is_function else None


@dataclass(frozen=True)
class DrawnFlameFrame:
    """A frame as it is drawn: its place in the frames, left edge and width as shares of the picture."""

    at: int
    left: float
    width: float


@dataclass
class _Node:
    samples: int = 0
    own: int = 0
    callees: defaultdict[str, _Node] = field(default_factory=lambda: defaultdict(_Node))


def flame_of(profile: StepStacks, base: StepStacks | None = None, is_off_cpu: bool = False) -> Flame:
    """The flame graph of a step; with a base that is comparable each function has its change against it."""
    if not profile.events:
        return layout(profile.side(is_off_cpu), base.on_cpu if base else None)
    flame = replace(layout(profile.on_cpu), events=profile.events)
    if base is None:
        return flame
    changes = {each.name: each for each in function_work_changes(base, profile)}
    return replace(flame, base_samples=base.samples, base_events=base.events, changes=changes)


def layout(folded: Mapping[str, int], base: Mapping[str, int] | None = None) -> Flame:
    """The flame graph of these stacks; with a base each function has its change against it.

    A change is of all calls of a function together: in two builds the same function has other callers.
    """
    root = _Node()
    for stack, samples in folded.items():
        _grow(root, stack, samples)
    changed = {each.name: each for each in function_share_changes(base, folded)} if base else {}
    return Flame(tuple(_rows(root)), sum(base.values()) if base else 0, changed)


def _grow(root: _Node, stack: str, samples: int) -> None:
    """Add a stack to the tree."""
    node = root
    node.samples += samples
    for name in frames_of(stack):
        node = node.callees[name]
        node.samples += samples
    node.own += samples


def _rows(root: _Node) -> Iterator[Frame]:
    """All frames that are wide enough, row by row."""
    row, depth, made, least = [(ALL, root, 0, -1)], 0, 0, root.samples * LEAST
    while row and made < MOST_FRAMES:
        above: list[tuple[str, _Node, int, int]] = []
        for at, (name, node, start, parent) in enumerate(row, made):
            yield Frame(name, depth, start, node.samples, node.own, parent)
            for callee in sorted(node.callees):
                if node.callees[callee].samples >= least:
                    above.append((callee, node.callees[callee], start, at))
                start += node.callees[callee].samples
        made += len(row)
        row, depth = above, depth + 1


def pieces(flame: Flame, root: int = 0, narrowest: float = 0.0) -> list[DrawnFlameFrame]:
    """What is seen if the frame `root` fills the width: it, its callers and callees of some width."""
    whole = flame.frames[root]
    callers = set(callers_of(flame, root))
    found = []
    for at, frame in enumerate(flame.frames):
        if at in callers:
            found.append(DrawnFlameFrame(at, 0.0, 1.0))
        elif frame.depth >= whole.depth and whole.start <= frame.start < whole.start + max(1, whole.samples):
            width = frame.samples / whole.samples if whole.samples else 1.0
            if width >= narrowest:
                found.append(DrawnFlameFrame(at, (frame.start - whole.start) / max(1, whole.samples), width))
    return found


def callers_of(flame: Flame, at: int) -> list[int]:
    """The callers of a frame, the nearest first."""
    found = []
    while (at := flame.frames[at].parent) >= 0:
        found.append(at)
    return found


def neighbour(flame: Flame, rows: Sequence[Sequence[DrawnFlameFrame]], at: int, up: int, right: int) -> int:
    """The frame next to one, of those that are seen: its caller, its widest callee, or one beside it."""
    frame = flame.frames[at]
    if up < 0:
        return max(frame.parent, 0)
    row = rows[frame.depth + up] if frame.depth + up < len(rows) else []
    if up:
        callees = [piece for piece in row if flame.frames[piece.at].parent == at]
        return max(callees, key=lambda piece: piece.width).at if callees else at
    places = [piece.at for piece in row]
    place = places.index(at) + right if at in places else 0
    return places[min(max(place, 0), len(places) - 1)] if places else at


def matching(flame: Flame, text: str) -> tuple[set[int], float]:
    """The frames whose names contain a text, and the share of samples in any of them."""
    wanted = text.strip().lower()
    if not wanted:
        return set(), 0.0
    found = {at for at, frame in enumerate(flame.frames) if at and wanted in frame.name.lower()}
    below: set[int] = set()  # frames above one that matches: their samples are counted
    samples = 0
    for at, frame in enumerate(flame.frames):
        if frame.parent in below or frame.parent in found:
            below.add(at)
        elif at in found:
            samples += frame.samples
    return found, samples / flame.samples if flame.samples else 0.0


def growth(flame: Flame) -> Sequence[float]:
    """The change of each frame, from -1 to 1: 1 is the largest change of any. What chance explains is 0."""
    known = [flame.change(frame) for frame in flame.frames]
    found = [each.growth if each else 0.0 for each in known]
    largest = max(map(abs, found), default=0.0)
    return [each / largest if largest else 0.0 for each in found]


def frame_text(flame: Flame, frame: Frame) -> str:
    """`row_search_mvcc: 312 samples, 24.1%; 40 its own`; with a base its change too."""
    text = (
        f"{frame.name}: {_amount_text(flame, frame.samples)} of {flame_text(flame)}, {flame.share(frame):.1%}"
    )
    own = f"; {_amount_text(flame, frame.own)} of its own" if frame.own else ""
    change = flame.change(frame)
    if change is None:
        return text + own
    if isinstance(change, FunctionWorkChange):
        return (
            f"{text}{own}; all of its calls {_work_text(change.total)}, its own code {_work_text(change.own)}"
        )
    noise = ", which is noise" if change.is_noise else ""
    shares = f"{change.total[1]:.1%}, in the base {change.total[0]:.1%}"
    return f"{text}{own}; all of its calls {shares}: {100 * change.total_change:+.1f} points{noise}"


def _work_text(sides: tuple[float, float]) -> str:
    return f"{sides[1]:,.0f}, in the base {sides[0]:,.0f}"


def _amount_text(flame: Flame, samples: int) -> str:
    """Samples, or the instructions for an event."""
    return f"{samples / flame.events:,.0f}" if flame.events else f"{samples:,}"


def flame_text(flame: Flame) -> str:
    """`764 samples`; `51,752 instructions for an event`."""
    return f"{_amount_text(flame, flame.samples)} {flame.unit}{' for an event' if flame.events else ''}"


def base_text(flame: Flame) -> str:
    """As much of the base."""
    samples, events = flame.base_samples, flame.base_events
    return f"{samples / events:,.0f}" if events else f"{samples:,}"


def change_texts(flame: Flame) -> tuple[str, str, str]:
    """What the colours of a difference stand for: of what shrank, of what did not change, of what grew."""
    if flame.events:
        less, more = (f"{word} instructions of its own than in the base" for word in ("fewer", "more"))
        return less, "as many, or without a name", more
    return "a smaller share than in the base", "no change beyond chance", "a larger share than in the base"
