"""Disks that this machine does not have: one that is soon full, one whose files can share blocks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A tmpfs of 400 MiB with a directory for Dyno in it."""
    with _mounted(tmp_path / "small", ["-t", "tmpfs", "-o", "size=400m,mode=0700", "tmpfs"]) as place:
        yield place / "dyno"


@pytest.fixture
def sharing_disk(tmp_path: Path) -> Iterator[Path]:
    """An XFS of 2 GiB, in a file with holes, with a directory for Dyno in it."""
    image = tmp_path / "xfs"
    with image.open("wb") as file:
        file.truncate(2 << 30)
    subprocess.run(["mkfs.xfs", "-q", "-m", "reflink=1", str(image)], check=True)
    with _mounted(tmp_path / "sharing", ["-o", "loop", str(image)]) as place:
        place.chmod(0o700)
        yield place / "dyno"


@contextmanager
def _mounted(place: Path, what: Sequence[str]) -> Iterator[Path]:
    place.mkdir()
    subprocess.run(["mount", *what, str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path, left: int) -> Path:
    """Take all but so many bytes of it; gives the file that has them."""
    found = os.statvfs(disk)
    with (disk / "filler").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, found.f_bavail * found.f_frsize - left)
    return disk / "filler"
