"""The agent file on a target over SSH: pushed once, only into a directory that is safe."""

from __future__ import annotations

import os
import secrets
import subprocess
from pathlib import Path

import pytest

from app.core.errors import InputError, TargetError
from app.protocol.answers import RemovalAnswer
from app.remote.bundle import current_bundle
from app.remote.reach import reached
from app.remote.target import Target
from tests.integration.reaching import nobody
from tests.integration.sshd import Sshd, StartSshd


def deploy(target: Target) -> str:
    with reached(target, nobody) as agent:
        return agent.directory


def test_the_agent_file_is_pushed_once(sshd: Sshd) -> None:
    target = sshd.add_target()
    directory = Path(deploy(target))
    file = directory / "agents" / f"{current_bundle().sha}.pyz"
    assert file.read_bytes() == current_bundle().content
    assert file.stat().st_mode & 0o777 == 0o600
    assert directory.stat().st_mode & 0o777 == 0o700
    assert (directory / "DYNO-TARGET").is_file()
    before = file.stat()
    assert deploy(target) == str(directory)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [each.name for each in (directory / "agents").iterdir()] == [file.name]


def test_a_damaged_agent_file_is_replaced(sshd: Sshd) -> None:
    target = sshd.add_target()
    file = Path(deploy(target)) / "agents" / f"{current_bundle().sha}.pyz"
    file.write_bytes(b"torn")
    deploy(target)
    assert file.read_bytes() == current_bundle().content


def test_the_home_of_the_user_there(sshd: Sshd) -> None:
    home = Path("~").expanduser() / f".dyno test-{secrets.token_hex(4)}"
    try:
        assert deploy(sshd.add_target(directory=f"~/{home.name}")) == str(home)
    finally:
        subprocess.run(["rm", "-rf", str(home)], check=True)


def test_a_disk_that_is_not_mounted(sshd: Sshd, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"far: there is no {tmp_path}/disk to make {tmp_path}/disk/dyno in"):
        deploy(sshd.add_target(directory=str(tmp_path / "disk" / "dyno")))
    assert not (tmp_path / "disk").exists()


def test_verbs_are_answered(sshd: Sshd) -> None:
    target = sshd.add_target()
    with reached(target, nobody) as agent:
        assert agent.status().locked is False
        assert agent.list() == []
        assert agent.clean() == RemovalAnswer([])
        with pytest.raises(TargetError, match=r"far: .*NOPLAN"):
            agent.stop("NOPLAN", "plan")


def test_a_directory_that_is_somebody_elses(sshd: Sshd) -> None:
    directory = Path(sshd.directory)
    directory.mkdir(0o700)
    (directory / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="is not empty and not Dyno's"):
        deploy(sshd.add_target())
    assert [each.name for each in directory.iterdir()] == ["thesis.tex"]


def test_a_directory_open_to_others(sshd: Sshd) -> None:
    Path(sshd.directory).mkdir()
    Path(sshd.directory).chmod(0o755)  # whatever the umask
    with pytest.raises(TargetError, match=f"open to other users: chmod 700 {sshd.directory}"):
        deploy(sshd.add_target())


def test_a_link_and_a_file_in_place_of_the_directory(sshd: Sshd, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(0o700)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(TargetError, match="is a symbolic link"):
        deploy(sshd.add_target("one", str(tmp_path / "link")))
    with pytest.raises(InputError, match="is not a directory"):
        deploy(sshd.add_target("two", str(tmp_path / "file")))
    with pytest.raises(InputError, match="file is not a directory"):
        deploy(sshd.add_target("three", str(tmp_path / "file" / "below")))
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.root
def test_a_directory_of_another_user(sshd: Sshd) -> None:
    directory = Path(sshd.directory)
    directory.mkdir(0o700)
    os.chown(directory, 65534, 65534)
    with pytest.raises(TargetError, match="belongs to user 65534, not to user 0"):
        deploy(sshd.add_target())


def test_agent_files_behind_a_link_are_refused(sshd: Sshd, tmp_path: Path) -> None:
    directory = Path(deploy(sshd.add_target()))
    (directory / "agents").rename(tmp_path / "agents")
    (directory / "agents").symlink_to(tmp_path / "agents")
    with pytest.raises(TargetError, match="agents is not a directory"):
        deploy(sshd.target())


def test_no_python_there(sshd: Sshd) -> None:
    target = sshd.add_target(python="python3.99")
    with pytest.raises(TargetError, match=r"no python3\.99 on far: install Python 3\.8 or newer.*--python"):
        deploy(target)


def test_an_old_python_says_what_it_is(sshd: Sshd, tmp_path: Path) -> None:
    """Python before 3.4 knows no -I; a script that does as it does stands for it."""
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo "Python 2.7.18" >&2 && exit\n')
    with old.open("a") as file:
        file.write('echo "Unknown option: -I" >&2\nexit 2\n')
    old.chmod(0o755)
    with pytest.raises(TargetError, match=r"Python 2\.7\.18 on far is too old, install Python 3\.8"):
        deploy(sshd.add_target(python=str(old)))


def test_a_login_script_that_talks_disturbs_nothing(start_sshd: StartSshd, tmp_path: Path) -> None:
    script = tmp_path / "talk"
    script.write_text('#!/bin/sh\necho Welcome\neval "$SSH_ORIGINAL_COMMAND"\necho "{bye"\n')
    script.chmod(0o755)
    sshd = start_sshd(f"ForceCommand {script}")
    assert deploy(sshd.add_target()) == sshd.directory


def test_an_agent_file_that_is_gone(sshd: Sshd) -> None:
    target = sshd.add_target()
    deploy(target)
    gone = pytest.raises(TargetError, match="the agent file 0123456789ab is gone from")
    with gone, reached(target, nobody, sha="0123456789ab" + "0" * 52) as agent:
        agent.stop("P", "plan")
