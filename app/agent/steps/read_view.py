"""A read view that a connection of Dyno holds while the instructions of writes are counted.

Without it InnoDB purges the rows that the client has changed, sooner or later as its threads come to run, and
what the client's thread has to do depends on that.
"""

from __future__ import annotations

from app.agent.server.mysql import Client
from app.agent.system.errors import AgentError
from app.engines import engine_of
from app.engines.query import QueryError

# in READ COMMITTED, which a preset may set, WITH CONSISTENT SNAPSHOT says nothing
_OPEN = (
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT",
)


class HeldReadView:
    """Held from the first counted write on, to the end of the session."""

    def __init__(self, client: Client, engine: str) -> None:
        self._client = client  # one of its own
        self._check = engine_of(engine).read_views
        self._is_open = False

    def hold(self) -> bool:
        """Open it, if the engine needs one; raise AgentError if the server does not have it now."""
        if not self._check:
            return False
        try:
            if not self._is_open:
                self._client.run(*_OPEN)
                self._is_open = True
            (row,) = self._client.query(self._check)
        except QueryError as error:
            raise AgentError("the read view that holds purge back: {}".format(error)) from None
        if not int(row["n"]):
            raise AgentError("the server does not have the read view that holds purge back")
        return True

    def close(self) -> None:
        self._client.close()
