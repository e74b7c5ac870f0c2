"""One server behind a relay of its own: that of a contender, or a replica of it."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import Iterator, List, Optional, Set

from app.agent.server.mysql import READ_S, Client, QueryError, ServerPlace
from app.agent.server.program import mapped_server_binary
from app.protocol.hosts import is_loopback

from .relay import MOST_SERVERS, Relay
from .statements import may_send

NAMED = 3  # servers in a text
OTHERS = 3  # more connections, opened at once: they show whether an address leads to several servers
_SEVERAL = (
    "connections to {} reached {} servers ({}): what a server tells of itself is left out, as it would be"
    " that of one of them"
)
_SERVERS = ("mysqld", "mariadbd")  # how the programs begin
_LOADERS = "ld-"
_LISTENS = "0A"  # in /proc/net/tcp


class RelayedServer:
    """Its relay, and the clients of Dyno's own that are not turned to another one."""

    def __init__(
        self, private: str, place: ServerPlace, password: str, price: str, name: str = "", number: int = 0
    ) -> None:
        self.place, self.price = place, price
        self.name = name  # of a replica; '' of the server of the contender
        self.relay = Relay(private, place, password, "s{}".format(number or ""))
        self.may_send = partial(may_send, to_replica=bool(name))
        self._clients: List[Client] = []
        self._pid: Optional[int] = None
        self.client = self.another_client(READ_S)

    def another_client(self, read_s: Optional[float]) -> Client:
        made = Client(self.relay.socket, read_s, self.may_send)
        self._clients.append(made)
        return made

    @property
    def connection_ids(self) -> Set[int]:
        """Of those clients that are connected now."""
        return {each.connection_id for each in self._clients} - {0}

    @property
    def sent(self) -> int:
        """Statements of all these clients so far, and those that ask what connections have reached."""
        return sum(each.sent for each in self._clients) + self.relay.asked

    @property
    def several(self) -> str:
        """Why what the server tells of itself is left out; '' while all connections have reached one."""
        names, count = self.relay.servers, len(self.relay.servers)
        if count < 2:
            return ""
        number = "{} or more".format(count) if count == MOST_SERVERS else str(count)
        more = ["..."] * (count > NAMED)
        return _SEVERAL.format(self.place.text, number, ", ".join([*names[:NAMED], *more]))

    @property
    def pid(self) -> int:
        """Its process, where it is one of this machine; else 0."""
        if self._pid is None:
            self._pid = process_of(self.place.host, self.place.port)
        return self._pid

    def answers(self) -> bool:
        with contextlib.suppress(QueryError):
            self.client.query("SELECT 1")
            return True
        return False

    @property
    def problem(self) -> str:
        """Why the latest login failed; '' if none has."""
        self.relay.take_problems()
        return self.relay.problem

    def text_with(self, problem: str) -> str:
        """What is wrong, where, and with which replica."""
        said = text_at(self.place, problem)
        return "{}: {}".format(self.name, said) if self.name else said

    def end_text(self) -> str:
        problem, whose = self.problem, "{}: ".format(self.name) if self.name else ""
        return "{}{} does not answer any more{}".format(
            whose, self.place.text, ": " + problem if problem else ""
        )

    def stop(self) -> None:
        self.client.close()
        self.relay.stop()


def text_at(place: ServerPlace, problem: str) -> str:
    """What is wrong, and where."""
    return problem if place.text in problem else "{}: {}".format(place.text, problem)


def process_of(host: str, port: int) -> int:
    """The process of a server of this machine; 0 where it is elsewhere, or not to be seen."""
    return next(_listening(port), 0) if is_loopback(host) else 0


def _listening(port: int) -> Iterator[int]:
    """Server processes of this machine that listen on a port, as far as this user may see them."""
    inodes = {inode for name in ("tcp", "tcp6") for inode in _inodes("/proc/net/" + name, port)}
    for pid in filter(str.isdigit, os.listdir("/proc") if inodes else ()):
        with contextlib.suppress(OSError):
            # another program may listen on the same port of another address: a proxy
            if _program(pid).startswith(_SERVERS) and inodes <= set(_sockets(pid)):
                yield int(pid)


def _program(pid: str) -> str:
    """The name of its program, also where a loader was called to start it."""
    name = os.path.basename(os.readlink("/proc/{}/exe".format(pid)))
    return os.path.basename(mapped_server_binary(int(pid))) if name.startswith(_LOADERS) else name


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
