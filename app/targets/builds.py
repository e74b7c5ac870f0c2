"""Bringing a build to a target: sent piece by piece and unpacked, or only named; and taking it away."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import InputError, TargetError

from .store import Targets

if TYPE_CHECKING:
    from app.protocol.answers import Build
    from app.remote.agent import RemoteAgent
    from app.remote.target import Target

PIECE = 16 << 20  # bytes sent at once: what a broken link costs
ENDINGS = re.compile(r"(?i)\.(tar(\.(gz|bz2|xz))?|tgz|tbz2?|txz)$")
MADE_FOR = re.compile(r"(?i)-linux.*")  # -linux-glibc2.28-x86_64: of the name of a tarball

# what is said of a build that it does not say itself
NOTES = {
    "source": "where it is from: a page, a repository",
    "revision": "revision of its source",
    "compiler": "compiler that built it",
    "flags": "flags of the compiler",
    "text": "anything else",
}
MOST = 2000  # characters of a note
FILE = "file"  # the tarball it came in: noted by Dyno itself

OnProgress = Callable[[int, int], None]  # bytes that are there, and in all


def install(
    agent: RemoteAgent, tarball: Path, name: str, notes: Mapping[str, str], on_progress: OnProgress
) -> Build:
    """Upload a tarball (or the rest of it) and unpack it; returns the build."""
    if not ENDINGS.search(tarball.name):
        endings = ".tar, .tar.gz, .tar.bz2 or .tar.xz; a directory of the target is named with --there"
        raise InputError(f"{tarball.name} is no tarball by its name: {endings}")
    _check(notes)
    name = name or name_of(tarball)
    try:
        sha256 = _hash_of(tarball)
        _send(agent, tarball, sha256, name, on_progress)
    except OSError as error:
        raise InputError(f"{tarball}: {error.strerror}") from None
    return agent.install(sha256, name, {**notes, FILE: tarball.name})


def name_of(tarball: Path) -> str:
    """The default name of a build: `mysql-8.0.40` for mysql-8.0.40-linux-x86_64.tar.xz."""
    return MADE_FOR.sub("", ENDINGS.sub("", tarball.name))


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _send(agent: RemoteAgent, tarball: Path, sha256: str, name: str, on_progress: OnProgress) -> None:
    size = tarball.stat().st_size
    received = agent.upload(sha256, name, 0, b"")
    with tarball.open("rb") as file:
        while received < size:
            on_progress(received, size)
            file.seek(received)
            before, received = received, agent.upload(sha256, name, received, file.read(PIECE))
            if received <= before:
                raise TargetError(f"{agent.connection.name} has stopped taking {tarball.name} in: try again")
    on_progress(size, size)


def register(agent: RemoteAgent, name: str, path: str, notes: Mapping[str, str]) -> Build:
    """Add a directory to the search path of a target; returns its build."""
    _check(notes)
    if not path.startswith("/"):
        raise InputError(f"{path or 'an empty path'} is not an absolute directory on {name}: start it with /")
    path, paths = posixpath.normpath(path), Targets().get(name).search_paths
    build = _build_in(path, agent.survey([path, *paths]).builds, name)
    if notes:
        agent.note_build(build.base, notes)
    if path not in paths:
        Targets().edit(name, search_paths=[*paths, path])
    return build


def _build_in(path: str, builds: Sequence[Build], target: str) -> Build:
    """The only build in a directory; raises InputError for several."""
    found = [each for each in builds if each.base in (path, f"{path}/server")]
    found = found or [each for each in builds if each.base.startswith(f"{path}/")]
    if not found:
        raise InputError(f"no server was found in {path} on {target}: name a base directory that can be read")
    if len(found) > 1:
        bases = ", ".join(each.base for each in found)
        raise InputError(f"there are {len(found)} builds in {path} on {target}: name one of {bases}")
    return found[0]


def store_build_notes(agent: RemoteAgent, base: str, notes: Mapping[str, str]) -> None:
    """Store notes on a build; an empty note deletes one."""
    _check(notes)
    agent.note_build(base, notes)


def _check(notes: Mapping[str, str]) -> None:
    for name, text in notes.items():
        if len(text) > MOST or not text.isprintable():
            raise InputError(f"the note {name} of a build is one line of {MOST:,} characters at most")


def remove(agent: RemoteAgent, name: str, base: str) -> str:
    """Delete a build that Dyno installed, or forget an added one; returns what was done."""
    paths = search_paths_without(Targets().get(name), base)
    if paths is None:
        agent.remove_build(base)
        return f"{base} is gone from {name}"
    Targets().edit(name, search_paths=paths)
    if any(each.base == base for each in agent.survey(paths).builds):
        return f"{base} on {name} is found anyway: it is in a usual place of builds"
    return f"{base} on {name} is no longer looked at; nothing was deleted there"


def paths_without_builds(paths: Sequence[str], builds: Sequence[Build]) -> list[str]:
    """The search paths in which a survey found no build; where `~` is, only the target knows.

    A path is the directory of a build, or of several. A build that two paths lead to counts at the first.
    """
    known = [each for each in paths if not each.startswith("~")]
    bases = [each.base.rstrip("/") for each in builds]
    return [path for path in known if not any(_is_in(base, path.rstrip("/")) for base in bases)]


def _is_in(base: str, path: str) -> bool:
    """Whether a pattern of a search path matches a directory, `*` within one name as in a shell."""
    names, patterns = base.split("/"), path.split("/")
    is_deep_enough = len(patterns) <= len(names) <= len(patterns) + 1
    return is_deep_enough and all(map(fnmatchcase, names, patterns))


def search_paths_without(target: Target, base: str) -> list[str] | None:
    """The search paths without the one of this build; None if there is none."""
    own = (base, base.removesuffix("/server"))
    paths = [path for path in target.search_paths if path.rstrip("/") not in own]
    return paths if len(paths) < len(target.search_paths) else None


def problem_of(build: Build) -> str:
    """Why it cannot start or lacks an engine; '' if nothing is wrong."""
    return build.problem or "; ".join(build.lacking.values())


def build_notes_text(notes: Mapping[str, str]) -> str:
    """The notes of a build in one line, the person's first."""
    said = [(name, notes.get(name, "")) for name in (*NOTES, FILE)]
    return ", ".join(f"{name} {value}" if name != "text" else value for name, value in said if value)
