"""A directory of a target, as tests of the agent find it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.agent.directory import MARKER, Directory


@pytest.fixture
def directory(tmp_path: Path) -> Directory:
    place = tmp_path / "dyno"
    place.mkdir(mode=0o700)
    (place / MARKER).touch()
    return Directory(str(place))
