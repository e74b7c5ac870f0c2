"""The rows of the steps of a session, with names."""

from __future__ import annotations

from typing import NamedTuple

from app.history.store.history import History


class StoredStepRow(NamedTuple):
    """A row of `_STEP`."""

    name: str
    kind: str
    workload: str
    group: str
    coordinates: str
    state: str
    reason: str
    unit: str
    value: float | None
    queries: float | None
    seconds: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    errors: float | None
    size_bytes: float | None
    rows: float | None
    per_query: str
    warm: int
    marks: str
    progress: str | None
    latency_per: str
    position: int
    data_bytes: float | None
    others: str


_STEP = """
SELECT name, kind, workload, grouping, coordinates, step.state, step.reason, unit, step.value, queries,
    step.seconds, p50_ms, p95_ms, p99_ms, errors, size_bytes, row_count, per_query, warm, marks, progress,
    latency_per, position, data_bytes, others
FROM step WHERE session = (SELECT number FROM session WHERE id = ?) ORDER BY position"""


def step_rows(history: History, session: str) -> list[StoredStepRow]:
    """The steps in the order of the plan."""
    return [StoredStepRow(*row) for row in history.query(_STEP, (session,))]
