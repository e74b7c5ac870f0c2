"""A server whose syncs are slow while a file is there: `slow_fsync.c` beside this file is loaded into it."""

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
    if not HAS_COMPILER:
        return {}
    library = folder / "slow_fsync.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True)
    more = {"SLOW_FSYNCS": str(syncs), "SLOW_FSYNC_MS": str(pause_ms)}
    return {"LD_PRELOAD": str(library), "SLOW_FSYNC": str(slow), **more}
