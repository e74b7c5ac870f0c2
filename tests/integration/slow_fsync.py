"""A server whose syncs are slow, or none, while a file is there: `slow_fsync.c` is loaded into it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ON_DISK = "/var/tmp"  # where a sync is one, while /tmp may be memory
HAS_COMPILER = shutil.which("gcc") is not None
SHIM = Path(__file__).with_suffix(".c")


def preloaded(folder: Path, slow: Path, syncs: int = 20, pause_ms: int = 0) -> dict[str, str]:
    """The environment of a server whose syncs are slow while the file `slow` exists; {} without a compiler.

    Each sync then makes this many more, and pauses.
    """
    more = {"SLOW_FSYNCS": str(syncs), "SLOW_FSYNC_MS": str(pause_ms)}
    return _loaded(folder, SLOW_FSYNC=str(slow), **more)


def preloaded_losing(folder: Path, lost: Path) -> dict[str, str]:
    """The environment of a server whose syncs do nothing while the file `lost` exists."""
    return _loaded(folder, LOST_FSYNC=str(lost))


def _loaded(folder: Path, **environment: str) -> dict[str, str]:
    if not HAS_COMPILER:
        return {}
    library = folder / "slow_fsync.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library), **environment}
