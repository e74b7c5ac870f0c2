"""The operation backup: the command of the build backs up while roles go on; then it is restored once.

Restored tables are compared with those of the server: the number of rows where no role adds or deletes any,
the checksum where it was the same before the step and after it. What roles change meanwhile no checksum can
tell, so there is a table that they do not know: a copy of the first rows.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import asdict
from typing import Any, BinaryIO, Callable, Dict, List, Mapping, Optional

from app.agent.server.backup_tools import CLONE, BackupTool, find_backup_tool
from app.agent.server.error_log import MAX_CHARS
from app.agent.server.mysql import Client
from app.agent.server.server import Server, record_process
from app.agent.system.directory import BACKUP
from app.agent.system.errors import AgentError
from app.engines import engine_of
from app.protocol.plan import Step

from .facts import tables_of
from .operation import (
    COUNT_ROWS,
    GONE_S,
    BackgroundWork,
    LongOperation,
    OperationCancelled,
    first_line,
    quoted_tables,
)
from .running import RunningSession

KEPT, KEPT_ROWS = "dyno_kept", 10_000  # the table that no role changes
CACHE_BYTES = 64 << 20  # of the server that is started on the backup, beside the one that is measured
LOOK_S = 0.1  # between two looks at a restore
READ_S = 3600.0  # for counts and checksums
_KEEP = "INSERT INTO {} SELECT * FROM {} LIMIT {}"
_HAS_TRANSACTIONS = "SELECT transactions AS t FROM information_schema.ENGINES WHERE engine = '{}'"
_HAS_CLONE = "SELECT 1 AS n FROM information_schema.PLUGINS WHERE plugin_name = 'clone'"
_OTHER = "the backup restores other rows: {} has {}, and {} in the server"
_FULL = "the disk with {} was nearly full: the restore of the backup was ended"
_NOT_RESTORED = "the backup could not be restored: {}"


class TableContent:
    """How many rows each table has, and the sum of all that is in it."""

    def __init__(self, client: Client, names: List[str], pause: Callable[[], None] = lambda: None) -> None:
        self.rows: Dict[str, int] = {}
        self.sums: Dict[str, Any] = {}
        for name, quoted in zip(names, quoted_tables(names)):
            pause()
            self.rows[name] = int(client.query(COUNT_ROWS.format(quoted))[0]["n"])
            self.sums[name] = client.query("CHECKSUM TABLE " + quoted)[0]["checksum"]


class BackupOperation(LongOperation):
    """Runs the command, or has the server clone itself."""

    def __init__(self, session: RunningSession, step: Step, answered: Callable[[], bytes]) -> None:
        super().__init__(session, step, answered)
        self._folder = session.at(BACKUP)
        self._tool: Optional[BackupTool] = None
        self._clones = Client(session.server.socket, read_s=None)
        self._id = 0  # of its connection
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._scratch: Optional[Server] = None
        self._is_transactional = self._restoring_ends = False
        self._tables: List[str] = []
        self._content: Optional[TableContent] = None
        self._result: Dict[str, Any] = {}

    # paths in its folder

    @property
    def _data(self) -> str:
        return os.path.join(self._folder, "data")

    @property
    def _to(self) -> str:
        """The data directory that it makes, or the file."""
        assert self._tool is not None
        return self._data if self._tool.is_physical else os.path.join(self._folder, "dump.sql")

    @property
    def _log(self) -> str:
        return os.path.join(self._folder, "backup.log")

    def prepare(self) -> None:
        server, contender = self._server, self._session.contender
        self._tool = find_backup_tool(contender, server.known, self._step.tool)
        os.mkdir(self._folder, 0o700)
        client = Client(server.socket, READ_S)
        try:
            _keep_rows(client)
            self._tables = tables_of(client)
            self._content = TableContent(client, self._tables, lambda: self._session.look(-1))
            said = client.query(_HAS_TRANSACTIONS.format(contender.engine))
        finally:
            client.close()
        self._is_transactional = any(row["t"] == "YES" for row in said)
        self._result = {"tool": self._tool_name, "size_before": self.size()}
        if self._tool.name == CLONE:
            if not server.client.query(_HAS_CLONE):
                server.client.run("INSTALL PLUGIN clone SONAME 'mysql_clone.so'")
            self._id = int(self._clones.query("SELECT CONNECTION_ID() AS id")[0]["id"])

    @property
    def _tool_name(self) -> str:
        """As people call it: the program that does it."""
        assert self._tool is not None
        return os.path.basename(self._tool.programs[0]) if self._tool.programs else self._tool.name

    # in its thread

    def carry_out(self) -> None:
        self._begin_now()
        self._follow(BackgroundWork(self._back_up))
        if self.seconds is not None:
            self._result["backup_bytes"] = _bytes_of(self._to)

    def _back_up(self) -> None:
        assert self._tool is not None
        if self._tool.name == CLONE:
            path = self._to.replace("\\", "\\\\").replace("'", "\\'")
            self._clones.run("CLONE LOCAL DATA DIRECTORY = '{}'".format(path))
            return
        server = self._server
        self._run_program(self._tool.backup(server.socket, server.data, self._to, self._is_transactional))

    def _run_program(self, command: List[str], reads: Optional[BinaryIO] = None) -> None:
        """To its end; AgentError with what it said last if that is not a good one."""
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=reads or subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={**os.environ, **self._server.environment, "LC_ALL": "C"},
                start_new_session=True,
            )
        with contextlib.suppress(OSError):  # its folder may be gone already
            record_process(self._folder, self._process.pid)
        code = self._process.wait()
        if code:
            raise AgentError("{}: {}".format(os.path.basename(command[0]), _last_words(self._log, code)))

    def interrupt(self) -> None:
        if self._id:
            self._client.try_run("KILL {}".format(self._id))
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        if self._scratch is not None:
            self._scratch.end_at_once()

    def result(self) -> Dict[str, Any]:
        return {**super().result(), **self._result}

    # after its clients have ended

    def check(self) -> str:
        """Restore it once, and compare its tables."""
        found: List[str] = []
        work = BackgroundWork(lambda: found.append(self._restored()))
        while not work.is_done:
            work.join(LOOK_S)
            full = _FULL.format(self._full) if self._is_full() else ""
            if full or not self._may_go_on():
                self._restoring_ends = True
                self.interrupt()
                work.join(GONE_S)
                return full
        return found[0] if work.error is None else _NOT_RESTORED.format(first_line(work.error))

    def _may_go_on(self) -> bool:
        self._session.look(self._session.open_step)
        return not self._session.control.interrupts

    def _restored(self) -> str:
        """In a thread of its own: what is wrong with the restored tables, '' if nothing is."""
        client = Client(self._server.socket, READ_S)
        try:
            now = TableContent(client, self._tables, self._go_on)
        finally:
            client.close()
        scratch = self._start_scratch()
        try:
            return self._compare(now, TableContent(scratch.client, self._tables, self._go_on))
        finally:
            scratch.end_at_once()
            scratch.client.close()
            scratch.clean()

    def _go_on(self) -> None:
        if self._restoring_ends:
            raise OperationCancelled

    def _start_scratch(self) -> Server:
        """A server on the backup, with a small cache, in the folder of the backup."""
        assert self._tool is not None
        prepare = self._tool.prepare(self._to)
        if prepare:
            self._run_program(prepare)
        contender = {**asdict(self._session.contender), "memory_limit": 0}
        scratch = Server(contender, self._folder, self._server.known, self._server.environment)
        scratch.client.read_s = READ_S
        self._scratch = scratch
        try:
            scratch.prepare(self._pause, (lambda _data: None) if self._tool.is_physical else None)
            cache = engine_of(self._session.contender.engine).cache
            scratch.options = {cache: str(CACHE_BYTES)} if cache else {}
            scratch.start(self._pause)
            if not self._tool.is_physical:
                with open(self._to, "rb") as dump:
                    self._run_program(self._tool.load(scratch.socket), dump)
        except BaseException:
            scratch.end_at_once()
            scratch.clean()
            raise
        return scratch

    def _pause(self, seconds: float) -> None:
        time.sleep(seconds)
        self._go_on()

    def _compare(self, now: TableContent, restored: TableContent) -> str:
        assert self._content is not None
        before = self._content
        unchanged = [name for name in self._tables if before.sums[name] == now.sums[name] is not None]
        counted = [name for name in self._tables if self.rows_stay or name in unchanged]
        self._result.update(tables_counted=len(counted), tables_summed=len(unchanged))
        if not counted:
            return ""
        wrong = [
            *(_other(name, "{:,} rows", restored.rows, now.rows) for name in counted),
            *(_other(name, "the checksum {}", restored.sums, now.sums) for name in unchanged),
        ]
        found = next(filter(None, wrong), "")
        self._result["restored"] = not found
        return found

    def clean(self) -> None:
        """Delete it all; the plugin goes where the step has brought it."""
        self._clones.close()
        client = self._server.client
        client.try_run("DROP TABLE IF EXISTS " + KEPT)
        if self._id:
            client.try_run("UNINSTALL PLUGIN clone")
        if os.path.isdir(self._folder):
            self._session.directory.remove(self._folder)


def _keep_rows(client: Client) -> None:
    """Copy rows into a table of its own, like the first one of the plan."""
    names = [name for name in tables_of(client) if name != KEPT]
    if not names:
        raise AgentError("there is no table to back up")
    (quoted,) = quoted_tables(names[:1])
    client.run(
        "DROP TABLE IF EXISTS " + KEPT,
        "CREATE TABLE {} LIKE {}".format(KEPT, quoted),
        _KEEP.format(KEPT, quoted, KEPT_ROWS),
    )


def _other(name: str, words: str, restored: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    if restored[name] == now[name]:
        return ""
    return _OTHER.format(name, words.format(restored[name]), words.format(now[name]))


def _bytes_of(path: str) -> int:
    """Allocated on the disk, by a file or a whole directory."""
    folders = [folder for folder, _, _ in os.walk(path)]
    inside = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
    return sum(os.lstat(each).st_blocks * 512 for each in [path, *inside])


def _last_words(log: str, code: int) -> str:
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = list(filter(None, map(str.strip, file)))
    return lines[-1][:MAX_CHARS] if lines else "it ended with exit code {} and no message".format(code)
