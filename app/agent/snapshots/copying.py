"""Copying a data directory: checksums on the way, holes kept, and no page left in the cache of the OS."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
import zlib
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Callable, Dict, Iterable, Iterator, List

from app.agent.system.errors import AgentError
from app.agent.system.page_cache import cached_bytes

CHUNK = 4 << 20
AT_ONCE = 8  # files copied at once: one is read while another is synced
LOOK_S = 0.25
FICLONE = 0x40049409
_ZEROS = bytes(1 << 20)

OnProgress = Callable[[int], None]  # of the bytes so far; what it raises ends the copying


def files_below(folder: str) -> Dict[str, int]:
    """The length of every file by its relative path; a data directory has no links and no pipes."""
    return {os.path.relpath(path, folder): os.stat(path).st_size for path in _walk(folder)}


def _walk(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                yield from _walk(entry.path)
            elif stat.S_ISREG(mode):
                yield entry.path
            else:
                raise AgentError("{} is neither a file nor a folder".format(entry.path))


class Copying:
    """One directory copied into a new one; `checksums` are of whole files, holes read as zeros."""

    def __init__(self, source: str, target: str, names: List[str]) -> None:
        self._source = source
        self._target = target
        self._names = names
        self._done: Dict[str, int] = {}  # bytes of each file so far
        self._is_over = threading.Event()  # set to end the copying early
        self.checksums: Dict[str, int] = {}

    def share(self) -> None:
        """Have the file system share the blocks until one side writes; OSError where it does not."""
        self._make_folders()
        for name in self._names:
            _share(os.path.join(self._source, name), os.path.join(self._target, name))

    def copy(self, on_progress: OnProgress) -> None:
        self._make_folders()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            copied = {name: pool.submit(self._copy, name) for name in self._names}
            try:
                waiting = set(copied.values())
                while waiting:
                    waiting = wait(waiting, LOOK_S).not_done
                    on_progress(sum(list(self._done.values())))
                    _raise_from(each for each in copied.values() if each not in waiting)
            finally:
                self._is_over.set()
        self.checksums = {name: each.result() for name, each in copied.items()}

    def _make_folders(self) -> None:
        for folder, _, _ in os.walk(self._source):
            os.mkdir(self._target + folder[len(self._source) :], 0o700)

    def _copy(self, name: str) -> int:
        source, target = os.path.join(self._source, name), os.path.join(self._target, name)
        with open(source, "rb", buffering=0) as old, open(target, "xb", buffering=0) as new:
            checksum = self._copy_data(name, old.fileno(), new.fileno())
            for fd in (new.fileno(), old.fileno()):
                os.fsync(fd)  # a page that is not written yet cannot be dropped
                drop_page_cache(fd)
        return checksum

    def _copy_data(self, name: str, old: int, new: int) -> int:
        """Data is copied, a hole stays one; the answer is the checksum."""
        length, at, checksum = os.fstat(old).st_size, 0, 0
        while at < length:
            start = _next(old, at, os.SEEK_DATA, length)
            checksum = _add_zeros(checksum, start - at)
            at, end = start, _next(old, start, os.SEEK_HOLE, length)
            while at < end and not self._is_over.is_set():
                part = os.pread(old, min(CHUNK, end - at), at)
                if not part:
                    raise OSError(errno.EIO, "{} became shorter while it was copied".format(name))
                _write(new, part, at)
                checksum = zlib.crc32(part, checksum)
                at += len(part)
                self._done[name] = at
            if at < end:
                raise OSError(errno.EINTR, "the copying was ended")
        os.ftruncate(new, length)
        return checksum


def _raise_from(copied: Iterable[Future[int]]) -> None:
    for each in copied:
        each.result()


def can_reflink(folder: str) -> bool:
    """Whether the file system of this folder shares blocks between files."""
    one, other = os.path.join(folder, ".one"), os.path.join(folder, ".other")
    try:
        with open(one, "wb") as file:
            file.write(_ZEROS)
        _share(one, other)
        return True
    except OSError:
        return False
    finally:
        for path in (one, other):
            if os.path.exists(path):
                os.unlink(path)


def _share(source: str, target: str) -> None:
    with open(source, "rb") as old, open(target, "xb") as new:
        fcntl.ioctl(new.fileno(), FICLONE, old.fileno())
        drop_page_cache(old.fileno())


def _write(fd: int, part: bytes, at: int) -> None:
    left = memoryview(part)
    while left:
        written = os.pwrite(fd, left, at)
        left, at = left[written:], at + written


def _next(fd: int, at: int, what: int, length: int) -> int:
    """Where data or a hole begins from here on; the length of the file if nothing follows."""
    if at >= length:
        return length
    try:
        return min(length, os.lseek(fd, at, what))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return length


def _add_zeros(checksum: int, count: int) -> int:
    while count > 0:
        checksum = zlib.crc32(_ZEROS[:count], checksum)
        count -= len(_ZEROS)
    return checksum


def drop_page_cache(fd: int) -> None:
    """Drop the pages of an open file from the page cache; for one's own files this needs no right."""
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def drop_cached_files(folder: str) -> int:
    """The same for all files of a data directory; returns how many bytes of them are cached still."""
    kept = 0
    for path in _walk(folder):
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            drop_page_cache(file.fileno())
            kept += cached_bytes(file.fileno())
    return kept
