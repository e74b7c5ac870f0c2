"""Asking a server program something (`--version`, `--verbose --help`), and telling why it cannot start."""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import termios
import time
from types import MappingProxyType
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

LIMIT_S = 10.0  # for one question; a server answers in some 20 ms
PATIENT_S = 60.0  # the second time: a machine under load may be so slow
FULL = 32768  # bytes; a pipe holds 65,536, and every server's help is longer than that

_MACHINES = {2: "sparc", 3: "i386", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm"}
_MACHINES.update({62: "x86_64", 183: "aarch64", 243: "riscv64", 258: "loongarch64"})


def find_sysbench() -> str:
    return shutil.which("sysbench") or ""


class CannotStartError(Exception):
    """A server program that gives no answer; its text says why, in one line."""


class ProgramTimeoutError(CannotStartError):
    """It was started, and did not answer in time."""


class ProgramOutput(NamedTuple):
    """What a program said."""

    code: int
    out: str
    err: str


def ask(
    server: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    limit_s: float = LIMIT_S,
    meanwhile: Optional[Callable[[int], None]] = None,
) -> ProgramOutput:
    """Run a server program to its end; `meanwhile` gets its process id while a long answer waits."""
    try:
        process = subprocess.Popen(
            [*server_start_command(server), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment, "LC_ALL": "C"},
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise CannotStartError(why_not_started(server, error)) from None
    try:
        if meanwhile and _is_waiting(process, limit_s):
            meanwhile(process.pid)
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise ProgramTimeoutError("it did not answer within {:.0f} s".format(limit_s)) from None
    return ProgramOutput(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


def ask_with_retry(server: str, arguments: Sequence[str], environment: Mapping[str, str]) -> ProgramOutput:
    """Ask; if no answer comes, ask once more with more time."""
    try:
        return ask(server, arguments, environment)
    except ProgramTimeoutError:
        return ask(server, arguments, environment, PATIENT_S)


def _is_waiting(process: subprocess.Popen[bytes], limit_s: float) -> bool:
    """Whether the pipe is full: the program then waits until we read, and can be inspected."""
    assert process.stdout is not None
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        waiting = fcntl.ioctl(process.stdout, termios.FIONREAD, b"\0\0\0\0")
        if struct.unpack("i", waiting)[0] >= FULL:
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    return False


def server_start_command(server: str) -> List[str]:
    """The words that start it; where its run bit was lost, what the kernel would call goes before it."""
    if os.access(server, os.X_OK):
        return [server]
    return [*interpreter(server, read_file_head(server)).split(), server]


def root_user_option() -> List[str]:
    """The option that every server needs to start as root."""
    return ["--user=root"] if os.geteuid() == 0 else []


def why_not_started(server: str, error: OSError) -> str:
    """Why the kernel did not start a program."""
    if error.errno == errno.EACCES:
        if not os.access(server, os.X_OK):
            return "{} is not executable: chmod +x it".format(server)
        return "{} cannot run here (its file system, or what it needs, forbids it)".format(server)
    header = read_file_head(server)
    if error.errno == errno.ENOEXEC:
        built = elf_machine(header)
        if built and built != platform.machine():
            return "it is built for {}, this machine is {} (Exec format error)".format(
                built, platform.machine()
            )
        return "it is neither a program for this machine nor a script with #! (Exec format error)"
    if error.errno == errno.ENOENT and os.path.exists(server):
        needed = interpreter(server, header).partition(" ")[0]
        return "it needs {}, which is not here".format(needed or "an interpreter")
    return error.strerror or str(error)


def why_ended(answer: ProgramOutput, server: str) -> str:
    """Why a program gave no answer, from what it printed instead."""
    missing = missing_shared_libraries(server)
    found = re.search(r"loading shared libraries: ([^:\s]+): cannot open", answer.err)
    if found and found.group(1) not in missing:
        missing.append(found.group(1))
    if missing:
        return "missing library {}: install its package, or put it next to the server".format(
            ", ".join(missing)
        )
    newer = sorted(set(re.findall(r"version `([^']+)' not found", answer.err)))
    if newer:
        return "it needs newer system libraries than this machine has ({})".format(", ".join(newer))
    said = (answer.err.strip() or answer.out.strip() or "without a word").splitlines()[-1]
    if answer.code < 0:
        return "signal {} ended it: {}".format(-answer.code, said[:300])
    return "it ended with exit code {}: {}".format(answer.code, said[:300])


def missing_shared_libraries(path: str, environment: Mapping[str, str] = MappingProxyType({})) -> List[str]:
    """What the loader does not find for a program or a library; nothing for a script or a static one."""
    try:
        answer = ask("/usr/bin/ldd", [path], environment)
    except CannotStartError:
        return []
    return re.findall(r"^\s*(\S+) => not found$", answer.out, re.MULTILINE)


def read_file_head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(4096)
    except OSError:
        return b""


def is_script(path: str) -> bool:
    return not read_file_head(path).startswith(b"\x7fELF")


def elf_machine(header: bytes) -> str:
    """The architecture a program is built for; '' if it is no ELF file."""
    if len(header) < 20 or not header.startswith(b"\x7fELF"):
        return ""
    number = struct.unpack_from(_order(header) + "H", header, 18)[0]
    return _MACHINES.get(number, "machine {}".format(number))


def interpreter(path: str, header: bytes) -> str:
    """What a file needs to run: a script its interpreter with arguments, a program its loader."""
    if header.startswith(b"#!"):
        return header[2:].split(b"\n")[0].strip().decode(errors="replace")
    if not header.startswith(b"\x7fELF"):
        return ""
    wide, order = header[4] == 2, _order(header)
    table = struct.unpack_from(order + ("Q" if wide else "I"), header, 32 if wide else 28)[0]
    size, count = struct.unpack_from(order + "HH", header, 54 if wide else 42)
    for number in range(count):
        start = table + number * size
        if len(header) < start + size or struct.unpack_from(order + "I", header, start)[0] != 3:
            continue
        at = struct.unpack_from(order + ("Q" if wide else "I"), header, start + (8 if wide else 4))[0]
        return _text_at(path, at)
    return ""


def _text_at(path: str, offset: int) -> str:
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(256).split(b"\0")[0].decode(errors="replace")


def _order(header: bytes) -> str:
    return ">" if header[5] == 2 else "<"


def mapped_server_binary(pid: int) -> str:
    """The file with the code of a server: the largest that it has mapped, as a loader may have started it."""
    sizes = mapped_code(pid)
    return max(sizes, key=lambda path: sizes[path], default="")


def mapped_code(pid: int) -> Dict[str, int]:
    """The files whose code a process has mapped, in order, with its bytes; none if nobody may see it."""
    sizes: Dict[str, int] = {}
    try:
        with open("/proc/{}/maps".format(pid), encoding="utf-8", errors="replace") as file:
            for line in file:
                bounds, rights, _, _, _, path = (*line.rstrip("\n").split(None, 5), "")[:6]
                if "x" in rights and path.startswith("/"):
                    start, end = (int(bound, 16) for bound in bounds.split("-"))
                    sizes[path] = sizes.get(path, 0) + end - start
    except OSError:
        return {}
    return sizes
