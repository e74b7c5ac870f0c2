"""How much of a file is in the page cache, without reading any of it."""

from __future__ import annotations

import ctypes
import mmap
import os

_PART = 1 << 30  # bytes that are looked at together


def cached_bytes(fd: int) -> int:
    """Bytes of an open file that can be read without its disk, in whole pages."""
    size = os.fstat(fd).st_size
    return sum(_cached_in(fd, at, min(_PART, size - at)) for at in range(0, size, _PART))


def _cached_in(fd: int, at: int, length: int) -> int:
    pages = -(-length // mmap.PAGESIZE)
    found = ctypes.create_string_buffer(pages)
    with mmap.mmap(fd, length, access=mmap.ACCESS_COPY, offset=at) as mapped:
        first = ctypes.c_char.from_buffer(mapped)
        place = ctypes.c_void_p(ctypes.addressof(first))
        failed = ctypes.CDLL(None, use_errno=True).mincore(place, ctypes.c_size_t(length), found)
        del first
    if failed:
        raise OSError(ctypes.get_errno(), "mincore")
    return mmap.PAGESIZE * found.raw.count(1)
