"""Cycles are found on the GUI thread alone, and what the window is made of is not searched."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from ui.core import gc_timer
from ui.core.gc_timer import GarbageCollectionTimer


class Ring:
    """Refers to itself, and tells when it goes."""

    def __init__(self, gone: list[str]) -> None:
        self.me = self
        self.gone = gone

    def __del__(self) -> None:
        self.gone.append("gone")


def test_cycles_go_by_the_timer(qapp: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_timer, "YOUNG_MS", 10)
    made, gone = GarbageCollectionTimer(), list[str]()
    try:
        assert not gc.isenabled()
        Ring(gone)
        qtbot.waitUntil(lambda: gone == ["gone"])
        assert gc.get_freeze_count() > 0
    finally:
        made.close()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
