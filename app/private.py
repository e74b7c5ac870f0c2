"""Files for this user alone."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """There as a whole or not at all, readable by nobody else; its folder is made where it is missing."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd, temporary = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink()
        raise
