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


P95_EVENTS = 20  # in a second: of fewer none is in the tail, and there is no p95

LOAD = [
    _load("load.queries", "queries/s", "higher", "QPS"),
    _load("load.reads", "queries/s", "higher", "reads"),
    _load("load.writes", "queries/s", "higher", "writes"),
    _load("load.other", "queries/s", "", "other statements"),
    _load("load.transactions", "1/s", "higher", "transactions"),
    _load("load.errors", "1/s", "lower", "errors"),
    _load("load.reconnects", "1/s", "lower", "reconnects"),
    _load("load.rows", "rows/s", "higher", "rows"),
    _load("load.latency_p95_ms", "ms", "lower", "latency p95", "gauge", 3),
]
