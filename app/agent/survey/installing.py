"""Installs builds from a tarball: received in pieces, unpacked safely, deleted on request.

builds/<sha256>.upload    a tarball as far as it has come
builds/<name>.half/       one that is being unpacked; what is left of it goes at the next start
builds/<name>/            a build, there as a whole or not at all
"""

from __future__ import annotations

import errno
import lzma
import os
import re
import shutil
import tarfile
import zlib
from typing import IO, Iterator, List, Mapping, Tuple

from app.agent.system.directory import MarkedDirectory
from app.agent.system.errors import AgentError, WrongInputError
from app.protocol.answers import Build

from .build_notes import BuildNotes
from .builds import find_builds, hash_file

UPLOAD, HALF = ".upload", ".half"
_OF_THE_TARBALL = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG)  # not of the disk
ROOM = 64 << 20  # bytes that must stay free after unpacking
LONGEST = 500  # characters of a path

_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")
_BROKEN = (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError)


class BuildInstaller:
    """Installs builds in a directory of Dyno."""

    def __init__(self, directory: MarkedDirectory) -> None:
        self._directory = directory

    def _at(self, name: str) -> str:
        return self._directory.at("builds", name)

    # bringing

    def receive(self, sha256: str, offset: int, content: IO[bytes]) -> int:
        """Append a piece at the end of the upload; returns the size so far."""
        path = self._upload(sha256)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            if os.lseek(fd, 0, os.SEEK_END) == offset:
                _append(fd, content, offset)
            return os.lseek(fd, 0, os.SEEK_END)
        finally:
            os.close(fd)

    def _upload(self, sha256: str) -> str:
        if not _SHA256.fullmatch(sha256):
            raise AgentError("{!r} is not a SHA-256".format(sha256[:80]))
        return self._at(sha256 + UPLOAD)

    def check_name(self, name: str) -> None:
        """Refuse a name that is taken or not valid, before anything is sent."""
        if not _NAME.fullmatch(name) or name.endswith((UPLOAD, HALF)):
            raise WrongInputError(
                "the name of a build may have letters, digits, dots and dashes, got {!r}".format(name)
            )
        if os.path.lexists(self._at(name)):
            raise WrongInputError("build {} exists already: delete it, or choose another name".format(name))

    def install(self, sha256: str, name: str, notes: Mapping[str, str]) -> Build:
        """Unpack what was received; the answer is the build as a survey describes it."""
        upload = self._upload(sha256)
        self.check_name(name)
        try:
            if hash_file(upload) != sha256:
                raise AgentError("the tarball was damaged on its way here and was deleted: send it again")
            self._unpack(upload, self._at(name + HALF))
            return self._accept(name, {**notes, "sha256": sha256})
        except FileNotFoundError:
            raise AgentError("the tarball is not here: send it again") from None
        finally:
            for path in (upload, self._at(name + HALF)):
                self._directory.remove(path)

    def _unpack(self, upload: str, half: str) -> None:
        os.mkdir(half, 0o700)
        try:
            with tarfile.open(upload, "r:*") as tar:
                _read_to_the_end(tar)
                members = list(_checked(tar))
                self._check_room(members)
                _write_all(tar, members, half)
        except _BROKEN:
            raise WrongInputError(
                "it is not a complete tarball (tar, gzip, bzip2 or xz): download it again"
            ) from None

    def _check_room(self, members: List[Tuple[str, tarfile.TarInfo]]) -> None:
        needed = sum(member.size for _, member in members if member.isreg())
        found = os.statvfs(self._at(""))
        free = found.f_bavail * found.f_frsize
        if needed + ROOM > free:
            text = "unpacked it needs {:,} MiB, {:,} MiB are free: free some space in {}"
            raise AgentError(text.format(needed >> 20, free >> 20, self._directory.path))

    def _accept(self, name: str, notes: Mapping[str, str]) -> Build:
        """Name the unpacked build, if it contains a server."""
        if not builds_in_folder(self._at(name + HALF)):
            raise WrongInputError("it contains no server: bin/mysqld or bin/mariadbd is missing")
        os.rename(self._at(name + HALF), self._at(name))
        build = builds_in_folder(self._at(name))[0]
        BuildNotes(self._directory).write(build.base, notes)
        return build

    # taking away

    def remove(self, base: str) -> None:
        """Delete a build in `builds/`; others are not Dyno's."""
        inside = os.path.relpath(base, self._at("")).split(os.sep)[0]
        if not _NAME.fullmatch(inside) or not os.path.isdir(self._at(inside)):
            raise WrongInputError("Dyno did not install {}, so it does not delete it".format(base))
        self._directory.remove(self._at(inside))
        BuildNotes(self._directory).write(base, {})

    def clean(self) -> None:
        """Delete unfinished uploads and builds."""
        for name in os.listdir(self._at("")):
            if name.endswith((UPLOAD, HALF)):
                self._directory.discard(self._at(name))
        self._directory.empty_trash()


