"""The snapshots on a target: listed, deleted, shown as text."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from app.core.units import ago_text, bytes_text, count_text
from app.protocol.answers import DataSnapshot
from app.protocol.plan import LOAD_METHODS
from app.remote.reach import reached
from app.remote.target import Ask, Target

HEADERS = ("snapshot", "build", "engine", "preset", "tables", "size", "stored", "problem")
Snapshots = list[DataSnapshot]


def delete_target_snapshots(
    target: Target, ask: Ask, deleted: Sequence[str] = (), directory: str = ""
) -> Snapshots:
    """Delete the named snapshots on the target; returns those that remain."""
    with reached(target, ask, directory) as agent:
        for key in deleted:
            agent.delete_snapshot(key)
        return agent.snapshots()


def row_of(snapshot: DataSnapshot) -> list[str]:
    """A snapshot as a row of HEADERS; unknown values are empty."""
    contender = snapshot.contender or {}
    made_at, size = snapshot.made_at, snapshot.size_bytes
    return [
        snapshot.key,
        *(str(contender.get(name, "")) for name in ("build", "engine", "preset")),
        _tables(snapshot, contender) if contender else "",
        "" if size is None else bytes_text(size),
        "" if made_at is None else ago_text(made_at, time.time()),
        snapshot.problem,
    ]


def _tables(snapshot: DataSnapshot, contender: Mapping[str, object]) -> str:
    """Number and rows of the tables, and options that distinguish them."""
    method, options = snapshot.load_method, contender.get("table_options")
    said = [
        f"{snapshot.tables} x {count_text(snapshot.rows or 0, 'row')}",
        str(options) if options else "",
        f"loaded {method}" if method not in (None, LOAD_METHODS[0]) else "",
    ]
    return ", ".join(filter(None, said))
