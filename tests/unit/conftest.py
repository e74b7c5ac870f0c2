"""What unit tests share: a history of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from app.history.store.history import History

settings.register_profile("busy", deadline=None)  # other tests run at the same time
settings.load_profile("busy")


@pytest.fixture
def history(dyno_home: Path) -> Iterator[History]:
    with History(dyno_home) as opened:
        yield opened
