"""The commands of a build that back up its tables: which there are, and how they are called."""

from __future__ import annotations

import glob
import os
import subprocess
from typing import Iterator, List, Mapping, NamedTuple

from app.agent.system.errors import AgentError
from app.engines import engine_of
from app.protocol.plan import BACKUP_TOOLS, Contender

from .mycnf import plugin_dir
from .program import server_start_command

PHYSICAL, CLONE, DUMP = BACKUP_TOOLS
_CLONE_LIBRARY = "mysql_clone.so"
_PROGRAMS = {
    PHYSICAL: (("mariadb-backup", "mariabackup"),),
    DUMP: (("mariadb-dump", "mysqldump"), ("mariadb", "mysql")),  # that writes it, that reads it
}
START_S = 60  # that one of them may take to say its version
_LACKS = "no {}: {} has neither {}"


class BackupTool(NamedTuple):
    """What backs up, with its programs."""

    name: str  # one of BACKUP_TOOLS
    programs: List[str]  # what writes, and for a dump what reads it; none: the server itself does it

    @property
    def is_physical(self) -> bool:
        """Whether it makes a data directory."""
        return self.name != DUMP

    def problem(self, environment: Mapping[str, str]) -> str:
        """Why one of its programs cannot start; '' if they all do."""
        return next(filter(None, (_no_start(each, environment) for each in self.programs)), "")

    def backup(self, socket: str, data: str, to: str, is_transactional: bool) -> List[str]:
        """The command that backs up into the data directory, or the file, `to`."""
        login = ["--socket=" + socket, "--user=root"]
        command = [*server_start_command(self.programs[0]), "--no-defaults"]
        if self.name == PHYSICAL:
            return [*command, "--backup", "--datadir=" + data, "--target-dir=" + to, *login]
        consistent = "--single-transaction" if is_transactional else "--lock-tables"
        return [*command, *login, consistent, "--result-file=" + to, "dyno"]

    def prepare(self, to: str) -> List[str]:
        """The command that makes a data directory of it; [] where it is one."""
        if self.name != PHYSICAL:
            return []
        return [*server_start_command(self.programs[0]), "--no-defaults", "--prepare", "--target-dir=" + to]

    def load(self, socket: str) -> List[str]:
        """The command that reads a dump."""
        reads = server_start_command(self.programs[1])
        return [*reads, "--no-defaults", "--socket=" + socket, "--user=root", "dyno"]


def find_backup_tool(contender: Contender, known: Mapping[str, str], asked: str) -> BackupTool:
    """The tool that is asked for, else the first that the build has; AgentError if it has none."""
    lacks = []
    for name in (asked,) if asked else BACKUP_TOOLS:
        problem = _no_clone(contender, known) if name == CLONE else _no_programs(contender, name)
        if not problem:
            return BackupTool(name, [] if name == CLONE else list(_programs(contender, name)))
        lacks.append(problem)
    raise AgentError("; ".join(lacks))


def _no_clone(contender: Contender, known: Mapping[str, str]) -> str:
    folder = plugin_dir(contender.base, known)
    if not engine_of(contender.engine).is_cloned:
        return "the clone plugin does not copy tables of {}".format(contender.engine)
    if not os.path.exists(os.path.join(folder, _CLONE_LIBRARY)):
        return "no clone plugin: {} has no {}".format(folder or contender.base, _CLONE_LIBRARY)
    return ""


def _no_programs(contender: Contender, name: str) -> str:
    found = list(_programs(contender, name))
    lacking = _PROGRAMS[name][len(found) :]
    return _LACKS.format(name, contender.base, " nor ".join(lacking[0])) if lacking else ""


def _no_start(program: str, environment: Mapping[str, str]) -> str:
    command = [*server_start_command(program), "--no-defaults", "--version"]
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    try:
        done = subprocess.run(
            command,
            stdin=null,
            stdout=null,
            stderr=pipe,
            env={**os.environ, **environment, "LC_ALL": "C"},
            cwd="/",
            timeout=START_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else " ".join(said[-1:]) or "{} does not start".format(program)


def _programs(contender: Contender, name: str) -> Iterator[str]:
    """The programs of a tool beside the server, up to the first that is not there."""
    folders = (
        os.path.dirname(contender.server),
        *glob.glob(os.path.join(glob.escape(contender.base), "bin")),
    )
    for names in _PROGRAMS[name]:
        paths = (os.path.join(folder, each) for folder in folders for each in names)
        found = next(filter(os.path.isfile, paths), "")
        if not found:
            return
        yield found
