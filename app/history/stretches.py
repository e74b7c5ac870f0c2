"""Latency percentiles of a stretch of a step, of one session or of several: their buckets added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from app.core.errors import InputError
from app.protocol.latency import Counts, add
from app.stats.percentiles import percentiles_of

from .figures import find_step
from .history import History
from .second_latencies import SecondLatencies, latencies_of
from .sessions import find_all

PERCENTILES = (50.0, 95.0, 99.0, 99.9)
WHY_NONE = "Dyno measures them since protocol 1.3, and only where it drives sysbench"


class StretchEntry(TypedDict):
    """The latency of all sessions together, as `session latency --json` gives it."""

    sessions: list[str]
    step: str
    first_s: int
    end_s: int | None  # before this second; null: to the end
    seconds: int  # that have buckets, in all sessions
    missing: int  # seconds without
    events: int
    percentiles_ms: dict[str, float | None]  # null where there are too few events


def stretch(
    history: History,
    references: Sequence[str],
    step: str,
    *,
    threads: int | None = None,
    first_s: int = 0,
    end_s: int | None = None,
    percents: Sequence[float] = PERCENTILES,
) -> StretchEntry:
    """The percentiles of these measured seconds; raises InputError where a session has no buckets of them."""
    if end_s is not None and end_s <= first_s:
        raise InputError(f"seconds {first_s} to {end_s}: the end must be after the start")
    ids = find_all(history, references)
    with history.reading():
        found = [_latencies(history, session, step, threads) for session in ids]
    counts: Counts = {}
    known = lengths = 0
    for each in found:
        first, end = each.part(first_s, end_s)
        add(counts, each.between(first_s, end_s))
        known += int(each.events.known[first:end].sum())
        lengths += end - first
    if not lengths:
        raise InputError(f"{step} has no seconds from {first_s} on")
    wanted = sorted(set(percents))
    return {
        "sessions": ids,
        "step": step,
        "first_s": first_s,
        "end_s": end_s,
        "seconds": known,
        "missing": lengths - known,
        "events": sum(counts.values()),
        "percentiles_ms": dict(zip(map(percent_text, wanted), percentiles_of(counts, wanted), strict=True)),
    }


def _latencies(history: History, session: str, step: str, threads: int | None) -> SecondLatencies:
    number, _ = find_step(history, session, step, threads)
    found = latencies_of(history.connection, number)
    if found is None:
        raise InputError(f"session {session} has no latencies by second of {step}: {WHY_NONE}")
    return found


def percent_text(percent: float) -> str:
    """`p99.9`."""
    return f"p{percent:g}"
