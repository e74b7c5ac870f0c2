"""Importing the window: half of the time until it stands."""

from __future__ import annotations

import builtins
import gc


def import_quickly() -> None:
    """Without Python's search for cycles, and without PySide's: both look at each module that comes."""
    gc.disable()  # ui/core/gc_timer.py looks for cycles, once the window stands
    import PySide6.QtCore  # noqa: F401 - puts its own `__import__` into place

    # it reads the source of each module, for a `from __feature__ import` that Dyno does not have
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
