"""The Lua of a plan, laid where sysbench finds it."""

from __future__ import annotations

import os
from typing import List, Mapping


def write_lua(folder: str, files: Mapping[str, str]) -> None:
    """Lay the Lua of the plan where sysbench finds it."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    names: List[str] = [name for name in files if name.startswith("workloads/") and name.endswith(".lua")]
    for name in names:
        path = os.path.join(folder, os.path.basename(name))
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with open(fd, "w", encoding="utf-8") as file:
            file.write(files[name])
