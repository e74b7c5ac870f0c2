"""Builds brought to a target: sent over a real sshd, unpacked, started, described, taken away again."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.targets import Target

from .desktop import Desktop
from .sshd import Sshd


@pytest.fixture
def far(desktop: Desktop, sshd: Sshd, tmp_path: Path) -> Target:
    """A target behind a real sshd."""
    (tmp_path / "far").mkdir()
    return sshd.add_target("far", str(tmp_path / "far" / "dyno"))


def pack(base: Path, tarball: Path) -> Path:
    with tarfile.open(tarball, "w") as tar:
        tar.add(base, "mysql-5.6.24-linux")
    return tarball


def on(desktop: Desktop, target: str, name: str) -> dict[str, Any]:
    found = {each["name"]: each for each in desktop.json("build", "list", "--target", target)}
    return dict(found.get(name, {}))


@pytest.mark.build("mysql-5.6")
def test_a_tarball_becomes_a_build_that_is_measured(
    desktop: Desktop, far: Target, build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    tarball = pack(build_path("mysql-5.6"), tmp_path / "mysql-5.6.24.tar")
    told = ("--revision", "fed1234", "--compiler", "gcc 4.8")
    said = desktop.dyno("build", "install", str(tarball), "--target", "far", *told).stdout
    base = Path(far.directory) / "builds" / "mysql-5.6.24"
    assert said == f"MySQL 5.6.24 is installed in {base} on far\n"
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
    again = desktop.refused("build", "install", str(tarball), "--target", "far", code=1)
    assert "there is a build mysql-5.6.24 already" in again
    desktop.dyno("build", "remove", "mysql-5.6.24", "--target", "far")
    assert on(desktop, "far", "mysql-5.6.24") == {}
    assert not base.exists()


def test_a_library_that_is_missing_is_named(desktop: Desktop, far: Target, tmp_path: Path) -> None:
    """It is installed all the same: the library can be."""
    base = tmp_path / "broken"
    (base / "bin").mkdir(parents=True)
    server = Path("/usr/sbin/mariadbd").read_bytes().replace(b"libsystemd.so.0", b"libnowhere.so.0")
    (base / "bin" / "mariadbd").write_bytes(server)
    (base / "bin" / "mariadbd").chmod(0o755)
    tarball = pack(base, tmp_path / "broken.tar")
    said = desktop.dyno("build", "install", str(tarball), "--target", "far").stdout
    assert "it cannot start" in said
    assert "libnowhere.so.0" in said


def test_what_is_refused(desktop: Desktop, far: Target, tmp_path: Path) -> None:
    (tmp_path / "evil.tar").write_bytes(b"")
    with tarfile.open(tmp_path / "evil.tar", "w") as tar:
        tar.add("/etc/hostname", "../../hostname")
    words = ("build", "install", str(tmp_path / "evil.tar"), "--target", "far")
    assert "leads out of the tarball" in desktop.refused(*words, code=1)
    assert "is no tarball by its name" in desktop.refused("build", "install", str(tmp_path / "x.zip"))
    assert "No such file" in desktop.refused("build", "install", str(tmp_path / "x.tar"))
    assert "was not installed by Dyno" in desktop.refused("build", "remove", "mariadb-10.11.19", code=1)
    assert "there is no build nothing" in desktop.refused("build", "note", "nothing", "--text", "x")
    assert "give one of --source" in desktop.refused("build", "note", "mariadb-10.11.19")
    assert list((Path(far.directory) / "builds").glob("*.*")) == []


@pytest.mark.build("mysql-5.6")
def test_a_directory_that_is_there_is_named(desktop: Desktop, build_path: Callable[[str], Path]) -> None:
    base = str(build_path("mysql-5.6"))
    desktop.dyno("build", "install", base, "--there", "--source", "the npm registry")
    assert on(desktop, "local", "mysql-5.6.24")["notes"] == {"source": "the npm registry"}
    assert "no server was found in /etc" in desktop.refused("build", "install", "/etc", "--there")
    desktop.dyno("build", "remove", "mysql-5.6.24")
    assert on(desktop, "local", "mysql-5.6.24") == {}
    assert Path(base).is_dir()
