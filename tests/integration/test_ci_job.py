"""docs/ci.yml, carried out as a CI does: in a fresh environment, with a target behind a real sshd."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import chown
from textwrap import dedent
from xml.etree import ElementTree

import pytest

from app.cli.parser import parse
from tests.installed import MARIADB
from tests.integration.sshd import StartSshd
from tests.integration.test_wheel import copy_sources

JOB = Path(__file__).parents[2] / "docs" / "ci.yml"
PASSWORD = "let me in"  # of password_user
TAGS = {0: "system-out", 1: "failure", 3: "error"}


def commands() -> list[str]:
    """What each `run` of the job carries out."""
    lines = re.split(r"^      - ", JOB.read_text(), flags=re.MULTILINE)[1:]
    blocks = [re.match(r"run: (?:\|\n((?:          .*\n)+)|(.*)\n)", each) for each in lines]
    return [dedent(found[1] or found[2]) for found in blocks if found]


def test_the_job_has_twenty_lines_and_commands_of_today() -> None:
    assert len([line for line in JOB.read_text().splitlines() if not line.startswith("#")]) <= 20
    typed = [line for each in commands() for line in each.splitlines() if line.startswith("dyno ")]
    assert len(typed) == 5
    for line in typed:
        parse(line.split()[1:])


@pytest.fixture
def folder_of_target(password_user: str) -> Iterator[str]:
    """A folder of that user, who cannot enter those of the tests."""
    with tempfile.TemporaryDirectory(prefix="dyno-ci-") as folder:
        Path(folder).chmod(0o755)
        chown(folder, password_user)
        yield folder


@contextmanager
def seen_meanwhile(secret: str) -> Iterator[set[str]]:
    """Which processes of this machine have the secret in their arguments or environment."""
    found, is_over = set[str](), threading.Event()

    def look() -> None:
        while not is_over.wait(0.2):
            for path in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    if any(secret.encode() in (path / name).read_bytes() for name in ("cmdline", "environ")):
                        found.add((path / "comm").read_text())

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        is_over.set()
        thread.join()


@pytest.mark.full
@pytest.mark.root
@pytest.mark.build("mysql-5.6")
@pytest.mark.timeout(1800)
def test_the_job_is_carried_out_without_terminal_and_window(
    password_user: str, start_sshd: StartSshd, ssh_folder: Path, folder_of_target: str, tmp_path: Path,
    build_path: Callable[[str], Path],
) -> None:  # fmt: skip
    sshd, work = start_sshd("PasswordAuthentication yes"), tmp_path / "work"
    (ssh_folder / "config").write_text(
        f"Host bench.example.org\n HostName {sshd.address}\n Port {sshd.port}\n"
    )
    copy_sources(tmp_path / "source")
    made = [sys.executable, "-m", "build", "--wheel", "--outdir", str(work), str(tmp_path / "source")]
    subprocess.run(made, check=True, capture_output=True)
    with tarfile.open(work / "mysql-new.tar", "w") as tar:
        tar.add(build_path("mysql-5.6"), "new", filter=lambda each: None if "/data/" in each.name else each)
    its_own = {
        "/srv/dyno": f"{folder_of_target}/dyno", "--user ci": f"--user {password_user}", "mysql-9.7": MARIADB,
        "--sequence quick --repeats 5": "--sequence duel --rows 10k --seconds 1 --repeats 1 --allow-busy",
    }  # fmt: skip
    save, measure = commands()
    for usual, mine in its_own.items():
        assert usual in measure
        measure = measure.replace(usual, mine)
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "TERM", "PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"DYNO_HOME": f"{work}/dyno", "DYNO_PASSWORD_FILE": f"{work}/password"}

    def carry_out(script: str, **more: str) -> subprocess.CompletedProcess[str]:
        argv, variables = ["bash", "-e", "-o", "pipefail", "-c", script], environment | more
        return subprocess.run(
            argv, cwd=work, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )

    assert carry_out(save, PASSWORD=PASSWORD).returncode == 0
    with seen_meanwhile(PASSWORD) as seen:
        carry_out("sleep 2; true", PASSWORD=PASSWORD)
    assert seen == {"bash\n", "sleep\n"}
    with seen_meanwhile(PASSWORD) as seen:
        done = carry_out(measure, HOST_KEY=sshd.host_key.fingerprint)
    print(done.stdout, done.stderr)
    *claims, gate = ElementTree.parse(work / "gate.xml").getroot()[0]
    assert len(claims) == 3 and [each.tag for each in gate] == [TAGS[done.returncode]]
    assert not list(work.glob("venv/lib/*/site-packages/PySide6"))
    assert seen == set() and "Accepted password" in sshd.log()
    kept = [
        each for top in (work / "dyno", Path(folder_of_target)) for each in top.rglob("*") if each.is_file()
    ]
    assert [path for path in kept if PASSWORD.encode() in path.read_bytes()] == [] and len(kept) > 6
