"""Bringing a build to a target: sent piece by piece, unpacked there, or only told where it lies."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError, TargetError

if TYPE_CHECKING:
    from .remote.agent import Agent

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
