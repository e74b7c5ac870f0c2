"""Presets against real servers: they are accepted, and groups mean what the server takes them for."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.agent.builds import environment
from app.agent.options import check_options
from app.catalog import Catalog
from app.presets import Machine, Preset, parse_preset, render

MARIADBD = "/usr/sbin/mariadbd"
MACHINE = Machine(4 << 30, 2)
GROUPS = """\
[mariadb-10.11]
max_connections=1
back_log=1
[mysqld]
max_connections=2
[mariadbd]
net_buffer_length=3
[client-server]
back_log=4
[mysqld-5.6]
back_log=5
[mysqld_safe]
back_log=6
"""


def complaints(base: str, server: str, cnf: str, folder: Path) -> list[dict[str, Any]]:
    """What a build does not take of a my.cnf, beside what loose_ lets it ignore."""
    path = folder / "my.cnf"
    path.write_text(cnf, encoding="utf-8")
    build = {"base": base, "server": server, "environment": environment(base, server)}
    return [each for each in check_options(build, str(path)) if not each["option"].startswith("loose")]


def rendered(preset: Preset, family: str, version: str) -> str:
    return render(preset, family, version, MACHINE).text


def shipped(*engines: str) -> list[Any]:
    """Every preset of these engines, named as people name it."""
    return [
        pytest.param(preset, id=f"{preset.engine}/{preset.name}")
        for preset in Catalog().presets()[0]
        if preset.engine in engines
    ]


@pytest.mark.parametrize("preset", shipped("innodb", "rocksdb", "myisam"))
def test_mariadb_accepts_every_preset(preset: Preset, tmp_path: Path) -> None:
    cnf = rendered(preset, "MariaDB", "10.11.19")
    assert complaints("/usr", MARIADBD, cnf, tmp_path) == []


@pytest.mark.build("mysql-5.6")
@pytest.mark.parametrize("preset", shipped("innodb", "myisam"))
def test_mysql_5_6_accepts_every_preset(
    preset: Preset, build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    base = build_path("mysql-5.6")
    assert complaints(str(base), str(base / "mysqld"), rendered(preset, "MySQL", "5.6.24"), tmp_path) == []


@pytest.mark.build("mysql-9.7")
@pytest.mark.parametrize("preset", shipped("innodb", "myisam"))
def test_mysql_9_7_accepts_every_preset(
    preset: Preset, build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    base = build_path("mysql-9.7")
    cnf = rendered(preset, "MySQL", "9.7.4")
    assert complaints(str(base), str(base / "bin/mysqld"), cnf, tmp_path) == []


def test_the_test_would_see_a_complaint(tmp_path: Path) -> None:
    found = complaints("/usr", MARIADBD, "[mysqld]\nno_such_option=3\n", tmp_path)
    assert [each["option"] for each in found] == ["no_such_option"]


def test_groups_mean_what_the_server_takes_them_for(tmp_path: Path) -> None:
    """What a server says it would be started with, last word of each option, is what is rendered."""
    preset = parse_preset(GROUPS, "groups", "innodb")
    ours = render(preset, "MariaDB", "10.11.19", MACHINE)
    assert said(GROUPS, tmp_path) == said(ours.text, tmp_path)
    assert said(ours.text, tmp_path) == {"max_connections": "2", "back_log": "4", "net_buffer_length": "3"}


def said(cnf: str, folder: Path) -> dict[str, str]:
    path = folder / "groups.cnf"
    path.write_text(cnf, encoding="utf-8")
    answer = subprocess.run(
        [MARIADBD, f"--defaults-file={path}", "--print-defaults"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    words = answer.stdout.splitlines()[-1].split()
    return dict(word.removeprefix("--").split("=", 1) for word in words)
