"""Bringing a build to a target: sent piece by piece and unpacked, or only named; and taking it away."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError, TargetError
from .targets import Targets

if TYPE_CHECKING:
    from .remote.agent import Agent
    from .targets import Target

PIECE = 16 << 20  # bytes sent at once: what a broken link costs
ENDINGS = re.compile(r"(?i)\.(tar(\.(gz|bz2|xz))?|tgz|tbz2?|txz)$")

# what is said of a build that it does not say itself
NOTES = {
    "source": "where it is from: a page, a repository",
    "revision": "of its source",
    "compiler": "that built it",
    "flags": "that it was built with",
    "text": "anything else",
}
FILE = "file"  # the tarball it came in: noted by Dyno itself

Told = Callable[[int, int], None]  # bytes that are there, and in all


def install(agent: Agent, tarball: Path, name: str, notes: Mapping[str, str], told: Told) -> dict[str, Any]:
    """Send a tarball, or the rest of it after a broken link, and have it unpacked; gives the build."""
    if not ENDINGS.search(tarball.name):
        raise InputError(f"{tarball.name}: is no tarball by its name: .tar, .tar.gz, .tar.bz2 or .tar.xz")
    try:
        sha256 = _hash_of(tarball)
        _send(agent, tarball, sha256, told)
    except OSError as error:
        raise InputError(f"{tarball}: {error.strerror}") from None
    named = name or ENDINGS.sub("", tarball.name)
    return agent.install(sha256, named, {**notes, "file": tarball.name})


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _send(agent: Agent, tarball: Path, sha256: str, told: Told) -> None:
    size = tarball.stat().st_size
    received = agent.upload(sha256, 0, b"")
    with tarball.open("rb") as file:
        while received < size:
            told(received, size)
            file.seek(received)
            before, received = received, agent.upload(sha256, received, file.read(PIECE))
            if received <= before:
                raise TargetError(f"{agent.connection.name} has stopped taking {tarball.name} in: try again")
    told(size, size)


def register(agent: Agent, target: Target, path: str, notes: Mapping[str, str]) -> dict[str, Any]:
    """The directory becomes one in which surveys of this target look for builds; gives the build in it."""
    path = path.rstrip("/")
    if not path.startswith("/"):
        raise InputError(f"{path or 'nothing'} is no absolute directory of {target.name}: begin it with /")
    builds = agent.survey([*target.search_paths, path])["builds"]
    build = next((each for each in builds if f"{each['base']}/".startswith(f"{path}/")), None)
    if build is None:
        raise InputError(f"no server was found in {path} on {target.name}: name its base directory")
    if notes:
        agent.note_build(build["base"], notes)
    if path not in target.search_paths:
        Targets().edit(target.name, search_paths=[*target.search_paths, path])
    return dict(build)


def remove(agent: Agent, target: Target, base: str) -> str:
    """Delete what Dyno has installed; what was only named is forgotten. Gives what was done, in words."""
    paths = paths_without(target, base)
    if paths is None:
        agent.remove_build(base)
        return f"{base} is gone from {target.name}"
    Targets().edit(target.name, search_paths=paths)
    return f"{base} on {target.name} is no longer looked at; nothing was deleted there"


def paths_without(target: Target, base: str) -> list[str] | None:
    """The search paths without the one that names this build; None where none does."""
    own = (base, base.removesuffix("/server"))
    paths = [path for path in target.search_paths if path.rstrip("/") not in own]
    return paths if len(paths) < len(target.search_paths) else None


def notes_text(notes: Mapping[str, str]) -> str:
    """In one line what is noted of a build; what a person has said first."""
    said = [(name, notes.get(name, "")) for name in (*NOTES, FILE)]
    return ", ".join(f"{name} {value}" if name != "text" else value for name, value in said if value)