def builds_in_folder(folder: str) -> List[Build]:
    """The builds in a folder and nowhere else."""
    return [each for each in find_builds([folder]) if each.base.startswith(folder)]


def _append(fd: int, content: IO[bytes], there: int) -> None:
    """Write all of a piece or nothing: a buffered file would keep the rest of a full disk's write."""
    try:
        for part in iter(lambda: content.read(1 << 20), b""):
            left = memoryview(part)
            while left:
                left = left[os.write(fd, left) :]
    except OSError as error:
        os.ftruncate(fd, there)
        text = "the upload stopped at {:,} bytes: {}: solve this and start it again, it continues from there"
        raise AgentError(text.format(there, error.strerror)) from None


def _read_to_the_end(tar: tarfile.TarFile) -> None:
    """The checksums of gzip, bzip2 and xz follow the last member, where tarfile does not look."""
    tar.getmembers()
    while tar.fileobj and tar.fileobj.read(1 << 20):
        pass


def _checked(tar: tarfile.TarFile) -> Iterator[Tuple[str, tarfile.TarInfo]]:
    """Every member with its path inside the build; raises AgentError for one that has no place in it."""
    members = tar.getmembers()
    paths = {os.path.normpath(member.name): member for member in members}
    top = {path.split("/")[0] for path in paths} - {"."}
    cut = len(top) == 1 and all("/" in path or member.isdir() for path, member in paths.items())
    links = {path for path, member in paths.items() if member.issym()}
    for member in members:
        path = os.path.normpath(member.name)
        if os.path.isabs(path) or path.split("/")[0] == "..":
            raise WrongInputError(
                "{} points outside of the tarball: nothing was unpacked".format(member.name)
            )
        if len(path) > LONGEST:
            raise WrongInputError("the path {}… is too long: nothing was unpacked".format(path[:80]))
        if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
            raise WrongInputError(
                "{} is neither a file nor a folder: nothing was unpacked".format(member.name)
            )
        parents = {"/".join(path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)}
        if parents & links:
            raise WrongInputError("{} is behind a link: nothing was unpacked".format(member.name))
        inside = path.partition("/")[2] if cut else path
        if inside not in ("", "."):
            yield inside, member


def _write_all(tar: tarfile.TarFile, members: List[Tuple[str, tarfile.TarInfo]], folder: str) -> None:
    try:
        _extract(tar, members, folder)
    except OSError as error:
        what = os.path.relpath(error.filename, folder) if error.filename else "it"
        kind = WrongInputError if error.errno in _OF_THE_TARBALL else AgentError
        raise kind("cannot unpack {}: {}".format(what, error.strerror or error)) from None


def _extract(tar: tarfile.TarFile, members: List[Tuple[str, tarfile.TarInfo]], folder: str) -> None:
    """Files and folders first; links when nothing can be written through them any more."""
    root = os.path.realpath(folder)
    places = {os.path.normpath(member.name): os.path.join(root, inside) for inside, member in members}
    for inside, member in members:
        path = os.path.join(root, inside)
        os.makedirs(path if member.isdir() else os.path.dirname(path), mode=0o755, exist_ok=True)
        if member.isreg():
            _write(tar, member, path)
    for inside, member in members:
        if member.islnk():
            _hard_link(places, member, os.path.join(root, inside))
        elif member.issym():
            os.symlink(member.linkname, os.path.join(root, inside))
    for inside, member in members:
        leads_to = os.path.realpath(os.path.join(root, inside))
        if member.issym() and not (leads_to + os.sep).startswith(root + os.sep):
            raise WrongInputError(
                "the link {} points outside of the build: nothing was unpacked".format(member.name)
            )


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
    source = tar.extractfile(member)
    assert source is not None
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755 & member.mode | 0o600)
    with open(fd, "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)


def _hard_link(places: Mapping[str, str], member: tarfile.TarInfo, path: str) -> None:
    first = places.get(os.path.normpath(member.linkname), "")
    if not first or os.path.islink(first) or not os.path.isfile(first):
        raise WrongInputError(
            "the link {} points to no file of the build: nothing was unpacked".format(member.name)
        )
    os.link(first, path)
