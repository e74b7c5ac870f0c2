"""Allocator, NUMA policy and memory limit of a server: set at its start, and verified after it."""

from __future__ import annotations

import os
import re
import shutil
from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Tuple

from app.agent.system.directory import read_lines
from app.agent.system.errors import AgentError

from .cgroup import MemoryLimit
from .program import CannotStartError, ask, root_user_option

LIBRARIES = {"jemalloc": r"libjemalloc\.so\.\d+", "tcmalloc": r"libtcmalloc(?:_minimal)?\.so\.\d+"}
KNOWN = re.compile(r"/lib(jemalloc|tcmalloc|mimalloc|hoard)[^/]*\.so[^/]*$")
PLACES = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
# what numactl calls a policy, and what the kernel does
POLICIES: Dict[str, Tuple[str, ...]] = {
    "interleave": ("interleave",),
    "membind": ("bind",),
    "preferred": ("prefer",),
    "localalloc": ("local", "default"),
}


class ServerMemory:
    """What a contender asks for its server, and what its server has."""

    def __init__(self, contender: Mapping[str, Any], session: str) -> None:
        self._server = str(contender["server"])
        self._allocator = str(contender.get("allocator", ""))
        self._numa = str(contender.get("numa", ""))
        self.limit = MemoryLimit(int(contender.get("memory_limit", 0)), session)
        self._library = ""
        self._before: List[str] = []  # what the command begins with
        self._pid = 0

    def prepare(self, environment: Mapping[str, str]) -> None:
        """Check that this machine can do it; raises AgentError with what is missing."""
        self._library = library_of(self._allocator)
        if self._library:
            check_memory_library(self._library, self._server, environment)
        if self._numa:
            check_policy(self._numa)
        self._before = self.limit.prepare()

    def wrap_command(self, command: List[str]) -> List[str]:
        """The command with its memory settings; only the server itself loads the allocator."""
        preload = ["env", "LD_PRELOAD=" + self._library] if self._library else []
        policy = ["numactl", "--" + self._numa] if self._numa else []
        return [*self._before, *policy, *preload, *command]

    @property
    def preexec_fn(self) -> Optional[Callable[[], None]]:
        """What the new process does before it becomes the server."""
        return self.limit.enter if self.limit.has_group else None

    def verify(self, pid: int) -> None:
        """Check the settings of the server that has just started; raises AgentError if they differ."""
        self._pid = pid
        if self._library and os.path.realpath(self._library) not in mapped(pid):
            text = "the allocator is not in force: {} is not in /proc/{}/maps"
            raise AgentError(text.format(self._library, pid))
        wanted = POLICIES.get(self._numa.partition("=")[0], ())
        found = numa_policies(pid)
        if wanted and not any(each.startswith(wanted) for each in found):
            text = "NUMA policy {} is not in force: /proc/{}/numa_maps says {}"
            raise AgentError(text.format(self._numa, pid, ", ".join(sorted(found)) or "nothing"))
        self.limit.verify(pid)

    def in_force(self) -> Dict[str, Any]:
        """The memory settings in force; `system`: the allocator that the server is linked with."""
        known = sorted(each for each in mapped(self._pid) if KNOWN.search(each))
        return {
            "allocator": os.path.realpath(self._library) if self._library else ", ".join(known) or "system",
            "numa": ", ".join(sorted(numa_policies(self._pid))) or None,
            "limit_bytes": self.limit.in_force if self.limit.wanted else None,
            "used_bytes": self.limit.used,
            "peak_bytes": self.limit.peak,
        }


# what there is


def installed_allocators() -> Dict[str, str]:
    """The allocators of LIBRARIES that this machine has, with their files."""
    found = {name: find_library(name) for name in LIBRARIES}
    return {name: path for name, path in found.items() if path}


def find_library(name: str) -> str:
    """The file of a library, as the loader finds it; '' if it is not installed."""
    try:
        answer = ask(shutil.which("ldconfig", path=PLACES) or "ldconfig", ["-p"], {})
    except CannotStartError:
        return ""
    found = re.search(r"^\s*{}\s.* => (/\S+)$".format(LIBRARIES[name]), answer.out, re.MULTILINE)
    return found.group(1) if found else ""


# an allocator


def library_of(allocator: str) -> str:
    """The file of an allocator that is named or is a path; '' for the system's own."""
    if allocator in LIBRARIES:
        found = find_library(allocator)
        if not found:
            raise AgentError("the allocator {} is not installed".format(allocator))
        return found
    if allocator and not os.path.isfile(allocator):
        raise AgentError("the allocator {} does not exist".format(allocator))
    return allocator


def check_memory_library(library: str, server: str, environment: Mapping[str, str]) -> None:
    """The loader is asked whether this server would get its memory from this library."""
    traced = {**environment, "LD_PRELOAD": library, "LD_DEBUG": "bindings", "LD_BIND_NOW": "1"}
    try:
        said = ask(server, ["--no-defaults", *root_user_option(), "--version"], traced).err
    except CannotStartError as error:
        raise AgentError("with the allocator {}: {}".format(library, error)) from None
    refused = re.search(r"from LD_PRELOAD cannot be preloaded \(([^)]*)\)", said)
    if refused:
        raise AgentError("{} is not a shared library for {}: {}".format(library, server, refused.group(1)))
    giving = set(re.findall(r"binding file .* \[0\] to (.*) \[0\]: normal symbol `malloc'", said))
    others = giving - {library}
    if server in others:
        raise AgentError("{} has a built-in allocator and would not use {}".format(server, library))
    if others:
        text = "{} is not an allocator for {}, which has malloc from {}"
        raise AgentError(text.format(library, server, ", ".join(sorted(others))))


def mapped(pid: int) -> Set[str]:
    """The files that a process has in memory."""
    lines = (line.split(None, 5) for line in read_lines("/proc/{}/maps".format(pid)))
    return {words[5] for words in lines if len(words) == 6}


# a NUMA policy


def check_policy(numa: str) -> None:
    """numactl itself is asked whether it can."""
    if not shutil.which("numactl"):
        raise AgentError("numactl is not installed")
    answer = ask("numactl", ["--" + numa, "true"], {})
    if answer.code:
        said = answer.err.strip().splitlines() or ["no reason given"]
        raise AgentError("numactl --{} does not work here: {}".format(numa, said[0]))


def numa_policies(pid: int) -> Set[str]:
    """The NUMA policies of a process's memory, as the kernel names them; empty without NUMA."""
    lines = read_lines("/proc/{}/numa_maps".format(pid))
    found = (re.match(r"\S+ (prefer \(many\)\S*|\S+)", line) for line in lines)
    return {each.group(1) for each in found if each}
