"""The life of one server under test: made, started, stopped, killed, and found again when its agent died."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set

from app.agent.system.directory import read_lines, write_file
from app.agent.system.errors import AgentError
from app.engines.server import UNDER_VALGRIND, WRITE_NOTHING
from app.engines.waits import TURNED_ON
from app.protocol.plan import Step
from app.protocol.waits import BY_NAME, PRESET

from .accounts import create_session_account, drop_dyno_account, refuse_open_accounts, write_init_file
from .bootstrap import bootstrap
from .callgrind import InstructionCounter
from .connection_limits import room_options
from .error_log import exit_text, first_error, last_error
from .memory import ServerMemory
from .mycnf import DATA, ERROR_LOG, LOOPBACK, MY_CNF, TMP, dyno_options, write_my_cnf
from .mysql import Client, QueryError
from .program import server_start_command

START_S = 300  # a large redo log takes its time
STOP_S = 120
KILL_S = 20
GONE_S = 5
PID_FILE = "server.pid"


class Server:
    """A server in the directory of a session, reached through a socket in a private directory."""

    def __init__(
        self,
        contender: Mapping[str, Any],
        session: str,
        known: Mapping[str, str],
        environment: Mapping[str, str],
        transport: str = "socket",
        clients: int = 1,
        instruments: str = PRESET,
        address: str = "",  # that load targets reach; '': none
        port: int = 0,  # there; 0: any
    ) -> None:
        self.contender = contender
        self.session = session
        self.memory = ServerMemory(contender, session)
        self.known = known
        self.environment = environment
        self.private = tempfile.mkdtemp(prefix="dyno-", dir=runtime_dir())
        self.socket = os.path.join(self.private, "s")
        self.address = address or (LOOPBACK if transport == "loopback" else "")
        self.port = (port or free_port(self.address)) if self.address else 0
        self.password = "Dy-" + secrets.token_hex(16) if self.port else ""  # as plugins that check it want it
        self.client = Client(self.socket)
        self.load_options: Sequence[str] = ()  # of sysbench, that this server needs
        self.my_cnf = ""
        self.added = room_options(contender["cnf"], clients)  # options that the preset lacks
        if instruments == BY_NAME:
            self.added.update(TURNED_ON)
        self.options: Dict[str, str] = {}  # that it is started with in addition to its my.cnf
        self.counter: Optional[InstructionCounter] = None  # from the next start on; None: it runs as it is
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._lines_before = 0  # of the error log, when it was started last

    def turn_to(self, *_: Step) -> None:
        """Steps that it does not carry out itself are those of servers that run already."""

    def socket_of(self, _: Step) -> str:
        return self.socket

    def another_client(self, read_s: Optional[float]) -> Client:
        """One more connection of Dyno's own, for another thread."""
        return Client(self.socket, read_s)

    @property
    def own_connections(self) -> Set[int]:
        """Those of Dyno that stay, beside that of `client`, by their numbers."""
        return set()

    @property
    def loopback_port(self) -> int:
        """The port for clients on this machine; 0: they use the socket."""
        return self.port if self.address == LOOPBACK else 0

    @property
    def data(self) -> str:
        return os.path.join(self.session, DATA)

    @property
    def error_log(self) -> str:
        return os.path.join(self.session, ERROR_LOG)

    @property
    def pid(self) -> int:
        """The process id of the server, not of a script that starts it."""
        found = next(iter(read_lines(self.socket + ".pid")), "")
        return int(found) if found.isdigit() else (self._process.pid if self._process else 0)

    def prepare(
        self, wait: Callable[[float], None] = time.sleep, lay: Optional[Callable[[str], None]] = None
    ) -> None:
        """Make the directories, the my.cnf and the system tables; or use the data that `lay` puts there."""
        self.memory.prepare(self.environment)
        os.makedirs(os.path.join(self.session, TMP), mode=0o700)
        base = self.contender["base"]
        own = {
            **dyno_options(self.session, self.socket, base, self.known, self.address, self.port),
            **self.added,
        }
        if self.port:
            write_init_file(self.session)
        self.my_cnf = write_my_cnf(self.session, self.contender["cnf"], own)
        if lay is not None:
            lay(self.data)
            return
        os.makedirs(self.data, mode=0o700, exist_ok=True)  # a file system may be mounted there
        bootstrap(
            self.contender["server"], base, self.my_cnf, self.known, self.environment, wait, self._record
        )

    def start(self, wait: Callable[[float], None] = time.sleep) -> float:
        """Start the server and wait until it answers; returns the seconds that this took."""
        began = time.monotonic()
        self.launch()
        self.await_answer(wait)
        return time.monotonic() - began

    def launch(self) -> None:
        """Start the process of the server, and wait for nothing."""
        self._lines_before = len(self.log_lines())
        with contextlib.suppress(OSError):
            os.unlink(self.socket + ".pid")  # of a server that was killed
        with open(os.devnull, "wb") as null:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=null,
                stderr=null,
                cwd="/",
                env={**os.environ, **self.environment},
                start_new_session=True,
                preexec_fn=self.memory.preexec_fn,
            )
        self._record(self._process.pid)

    def await_answer(self, wait: Callable[[float], None] = time.sleep) -> None:
        """Wait until the launched server answers, and verify it."""
        began = time.monotonic()
        while not self.answers():
            if not self.is_alive():
                raise AgentError("the server did not start: {}".format(self.first_error()))
            if time.monotonic() - began > START_S:
                self.kill()
                raise AgentError(
                    "the server did not answer within {} s: {}".format(START_S, self.first_error())
                )
            wait(0.05)
        self._record(self.pid)
        try:
            self._verify()
        except (AgentError, QueryError):
            self.kill()
            raise

    def _record(self, pid: int) -> None:
        record_process(self.session, pid, self.private)

    def _verify(self) -> None:
        """Check its memory settings, make the database, and close its port to all but the session."""
        self.memory.verify(self.pid)
        self.client.run("CREATE DATABASE IF NOT EXISTS dyno DEFAULT CHARACTER SET latin1", "USE dyno")
        if self.port:
            refuse_open_accounts(self.client, self.address, self.port)
            create_session_account(self.client, self.password)

    def _command(self) -> List[str]:
        command = [*server_start_command(self.contender["server"]), "--defaults-file=" + self.my_cnf]
        command += ["--{}={}".format(name.replace("_", "-"), value) for name, value in self.options.items()]
        if self.counter is not None:
            command = self.counter.command(command)
        cores = self.contender.get("cores", "")
        command = self.memory.wrap_command(command)
        return ["taskset", "-c", cores, *command] if cores else command

    def count_instructions(self, has_stacks: bool) -> None:
        """Run under valgrind from the next start on."""
        self.counter = InstructionCounter(self.private, UNDER_VALGRIND, has_stacks)

    def answers(self, client: Optional[Client] = None) -> bool:
        """Whether it answers; another thread asks by a client of its own."""
        if not os.path.exists(self.socket):
            return False
        with contextlib.suppress(QueryError):
            (client or self.client).query("SELECT 1")
            return True
        return False

    def engines(self, client: Optional[Client] = None) -> Set[str]:
        """The engines that it offers, with their names in small letters."""
        rows = (client or self.client).query("SHOW ENGINES")
        return {str(row["engine"]).lower() for row in rows if row["support"] != "NO"}

    @property
    def has_begun(self) -> bool:
        return self._process is not None

    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def dismiss(self) -> None:
        """Leave no password in data that are kept."""
        if self.port:
            drop_dyno_account(self.client)

    def stop(self, limit_s: float = STOP_S, wait: Callable[[float], None] = time.sleep) -> bool:
        """A clean shutdown; True where it ended by itself in time, else it was killed."""
        if not self.is_alive():
            return False
        assert self._process is not None
        self.client.close()
        self.ask_to_end()
        until = time.monotonic() + limit_s
        while self._process.poll() is None:
            if time.monotonic() > until:
                self.kill()
                return False
            wait(0.05)
        return self._process.returncode == 0

    def forget_dirty_pages(self) -> None:
        """Let the next shutdown write no dirty pages: the data will be deleted."""
        if self.is_alive():
            self.client.try_run(WRITE_NOTHING)

    def kill(self) -> None:
        self.end_at_once()
        self.client.close()

    def end_at_once(self) -> None:
        """kill -9 of the server and of the script that started it, wherever that has put the server."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(KILL_S)
        for pid in processes_with("--defaults-file=" + self.my_cnf):
            _end(pid, start_ticks(pid))

    def ask_to_end(self) -> None:
        """A clean shutdown begins."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)

    def halt(self) -> None:
        """Stop all of it where it is, until `go_on`."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self.is_alive():
            assert self._process is not None
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def has_died(self) -> bool:
        """Whether the server has died; waits a moment, because a killed server needs time to go."""
        until = time.monotonic() + GONE_S
        while self.is_alive() and not self.answers() and time.monotonic() < until:
            time.sleep(0.05)
        return not self.is_alive()

    def end_text(self) -> str:
        """How the server ended, and why."""
        how = exit_text(self._process.poll() if self._process else None)
        return "the server crashed {}: {}".format(how, self.last_error())

    def first_error(self) -> str:
        """Why it did not come up as it should, since its last start."""
        return self._killed_for_memory() or first_error(self.log_lines()[self._lines_before :])

    def last_error(self) -> str:
        """The last error before the server ended, since its last start."""
        return self._killed_for_memory() or last_error(self.log_lines()[self._lines_before :])

    def _killed_for_memory(self) -> str:
        """The text if the server was killed for its memory, which writes no error; else ''."""
        return "it needed more than its memory limit and was killed" if self.memory.limit.has_killed else ""

    def log_lines(self) -> List[str]:
        return list(read_lines(self.error_log))

    def clean(self) -> None:
        """Delete the private directory of the socket; the caller deletes the data."""
        shutil.rmtree(self.private, ignore_errors=True)
        self.memory.limit.remove()
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.session, PID_FILE))


def runtime_dir() -> str:
    """A folder for the private directory of a socket, whose path has 107 bytes at most.

    `su` passes on the variable of another user, who could exchange that directory.
    """
    found = os.environ.get("XDG_RUNTIME_DIR", "")
    if found and len(found) < 70 and os.access(found, os.W_OK) and os.stat(found).st_uid == os.geteuid():
        return found
    return "/tmp"


def free_port(address: str = LOOPBACK) -> int:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])


def start_ticks(pid: int) -> str:
    """When a process began: with the pid this identifies one process; ? if it is gone."""
    try:
        with open("/proc/{}/stat".format(pid), encoding="ascii", errors="replace") as file:
            words = file.read().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return "?"
    return "?" if words[0] in "ZX" else words[19]


def processes_with(argument: str) -> List[int]:
    """The processes that have this argument on their command line."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open("/proc/{}/cmdline".format(name), "rb") as file:
            if os.fsencode(argument) in file.read().split(b"\0"):
                found.append(int(name))
    return found


