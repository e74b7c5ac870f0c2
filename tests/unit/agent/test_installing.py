"""Builds from tarballs: received whole, unpacked with care, there as a whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import random
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from app.agent.cleanup import clean
from app.agent.survey import installing
from app.agent.survey.build_notes import BuildNotes
from app.agent.survey.installing import BuildInstaller
from app.agent.system.directory import MarkedDirectory
from app.agent.system.errors import AgentError

SERVER = b"#!/bin/sh\necho mysqld Ver 5.6.24 for Linux on x86_64\n"


def member(name: str, **what: Any) -> tuple[tarfile.TarInfo, bytes]:
    content = bytes(what.pop("content", b""))
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o755
    for key, value in what.items():
        setattr(info, key, value)
    return info, content


def link(name: str, to: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, type=kind, linkname=to)


def tarball(*members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> bytes:
    """A build in one top folder, and what else is put in."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as tar:  # type: ignore[call-overload]
        for info, content in (member("mysql-5.6/bin/mysqld", content=SERVER), *members):
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def receive(directory: MarkedDirectory, content: bytes, piece: int = 1000) -> str:
    sha256 = hashlib.sha256(content).hexdigest()
    there = 0
    while there < len(content):
        there = BuildInstaller(directory).receive(sha256, there, io.BytesIO(content[there : there + piece]))
    return sha256


def install(directory: MarkedDirectory, content: bytes, name: str = "mine", **notes: str) -> dict[str, Any]:
    return BuildInstaller(directory).install(receive(directory, content), name, notes)


def listing(directory: MarkedDirectory) -> Iterable[str]:
    return sorted(name for name in os.listdir(directory.at("builds")) if name != "notes.json")


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tarball_becomes_a_build(directory: MarkedDirectory, mode: str) -> None:
    content = tarball(
        member("mysql-5.6/lib", type=tarfile.DIRTYPE),
        member("mysql-5.6/lib/libmysqlclient.so.18.1", content=b"library"),
        link("mysql-5.6/lib/libmysqlclient.so", "libmysqlclient.so.18.1"),
        link("mysql-5.6/lib/libmysqlclient_r.so", "../lib/libmysqlclient.so"),
        link("mysql-5.6/bin/server", "mysql-5.6/bin/mysqld", tarfile.LNKTYPE),
        mode=mode,
    )
    build = install(directory, content, revision="fed1234", compiler="gcc 12")
    base = Path(directory.at("builds", "mine"))
    assert build.base == str(base)
    assert (base / "bin" / "mysqld").read_bytes() == (base / "bin" / "server").read_bytes() == SERVER
    assert os.access(base / "bin" / "mysqld", os.X_OK)
    assert (base / "lib" / "libmysqlclient_r.so").read_bytes() == b"library"
    assert listing(directory) == ["mine"]
    notes = BuildNotes(directory).of(str(base))
    assert (notes["revision"], notes["compiler"]) == ("fed1234", "gcc 12")
    assert notes["sha256"] == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([member("../evil", content=b"x")], r"\.\./evil points outside of the tarball"),
        ([member("mysql-5.6/../../evil", content=b"x")], "points outside of the tarball"),
        ([member("/etc/evil", content=b"x")], "/etc/evil points outside of the tarball"),
        ([link("mysql-5.6/passwd", "/etc/passwd")], "passwd points outside of the build"),
        ([link("mysql-5.6/up", "../..")], "up points outside of the build"),
        ([link("mysql-5.6/d", "."), link("mysql-5.6/e", "d/../..")], "e points outside of the build"),
        ([link("mysql-5.6/d", "/tmp"), member("mysql-5.6/d/evil", content=b"x")], "evil is behind a link"),
        ([link("mysql-5.6/h", "/etc/passwd", tarfile.LNKTYPE)], "h points to no file of the build"),
        ([link("mysql-5.6/h", "../other", tarfile.LNKTYPE)], "h points to no file of the build"),
        ([member("mysql-5.6/pipe", type=tarfile.FIFOTYPE)], "pipe is neither a file nor a folder"),
        ([member("mysql-5.6/disk", type=tarfile.BLKTYPE)], "disk is neither a file nor a folder"),
        ([member("mysql-5.6/bin/mysqld", content=b"again")], "cannot unpack .*bin/mysqld.*: File exists"),
        ([member("mysql-5.6/bin/mysqld/x", content=b"x")], "cannot unpack .*bin/mysqld.*: File exists"),
        ([member("mysql-5.6/" + "d/" * 3000)], "is too long: nothing was unpacked"),
        ([member("mysql-5.6/" + "n" * 300)], "cannot unpack .*n: File name too long"),
    ],
)
def test_what_climbs_out_is_refused_and_nothing_is_left(
    directory: MarkedDirectory, tmp_path: Path, bad: list[Any], reason: str
) -> None:
    with pytest.raises(AgentError, match=reason):
        install(directory, tarball(*bad))
    assert listing(directory) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dyno"]


def test_a_broken_upload_goes_on_where_it_ended(directory: MarkedDirectory) -> None:
    content = tarball(member("mysql-5.6/big", content=os.urandom(5000)))
    sha256 = hashlib.sha256(content).hexdigest()
    brought = BuildInstaller(directory)
    assert brought.receive(sha256, 0, io.BytesIO(content[:2000])) == 2000
    assert brought.receive(sha256, 0, io.BytesIO(content[:500])) == 2000  # sent twice: taken once
    assert brought.receive(sha256, 2000, io.BytesIO(content[2000:])) == len(content)
    assert brought.install(sha256, "mine", {}).base.endswith("/mine")


