"""One process of the load generator: its command, the lines its Lua writes, its end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence

from app.agent.sampling.kinds import read_kinds
from app.agent.server.program import find_sysbench
from app.protocol.cpus import cpu_set_of_text
from app.protocol.plan import START
from app.protocol.sysbench import RECONNECTED, STARTED

if TYPE_CHECKING:
    from app.agent.server.server import Server

# how sysbench says that a connection is gone, or that none can be made
_LOST = re.compile(r"error (2002|2003|2006|2013)\b|errno = (2006|2013)\b|unable to connect|message repeated")
END_S = 5  # after being asked to stop
_FAILED = re.compile(r"^FATAL: `\w+' function failed: ")  # before what the Lua of a workload says


def driver_options(socket: str, port: int) -> List[str]:
    """How sysbench reaches the server; the user and password of loopback are in a private file."""
    if port:
        return ["--mysql-host=127.0.0.1", "--mysql-port={}".format(port)]
    return ["--mysql-socket=" + socket, "--mysql-user=root"]


@contextlib.contextmanager
def generator_login_options(server: Server) -> Iterator[List[str]]:
    """Options with the login of the generator; over loopback in a private file, deleted right after."""
    if not server.loopback_port:
        yield [*server.load_options]
        return
    path = os.path.join(server.private, "login")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(fd, "w", encoding="ascii") as file:
        file.write("mysql-user=dyno\nmysql-password={}\n".format(server.password))
    try:
        yield ["--config-file=" + path]
    finally:
        os.unlink(path)


class Generator:
    """A sysbench process; its lines are read with a time limit, so that nothing else waits."""

    _kinds: object = None  # of events, for the line that comes next

    def __init__(
        self,
        line: Sequence[str],
        lua: str,
        log: str,
        cores: str = "",
        keep: Sequence[int] = (),  # open files that it needs
        environment: Optional[Mapping[str, str]] = None,
    ) -> None:
        reader, writer = os.pipe()
        cpus = cpu_set_of_text(cores)
        self._log = open(log, "wb", 0)  # noqa: SIM115 - lives as long as the process
        folder, name = os.path.split(lua)
        if os.path.exists(os.path.join(folder, START)):  # plans of an older Dyno have none
            environment, name = {**(environment or {}), STARTED: name}, START
        arguments = [find_sysbench(), *line[: len(line)], name, "--report-fd={}".format(writer), "run"]
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=(writer, *keep),
                cwd=folder,
                start_new_session=True,
                preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None,
                env={
                    **os.environ,
                    "LUA_PATH": os.path.join(folder, "?.lua") + ";;",
                    "LC_ALL": "C",
                    **(environment or {}),
                },
            )
        finally:
            os.close(writer)
        self._log_path = log
        self._reconnects = RECONNECTED in (environment or {})
        self._fd = reader
        os.set_blocking(reader, False)
        self._rest = b""
        self.is_open = True

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def pids(self) -> List[int]:
        return [self.pid]

    def fileno(self) -> int:
        return self._fd

    def read(self, timeout_s: float) -> List[Dict[str, Any]]:
        """The new lines, [] after the time limit; is_open is False after the last."""
        if not self.is_open or not select.select([self._fd], [], [], max(0.0, timeout_s))[0]:
            return []
        try:
            chunk = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return []
        if not chunk:
            self._close()
            return []
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        parsed = (line for line in map(_parse, lines) if line)
        return [line for line in parsed if not self._holds(line)]

    def _holds(self, line: Dict[str, Any]) -> bool:
        """Whether it is the line of kinds, which becomes a part of the line of the step behind it."""
        if line.get("type") == "kinds":
            self._kinds = line.get("kinds")
            return True
        if self._kinds is not None and line.get("type") in ("second", "total"):
            line["kinds"], self._kinds = read_kinds(self._kinds), None
        return False

    def _close(self) -> None:
        if self.is_open:
            self.is_open = False
            os.close(self._fd)

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
        self.wait(0)

    def wait(self, limit_s: float = END_S) -> int:
        """Wait for its exit code; kill it after the time limit."""
        try:
            code = self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._close()
        self._log.close()
        return code

    def complaints(self) -> List[str]:
        """Its error output, FATAL lines first; without lost connections where clients connect again."""
        with open(self._log_path, encoding="utf-8", errors="replace") as file:
            said = filter(None, map(str.strip, file))
            lines = [line for line in said if not (self._reconnects and _LOST.search(line))][:200]
        fatal = [_FAILED.sub("", line) for line in lines if line.startswith("FATAL")]
        return fatal or lines


def _parse(line: bytes) -> Optional[Dict[str, Any]]:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def add(a: Mapping[str, Any], b: Mapping[str, Any]) -> Dict[str, Any]:
    """The sum of two lines of counts, nested ones too."""
    return {name: _sum(a.get(name, 0), value) for name, value in b.items()} if b else dict(a)


def _sum(a: Any, b: Any) -> Any:
    if isinstance(b, dict):
        return add(a or {}, b)
    return a + b if isinstance(b, (int, float)) and isinstance(a, (int, float)) else b


def write_lua(folder: str, files: Mapping[str, str]) -> None:
    """Lay the Lua of the plan where sysbench finds it."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    names: List[str] = [name for name in files if name.startswith("workloads/") and name.endswith(".lua")]
    for name in names:
        path = os.path.join(folder, os.path.basename(name))
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with open(fd, "w", encoding="utf-8") as file:
            file.write(files[name])
