"""The file system in a file that the data of a session lie on, so that a power cut can be made of it.

    <session>/disk.ext4   the file; its space is allocated: else a full disk would be an I/O error to a server
    <session>/data/       where it is mounted; journal, error log and my.cnf beside it outlive the cut

The loop device reads and writes the file past the page cache: else data would be cached twice, and a server
that starts after the cut would read from memory. It detaches itself when the file system is unmounted.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import glob
import os
import shutil
import struct
import subprocess
import time
from typing import Dict, List

from .directory import MarkedDirectory
from .disk import parse_mountinfo, read_text
from .errors import AgentError

FILE, PLACE = "disk.ext4", "data"
TRIAL_BYTES = 16 << 20
PROGRAMS = {"mkfs.ext4": "e2fsprogs", "losetup": "mount", "mount": "mount"}  # and the packages of Debian
MKFS = ["mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"]
LOSETUP = ["losetup", "--find", "--show", "--direct-io=on"]
MOUNT = ["mount", "-t", "ext4", "-o", "nosuid,nodev"]
CONTROL = "/dev/loop-control"
SBIN = ":/usr/sbin:/sbin"  # which a PATH may lack
LIMIT_S, BUSY_S = 300, 10
CAP_SYS_ADMIN = 21
SHUT_DOWN, WITHOUT_ITS_LOG = 0x8004587D, 2  # FS_IOC_SHUTDOWN (Linux 4.11), its flag NOLOGFLUSH
DETACH_DEVICE = 0x4C01  # LOOP_CLR_FD
LAZY, NO_LINK = 2, 8  # MNT_DETACH, UMOUNT_NOFOLLOW


def loop_disk_problem() -> str:
    """Why this process cannot make one, as far as that shows without trying; '' if it can."""
    if os.geteuid() != 0:
        return "only root can mount the file system that is cut off: log in to the target as root"
    if not int(_status().get("CapEff", "0"), 16) >> CAP_SYS_ADMIN & 1:
        return "root may not mount file systems here: give the container CAP_SYS_ADMIN"
    for name, package in PROGRAMS.items():
        if not _found(name):
            return "{} is missing: install {} (Debian package) on the target".format(name, package)
    return "" if os.path.exists(CONTROL) else "{} is missing: modprobe loop on the target".format(CONTROL)


def _status() -> Dict[str, str]:
    lines = (read_text("/proc/self/status") or "").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


class LoopDisk:
    """The file system of one session."""

    def __init__(self, session: str) -> None:
        self.file = os.path.join(session, FILE)
        self.place = os.path.join(session, PLACE)

    def make(self, size: int) -> None:
        """Make the file and its file system, and mount it, empty."""
        self._allocate(size, os.O_CREAT | os.O_EXCL)
        _run(*MKFS, self.file)
        self._allocate(size)  # on tmpfs zeroes became holes
        os.mkdir(self.place, 0o700)
        self.mount()
        os.chmod(self.place, 0o700)
        os.rmdir(os.path.join(self.place, "lost+found"))  # some servers want an empty directory

    def _allocate(self, size: int, more: int = 0) -> None:
        """Take the space of the file on the disk."""
        fd = os.open(self.file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | more, 0o600)
        try:
            os.posix_fallocate(fd, 0, size)
        except OSError as error:
            text = "no file of {:,} MiB for the data in {}: {}"
            raise AgentError(text.format(size >> 20, self.file, error.strerror)) from None
        finally:
            os.close(fd)

    def mount(self) -> None:
        """Mount it; the log of the file system is replayed."""
        if os.path.islink(self.place):
            raise AgentError("{} is a link: nothing is mounted there".format(self.place))
        device = _run(*LOSETUP, self.file)
        try:
            _run(*MOUNT, device, self.place)
        finally:
            detach(device)  # takes effect when it is unmounted

    def sync(self) -> None:
        """Bring all that it has to its disk, as time does with what was written long ago."""
        _run("sync", "-f", self.place)

    def cut(self) -> None:
        """Lose what the disk has not got: from here on nothing is written, the file system's log neither."""
        fd = os.open(self.place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.ioctl(fd, SHUT_DOWN, struct.pack("I", WITHOUT_ITS_LOG))
        except OSError as error:
            text = "this kernel cannot shut an ext4 file system down (Linux 4.11 can): {}"
            raise AgentError(text.format(error.strerror)) from None
        finally:
            os.close(fd)

    def unmount(self) -> None:
        """Unmount it; a process that still uses it is waited for, then named."""
        until = time.monotonic() + BUSY_S
        while not _unmounted(self.place, NO_LINK):
            if time.monotonic() > until:
                users = ", ".join(_users_of(self.place)) or "a process"
                raise AgentError("{} cannot be unmounted: {} is using it".format(self.place, users))
            time.sleep(0.05)

    def facts(self) -> Dict[str, object]:
        """The size of its file, and whether the device reads and writes past the page cache."""
        dio = [read_text(os.path.join(each, "dio")) for each in _devices_of(self.file)]
        return {"bytes": os.path.getsize(self.file), "direct_io": dio == ["1"]}

    def has_less_than(self, room: int) -> bool:
        with contextlib.suppress(OSError):  # it is being cut off
            found = os.statvfs(self.place)
            return found.f_bavail * found.f_frsize < room
        return False

    def remove(self) -> None:
        """Unmount and delete it, in whatever state."""
        while self._is_mounted():
            if not _unmounted(self.place, NO_LINK | LAZY):
                raise AgentError("{} cannot be unmounted".format(self.place))
        for folder in _devices_of(self.file):
            detach("/dev/" + folder.split(os.sep)[3])
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.file)

    def _is_mounted(self) -> bool:
        """Whether a device of its file, and nothing else, is mounted at its place."""
        mounts = parse_mountinfo(read_text("/proc/self/mountinfo") or "")
        last = [each for each in mounts if each.path == self.place][-1:]
        return any(_backing("/sys/dev/block/{}/loop".format(each.device)) == self.file for each in last)


