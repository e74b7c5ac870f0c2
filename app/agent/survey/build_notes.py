"""Notes on a build that it does not report itself: source, revision, compiler, flags."""

from __future__ import annotations

import json
from typing import Dict, Mapping

from app.agent.system.directory import MarkedDirectory, write_file
from app.agent.system.errors import AgentError

KEYS = ("source", "revision", "compiler", "flags", "text", "file", "sha256")
MOST = 2000  # characters of one


class BuildNotes:
    """Stored next to the builds, by base directory; also for builds that Dyno did not install."""

    def __init__(self, directory: MarkedDirectory) -> None:
        self._path = directory.at("builds", "notes.json")

    def all(self) -> Dict[str, Dict[str, str]]:
        try:
            with open(self._path, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def of(self, base: str) -> Dict[str, str]:
        return self.all().get(base, {})

    def write(self, base: str, notes: Mapping[str, str]) -> None:
        """Replace the notes of a build; none if all are empty."""
        for name, value in notes.items():
            if name not in KEYS or len(value) > MOST or not value.isprintable():
                raise AgentError("a build cannot have a note {} of {} characters".format(name, len(value)))
        found = {**self.all(), base: {name: value for name, value in notes.items() if value}}
        write_file(self._path, json.dumps({key: value for key, value in found.items() if value}))
