"""The compression in force in a server, which may differ from the options."""

from __future__ import annotations

from app.engines import engine_of

from .mysql import Client, QueryError


def compression_in_force(client: Client, engine: str) -> str:
    """The compression of the session's tables, in words; '' if the server does not say."""
    try:
        return engine_of(engine).compression(client.query)
    except QueryError:
        return ""
