"""A private socket where a server that runs elsewhere seems to be: the agent's side of the relay."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
from typing import List, Optional

from app.agent.server.mysql import ServerPlace
from app.agent.system.errors import AgentError
from app.agent.system.own_process import start_own_process

START_S = 30
STOP_S = 5
MOST_PROBLEMS, MOST_SERVERS = 20, 20


class Relay:
    """Processes that log in for each client of the socket, and pass bytes on; they end with the agent."""

    def __init__(self, private: str, place: ServerPlace, password: str, name: str = "s") -> None:
        self.socket = os.path.join(private, name)
        self.pids: List[int] = []
        self.problem = ""  # why the latest login failed
        self.servers: List[str] = []  # that connections have reached, as they call themselves
        self.asked = 0  # connections, which server they have reached
        self._place = place
        self._password = password
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._rest = b""

    def start(self) -> None:
        """Start the processes, and wait until the socket listens; the server is not asked yet."""
        self._forget_socket()
        self._process = start_own_process("app.agent.existing.relay_processes")
        asked = {"agent": os.getpid(), "socket": self.socket}
        self._send({**asked, "place": self._place, "password": self._password})
        self.pids = self._started_pids()

    def _send(self, asked: object) -> None:
        assert self._process is not None and self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            self._process.stdin.flush()

    def _started_pids(self) -> List[int]:
        assert self._process is not None and self._process.stdout is not None
        line = b""
        if select.select([self._process.stdout], [], [], START_S)[0]:
            line = self._process.stdout.readline()
        if not line:
            self.stop()
            raise AgentError("the relay did not start: see the log of the plan")
        os.set_blocking(self._process.stdout.fileno(), False)
        return [int(pid) for pid in json.loads(line)]

    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def take_problems(self) -> List[str]:
        """Why logins have failed since the last call, each once: number and text."""
        found: List[str] = []
        for said in map(json.loads, self._lines()):
            if isinstance(said, list):
                self._take_server(str(said[0]))
                continue
            self.problem = str(said)
            if self.problem not in found and len(found) < MOST_PROBLEMS:
                found.append(self.problem)
        return found

    def _take_server(self, answer: str) -> None:
        """The answer to WHICH: `db1 3306 7`."""
        self.asked += 1
        words = answer.rsplit(" ", 2)
        if len(words) == 3 and len(self.servers) < MOST_SERVERS:
            name = "{}:{} with server_id {}".format(*words)
            self.servers += [name] if name not in self.servers else []

    def _lines(self) -> List[bytes]:
        if self._process is None or self._process.stdout is None or self._process.stdout.closed:
            return []
        chunk = self._process.stdout.read() or b""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return lines

    def stop(self) -> None:
        """End the processes, and with them all connections."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.take_problems()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process, self.pids = None, []
        self._forget_socket()

    def _forget_socket(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.socket)
