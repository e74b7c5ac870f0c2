"""A directory of a target, as tests of the agent find it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.agent.system.directory import MARKER, MarkedDirectory
from tests.unit.agent.page_cache import can_let_go


@pytest.fixture
def on_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder whose files the cache of the OS can let go; those of the tests may be in memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="dyno-test-") as other:
        folder = next((each for each in (tmp_path, Path(other)) if can_let_go(each)), None)
        if folder is None:
            pytest.skip("all files of this machine are in memory")
        yield folder


@pytest.fixture
def directory(tmp_path: Path) -> MarkedDirectory:
    return directory_in(tmp_path)


def directory_in(folder: Path) -> MarkedDirectory:
    """A directory of a target, empty."""
    place = folder / "dyno"
    place.mkdir(mode=0o700)
    (place / MARKER).touch()
    return MarkedDirectory(str(place))
