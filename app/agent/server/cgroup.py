"""A memory limit of a server and of the files it has cached: a cgroup of its own, or a scope of systemd.

Where groups can be made, of the first or the second version, one is made beside the agent's; else the systemd
of the user is asked for a scope. What holds in the end is read from the group that the server is in.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import List, NamedTuple, Optional, Tuple, Union

from app.agent.system.directory import read_lines, write_file
from app.agent.system.disk import read_text
from app.agent.system.errors import AgentError
from app.agent.system.scope import SCOPE, can_scope

CGROUPS = "/sys/fs/cgroup"
RECORD = "cgroup"  # in the directory of a session: the group that was made for its server
ROUNDED = 1 << 20  # the kernel counts in pages
GONE_S = 5  # until a group has let go of a process that was killed


class MemoryGroupFiles(NamedTuple):
    """What the files of a memory group are called."""

    limit: str
    swap: str
    used: str
    peak: str
    events: str


FIRST = MemoryGroupFiles(
    *("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"),
    *("memory.usage_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"),
)
SECOND = MemoryGroupFiles("memory.max", "memory.swap.max", "memory.current", "memory.peak", "memory.events")


class MemoryLimit:
    """The most memory that a server may have, with its page cache; it gets no swap in its place."""

    def __init__(self, wanted: int, session: str) -> None:
        self.wanted = wanted
        self._session = session
        self._made = ""  # a group of ours
        self._folder, self._names = "", SECOND  # of the group that the server is in

    def prepare(self) -> List[str]:
        """Have a group; the answer is what the command of the server begins with."""
        if not self.wanted:
            return []
        try:
            self._made = make_group("dyno-" + os.path.basename(self._session), self.wanted)
        except AgentError as error:
            if scope_problem():
                raise AgentError("{}; {}".format(error, scope_problem())) from None
            return [*SCOPE, "-p", "MemoryMax={}".format(self.wanted), "-p", "MemorySwapMax=0", "--"]
        self._folder, self._names = self._made, memory_cgroup_of("self")[1]
        write_file(os.path.join(self._session, RECORD), self._made)
        return []

    def enter(self) -> None:
        """Called in the new process, before it becomes the server; `verify` checks the result."""
        procs = os.path.join(self._made, "cgroup.procs")
        with contextlib.suppress(OSError), open(procs, "r+", encoding="ascii") as file:
            file.write("0")

    @property
    def has_group(self) -> bool:
        """Whether there is a group to enter."""
        return self._made != ""

    def verify(self, pid: int) -> None:
        """Check the limit in force; the kernel may have rounded it to pages."""
        self._folder, self._names = memory_cgroup_of(str(pid))
        found = self.in_force
        if self.wanted and (found is None or abs(found - self.wanted) > ROUNDED):
            text = "the memory limit is not in force: {} is {}, not {}"
            raise AgentError(text.format(self._file(self._names.limit), found or "none", self.wanted))

    @property
    def in_force(self) -> Optional[int]:
        """The limit in force; None if there is none or it is unknown."""
        said = _number(self._file(self._names.limit))
        return said if said is not None and said < 1 << 60 else None

    @property
    def used(self) -> Optional[int]:
        """Memory of server and page cache now; a group that is not ours may hold more."""
        return _number(self._file(self._names.used)) if self.wanted else None

    @property
    def peak(self) -> Optional[int]:
        """The most of it at once; None where the kernel does not keep it."""
        return _number(self._file(self._names.peak)) if self.wanted else None

    @property
    def has_killed(self) -> bool:
        said = read_text(self._file(self._names.events)) or "" if self.wanted else ""
        return re.search(r"^oom_kill [1-9]", said, re.MULTILINE) is not None

    def remove(self) -> None:
        self._made = ""
        remove_group(self._session)

    def _file(self, name: str) -> str:
        return os.path.join(self._folder, name)


class CgroupPlace(NamedTuple):
    """The place of a process in the tree of groups, for one controller."""

    root: str
    path: str  # below it, with a slash at its begin
    is_first: bool  # of the first version, which has a tree for each controller


def cgroup_place_of(pid: Union[int, str], controller: str) -> CgroupPlace:
    """Where a controller counts and limits a process; `self` is a pid too."""
    unified = ""
    for line in read_lines("/proc/{}/cgroup".format(pid)):
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return CgroupPlace(os.path.join(CGROUPS, controller), path, is_first=True)
        unified = unified if controllers else path
    return CgroupPlace(CGROUPS, unified, is_first=False)


def memory_cgroup_of(pid: str) -> Tuple[str, MemoryGroupFiles]:
    """The group in which the memory of a process is counted."""
    place = cgroup_place_of(pid, "memory")
    return _there(place.root, place.path), FIRST if place.is_first else SECOND


def _there(root: str, path: str) -> str:
    """The folder of a group; a container may see its own group as the root."""
    found = os.path.normpath(root + path)
    return found if os.path.isdir(found) else root


def make_group(name: str, limit: int) -> str:
    """A group with a limit; raises AgentError with why there can be none."""
    own, names = memory_cgroup_of("self")
    # of the second version a group with processes in it can have no groups with limits below it
    parent = own if names is FIRST or own == CGROUPS else os.path.dirname(own)
    folder = os.path.join(parent, name)
    try:
        os.mkdir(folder)
    except OSError as error:
        raise AgentError("cannot create a cgroup in {}: {}".format(parent, error.strerror)) from None
    try:
        _limit(folder, names, limit)
    except OSError as error:
        os.rmdir(folder)
        missing = isinstance(error, FileNotFoundError)
        why = "the memory controller is not delegated to it" if missing else error.strerror
        raise AgentError("a cgroup in {} cannot limit memory: {}".format(parent, why)) from None
    return folder


def _limit(folder: str, names: MemoryGroupFiles, limit: int) -> None:
    with open(os.path.join(folder, names.limit), "r+", encoding="ascii") as file:
        file.write(str(limit))
    with contextlib.suppress(OSError), open(os.path.join(folder, names.swap), "r+", encoding="ascii") as file:
        file.write(str(limit) if names is FIRST else "0")  # the first version counts both together


def remove_group(session: str) -> None:
    """The group that was made for a session, by this agent or one that was killed; never another one."""
    record = os.path.join(session, RECORD)
    folder = (read_text(record) or "").strip()
    if os.path.basename(folder) != "dyno-" + os.path.basename(session):
        return
    until = time.monotonic() + GONE_S
    while os.path.isdir(folder):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
            break
        if time.monotonic() > until:
            return  # the next plan tries again
        time.sleep(0.05)
    os.unlink(record)


def cgroup_limit_problem() -> str:
    """Why this machine cannot set a memory limit; '' where it can."""
    try:
        # in containers several processes may have this number
        os.rmdir(make_group("dyno-{}-{}".format(os.getpid(), os.urandom(8).hex()), ROUNDED << 4))
    except AgentError as error:
        problem = scope_problem()
        return "{}; {}".format(error, problem) if problem else ""
    return ""


def scope_problem() -> str:
    """Why systemd gives this user no scope with a memory limit; '' if it does."""
    if not can_scope():
        return "and systemd cannot create a scope for this user (systemd-run --user --scope)"
    handed = os.path.join(CGROUPS, "user.slice/user-{0}.slice/user@{0}.service/cgroup.controllers")
    if "memory" not in (read_text(handed.format(os.geteuid())) or "").split():
        return "and systemd does not delegate the memory controller to this user"
    return ""


def _number(path: str) -> Optional[int]:
    said = read_text(path) or ""
    return int(said) if said.isdigit() else None
