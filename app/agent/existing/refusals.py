"""What a server that runs already refuses, asked before a load by what Dyno has made in its schema.

Proxies, and servers that only speak MySQL's protocol, know less than a server of MySQL.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Iterator, Sequence

from app.agent.server.login_socket import harmless
from app.agent.server.mysql import Client, QueryError
from app.protocol.plan import Plan, Step
from app.protocol.sysbench import lua_with_required

AS_TEXT = "--db-ps-mode=disable"  # of sysbench
_PREPARED = "SELECT kind FROM dyno_marker"
_ANALYSE = "ANALYZE TABLE dyno_marker"
_AS_TEXT = "the server refuses prepared statements ({}): sysbench sends all of its statements as text"
_UNANALYSED = "the server refuses ANALYZE TABLE ({}): the steps go on with the statistics that it has"
_NEEDS = "workload {} needs {}, which the server refuses: {}"
_NEEDED = (  # what, what of it the Lua of a workload has, and how it is tried
    (
        "FORCE INDEX",
        "FORCE INDEX",
        ("SELECT kind FROM dyno_marker FORCE INDEX (PRIMARY) WHERE kind = 'owner'",),
    ),
    (
        "stored procedures",
        "CREATE PROCEDURE",
        ("CREATE PROCEDURE rehearsed() SELECT 1", "DROP PROCEDURE IF EXISTS `rehearsed`"),
    ),
)


def unmet_need(client: Client, plan: Plan) -> str:
    """Which workload of the plan cannot work there, and why; '' if all can."""
    for what, sign, statements in _NEEDED:
        names = [step.workload for step in plan.steps if step.lua and sign in _lua_of(step, plan)]
        refusal = _refusal(partial(client.run, *statements)) if names else ""
        if refusal:
            return _NEEDS.format(names[0], what, refusal)
    return ""


class Refusals:
    """What the plan can do without."""

    def __init__(self, client: Client, plan: Plan) -> None:
        self._prepared = _refusal(partial(client.run_prepared, _PREPARED))
        is_wanted = any(step.analyse for step in plan.steps)
        self._analyse = _refusal(partial(client.run, _ANALYSE)) if is_wanted else ""

    @property
    def load_options(self) -> Sequence[str]:
        """Options of sysbench that make up for it."""
        return [AS_TEXT] * bool(self._prepared)

    def texts(self) -> Iterator[str]:
        """A line for each of them: what the server refuses, and what the plan does instead."""
        if self._prepared:
            yield _AS_TEXT.format(self._prepared)
        if self._analyse:
            yield _UNANALYSED.format(self._analyse)


def _lua_of(step: Step, plan: Plan) -> str:
    """All Lua that the clients of a step carry out."""
    return "\n".join(lua_with_required([os.path.basename(step.lua)], plan.files.get).values())


def _refusal(run: Callable[[], None]) -> str:
    try:
        run()
    except QueryError as error:
        return harmless(error.said)
    return ""
