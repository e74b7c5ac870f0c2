"""A server that runs already, with the face of one that Dyno starts: steps need not know which it is."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from typing import Callable, Dict, Iterator, List, Mapping, Optional

from app.agent.server.mysql import READ_S, Client, QueryError, ServerPlace
from app.agent.server.server import GONE_S, Server
from app.agent.system.errors import AgentError
from app.protocol.hosts import is_loopback
from app.protocol.plan import Contender, Plan

from .relay import Relay
from .schema import Heartbeat, OwnedSchema
from .statements import may_send

_SERVERS = ("mysqld", "mariadbd")  # how the programs begin
_LISTENS = "0A"  # in /proc/net/tcp


def place_of(contender: Contender) -> ServerPlace:
    return ServerPlace(
        contender.host,
        contender.port,
        contender.schema,
        contender.user,
        contender.certificate,
        contender.max_queries,
    )


def text_at(place: ServerPlace, problem: str) -> str:
    """What is wrong, and where."""
    where = "{} port {}".format(place.host, place.port)
    return problem if where in problem else "{}: {}".format(where, problem)


def process_of(host: str, port: int) -> int:
    """The process of a server of this machine; 0 where it is elsewhere, or not to be seen."""
    return next(_listening(port), 0) if is_loopback(host) else 0


class ExistingServer(Server):
    """Reached through a relay at the socket of a private directory; owns a schema while a session lasts."""

    def __init__(self, contender: Contender, session: str, password: str, plan: Plan) -> None:
        super().__init__(vars(contender), session, {}, {})
        self._contender = contender
        self.relay = Relay(self.private, place_of(contender), password)
        self.client = self.another_client(READ_S)
        who = "{} process {}, plan {}".format(socket.gethostname(), os.getpid(), plan.name)
        texts = [text for name, text in plan.files.items() if name.startswith("workloads/")]
        self.schema = OwnedSchema(self.client, who, texts)
        self._beating: Optional[Heartbeat] = None
        self.left = ""  # why something of Dyno stays in the schema
        self._pid: Optional[int] = None

    @property
    def where(self) -> str:
        return "{} port {}".format(self._contender.host, self._contender.port)

    def another_client(self, read_s: Optional[float]) -> Client:
        return Client(self.socket, read_s, may_send)

    @property
    def pid(self) -> int:
        """Its process, where it is one of this machine; else 0."""
        if self._pid is None:
            self._pid = process_of(self._contender.host, self._contender.port)
        return self._pid

    def prepare(
        self, wait: Callable[[float], None] = time.sleep, lay: Optional[Callable[[str], None]] = None
    ) -> None:
        """Nothing has to be made."""

    def launch(self) -> None:
        """The relay begins: there is nothing else to be started."""
        self.relay.start()

    def await_answer(self, wait: Callable[[float], None] = time.sleep) -> None:  # noqa: ARG002
        """Log in, and become the owner of the schema."""
        try:
            self.client.query("SELECT 1")
            self.schema.take()
        except (QueryError, AgentError) as error:
            problem = self._problem() or str(error)
            self.relay.stop()
            raise AgentError(text_at(place_of(self._contender), problem)) from None
        self._beating = Heartbeat(self.schema, self.another_client(READ_S))
        self._beating.start()

    @property
    def has_begun(self) -> bool:
        return self._beating is not None

    def is_alive(self) -> bool:
        """Whether it answers, within a moment."""
        until = time.monotonic() + GONE_S
        while self.has_begun:
            if self.answers():
                return True
            if time.monotonic() > until:
                break
            time.sleep(0.05)
        return False

    def has_died(self) -> bool:
        return not self.is_alive()

    def _problem(self) -> str:
        """Why the latest login failed; '' if none has."""
        self.relay.take_problems()
        return self.relay.problem

    def end_text(self) -> str:
        problem = self._problem()
        return "{} does not answer any more{}".format(self.where, ": " + problem if problem else "")

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
        self.relay.stop()
        return not self.left

    def _leave(self) -> str:
        """Returns why something of Dyno stays there; '' if nothing does."""
        if self._beating is None:
            return ""
        self._beating.end()
        self._beating = None
        self.client.close()  # it may wait for an answer
        try:
            self.schema.give_back()
        except (QueryError, AgentError) as error:
            return str(error)
        finally:
            self.client.close()
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
            rows = self.client.query(_BYTES)
            return {"tables": int(rows[0]["bytes"] or 0)}
        return {}


_BYTES = (
    "SELECT CAST(SUM(data_length + index_length) AS CHAR) AS bytes FROM information_schema.tables"
    " WHERE table_schema = DATABASE()"
)


def _listening(port: int) -> Iterator[int]:
    """Server processes of this machine that listen on a port, as far as this user may see them."""
    inodes = {inode for name in ("tcp", "tcp6") for inode in _inodes("/proc/net/" + name, port)}
    for pid in filter(str.isdigit, os.listdir("/proc") if inodes else ()):
        with contextlib.suppress(OSError):
            program = os.path.basename(os.readlink("/proc/{}/exe".format(pid)))
            if program.startswith(_SERVERS) and inodes & set(_sockets(pid)):
                yield int(pid)


def _inodes(path: str, port: int) -> Iterator[str]:
    with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
        for line in list(file)[1:]:
            words = line.split()
            if words[3] == _LISTENS and int(words[1].rpartition(":")[2], 16) == port:
                yield "socket:[{}]".format(words[9])


def _sockets(pid: str) -> Iterator[str]:
    folder = "/proc/{}/fd".format(pid)
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            yield os.readlink(os.path.join(folder, name))


def server_facts(
    server: ExistingServer, variables: Mapping[str, str], rtt_ms: Optional[float]
) -> Dict[str, object]:
    """What a session says of it in place of build and my.cnf."""
    contender = server.contender
    return {
        "address": "{}:{}".format(contender["host"], contender["port"]),
        "schema": contender["schema"],
        "tls": bool(contender["certificate"]),
        "server_id": variables.get("server_id", ""),
        "read_only": variables.get("read_only", ""),
        "on_this_machine": bool(server.pid),
        "rtt_ms": rtt_ms,
    }
