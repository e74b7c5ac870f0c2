"""How far a running plan is at this moment, read from its target without storing anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from app.core.errors import LinkError
from app.history.store.decoding import decode_until_damaged
from app.history.store.history import History

from .adoption import RemotePlan
from .follower import PATIENCE_S, SILENCE_S, PlanEventSource, Stream
from .frames import Beat, FollowStreamSplitter, Frame, Piece, PlanStreamEnd
from .progress import PlanProgress, stored_plan_progress
from .progress_text import step_count, step_number, step_with_roles


def progress_now(home: Path, found: RemotePlan, source: PlanEventSource) -> PlanProgress:
    """What is stored here of the plan, and what its target has beyond that."""
    sizes = {each.session: each.size for each in found.sessions}
    with History(home) as history:
        progress, offsets = stored_plan_progress(history, found.plan, list(sizes))
    stream = source.follow(found.plan, offsets)
    try:
        _catch_up(stream, progress, dict(offsets), sizes)
    finally:
        stream.close()
    return progress


def _catch_up(stream: Stream, progress: PlanProgress, have: dict[str, int], sizes: Mapping[str, int]) -> None:
    """Take in events until the journals are as long as they were when the target listed them."""
    for frame in _frames(stream):
        match frame:
            case Piece():
                progress.take_all(frame.session, decode_until_damaged(frame.raw))
                have[frame.session] = frame.offset + len(frame.raw)
            case Beat() if all(have.get(session, 0) >= size for session, size in sizes.items()):
                return
            case PlanStreamEnd():
                return


def _frames(stream: Stream) -> Iterator[Frame]:
    splitter, silent_s = FollowStreamSplitter(), 0.0
    while silent_s < SILENCE_S:
        try:
            data = stream.read(PATIENCE_S)
        except TimeoutError:
            silent_s += PATIENCE_S
            continue
        if not data:
            raise LinkError("the connection was closed")
        silent_s = 0.0
        yield from splitter.feed(data)
    raise LinkError(f"nothing was heard for {SILENCE_S:.0f} s")


def line_of(progress: PlanProgress) -> str:
    """The step, its rate, the time left: `1/2 innodb  3/8 ..., 9,800 queries/s, about 2 min left`."""
    qps = progress.qps_text
    rate = f"{qps} queries/s" if qps else ""
    return ", ".join(filter(None, (progress.line, rate, progress.left_text())))


def progress_entry(progress: PlanProgress) -> dict[str, object]:
    """The same for JSON."""
    left, plan = progress.left_s, progress.plan
    current = progress.current
    has_step = current is not None and current.step >= 0
    return {
        "line": line_of(progress),
        "session": current.id if current else None,
        "step": step_with_roles(plan, current.step).name if plan and current and has_step else None,
        "step_number": step_number(plan, current.step) if plan and current and has_step else None,
        "steps": step_count(plan) if plan else None,
        "queries_per_second": {each.id: progress.qps_of(each) for each in progress.at_hand},
        "seconds_left": None if left is None else round(left, 1),
        "is_most": bool(plan and plan.until_decided),
    }
