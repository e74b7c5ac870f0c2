"""What the cache of the OS holds of a file."""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path


def can_let_go(folder: Path) -> bool:
    """Not in a tmpfs or an overlay over one, where files are nothing but pages of the cache."""
    path = folder / "probe"
    path.write_bytes(b"x" * mmap.PAGESIZE)
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    stays = cached_pages(path) > 0
    path.unlink()
    return not stays


def cached_pages(path: Path) -> int:
    """How many pages of a file are in the cache of the OS, as mincore(2) tells."""
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        count = (len(mapped) + mmap.PAGESIZE - 1) // mmap.PAGESIZE
        seen = (ctypes.c_ubyte * count)()
        at = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(len(mapped)), seen) == 0
        return sum(each & 1 for each in seen)
