"""Making the system tables of a fresh server: by --initialize, else by the SQL files of its build.

The install scripts are not called: they need programs beside the server, with their run bits, and write into
the build (of MySQL 5.6 a my.cnf, of MariaDB as root other owners and modes).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from typing import BinaryIO, Callable, List, Mapping, Optional, Sequence, Tuple

from app.agent.system.directory import read_lines
from app.agent.system.errors import AgentError
from app.engines.server import SYSTEM_TABLES

from .error_log import MAX_CHARS, NO_ERROR, bare_log_line, exit_text, first_error
from .mycnf import ERROR_LOG, find_file
from .program import server_start_command

LIMIT_S = 300
SLICE_S = 0.05
# in the order in which the scripts send them; a build may have none of those behind the first.
# Without fill_help_tables.sql: the texts of HELP are four fifths of it all, and nobody reads them here
SYSTEM_SQL = (
    ("mysql_system_tables.sql", "mariadb_system_tables.sql"),
    ("mysql_performance_tables.sql", "mariadb_performance_tables.sql"),
    ("mysql_system_tables_data.sql", "mariadb_system_tables_data.sql"),
    ("maria_add_gis_sp_bootstrap.sql",),
    ("mysql_sys_schema.sql", "mariadb_sys_schema.sql"),
)
# collations that a my.cnf gives to character sets (MariaDB 11.2) break statements of these files
_FIRST_SQL = b"""create database mysql;
use mysql;
set @auth_root_socket=NULL/*M!110201 , character_set_collations=''*/;
"""
# what they are sent with, where a build knows it
_OPTIONS = {"log-warnings": "0", "enforce-storage-engine": "", "default-tmp-storage-engine": SYSTEM_TABLES}


def bootstrap(
    server: str,
    base: str,
    my_cnf: str,
    known: Mapping[str, str],
    environment: Mapping[str, str],
    wait: Callable[[float], None] = time.sleep,
    begun: Callable[[int], None] = lambda _pid: None,
) -> None:
    """Fill the empty data directory named in my_cnf; what `wait` raises ends it. `begun` gets its process."""
    command = [*server_start_command(server), "--defaults-file=" + my_cnf]
    try:
        with tempfile.TemporaryFile() as sql:
            if "initialize-insecure" in known:
                command.append("--initialize-insecure")
            else:
                command += _by_sql_options(known)
                write_system_sql(base, sql)
            said, code = _run(command, sql, environment, wait, begun)
    except OSError as error:
        raise AgentError("cannot create the system tables: {}".format(error)) from None
    if code:
        log = read_lines(os.path.join(os.path.dirname(my_cnf), ERROR_LOG))
        text = "cannot create the system tables: the server ended {}: {}"
        raise AgentError(text.format(exit_text(code), _why([*said, *log])))


def _why(lines: Sequence[str]) -> str:
    """The error of the server; if it names none, its last line."""
    found = first_error(lines)
    last = next((bare_log_line(line) for line in reversed(lines) if line.strip()), found)
    return last[:MAX_CHARS] if found == NO_ERROR else found


def _by_sql_options(known: Mapping[str, str]) -> List[str]:
    options = ["--bootstrap", "--default-storage-engine=" + SYSTEM_TABLES]
    options += ["--max-allowed-packet=8M", "--net-buffer-length=16K"]
    return options + ["--{}={}".format(name, value) for name, value in _OPTIONS.items() if name in known]


def write_system_sql(base: str, sql: BinaryIO) -> None:
    """Write what makes the system tables, from the files of the build; root comes in without a password.

    They are copied, not read.
    """
    sql.write(_FIRST_SQL)
    for names in SYSTEM_SQL:
        path = next(filter(None, (find_file(base, name) for name in names)), "")
        if not path and names == SYSTEM_SQL[0]:
            raise AgentError("cannot start {}: its share folder has no {}".format(base, " or ".join(names)))
        if path:
            with open(path, "rb") as file:
                shutil.copyfileobj(file, sql)
            sql.write(b"\n")
    sql.seek(0)


def _run(
    command: List[str],
    sql: BinaryIO,
    environment: Mapping[str, str],
    wait: Callable[[float], None],
    begun: Callable[[int], None],
) -> Tuple[List[str], Optional[int]]:
    """Run a program with this input; returns its output lines and exit code."""
    process = subprocess.Popen(
        command,
        stdin=sql,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **environment},
        cwd="/",
        start_new_session=True,
    )
    begun(process.pid)
    said = _follow(process, wait)
    return said.splitlines(), process.returncode


def _follow(process: subprocess.Popen[bytes], wait: Callable[[float], None]) -> str:
    """The output of a program; kills it if `wait` raises an error."""
    until = time.monotonic() + LIMIT_S
    try:
        while time.monotonic() < until:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=SLICE_S)[0].decode(errors="replace")
            wait(0)
        raise AgentError("creating the system tables took more than {} s".format(LIMIT_S))
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
