"""Cache files: if one cannot be read or written, its content is computed again."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, List, Mapping


def file_change_marker(path: str) -> List[int]:
    """The parts of a file's state that change with its content."""
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def read_file_cache(path: str) -> Dict[str, List[Any]]:
    """For each file, the parts of its state and what was stored about it."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {name: value for name, value in pairs if isinstance(value, list) and len(value) == 4}


def write_cache(path: str, known: Mapping[str, List[Any]]) -> None:
    if not path or not os.path.isdir(os.path.dirname(path)):
        return
    try:
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path), delete=False) as file:
            json.dump(dict(known), file)
        os.replace(file.name, path)
    except OSError:
        return
