"""The processes of the relay: one that watches over them, and as many as there are CPUs that pass bytes.

The first one has nothing of the agent but its code. It reads a line from standard input, and ends with it.
One line says that the socket listens, each later one why a login has failed, or in a list which server a
connection has reached.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from typing import List, NoReturn

from app.agent.server.login_socket import LoginError
from app.agent.server.mysql import Entrance, ServerPlace

from .packets import HEADER, error_packet, greeting_packet, ok_packet, wish_of
from .passing import Pair, Passing, QueryLimit
from .statements import WHICH

MOST_WORKERS = 32
MOST_LOGINS = 64  # at the same time, in each process
CLIENT_S = 10  # in which a client of this machine has to answer
MOST_RESPONSE = 1 << 16  # bytes of its answer
LOOK_S = 0.5  # how soon the death of the agent is seen, if its pipe outlives it
SWITCH_S = 0.0005  # a login does not hold up connections for longer
ASKED, ASKED_EACH_S = 50, 1.0  # first connections of a process that are asked; the later ones that often


def main() -> None:
    """Listen until the agent ends; the processes end together."""
    asked = json.loads(sys.stdin.buffer.readline())
    place, password = ServerPlace(*asked["place"]), asked["password"]
    _allow_many_files()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(asked["socket"])
    listener.listen(socket.SOMAXCONN)
    workers = _fork_workers(listener, place, password)
    listener.close()
    print(json.dumps([os.getpid(), *workers]), flush=True)
    os.set_blocking(1, False)  # a login does not wait for somebody who reads no reasons
    try:
        _wait_for_an_end(asked["agent"])
    finally:
        for pid in workers:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _allow_many_files() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _fork_workers(listener: socket.socket, place: ServerPlace, password: str) -> List[int]:
    """Each passes the right to accept the next client on to the one behind it: all get as many."""
    # one process knows all statements of a limit
    count = 1 if place.max_queries else min(len(os.sched_getaffinity(0)), MOST_WORKERS)
    turns = [os.pipe() for _ in range(count)]
    ours, theirs = os.pipe()  # nobody writes there: its end is that of the first process
    workers = []
    gc.freeze()
    for at in range(count):
        pid = os.fork()
        if not pid:
            os.close(theirs)
            _work(Worker(listener, turns[at][0], turns[(at + 1) % count][1], place, password), ours)
        workers.append(pid)
    os.write(turns[0][1], b".")
    for fd in [fd for turn in turns for fd in turn] + [ours]:
        os.close(fd)
    return workers


def _work(worker: Worker, alive: int) -> NoReturn:
    try:
        worker.run(alive)
    finally:
        os._exit(1)


def _wait_for_an_end(agent: int) -> None:
    """Until the agent has gone or closes its pipe, or a process is missing, whose clients would wait."""
    while os.getppid() == agent and os.waitpid(-1, os.WNOHANG)[0] == 0:
        if select.select([0], [], [], LOOK_S)[0]:
            return


class Worker:
    """A process: a thread that accepts, one for each login, and the loop that passes bytes."""

    def __init__(
        self, listener: socket.socket, turn: int, next_turn: int, place: ServerPlace, password: str
    ) -> None:
        self._listener = listener
        self._turn = turn
        self._next_turn = next_turn
        self._place = place
        self._password = password
        self._logins = threading.BoundedSemaphore(MOST_LOGINS)
        self._asked, self._asked_at = 0, 0.0
        self._loop = Passing()
        self._limit = QueryLimit(place.max_queries) if place.max_queries else None

    def run(self, alive: int) -> None:
        sys.setswitchinterval(SWITCH_S)
        self._loop.watch(alive, lambda _: os._exit(0))
        threading.Thread(target=self._accept, daemon=True).start()
        self._loop.run()

    def _accept(self) -> None:
        try:
            while True:
                self._logins.acquire()
                client = self._accepted()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()
        finally:
            os._exit(1)  # clients would wait for ever

    def _accepted(self) -> socket.socket:
        """The next client, when it is the turn of this process."""
        os.read(self._turn, 1)
        while True:
            try:
                client = self._listener.accept()[0]
                os.write(self._next_turn, b".")
                return client
            except OSError:  # no file is left to open: until another client goes
                time.sleep(0.05)

    def _serve(self, client: socket.socket) -> None:
        try:
            client.settimeout(CLIENT_S)
            self._log_in(client)
        except BaseException as error:
            client.close()
            if not isinstance(error, OSError):  # it has gone, or is no client
                raise
        finally:
            self._logins.release()

    def _log_in(self, client: socket.socket) -> None:
        number = 0  # of the packet that answers the client
        try:
            with contextlib.closing(Entrance(self._place, self._password)) as entrance:
                client.sendall(greeting_packet(entrance.greeting))
                number, wish = 2, wish_of(_packet_of(client))
                question = self._question()
                server = entrance.log_in(wish, question)
        except LoginError as error:
            _report(str(error))
            client.sendall(error_packet(number, error.number, error.text))
            client.close()
        else:
            if question:
                _report([entrance.answer])
            welcome = ok_packet(number, entrance.greeting.status)
            self._loop.add(Pair(client, server, self._place.schema, welcome, limit=self._limit))

    def _question(self) -> str:
        """WHICH for a connection that is to be asked; '' for most, as an answer takes a round trip."""
        now = time.monotonic()
        if self._asked >= ASKED and now - self._asked_at < ASKED_EACH_S:
            return ""
        self._asked, self._asked_at = self._asked + 1, now
        return WHICH


def _packet_of(client: socket.socket) -> bytes:
    length = int.from_bytes(_read(client, HEADER)[:3], "little")
    return _read(client, min(length, MOST_RESPONSE))


def _read(client: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        chunk = client.recv(count - len(found))
        if not chunk:
            raise ConnectionResetError("the client has gone")
        found += chunk
    return found


def _report(said: object) -> None:
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(said).encode() + b"\n")
