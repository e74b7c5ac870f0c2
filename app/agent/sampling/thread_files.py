"""One thread of a server: how long it ran and waited for a CPU, and what it waits for otherwise."""

from __future__ import annotations

import os
import platform
from typing import Callable, Dict, NamedTuple, Tuple

from app.protocol.thread_states import LOCK, RUNNING, UNKNOWN

from .proc_files import read_file

_NANO = 1e-9
DISK, FSYNC, NETWORK, ASLEEP = "disk", "fsync", "network", "asleep"
_RESTARTED = ""  # a wait that a stop of the server has interrupted: the call no longer says which one
_BY_FILE = "by file"  # read and write: of a socket they wait for the client (MySQL 5.5)


def _numbers(calls: Dict[str, str]) -> Dict[bytes, str]:
    return {number.encode(): state for state, numbers in calls.items() for number in numbers.split()}


# The numbers of system calls in which a thread of a server can wait. A thread that waits for finished
# requests (io_getevents, io_uring_enter) has no work of its own: it is asleep.
_CALLS = {
    "x86_64": _numbers(
        {
            _BY_FILE: "0 1 19 20",  # read write readv writev
            # open close pread64 pwrite64 fallocate preadv pwritev preadv2 pwritev2
            # openat rename unlink unlinkat truncate ftruncate fadvise64
            DISK: "2 3 17 18 285 295 296 327 328 257 82 87 263 76 77 221 -1",
            FSYNC: "74 75 26 162 277 306",  # fsync fdatasync msync sync sync_file_range syncfs
            LOCK: "202 449 455",  # futex futex_waitv futex_wait
            # poll ppoll select pselect6 epoll_wait epoll_pwait accept accept4 and what sends and receives
            NETWORK: "7 271 23 270 232 281 43 288 44 45 46 47",
            # nanosleep clock_nanosleep rt_sigtimedwait pause io_getevents io_pgetevents io_uring_enter
            ASLEEP: "35 230 128 34 208 333 426",
            _RESTARTED: "219",
        }
    ),
    "aarch64": _numbers(
        {
            _BY_FILE: "63 64 65 66",
            DISK: "56 57 67 68 47 69 70 286 287 38 35 45 46 223 -1",
            FSYNC: "82 83 227 81 84 267",
            LOCK: "98 449 455",
            NETWORK: "73 72 22 202 242 206 207 211 212",
            ASLEEP: "101 115 137 4 292 426",
            _RESTARTED: "128",
        }
    ),
}
_SELECTS = (b"23 0x0", b"270 0x0", b"72 0x0")  # select(2) without a file is how old servers sleep

# words in the names of kernel functions, where system calls cannot be read; the first that fits
_FUNCTIONS = (
    ("futex", LOCK),
    ("fsync", FSYNC),
    ("fdatasync", FSYNC),
    ("log_wait_commit", FSYNC),
    ("log_force", FSYNC),
    ("flush", FSYNC),
    ("nanosleep", ASLEEP),
    ("sigtimedwait", ASLEEP),
    ("read_events", ASLEEP),
    ("io_cqring_wait", ASLEEP),
    ("sk_", NETWORK),
    ("unix_stream", NETWORK),
    ("wait_woken", NETWORK),
    ("poll_schedule", NETWORK),
    ("do_sys_poll", NETWORK),
    ("ep_poll", NETWORK),
    ("accept", NETWORK),
    ("io_schedule", DISK),
    ("wait_on_page", DISK),
    ("folio_wait", DISK),
    ("wait_on_buffer", DISK),
    ("blkdev", DISK),
    ("dio", DISK),
    ("xfs_", DISK),
    ("ext4_", DISK),
    ("jbd2_", DISK),
)


class ThreadStateSource(NamedTuple):
    """How the state of a thread is read on this machine."""

    file: str
    state_of: Callable[[bytes], str]
    problem: str = ""  # what cannot be read, and what follows from it


def thread_read_method(pid: int) -> ThreadStateSource:
    """The best way to read the threads of a process."""
    calls, problem = _CALLS.get(platform.machine()), "this CPU has other system calls"
    if calls:
        try:
            read_file("/proc/{0}/task/{0}/syscall".format(pid))
            return ThreadStateSource("syscall", lambda data: state_by_syscall(calls, data))
        except OSError as error:
            problem = str(error)
    said = "system calls of the server's threads are not readable ({}): {}"
    try:
        if read_file("/proc/{0}/task/{0}/wchan".format(pid)) != b"0":
            text = "their states come from names of kernel functions"
            return ThreadStateSource("wchan", state_by_kernel_function, said.format(problem, text))
    except OSError:
        pass
    text = "waits for locks, network and fsync are unknown"
    return ThreadStateSource("stat", letter_state, said.format(problem, text))


def state_by_syscall(calls: Dict[bytes, str], data: bytes) -> str:
    """The state by the system call in which a thread waits: `202 0x7f09… …`; -1 is a page fault."""
    if data.startswith(b"running"):
        return RUNNING
    if data.startswith(_SELECTS):
        return ASLEEP
    return calls.get(data[: data.find(b" ")], UNKNOWN)


def state_by_kernel_function(data: bytes) -> str:
    """The state by the kernel function in which a thread waits, such as `futex_wait_queue`; 0: in none."""
    name = data.decode("ascii", "replace")
    if name == "0":
        return RUNNING
    return next((state for word, state in _FUNCTIONS if word in name), UNKNOWN)


def letter_state(data: bytes) -> str:
    """The state by the letter after the name in brackets."""
    letter = data[data.rfind(b")") + 2 :][:1]
    return {b"R": RUNNING, b"D": DISK}.get(letter, UNKNOWN)


class ThreadFiles:
    """The open files of one thread; reading them raises OSError once it has ended."""

    def __init__(self, folder: str, tid: int, way: ThreadStateSource) -> None:
        self._state_of = way.state_of
        self._folder = "{}/{}".format(folder, tid)
        self._clock = os.open("{}/{}/schedstat".format(folder, tid), os.O_RDONLY)
        try:
            self._state = os.open("{}/{}/{}".format(folder, tid, way.file), os.O_RDONLY)
        except OSError:
            os.close(self._clock)
            raise
        self._before = self._clocks()

    def begin(self) -> None:
        self._before = self._clocks()

    def since_begin(self) -> Tuple[float, float]:
        """Seconds on a CPU, and seconds of waiting for one."""
        running, runnable = self._clocks()
        return running - self._before[0], runnable - self._before[1]

    def _clocks(self) -> Tuple[float, float]:
        return parse_schedstat(os.pread(self._clock, 128, 0))

    def state(self) -> str:
        data = os.pread(self._state, 512, 0)
        state = self._state_of(data)
        if state == _RESTARTED:
            return state_by_kernel_function(read_file(self._folder + "/wchan"))
        return self._state_by_file(int(data.split()[1], 16)) if state == _BY_FILE else state

    def _state_by_file(self, number: int) -> str:
        try:
            target = os.readlink("{}/fd/{}".format(self._folder, number))
        except OSError:
            return UNKNOWN  # closed meanwhile
        return NETWORK if target.startswith("socket:") else DISK

    def close(self) -> None:
        os.close(self._state)
        os.close(self._clock)


def parse_schedstat(data: bytes) -> Tuple[float, float]:
    """Seconds on a CPU, and seconds of waiting for one."""
    words = data.split()
    return int(words[0]) * _NANO, int(words[1]) * _NANO