def record_process(folder: str, pid: int, private: str = "-") -> None:
    """Record a process, so that whoever cleans up after this agent ends this one and no other."""
    text = "{} {} {}\n".format(pid, start_ticks(pid), private)
    write_file(os.path.join(folder, PID_FILE), text)


def end_leftover_server(session: str) -> Optional[Dict[str, Any]]:
    """End the server that a killed agent left in this session; None if there is none."""
    path = os.path.join(session, PID_FILE)
    words = next(iter(read_lines(path)), "").split(" ", 2)
    if len(words) != 3 or not words[0].isdigit():
        return None
    pid, ticks, private = int(words[0]), words[1], words[2]
    ended = start_ticks(pid) == ticks and _end(pid, ticks)
    # one that was started again right before its agent was killed is not recorded yet
    for other in processes_with("--defaults-file=" + os.path.join(session, MY_CNF)):
        ended = _end(other, start_ticks(other)) or ended
    if os.path.basename(private).startswith("dyno-") and not os.path.islink(private):
        shutil.rmtree(private, ignore_errors=True)
    os.unlink(path)
    return {"pid": pid, "ended": ended}


def _end(pid: int, ticks: str) -> bool:
    """Kill the server at once, and the script that started it; stopped ones too."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(os.getpgid(pid), signal.SIGKILL)
    until = time.monotonic() + KILL_S
    while time.monotonic() < until:
        if start_ticks(pid) != ticks:
            return True
        time.sleep(0.02)
    return False
