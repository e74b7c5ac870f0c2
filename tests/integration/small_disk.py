"""A disk that is soon full."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A tmpfs of 400 MB with a directory for Dyno in it."""
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m,mode=0700", "tmpfs", str(place)], check=True)
    try:
        yield place / "dyno"
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
