"""Importing the window: half of the time until it stands."""

from __future__ import annotations

import builtins
import gc


def speed_up_imports() -> None:
    """Import without garbage collection and PySide's hook, which both look at each new module."""
    gc.disable()  # ui/core/gc_timer.py looks for cycles, once the window stands
    import PySide6.QtCore  # noqa: F401 - puts its own `__import__` into place

    # it reads the source of each module, for a `from __feature__ import` that Dyno does not have
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
