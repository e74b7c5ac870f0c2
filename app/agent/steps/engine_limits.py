"""Limits of unknown engines that show up in a session: no index, or no rows after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Mapping

from app.agent.system.errors import AgentError
from app.engines import engine_of

from .facts import tables_of

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .running import RunningSession

NO_INDEX = "no-index"


class MissingFeaturePolicy:
    """Decides whether a session continues without a feature of the engine, and marks later steps."""

    def __init__(self, session: RunningSession) -> None:
        self._session = session
        self._engine = engine_of(session.contender.engine)
        self._filled = 0  # the process of the server that has the rows
        self.marks: List[str] = []

    def goes_on(self, step: Step, ended: Mapping[str, Any]) -> bool:
        """Whether later steps can do without this failed step, which prepares the tables."""
        if step.kind == "load":
            self._filled = self._session.server.pid
        if ended["outcome"] not in ("failed", "skipped"):
            return True
        if step.kind == "load" or ended["outcome"] == "skipped" or self._engine.has_facts:
            return False
        self.marks = [NO_INDEX]
        return True

    def check_rows(self) -> None:
        """Check once after each start that the tables have rows; raises AgentError if they are empty."""
        session = self._session
        is_known = self._engine.has_facts or session.server.pid == self._filled
        if is_known or not session.write_accounting.rows_in_tables:
            return
        client = session.server.client
        first_rows = (
            client.query("SELECT 1 FROM {} LIMIT 1".format(name))  # noqa: S608 - a name of ours
            for name in tables_of(client)
        )
        if not any(first_rows):
            text = "the tables are empty after the restart: {} does not store its rows"
            raise AgentError(text.format(self._engine.title))
        self._filled = session.server.pid
