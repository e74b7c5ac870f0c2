"""Builds brought to a target: sent over a real sshd, unpacked, started, described, taken away again."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.remote.target import Target
from tests.installed import MARIADB, SERVER
from tests.integration.desktop import Desktop
from tests.integration.disks import fill
from tests.integration.sshd import Sshd


@pytest.fixture
def remote(desktop: Desktop, sshd: Sshd, tmp_path: Path) -> Target:
    """A target behind a real sshd."""
    (tmp_path / "far").mkdir()
    return sshd.add_target("far", str(tmp_path / "far" / "dyno"))


def pack(base: Path, tarball: Path) -> Path:
    with tarfile.open(tarball, "w") as tar:
        tar.add(base, "mysql-5.6.24-linux", filter=lambda member: None if "/data/" in member.name else member)
    return tarball


def on(desktop: Desktop, target: str, name: str) -> dict[str, Any]:
    found = {each["name"]: each for each in desktop.json("build", "list", "--target", target)}
    return dict(found.get(name, {}))


@pytest.mark.full
@pytest.mark.build("mysql-5.6")
def test_a_tarball_becomes_a_build_that_is_measured(
    desktop: Desktop, remote: Target, build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    tarball = pack(build_path("mysql-5.6"), tmp_path / "mysql-5.6.24.tar")
    told = ("--revision", "fed1234", "--compiler", "gcc 4.8")
    said = desktop.dyno("build", "install", str(tarball), "--target", "far", *told).stdout
    base = Path(remote.directory) / "builds" / "mysql-5.6.24"
    assert said == f"MySQL 5.6.24 is installed in {base} on far as mysql-5.6.24\n"
    build = on(desktop, "far", "mysql-5.6.24")
    assert (build["base"], build["problem"]) == (str(base), None)
    assert (build["notes"]["revision"], build["notes"]["file"]) == ("fed1234", "mysql-5.6.24.tar")
    desktop.dyno("build", "note", "mysql-5.6.24", "--target", "far", "--flags=-O2", "--compiler", "")
    desktop.dyno("run", *desktop.plan("mysql-5.6.24:innodb", target="far", seconds=1, warmup=0))
    (session,) = desktop.sessions()
    assert session["state"] == "completed", session["reason"]
    facts = desktop.json("session", "settings", session["id"])["facts"]
    notes = facts["build"]["notes"]
    assert (notes["revision"], notes["flags"]) == ("fed1234", "-O2")
    assert "compiler" not in notes
    again = desktop.refused("build", "install", str(tarball), "--target", "far")
    assert "build mysql-5.6.24 exists already" in again
    desktop.dyno("build", "remove", "mysql-5.6.24", "--target", "far")
    assert on(desktop, "far", "mysql-5.6.24") == {}
    assert not base.exists()


@pytest.mark.full
def test_a_library_that_is_missing_is_named(desktop: Desktop, remote: Target, tmp_path: Path) -> None:
    """It is installed all the same: the library can be."""
    base = tmp_path / "broken"
    (base / "bin").mkdir(parents=True)
    server = Path(SERVER).read_bytes().replace(b"libsystemd.so.0", b"libnowhere.so.0")
    (base / "bin" / "mariadbd").write_bytes(server)
    (base / "bin" / "mariadbd").chmod(0o755)
    tarball = pack(base, tmp_path / "broken.tar")
    said = desktop.dyno("build", "install", str(tarball), "--target", "far").stdout
    assert "it cannot start" in said
    assert "libnowhere.so.0" in said


def bad_tarballs(folder: Path) -> Iterator[tuple[Path, str]]:
    """Each with what is said of it."""
    with tarfile.open(folder / "links.tar", "w") as tar:
        out = tarfile.TarInfo("mysql/lib")
        out.type, out.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(out)
        tar.add("/etc/hostname", "mysql/lib/hostname")
    yield folder / "links.tar", "mysql/lib/hostname is behind a link: nothing was unpacked"
    with tarfile.open(folder / "whole.tar.gz", "w:gz") as tar:
        tar.add("/etc/services", "mysql/services")
    (folder / "cut.tar.gz").write_bytes((folder / "whole.tar.gz").read_bytes()[:-500])
    yield folder / "cut.tar.gz", "it is not a complete tarball"


def test_what_did_not_arrive_as_it_was_sent_is_thrown_away(
    desktop: Desktop, remote: Target, tmp_path: Path
) -> None:
    """An upload that was broken off, the end of which the disk of the target has lost."""
    tarball = pack(Path(__file__).with_name("sshd.py"), tmp_path / "mine.tar")
    upload = Path(remote.directory) / "builds" / f"{hashlib.sha256(tarball.read_bytes()).hexdigest()}.upload"
    desktop.dyno("snapshot", "list", "--target", "far")  # makes the directory
    upload.write_bytes(tarball.read_bytes()[:2000].replace(b"mysql", b"lost!"))
    words = ("build", "install", str(tarball), "--target", "far")
    assert "was damaged on its way here and was deleted: send it again" in desktop.refused(*words, code=1)
    assert "it contains no server" in desktop.refused(*words)  # as it was sent
    assert list(upload.parent.iterdir()) == []


@pytest.mark.full
@pytest.mark.root
def test_a_disk_that_is_full_in_the_middle_of_an_upload(
    desktop: Desktop, small_disk: Path, tmp_path: Path
) -> None:
    """What came before stays, and goes on once there is room."""
    desktop.dyno("target", "edit", "local", "--directory", str(small_disk))
    desktop.dyno("snapshot", "list")  # makes the directory
    (tmp_path / "mine" / "bin").mkdir(parents=True)
    (tmp_path / "mine" / "bin" / "mysqld").write_bytes(b"#!/bin/sh\nexit 3\n" + bytes(40 << 20))
    tarball = pack(tmp_path / "mine", tmp_path / "mine.tar")
    filler = fill(small_disk.parent, 20 << 20)
    told = desktop.refused("build", "install", str(tarball), code=1)
    assert "the upload stopped at 16,777,216 bytes: No space left on device" in told
    (kept,) = (small_disk / "builds").iterdir()
    assert kept.stat().st_size == 16 << 20
    filler.unlink()
    assert "is installed in" in desktop.dyno("build", "install", str(tarball)).stdout
    assert (small_disk / "builds" / "mine" / "bin" / "mysqld").stat().st_size > 40 << 20


def test_what_is_refused(desktop: Desktop, remote: Target, tmp_path: Path) -> None:
    (tmp_path / "evil.tar").write_bytes(b"")
    with tarfile.open(tmp_path / "evil.tar", "w") as tar:
        tar.add("/etc/hostname", "../../hostname")
    words = ("build", "install", str(tmp_path / "evil.tar"), "--target", "far")
    assert "points outside of the tarball" in desktop.refused(*words)
    for tarball, reason in bad_tarballs(tmp_path):
        assert reason in desktop.refused("build", "install", str(tarball), "--target", "far")
    assert "is no tarball by its name" in desktop.refused("build", "install", str(tmp_path / "x.zip"))
    assert "No such file" in desktop.refused("build", "install", str(tmp_path / "x.tar"))
    assert "Dyno did not install" in desktop.refused("build", "remove", MARIADB)
    assert "no build nothing on this target" in desktop.refused("build", "note", "nothing", "--text", "x")
    assert "give one of --source" in desktop.refused("build", "note", MARIADB)
    assert list((Path(remote.directory) / "builds").glob("*.*")) == []


@pytest.mark.build("mysql-5.6")
@pytest.mark.parametrize("places", [["far"], pytest.param(["local", "far"], marks=pytest.mark.full)])
def test_a_directory_that_is_there_is_named(
    desktop: Desktop, remote: Target, build_path: Callable[[str], Path], places: list[str]
) -> None:
    base = str(build_path("mysql-5.6"))
    for where in places:
        to = ("--target", where)
        desktop.dyno("build", "install", base, "--there", "--source", "the npm registry", *to)
        assert on(desktop, where, "mysql-5.6.24")["notes"] == {"source": "the npm registry"}
        assert "no server was found in /etc" in desktop.refused("build", "install", "/etc", "--there", *to)
        refused = desktop.refused("build", "install", base, "--there", "--name", "mine", *to)
        assert "--name is for a tarball" in refused
        desktop.dyno("build", "remove", "mysql-5.6.24", *to)
        assert on(desktop, where, "mysql-5.6.24") == {}
    assert Path(base).is_dir()
