"""A server that runs already, with the face of one that Dyno starts: steps need not know which it is."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, NoReturn, Optional, Set, Union

from app.agent.server.mysql import READ_S, Client, QueryError, ServerPlace
from app.agent.server.server import GONE_S, Server
from app.agent.system.errors import AgentError
from app.protocol.plan import Contender, Plan, Replica, Step

from .lag import Beats, ReplicaLag
from .refusals import Refusals, unmet_need
from .relay import Relay
from .relayed import OTHERS, RelayedServer
from .schema import Heartbeat, OwnedSchema
from .statements import is_of_one_server

LOOK_S = 0.02  # between two looks at what a replica has
FIRST_S = 60.0  # in which a replica shows what Dyno has just written on its primary
_NOT_SHARED = (
    "a table that Dyno has made is not found by each connection: the address leads to servers that do not"
    " share their data, so name that of one server, or of a cluster"
)
_SHARED = (
    "contenders take turns on one server in slices: what it tells of itself is left out, as it would be that"
    " of all of them"
)


def place_of(server: Union[Contender, Replica], schema: str) -> ServerPlace:
    return ServerPlace(server.host, server.port, schema, server.user, server.certificate, server.max_queries)


class ExistingServer(Server):
    """Reached through a relay at the socket of a private directory; owns a schema while a session lasts.

    With replicas it has the face of the server that a step is carried out on: see `turn_to`.
    """

    def __init__(self, contender: Contender, session: str, passwords: Mapping[str, str], plan: Plan) -> None:
        super().__init__(vars(contender), session, {}, {})
        self._contender, self._plan, schema = contender, plan, contender.schema
        password = passwords.get(contender.name, "")
        price = "" if contender.is_replica else contender.price  # else it is that of the replica
        self.primary = RelayedServer(self.private, place_of(contender, schema), password, price)
        self.replicas = [
            RelayedServer(
                self.private,
                place_of(each, schema),
                passwords.get(contender.password_name(each), ""),
                each.price,
                each.name,
                number,
            )
            for number, each in enumerate(contender.replicas, 1)
        ]
        self.used = [self.primary]  # by the step, the one that is shown first
        self.client = Client(self.socket, READ_S, self._may_send)
        who = "{} process {}, plan {}".format(socket.gethostname(), os.getpid(), plan.name)
        texts = [text for name, text in plan.files.items() if name.startswith("workloads/")]
        self.schema = OwnedSchema(self.primary.client, who, texts)
        self._beating: Optional[Heartbeat] = None
        self.beats = Beats(self.primary, self.replicas)
        self.left = ""  # why something of Dyno stays in the schema
        self.shared = _SHARED if plan.shares_server(contender) else ""
        self.refused: List[str] = []  # what the server refuses, and what that means for the plan

    @property
    def notes(self) -> List[str]:
        """What is to be known before its figures."""
        return [*self.refused, *[self.shared] * bool(self.shared)]

    def _may_send(self, sql: str) -> bool:
        if is_of_one_server(sql) and self.left_out:
            raise QueryError(self.left_out)
        return self.shown.may_send(sql)

    # what is shown

    @property
    def shown(self) -> RelayedServer:
        return self.used[0]

    @property
    def compared(self) -> RelayedServer:
        """That of the contender: a replica, if its reads are what is measured."""
        return self.replicas[0] if self._contender.is_replica else self.primary

    @property
    def several(self) -> str:
        """That connections reached several servers, in words; '' while all reach one."""
        return self.shown.several

    @property
    def left_out(self) -> str:
        """Why what the shown server tells of itself is left out; '' if it is not."""
        return self.several or self.shared

    def turn_to(self, *roles: Step) -> None:
        """Show the server of the first of these until the next time; of none the primary."""
        self.used = list(dict.fromkeys(map(self.server_of, roles))) or [self.primary]
        self.socket = self.shown.relay.socket
        self.client.turn_to(self.socket)
        for each in self.lags:
            each.awaited_s = 0.0

    def server_of(self, step: Step) -> RelayedServer:
        number = self._contender.replica_of_step(step)
        return self.replicas[number - 1] if number else self.primary

    def socket_of(self, step: Step) -> str:
        return self.server_of(step).relay.socket

    def shows(self, step: Step) -> bool:
        return self.server_of(step) is self.shown

    @property
    def relay(self) -> Relay:
        return self.shown.relay

    @property
    def sent(self) -> int:
        """Statements of Dyno's own to the server that is shown."""
        return self.shown.sent + self.client.sent

    @property
    def lags(self) -> List[ReplicaLag]:
        return list(self.beats.lags.values())

    def catching_up(self, still_s: float = 0.0) -> Iterator[None]:
        """Goes on until those of the step have what the primary has now; AgentError if one stands still."""
        for each in self.used:
            if each.name:
                yield from self.beats.until_shown(each.name, still_s)

    def another_client(self, read_s: Optional[float]) -> Client:
        return self.shown.another_client(read_s)

    @property
    def is_elsewhere(self) -> bool:
        """Whether no process of this machine is it, or a replica of it: this machine only drives."""
        return not any(each.pid for each in (self.primary, *self.replicas))

    @property
    def own_connections(self) -> Set[int]:
        return self.shown.connection_ids

    @property
    def pid(self) -> int:
        """Its process, where it is one of this machine; else 0."""
        return self.shown.pid

    def prepare(
        self, wait: Callable[[float], None] = time.sleep, lay: Optional[Callable[[str], None]] = None
    ) -> None:
        """Nothing has to be made."""

    def launch(self) -> None:
        """The relays begin: there is nothing else to be started."""
        for each in (self.primary, *self.replicas):
            each.relay.start()

    def await_answer(self, wait: Callable[[float], None] = time.sleep) -> None:
        """Log in, become the owner of the schema, and see that plan and replicas are right for the server."""
        try:
            self.client.query("SELECT 1")
        except QueryError as error:
            self._refuse(self._problem() or str(error))
        try:
            self.schema.take()
            self._check()
        except (QueryError, AgentError) as error:
            with contextlib.suppress(QueryError, AgentError):
                self.schema.give_back()
            self._refuse(str(error))
        self._beating = Heartbeat(self.schema, self.primary.another_client(READ_S))
        self._beating.start()
        for each in self.replicas:
            _log_in(each)
        if self.replicas:
            self.beats.begin()
            self.used = self.replicas
            for _ in self.catching_up(FIRST_S):
                wait(LOOK_S)
        self.turn_to()

    def _stop_relays(self) -> None:
        for each in (self.primary, *self.replicas):
            each.stop()

    def _refuse(self, problem: str) -> NoReturn:
        self._stop_relays()
        raise AgentError(self.primary.text_with(problem))

    def _check(self) -> None:
        """Raise AgentError if the plan cannot be carried out; what it can do without is in `refused`."""
        with contextlib.ExitStack() as stack:
            others = [self.another_client(READ_S) for _ in range(OTHERS)]
            for each in others:  # all are open at once, so that a proxy spreads them
                stack.callback(each.close)
                if not self.schema.is_found_by(each):
                    raise AgentError(_NOT_SHARED)
        self.relay.take_problems()  # of these connections, as some may have been one too many
        problem = unmet_need(self.client, self._plan)
        if problem:
            raise AgentError(problem)
        refusals = Refusals(self.client, self._plan)
        self.load_options, self.refused = refusals.load_options, list(refusals.texts())

    @property
    def has_begun(self) -> bool:
        return self._beating is not None

    def is_alive(self) -> bool:
        """Whether it answers, within a moment."""
        until = time.monotonic() + GONE_S
        while self.has_begun:
            if not self._silent():
                return True
            if time.monotonic() > until:
                break
            time.sleep(0.05)
        return False

    def _silent(self) -> List[RelayedServer]:
        """Those of the step, and the primary, that do not answer."""
        return [each for each in dict.fromkeys((*self.used, self.primary)) if not each.answers()]

    def has_died(self) -> bool:
        return not self.is_alive()

    def _problem(self) -> str:
        """Why the latest login failed; '' if none has."""
        return self.shown.problem

    def end_text(self) -> str:
        return next(iter(self._silent()), self.shown).end_text()

    def first_error(self) -> str:
        return self._problem()

    def last_error(self) -> str:
        return self._problem()

    def log_lines(self) -> List[str]:
        return []

    def dismiss(self) -> None:
        """No account was made."""

    def forget_dirty_pages(self) -> None:
        """What it writes, and when, is its own affair."""

    def stop(self, limit_s: float = 0.0, wait: Callable[[float], None] = time.sleep) -> bool:  # noqa: ARG002
        """Give the schema back as it was, and leave. The server goes on."""
        self.left = self._leave()
        self._stop_relays()
        return not self.left

    def _leave(self) -> str:
        """Returns why something of Dyno stays there; '' if nothing does."""
        if self._beating is None:
            return ""
        self._beating.end()
        self._beating = None
        self.beats.end()
        self.client.close()
        self.primary.client.close()  # it may wait for an answer
        try:
            self.schema.give_back()
        except (QueryError, AgentError) as error:
            return str(error)
        return ""

    def kill(self) -> None:
        self.stop()

    def end_at_once(self) -> None:
        self.stop()

    def ask_to_end(self) -> None:
        """Nobody ends it."""

    def halt(self) -> None:
        """Another one has its turn: the clients of this one wait, and it goes on."""

    def go_on(self) -> None:
        """It was never stopped."""

    def table_bytes(self) -> Dict[str, int]:
        """The size of its tables, as the server tells it."""
        with contextlib.suppress(QueryError):
            self.client.try_run("SET SESSION information_schema_stats_expiry=0")
            size = int(self.client.query(_BYTES)[0]["bytes"] or 0)
            return {"tables": size} if size else {}  # some servers tell none
        return {}