def remove_leftover(directory: MarkedDirectory, session: str) -> bool:
    """Unmount and delete what a killed agent left in a session below the marker; whether there was any."""
    disk = LoopDisk(session)
    is_below = os.path.realpath(session).startswith(directory.at("sessions") + os.sep)
    is_there = is_below and (os.path.lexists(disk.file) or os.path.ismount(disk.place))
    if is_there:
        disk.remove()
    return is_there


def try_loop_disk(session: str) -> None:
    """Cut a small one off for trial, and mount it again; raises AgentError with what is missing."""
    if loop_disk_problem():
        raise AgentError(loop_disk_problem())
    disk = LoopDisk(session)
    try:
        disk.make(TRIAL_BYTES)
        disk.cut()
        disk.unmount()
        disk.mount()
    finally:
        disk.remove()
        os.rmdir(disk.place)


def detach(device: str) -> None:
    """Let go of the file of a loop device: now, or as soon as nothing is mounted from it."""
    with contextlib.suppress(OSError):
        fd = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(fd, DETACH_DEVICE, 0)
        finally:
            os.close(fd)


def _devices_of(file: str) -> List[str]:
    """The folders of /sys of the loop devices with this file."""
    return [each for each in glob.glob("/sys/block/loop*/loop") if _backing(each) == file]


def _backing(folder: str) -> str:
    """The file of a loop device, by its folder of /sys; one that was deleted keeps its name."""
    return (read_text(os.path.join(folder, "backing_file")) or "").replace(" (deleted)", "")


def _found(program: str) -> str | None:
    return shutil.which(program, path=os.environ.get("PATH", "") + SBIN)


def _run(program: str, *words: str) -> str:
    """What a program prints; raises AgentError with its error, which begins with its name."""
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    command = [_found(program) or program, *words]
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, stdin=null, stdout=pipe, stderr=pipe, env=environment, timeout=LIMIT_S, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AgentError("{}: {}".format(program, error)) from None
    said = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode:
        raise AgentError(" ".join(said) or "{}: exit code {}".format(program, done.returncode))
    return done.stdout.decode().strip()


def _unmounted(place: str, flags: int) -> bool:
    """Unmount it; False if a process uses it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.umount2(os.fsencode(place), flags) == 0:
        return True
    if ctypes.get_errno() != errno.EBUSY:
        raise AgentError("{} cannot be unmounted: {}".format(place, os.strerror(ctypes.get_errno())))
    return False


def _users_of(place: str) -> List[str]:
    """The processes with a file, a root or a working directory there: `bash (process 12)`."""
    found = {}
    for link in (link for kind in ("cwd", "root", "fd/*") for link in glob.glob("/proc/[0-9]*/" + kind)):
        with contextlib.suppress(OSError):
            if (os.readlink(link) + os.sep).startswith(place + os.sep):
                pid = link.split(os.sep)[2]
                found[pid] = read_text("/proc/{}/comm".format(pid)) or "?"
    return ["{} (process {})".format(name, pid) for pid, name in found.items()]
