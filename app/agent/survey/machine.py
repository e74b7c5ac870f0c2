"""Surveys a target: the machine, its disk, installed programs, and what would spoil a measurement."""

from __future__ import annotations

import glob
import hashlib
import os
import platform
import pwd
import re
import resource
import shutil
import sys
import time
from dataclasses import replace
from typing import Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from app.agent.server.callgrind import valgrind_version
from app.agent.server.cgroup import cgroup_limit_problem
from app.agent.server.memory import installed_allocators
from app.agent.server.options import SurveyedOptions, keep_options
from app.agent.server.program import find_sysbench
from app.agent.system.commands import output_of
from app.agent.system.directory import MarkedDirectory
from app.agent.system.disk import read_text, survey_disk
from app.agent.system.loop_disk import loop_disk_problem
from app.agent.system.other_agents import other_agents
from app.agent.system.scope import kills_user_processes
from app.protocol.answers import Build, Cpu, Disk, Machine, Survey
from app.protocol.cpus import cpu_set_of_text
from app.protocol.machine_checks import warnings_of

from .build_notes import BuildNotes
from .builds import find_builds


def survey(directory: MarkedDirectory, search_paths: Sequence[str]) -> Survey:
    """The survey without snapshots."""
    brought, notes = directory.at("builds"), BuildNotes(directory).all()
    options: Dict[str, SurveyedOptions] = {}
    builds = find_builds(search_paths, brought, directory.at("builds", "fingerprints.json"), options)
    keep_options(brought, options)
    machine = machine_facts(directory.path)
    return Survey(
        **vars(machine),
        builds=[_noted(build, notes, brought) for build in builds],
        warnings=warnings_of(machine),
        allocators=installed_allocators(),
        numactl=shutil.which("numactl"),
        memory_limit_problem=cgroup_limit_problem(),
        valgrind=valgrind_version(),
        power_cut_problem=loop_disk_problem(),
    )


def _noted(build: Build, notes: Mapping[str, Dict[str, str]], brought: str) -> Build:
    installed = build.base.startswith(brought + os.sep)
    return replace(build, notes=notes.get(build.base, {}), installed=installed)


def machine_facts(directory: str) -> Machine:
    """The survey without builds and warnings: what is kept with a session."""
    memory = parse_meminfo(read_text("/proc/meminfo") or "")
    sysbench = find_sysbench()
    return Machine(
        hostname=platform.node(),
        machine_id=machine_id(),
        cpu=parse_cpuinfo(read_text("/proc/cpuinfo") or ""),
        topology=topology(),
        governor=governor(),
        turbo=turbo(),
        memory_bytes=memory.get("MemTotal"),
        memory_available_bytes=memory.get("MemAvailable"),
        swap_bytes=memory.get("SwapTotal"),
        kernel=os.uname().release,
        distribution=parse_os_release(read_text("/etc/os-release") or ""),
        huge_pages=bracketed_word(read_text("/sys/kernel/mm/transparent_hugepage/enabled")),
        swappiness=number(read_text("/proc/sys/vm/swappiness")),
        load=[round(each, 2) for each in os.getloadavg()],
        disk=_disk(directory),
        agents=other_agents(),
        kill_user_processes=kills_user_processes(),
        user=user(),
        open_files=open_files_limit(),
        is_root=os.geteuid() == 0,
        clock_utc=time.time(),
        python=platform.python_version(),
        python_path=sys.executable,
        sysbench=sysbench_version(sysbench),
        sysbench_path=sysbench or None,
    )


def _disk(directory: str) -> Disk | None:
    try:
        return survey_disk(directory)
    except OSError:
        return None


def number(text: str | None) -> int | None:
    return int(text) if text and re.match(r"-?\d+$", text) else None


def bracketed_word(text: str | None) -> str | None:
    """The word in brackets of a file of /sys that lists all words."""
    found = re.search(r"\[([^]]+)\]", text or "")
    return found.group(1) if found else None


def parse_meminfo(text: str) -> Dict[str, int]:
    """Bytes by name, of /proc/meminfo."""
    return {name: int(kb) * 1024 for name, kb in re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE)}


