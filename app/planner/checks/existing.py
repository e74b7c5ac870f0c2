"""The servers that run already of one launch: looked at now, with passwords, and what speaks against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.planner.request.request import PlanRequest
from app.protocol.answers import FAIL, INFO, WARN, Check
from app.protocol.plan import SLICES, Plan
from app.remote.target import Ask
from app.targets.server_login import LoggedInServer, ReachingAgent, check_usable, log_in
from app.targets.servers import Servers

_MOST_NOTES = 20
_ACCOUNT = "give the account what it lacks, or choose another server"
_SCHEMA = "empty the schema, or give the server another one"
_ONE = "if so, give them one address, or choose the order interleaved: counters would be those of both"
_PLAIN = "passwords and rows cross the network in plain text, as you allowed"


class LookedAtServers:
    """What was found of each server that a request names."""

    def __init__(self, found: Iterable[LoggedInServer] = ()) -> None:
        self.found = {each.server.name: each for each in found}

    @classmethod
    def of(cls, request: PlanRequest, agent: ReachingAgent, ask: Ask) -> LookedAtServers:
        """Log in to each from the target, and store what was found; raises an error where that fails."""
        known = Servers()
        named = [known.get(each.server) for each in request.contenders if each.server]
        wanted = [part for each in named for part in (known.primary_of(each), each)]
        wanted += [replica for each in named for replica in known.replicas_of(each.name)]
        servers = {each.name: each for each in wanted}.values()
        for server in servers:
            check_usable(server)
        looked = [log_in(agent, server, ask) for server in servers]
        for each in looked:
            known.update(each.server)
        return cls(looked)

    def passwords(self, plan: Plan) -> dict[str, str]:
        """By contender and replica, as the agent takes them."""
        return {name: its.password for _, name, its in self._of(plan)}

    def checks(self, plan: Plan) -> list[Check]:
        its = [check for name, _, its in self._of(plan) for check in _checks(name, its)]
        return [*its, *self._by_other_names(plan)]

    def _by_other_names(self, plan: Plan) -> Iterator[Check]:
        """Servers that take turns in slices, and may be one by two addresses."""
        called: dict[str, set[str]] = {}
        for each in plan.contenders if plan.order == SLICES else ():
            its = self.found.get(each.build)
            if its and its.found.called and not plan.shares_server(each):
                called.setdefault(its.found.called, set()).add(each.build)
        for name, builds in called.items():
            if len(builds) > 1:
                said = f"{' and '.join(sorted(builds))} may be one server: each calls itself {name}"
                yield Check("server", WARN, said, _ONE)

    def _of(self, plan: Plan) -> Iterator[tuple[str, str, LoggedInServer]]:
        """Name of the contender, name of the password, and the server."""
        for each in plan.contenders:
            if its := self.found.get(each.build) if each.is_existing else None:
                yield each.name, each.name, self.found[its.server.replica_of or each.build]
                for replica in each.replicas:
                    yield each.name, each.password_name(replica), self.found[replica.name]


def _checks(name: str, looked: LoggedInServer) -> Iterator[Check]:
    found, server = looked.found, looked.server
    whose = f"{server.name}: " if server.replica_of else ""
    for problem in found.problems:
        yield Check("server", FAIL, f"{whose}{problem}", _ACCOUNT, name)
    if found.schema_state:
        yield Check("schema", FAIL, found.schema_state, _SCHEMA, name)
    if not server.tls and not server.is_loopback:
        yield Check("server", WARN, f"{whose}{_PLAIN}", f"switch TLS on for server {server.name}", name)
    if notes := found.notes[:_MOST_NOTES]:
        yield Check("server", INFO, f"{whose}{'; '.join(notes)}", "", name)
