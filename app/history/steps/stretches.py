"""Latency percentiles of a stretch of a step, of one session or of several: their buckets added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from app.core.errors import InputError
from app.history.lists.sessions import find_all
from app.history.recorded.counting import stored_step_counts
from app.history.store.history import History
from app.history.store.second_latencies import SecondLatencies, latencies_of
from app.protocol.latency import Counts, add
from app.protocol.load_shares import DRIVEN
from app.stats.percentiles import percentiles_of

from .figures import find_step, plan_of, steps

PERCENTILES = (50.0, 95.0, 99.0, 99.9)
WHY_NONE = "Dyno measures them since protocol 1.3, and only where it drives sysbench"
Bounds = tuple[int, int | None]  # from this second to before that one; None: to the end


class StretchLatencyEntry(TypedDict):
    """The latency of all sessions together, as `session latency --json` gives it."""

    sessions: list[str]
    step: str
    seconds: int  # with latencies, in all sessions
    missing: int  # seconds without
    events: int
    percentiles_ms: dict[str, float | None]  # null where there are too few events


@dataclass
class _Sum:
    counts: Counts = field(default_factory=dict)
    seconds: int = 0
    known: int = 0

    def take(self, found: SecondLatencies, bounds: Bounds) -> None:
        first, end = found.part(*bounds)
        add(self.counts, found.between(*bounds))
        self.known += int(found.events.known[first:end].sum())
        self.seconds += end - first


def stretch_percentiles(
    history: History,
    references: Sequence[str],
    step: str,
    *,
    threads: int | None = None,
    bounds: Bounds | None = None,
    percents: Sequence[float] = PERCENTILES,
) -> StretchLatencyEntry:
    """The percentiles of these measured seconds; without bounds of those that count in each session."""
    if bounds and bounds[1] is not None and bounds[1] <= bounds[0]:
        raise InputError(f"seconds {bounds[0]} to {bounds[1]}: the end must be after the start")
    ids, found = find_all(history, references), _Sum()
    with history.reading():
        for session in ids:
            found.take(*_latencies(history, session, step, threads, bounds))
    if not found.seconds:
        raise InputError(f"{step} has no such seconds")
    wanted = sorted(set(percents))
    values = percentiles_of(found.counts, wanted)
    return {
        "sessions": ids,
        "step": step,
        "seconds": found.known,
        "missing": found.seconds - found.known,
        "events": sum(found.counts.values()),
        "percentiles_ms": {f"p{percent:g}": ms for percent, ms in zip(wanted, values, strict=True)},
    }


def _why_none(history: History, session: str, position: int) -> str:
    """Why this step has no latencies, as far as its own record tells."""
    entry = steps(history, session)[position]
    if entry["kind"] not in DRIVEN:
        return f"a step of kind {entry['kind']} runs no sysbench"
    if plan_of(history, session)["steps"][position].get("beside"):
        return "of a step with roles only that of its figure has them"
    if entry["state"] != "completed":
        return ": ".join(filter(None, (entry["state"], entry["reason"])))
    return WHY_NONE


def _latencies(
    history: History, session: str, step: str, threads: int | None, bounds: Bounds | None
) -> tuple[SecondLatencies, Bounds]:
    """The latencies of a step, and which of its seconds are wanted."""
    number, position = find_step(history, session, step, threads)
    found = latencies_of(history.connection, number)
    if found is None:
        why = _why_none(history, session, position)
        raise InputError(f"session {session} has no latencies by second of {step}: {why}")
    counts = stored_step_counts(history, session).get(position)
    cut = counts.cut if counts else None
    return found, bounds or ((cut.first_s, cut.last_s + 1) if cut else (0, None))
