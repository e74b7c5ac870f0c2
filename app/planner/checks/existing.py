"""The servers that run already of one launch: looked at now, with passwords, and what speaks against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.planner.request.request import PlanRequest
from app.protocol.answers import FAIL, INFO, WARN, Check
from app.protocol.plan import Plan
from app.remote.target import Ask
from app.targets.server_login import LoggedInServer, ReachingAgent, check_usable, log_in
from app.targets.servers import Servers

_MOST_NOTES = 20
_ACCOUNT = "give the account what it lacks, or choose another server"
_SCHEMA = "empty the schema, or name another one: dyno server edit {} --url ..."
_PLAIN = "passwords and rows cross the network in plain text, as you allowed"


class LookedAtServers:
    """What was found of each server that a request names."""

    def __init__(self, found: Iterable[LoggedInServer] = ()) -> None:
        self.found = {each.server.name: each for each in found}

    @classmethod
    def of(cls, request: PlanRequest, agent: ReachingAgent, ask: Ask) -> LookedAtServers:
        """Log in to each from the target, and store what was found; raises an error where that fails."""
        known = Servers()
        named = [
            known.get(name) for name in dict.fromkeys(each.server for each in request.contenders) if name
        ]
        for server in named:
            check_usable(server)
        looked = [log_in(agent, server, ask) for server in named]
        for each in looked:
            known.keep(each.server)
        return cls(looked)

    def passwords(self, plan: Plan) -> dict[str, str]:
        """By contender, as the agent takes them."""
        return {name: its.password for name, its in self._of(plan)}

    def checks(self, plan: Plan) -> list[Check]:
        return [check for name, its in self._of(plan) for check in _checks(name, its)]

    def _of(self, plan: Plan) -> Iterator[tuple[str, LoggedInServer]]:
        existing = (each for each in plan.contenders if each.is_existing)
        return ((each.name, self.found[each.build]) for each in existing if each.build in self.found)


def _checks(name: str, looked: LoggedInServer) -> Iterator[Check]:
    found, server = looked.found, looked.server
    for problem in found.problems:
        yield Check("server", FAIL, problem, _ACCOUNT, name)
    if found.schema_state:
        yield Check("schema", FAIL, found.schema_state, _SCHEMA.format(server.name), name)
    if not server.tls and not server.is_loopback:
        yield Check("server", WARN, _PLAIN, f"dyno server edit {server.name} --tls", name)
    if notes := found.notes[:_MOST_NOTES]:
        yield Check("server", INFO, "; ".join(notes), "", name)
