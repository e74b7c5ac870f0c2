"""Lua of a person's own runs on the target: it is approved by its hash before it is sent."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..settings import home
from .entries import Workload

_KEY = "approved_lua"


class UnapprovedError(InputError):
    """A workload that is not shipped was chosen, and nobody has approved what it carries out."""

    def __init__(self, workload: Workload, sha256: str, files: Mapping[str, str]) -> None:
        super().__init__(
            f"the workload {workload.name} is no part of Dyno: read it (dyno workload show {workload.name}), "
            f"then let it run on targets: dyno workload approve {workload.name} {sha256[:12]}"
        )
        self.workload = workload
        self.sha256 = sha256
        self.files = dict(files)


def hash_of(files: Mapping[str, str]) -> str:
    """The SHA-256 of what would be sent: names and texts."""
    content = hashlib.sha256()
    for name, text in sorted(files.items()):
        content.update(f"{name}\0{len(text.encode())}\0{text}".encode())
    return content.hexdigest()


def approved_hashes() -> frozenset[str]:
    """What was approved on this computer."""
    return frozenset(_read(_path()).get(_KEY, {}))


def approve(sha256: str, workload: str) -> None:
    """Remember that a person has seen this Lua and lets it run."""
    import tomli_w

    path = _path()
    settings = _read(path)
    settings.setdefault(_KEY, {})[sha256] = workload
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(tomli_w.dumps(settings), encoding="utf-8")
    fresh.replace(path)


def _path() -> Path:
    return home() / "settings.toml"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    if not isinstance(found.get(_KEY, {}), dict):
        raise InputError(f"{path}: {_KEY} must be a table")
    return found
