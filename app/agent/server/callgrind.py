"""A server under valgrind's callgrind, which counts the instructions that each of its threads carries out."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
from typing import Dict, List, Mapping

from app.agent.system.errors import AgentError

from .program import CannotStartError, ask

CALLERS = 60  # frames of a stack, at most; the deepest of a read has 46
READERS = ("vio_read", "vio_read(*")  # what reads from a connection, as C and as C++: not counted
SOON = "--max-invoke-ms=1"  # a server that waits is woken for a command; vgdb gives it 100 ms else
COMMAND_S = 120.0  # that a server under valgrind may take to answer, on a busy machine
_THREAD = re.compile(r"Thread (\d+): status = .*\(lwpid (\d+)\)")
_TOTALS = re.compile(rb"^totals: (\d+)", re.MULTILINE)


def find_valgrind() -> str:
    return shutil.which("valgrind") or ""


def valgrind_version() -> str:
    """`3.19.0`; '' if it, or the program that talks to it, is not installed."""
    if not find_valgrind() or not shutil.which("vgdb"):
        return ""
    try:
        return ask(find_valgrind(), ["--version"], {}).out.strip()[len("valgrind-") :][:40]
    except CannotStartError:
        return ""


class InstructionCounter:
    """Starts a server under callgrind, with its pipes and counts in a private directory."""

    def __init__(self, private: str, options: Mapping[str, str], has_stacks: bool = False) -> None:
        self.options = dict(options)  # of the server, that counting needs
        self.stacks = os.path.join(private, "stacks") if has_stacks else ""  # the dump of a client; '': none
        self._pipes = os.path.join(private, "vgdb")
        self._counts = os.path.join(private, "counts")

    def command(self, command: List[str]) -> List[str]:
        """The command of the server, under callgrind; it counts nothing yet."""
        return [
            find_valgrind() or "valgrind",
            "-q",
            "--tool=callgrind",
            "--instr-atstart=no",
            "--separate-threads=yes",
            *("--toggle-collect=" + each for each in READERS),
            "--collect-atstart=yes",  # those before it would begin without
            "--trace-children=yes",  # a script that starts the server
            "--vgdb=yes",
            "--vgdb-prefix=" + self._pipes,
            "--callgrind-out-file=" + self._counts,
            *(["--separate-callers={}".format(CALLERS), "--dump-line=no"] if self.stacks else []),
            *command,
            *("--{}={}".format(name.replace("_", "-"), value) for name, value in self.options.items()),
        ]

    def begin(self, pid: int) -> None:
        """Count from here on."""
        self._tell(pid, "zero", "instrumentation on")

    def end(self, pid: int, client: int = -1) -> Dict[int, int]:
        """Stop counting: the instructions of each thread since `begin`, by the id the system has for it.

        The dump of the client's thread stays as the file `stacks`.
        """
        said = self._tell(pid, "instrumentation off", "v.info scheduler", "dump")  # each call takes 0.15 s
        threads = dict(_THREAD.findall(said))
        found: Dict[int, int] = {}
        for path in glob.glob(glob.escape(self._counts) + ".*-*"):
            number = path.rpartition("-")[2].lstrip("0")
            thread = int(threads.get(number, -1))
            if thread >= 0:
                found[thread] = _total_of(path)
            if self.stacks and thread == client >= 0:
                os.replace(path, self.stacks)
            else:
                os.unlink(path)
        return found

    def _tell(self, pid: int, *words: str) -> str:
        """Give callgrind commands, and return what it says."""
        commands = [part for each in words for part in ("-c", each)]
        vgdb = ["vgdb", "--vgdb-prefix=" + self._pipes, "--pid={}".format(pid), SOON, *commands]
        try:
            done = subprocess.run(
                vgdb,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=COMMAND_S,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise AgentError("callgrind does not answer: {}".format(error)) from None
        return done.stdout.decode(errors="replace")


def _total_of(path: str) -> int:
    with open(path, "rb") as file:
        found = _TOTALS.search(file.read())
    return int(found.group(1)) if found else 0
