"""A history in a folder of its own, and a hand to fill it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.history.history import History
from app.history.writing import Writer
from tests.journals import Maker


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "home") as opened:
        yield opened


def store(history: History, *makers: Maker) -> None:
    """The journals of these sessions, each at once."""
    for maker in makers:
        Writer(history).append(maker.plan.id, maker.session, 0, maker.raw)
