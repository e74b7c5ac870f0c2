"""Making the system tables of a fresh server, the way its build knows: script, --initialize, or SQL files."""

from __future__ import annotations

import os
import subprocess
from typing import List, Mapping

from .mycnf import find_file
from .refusal import Refusal

LIMIT_S = 300
SCRIPTS = ("mariadb-install-db", "mysql_install_db")
SYSTEM_SQL = ("mysql_system_tables.sql", "mysql_system_tables_data.sql", "fill_help_tables.sql")


def bootstrap(
    server: str, base: str, family: str, my_cnf: str, known: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    """Fill the empty data directory named in my_cnf."""
    if "initialize-insecure" in known:
        command, sql = [server, "--defaults-file=" + my_cnf, "--initialize-insecure"], ""
    elif family == "MariaDB" and find_script(base):
        command, sql = _script(base, my_cnf), ""
    else:
        command, sql = [server, "--defaults-file=" + my_cnf, *_by_sql_options(known)], system_sql(base)
    _run(command, sql, environment)


def find_script(base: str) -> str:
    for folder in ("bin", "scripts"):
        for name in SCRIPTS:
            path = os.path.join(base, folder, name)
            if os.path.isfile(path):
                return path
    return ""


def _script(base: str, my_cnf: str) -> List[str]:
    """MariaDB's own; called through sh, as tarballs have lost its run bit."""
    normal = ["--auth-root-authentication-method=normal", "--skip-test-db"]
    command = ["sh", find_script(base), "--defaults-file=" + my_cnf, "--basedir=" + base, *normal]
    return command + (["--user=root"] if os.geteuid() == 0 else [])


def _by_sql_options(known: Mapping[str, str]) -> List[str]:
    options = ["--bootstrap", "--default-storage-engine=MyISAM", "--loose-default-tmp-storage-engine=MyISAM"]
    options += ["--max-allowed-packet=8M", "--net-buffer-length=16K"]
    if "log-warnings" in known:
        options.append("--log-warnings=0")
    return options


def system_sql(base: str) -> str:
    """The SQL that makes the system tables, from the files of the build."""
    parts = ["create database mysql;", "use mysql;"]
    for name in SYSTEM_SQL:
        path = find_file(base, name)
        if not path and name == SYSTEM_SQL[0]:
            raise Refusal("{} has neither an install script nor {}: it cannot be started".format(base, name))
        if path:
            with open(path, encoding="utf-8", errors="replace") as file:
                parts.append(file.read())
    return "\n".join(parts) + "\n"


def _run(command: List[str], sql: str, environment: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(
            command,
            input=sql.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            timeout=LIMIT_S,
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refusal("the system tables were not made: {}".format(error)) from None
    if done.returncode:
        said = [line for line in done.stdout.decode(errors="replace").splitlines() if "[ERROR]" in line]
        raise Refusal(" ".join(["the system tables were not made", *said[:1]]))
