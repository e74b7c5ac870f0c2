"""install.sh where it may not install: it names what is missing and the line to run, and stops."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

INSTALL = Path(__file__).parents[2] / "install.sh"


@pytest.fixture
def beside_install(tmp_path: Path) -> Path:
    """install.sh beside commands that stand for a machine with no package, of somebody who is not root."""
    shutil.copy(INSTALL, tmp_path)
    commands = {"dpkg-query": "exit 1", "id": "echo 1000", "apt-get": f"touch {tmp_path}/apt-get-was-called"}
    (tmp_path / "bin").mkdir()
    for name, line in commands.items():
        command = tmp_path / "bin" / name
        command.write_text(f"#!/bin/sh\n{line}\n")
        command.chmod(0o755)
    return tmp_path


def install(folder: Path, what: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    argv = ["sh", str(folder / "install.sh"), what]
    return subprocess.run(
        argv,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        cwd="/",
        timeout=30,
    )


def test_without_root_it_prints_the_line_to_run(beside_install: Path) -> None:
    done = install(beside_install, "run")
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "apt-get install" in line]
    assert line.startswith("  sudo apt-get install ")
    assert {"mariadb-server", "mariadb-plugin-rocksdb", "libxcb-cursor0"} <= set(line.split())
    assert "  mariadb-server\n" in done.stdout
    assert not (beside_install / "apt-get-was-called").exists()
    assert not (beside_install / ".venv").exists()


def test_what_the_tests_need_is_asked_for_by_the_tests_only(beside_install: Path) -> None:
    assert "openssh-server" not in install(beside_install, "run").stdout
    assert "openssh-server" in install(beside_install, "test").stdout


def test_it_never_removes_what_somebody_has(beside_install: Path) -> None:
    assert "--no-remove" in install(beside_install, "run").stderr


def test_an_unknown_word_gets_the_usage(beside_install: Path) -> None:
    done = install(beside_install, "everything")
    assert done.returncode == 2
    assert "sh install.sh run" in done.stdout


@pytest.fixture
def installed(beside_install: Path) -> Path:
    """install.sh where everything is there; dpkg-query notes that it was called."""
    (beside_install / "bin/dpkg-query").write_text(
        f'#!/bin/sh\necho >> {beside_install}/asked\nfor each; do echo "installed $each"; done\nexit 1\n'
    )
    for name in ("setup.cfg", "pyproject.toml"):
        (beside_install / name).write_text("")
    (beside_install / ".venv/bin").mkdir(parents=True)
    (beside_install / ".venv/bin/python").symlink_to("/bin/true")
    (beside_install / ".venv/installed").write_text(f"{beside_install}\n")
    return beside_install


def test_a_second_time_dpkg_is_asked_once_and_no_other_python(installed: Path) -> None:
    for name in ("python3", "python3.11", "python3.12", "python3.13"):
        (installed / "bin" / name).write_text(f"#!/bin/sh\ntouch {installed}/started\n")
        (installed / "bin" / name).chmod(0o755)
    done = install(installed, "run")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (installed / "asked").read_text() == "\n"
    assert not (installed / "started").exists()


def test_a_package_that_was_removed_is_noticed(installed: Path) -> None:
    query = installed / "bin/dpkg-query"
    query.write_text(
        query.read_text().replace('echo "installed', '[ "${each%t64}" = libxcb-cursor0 ] || echo "installed')
    )
    done = install(installed, "run")
    assert done.returncode == 1
    assert done.stdout == "Debian packages that are missing:\n  libxcb-cursor0\n"


def test_an_environment_without_its_python_is_made_anew(installed: Path) -> None:
    (installed / ".venv/bin/python").unlink()
    (installed / ".venv/bin/python").symlink_to("/gone/python3.11")
    (installed / "python").write_text('#!/bin/sh\ncase "$1" in -m) echo "made $3" >&2; exit 1 ;; esac\n')
    (installed / "python").chmod(0o755)
    done = install(installed, "run", PYTHON=str(installed / "python"))
    assert "made .venv" in done.stderr and "could not make a Python environment" in done.stderr


def test_a_newer_lock_is_installed(installed: Path) -> None:
    lock = installed / "requirements.txt"
    lock.write_text("")
    (installed / ".venv/bin/pip").write_text(f"#!{installed}/.venv/bin/python\n")
    os.utime(lock, (2_000_000_000, 2_000_000_000))
    assert "Installing Dyno" in install(installed, "run").stdout


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_what_setup_cfg_needs_is_locked_by_version_and_hash(name: str) -> None:
    setup = ConfigParser()
    setup.read(INSTALL.parent / "setup.cfg")
    needed = setup["options"]["install_requires"] + setup["options.extras_require"]["window"]
    if "dev" in name:
        needed += setup["options.extras_require"]["dev"]
    entries = re.split(r"\n(?=\S)", (INSTALL.parent / name).read_text().strip())
    locked = {entry.partition("==")[0].replace("_", "-").lower() for entry in entries}
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)
    assert {re.split("[<>=]", each)[0].replace("_", "-").lower() for each in needed.split()} <= locked
