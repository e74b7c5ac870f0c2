"""Lua of a person's own runs on the target: it is approved by its hash before it is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from app.core.errors import InputError
from app.core.settings import home, read_settings_table, write_settings_table

from .workload import Workload

_KEY = "approved_lua"


class UnapprovedLuaError(InputError):
    """A workload of one's own was chosen whose Lua is not approved."""

    def __init__(self, workload: Workload, sha256: str, files: Mapping[str, str]) -> None:
        not_ours = f"workload {workload.name} does not come with Dyno"
        super().__init__(
            f"{not_ours}: read it with dyno workload show"
            f" {workload.name}, then approve it: dyno workload approve {workload.name} {sha256[:12]}",
            window_text=f"{not_ours}: choose its sequence on Bench, read it there and approve it",
        )
        self.workload = workload
        self.sha256 = sha256
        self.files = dict(files)


def hash_of(files: Mapping[str, str]) -> str:
    """The SHA-256 of the files that would be sent: names and texts."""
    content = hashlib.sha256()
    for name, text in sorted(files.items()):
        content.update(f"{name}\0{len(text.encode())}\0{text}".encode())
    return content.hexdigest()


def approved_hashes() -> frozenset[str]:
    """The hashes of Lua approved on this computer."""
    return frozenset(_approved(read_settings_table()))


def approve(sha256: str, workload: str) -> None:
    """Remember that a person has seen this Lua and lets it run."""
    table = read_settings_table()
    write_settings_table({**table, _KEY: {**_approved(table), sha256: workload}})


def _approved(table: Mapping[str, Any]) -> dict[str, str]:
    found = table.get(_KEY, {})
    if not isinstance(found, dict):
        raise InputError(f"{home() / 'settings.toml'}: {_KEY} must be a table")
    return found
