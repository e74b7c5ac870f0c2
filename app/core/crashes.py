"""The trace of a crash: Python writes it to log/crashes.log before the process ends."""

from __future__ import annotations

import faulthandler
from contextlib import suppress

from .errors import DynoError
from .private import private
from .settings import home


def log_crashes() -> None:
    """Have the stacks of all threads written there; where no file can be, Dyno starts without."""
    if faulthandler.is_enabled():  # who started Python wants them elsewhere
        return
    with suppress(OSError, DynoError):
        folder = home() / "log"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        faulthandler.enable(open(folder / "crashes.log", "a", opener=private))  # noqa: SIM115 - until the end