def test_one_that_is_still_on_its_way_is_not_lost_to_another(directory: MarkedDirectory) -> None:
    BuildInstaller(directory).receive("0" * 64, 0, io.BytesIO(b"x" * 100))
    install(directory, tarball())
    assert BuildInstaller(directory).receive("0" * 64, 100, io.BytesIO(b"")) == 100


def test_a_truncated_upload_is_refused_and_thrown_away(directory: MarkedDirectory) -> None:
    content = tarball(member("mysql-5.6/big", content=os.urandom(5000)))
    sha256 = hashlib.sha256(content).hexdigest()
    BuildInstaller(directory).receive(sha256, 0, io.BytesIO(content[:-100]))
    with pytest.raises(AgentError, match="was damaged on its way here"):
        BuildInstaller(directory).install(sha256, "mine", {})
    with pytest.raises(AgentError, match="is not here: send it again"):
        BuildInstaller(directory).install(sha256, "mine", {})
    assert listing(directory) == []


@pytest.mark.parametrize(
    "content",
    [b"", b"no tarball", tarball()[:-40], tarball(mode="w:xz")[:90]],
    ids=["empty", "text", "gzip", "xz"],  # gzip holds the time: an id of its bytes differs between workers
)
def test_what_is_no_tarball_is_refused(directory: MarkedDirectory, content: bytes) -> None:
    with pytest.raises(AgentError, match=r"complete tarball|contains no server|not here"):
        install(directory, content)
    assert listing(directory) == []


def test_one_without_a_server_is_refused(directory: MarkedDirectory) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.addfile(*(lambda info, content: (info, io.BytesIO(content)))(*member("readme", content=b"x")))
    with pytest.raises(AgentError, match="it contains no server"):
        install(directory, packed.getvalue())
    assert listing(directory) == []


def test_a_full_disk_is_told_before_and_in_the_middle(
    directory: MarkedDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = tarball(member("mysql-5.6/big", content=b"x" * 5000))
    with monkeypatch.context() as patch:
        patch.setattr(installing, "ROOM", 1 << 60)
        with pytest.raises(AgentError, match="MiB are free: free some space"):
            install(directory, content)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(installing, "_write", full)
        with pytest.raises(AgentError, match=r"cannot unpack .*: No space left on device"):
            install(directory, content)
    assert listing(directory) == []


def test_a_disk_that_is_full_while_it_is_sent(directory: MarkedDirectory) -> None:
    """What came before stays: the upload goes on when there is room again."""

    class Full(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    sha256 = "0" * 64
    BuildInstaller(directory).receive(sha256, 0, io.BytesIO(b"x" * 100))
    with pytest.raises(AgentError, match="stopped at 100 bytes: No space left"):
        BuildInstaller(directory).receive(sha256, 100, Full())
    assert BuildInstaller(directory).receive(sha256, 100, io.BytesIO(b"")) == 100


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a b", "-x", "x.half", "x" * 81])
def test_a_name_is_a_plain_one(directory: MarkedDirectory, name: str) -> None:
    with pytest.raises(AgentError, match="the name of a build may have"):
        install(directory, tarball(), name)


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_one_that_was_damaged_on_the_way_to_the_desktop_is_refused(
    directory: MarkedDirectory, mode: str
) -> None:
    """By what stands behind its last member too: the bytes in between may be as many as they were."""
    whole = tarball(member("mysql-5.6/big", content=random.Random(1).randbytes(300_000)), mode=mode)
    middle = len(whole) // 2
    for damaged in (whole[:middle] + bytes(50) + whole[middle + 50 :], whole[:-30] + bytes(30)):
        with pytest.raises(AgentError, match="it is not a complete tarball"):
            install(directory, damaged)
    assert listing(directory) == []


def test_two_of_one_name_are_refused(directory: MarkedDirectory) -> None:
    install(directory, tarball())
    for refused in (
        lambda: BuildInstaller(directory).check_name("mine"),
        lambda: install(directory, tarball()),
    ):
        with pytest.raises(AgentError, match="build mine exists already"):
            refused()
    assert install(directory, tarball(), "other").base.endswith("/other")


def test_only_what_was_installed_is_removed(directory: MarkedDirectory, tmp_path: Path) -> None:
    base = install(directory, tarball()).base
    (tmp_path / "elsewhere" / "bin").mkdir(parents=True)
    for other in (str(tmp_path / "elsewhere"), directory.at("builds"), directory.at("agents"), "/usr"):
        with pytest.raises(AgentError, match="Dyno did not install"):
            BuildInstaller(directory).remove(other)
    BuildInstaller(directory).remove(base)
    assert listing(directory) == []
    assert BuildNotes(directory).all() == {}
    assert (tmp_path / "elsewhere").is_dir()


def test_what_a_killed_agent_left_is_taken_away_at_the_next_start(directory: MarkedDirectory) -> None:
    Path(directory.at("builds", "mine.half", "bin")).mkdir(parents=True)
    Path(directory.at("builds", "0" * 64 + ".upload")).touch()
    clean(directory)
    assert listing(directory) == []


def test_notes_are_bounded_and_known(directory: MarkedDirectory) -> None:
    notes = BuildNotes(directory)
    notes.write("/opt/a", {"compiler": "clang 15", "flags": ""})
    assert notes.of("/opt/a") == {"compiler": "clang 15"}
    assert notes.of("/opt/b") == {}
    for bad in ({"colour": "red"}, {"text": "x" * 2001}, {"text": "\x1b[2J"}):
        with pytest.raises(AgentError, match="cannot have a note"):
            notes.write("/opt/a", bad)
