"""`python -m tests.integration.remembering FOLDER WORDS`: `dyno WORDS` with what the worker knows already.

A process of its own, to be killed and interrupted, which is spared the rehearsals that others had.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from tests.integration import compiled, rehearsed


@lru_cache(maxsize=1)
def known() -> Path:
    """The folder of this worker."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-known-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def remember(folder: Path, put: rehearsed.Put) -> None:
    rehearsed.remember(folder, put)
    compiled.use(folder, put)


if __name__ == "__main__":
    from app.cli import main

    remember(Path(sys.argv[1]), setattr)
    sys.exit(main(sys.argv[2:]))
