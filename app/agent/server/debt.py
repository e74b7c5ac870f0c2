"""Write debt: what a server still has to flush, merge or purge, by its own status."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from app.engines import KNOWN, engine_of

from .mysql import Client, QueryError

Debt = Dict[str, Any]


def read_debt(client: Client, engine: str) -> Debt:
    """The debt by its parts, in bytes or counts; empty where the engine has none or the server is gone."""
    try:
        return debt_of(client, engine)
    except QueryError:
        return {}


def debt_of(client: Client, engine: str) -> Debt:
    """The same; raises QueryError where the server does not answer."""
    return engine_of(engine).debt(client.query)


def is_indebted(debt: Mapping[str, Any]) -> bool:
    """Whether so much is still to be written that reads would be disturbed by it."""
    limits = (limit for engine in KNOWN.values() for limit in engine.debt_limits.items())
    return any(debt.get(name, 0) > limit for name, limit in limits)


def debt_text(debt: Mapping[str, Any]) -> str:
    """`1,234 dirty pages, 56 transactions to purge`; empty where all is written."""
    words = (each for engine in KNOWN.values() for each in engine.debt_words)
    return ", ".join("{:,} {}".format(debt[name], text) for name, text in words if debt.get(name))