def parse_cpuinfo(text: str) -> Cpu:
    """Model, sockets, cores and threads, of /proc/cpuinfo."""
    processors = [
        dict(re.findall(r"^([^\t:]+)\t*: ?(.*)$", part, re.MULTILINE)) for part in text.split("\n\n")
    ]
    processors = [each for each in processors if "processor" in each]
    sockets = {each.get("physical id", "0") for each in processors}
    cores = {(each.get("physical id", "0"), each.get("core id", each["processor"])) for each in processors}
    return Cpu(
        model=_cpu_model(processors[0] if processors else {}),
        sockets=len(sockets) or None,
        cores=len(cores) or None,
        threads=len(processors) or os.cpu_count(),
    )


def _cpu_model(processor: Mapping[str, str]) -> str | None:
    """The name of the CPU; on Arm often only the board has one."""
    named = processor.get("model name")
    board = (read_text("/sys/firmware/devicetree/base/model") or "").rstrip("\0")
    part = processor.get("CPU part")
    return named or board or ("Arm part {}".format(part) if part else None)


def governor() -> str | None:
    """How the clock speed is chosen; several names where the cores differ."""
    files = glob.glob("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
    return " + ".join(sorted({read_text(path) or "?" for path in files})) or None


def turbo() -> bool | None:
    """Whether the CPU may go above its nominal speed, where the driver tells."""
    off = read_text("/sys/devices/system/cpu/intel_pstate/no_turbo")
    if off in ("0", "1"):
        return off == "0"
    boost = read_text("/sys/devices/system/cpu/cpufreq/boost")
    return boost == "1" if boost in ("0", "1") else None


def parse_os_release(text: str) -> str | None:
    found = re.search(r"^PRETTY_NAME=(.*)$", text, re.MULTILINE)
    return found.group(1).strip("\"'") if found else None


def machine_id() -> str | None:
    """An id of the installation that does not reveal the system's own id."""
    own = read_text("/etc/machine-id") or read_text("/var/lib/dbus/machine-id")
    return hashlib.sha256("dyno {}".format(own).encode()).hexdigest()[:32] if own else None


def open_files_limit() -> int | None:
    """The most that a process of this user may have open; None: as many as it likes."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return None if hard == resource.RLIM_INFINITY else hard


def user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def sysbench_version(path: str) -> str | None:
    """The version of sysbench: "1.0.20"; None if it is missing or does not say."""
    found = re.match(r"sysbench (\d[\w.]*)", output_of([path, "--version"]) if path else "")
    return found.group(1) if found else None


# the CPU topology of a machine: nodes, their cores, their CPUs


SYSTEM = "/sys/devices/system/cpu"


class LogicalCpu(NamedTuple):
    """The place of a CPU (a hardware thread); node -1 is unknown."""

    number: int
    core: int  # the first CPU of the core
    socket: int
    node: int


def topology(root: str = SYSTEM, usable: Optional[Iterable[int]] = None) -> List[List[List[int]]]:
    """The CPUs that our processes may use."""
    numbers = os.sched_getaffinity(0) if usable is None else usable
    return cores_by_node([_cpu(root, number) for number in sorted(numbers)])


def cores_by_node(cpus: Iterable[LogicalCpu]) -> List[List[List[int]]]:
    """Nodes, with their cores by first CPU; sockets of one node stay separate."""
    cores: Dict[Tuple[int, int, int], List[int]] = {}
    for cpu in sorted(cpus):
        cores.setdefault((_last_if_unknown(cpu.node), cpu.socket, cpu.core), []).append(cpu.number)
    nodes: Dict[Tuple[int, int], List[List[int]]] = {}
    for (node, socket, _), siblings in sorted(cores.items(), key=lambda item: (item[0][:2], item[1])):
        nodes.setdefault((node, socket), []).append(siblings)
    return list(nodes.values())


def _last_if_unknown(node: int) -> int:
    return node if node >= 0 else 1 << 30


def _cpu(root: str, number: int) -> LogicalCpu:
    """A CPU as /sys describes it; without a description it counts as a separate core."""
    folder = os.path.join(root, "cpu{}".format(number))
    nodes = [re.search(r"\d+$", path) for path in glob.glob(os.path.join(folder, "node[0-9]*"))]
    return LogicalCpu(
        number,
        min(
            cpu_set_of_text(
                read_text(os.path.join(folder, "topology", "thread_siblings_list")) or str(number)
            )
        ),
        _number(os.path.join(folder, "topology", "physical_package_id"), 0),
        int(nodes[0].group()) if nodes and nodes[0] else -1,
    )


def _number(path: str, otherwise: int) -> int:
    text = read_text(path)
    return int(text) if text and text.isdigit() else otherwise