_BYTES = (
    "SELECT CAST(SUM(data_length + index_length) AS CHAR) AS bytes FROM information_schema.tables"
    " WHERE table_schema = DATABASE()"
)


_OF_REPLICAS = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'server_id', 'read_only')"


def _log_in(replica: RelayedServer) -> None:
    try:
        replica.client.query("SELECT 1")
    except QueryError as error:
        raise AgentError(replica.text_with(replica.problem or str(error))) from None


def server_facts(
    server: ExistingServer, variables: Mapping[str, str], rtt_ms: Optional[float]
) -> Dict[str, Any]:
    """What a session says of it in place of build and my.cnf."""
    compared, contender = server.compared, server.contender
    found = {
        **_address(compared),
        "schema": contender["schema"],
        "tls": bool(compared.place.certificate),
        "server_id": variables.get("server_id", ""),
        "read_only": variables.get("read_only", ""),
        "on_this_machine": not server.is_elsewhere,
        "rtt_ms": rtt_ms,
    }
    if server.replicas:
        found["primary"] = _address(server.primary)["address"]
        found["replicas"] = [
            {"name": each.name, **_address(each), **each.client.pairs(_OF_REPLICAS)}
            for each in server.replicas
        ]
    return found


def _address(server: RelayedServer) -> Dict[str, str]:
    return {"address": "{}:{}".format(server.place.host, server.place.port)}
