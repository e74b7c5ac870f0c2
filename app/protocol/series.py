"""The series of the load, as every journal declares them."""

from __future__ import annotations

from typing import Any, Dict


def _load(
    name: str, unit: str, direction: str, label: str, kind: str = "rate", digits: int = 2
) -> Dict[str, Any]:
    return {
        "name": name,
        "unit": unit,
        "kind": kind,
        "direction": direction,
        "label": label,
        "digits": digits,
    }


MADE_OF = {"queries/s": "load.queries", "rows/s": "load.rows"}  # the series of a figure, by its unit
P95_EVENTS = 20  # in a second: of fewer none is in the tail, and there is no p95

LOAD = [
    _load("load.queries", "queries/s", "higher", "QPS"),
    _load("load.reads", "queries/s", "higher", "Reads"),
    _load("load.writes", "queries/s", "higher", "Writes"),
    _load("load.other", "queries/s", "", "Other statements"),
    _load("load.transactions", "1/s", "higher", "Transactions"),
    _load("load.errors", "1/s", "lower", "Errors"),
    _load("load.reconnects", "1/s", "lower", "Reconnects"),
    _load("load.rows", "rows/s", "higher", "Rows"),
    _load("load.latency_p95_ms", "ms", "lower", "Latency p95", "gauge", 3),
]
